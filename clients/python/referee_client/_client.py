"""The way in: find matches, open them, take seats.

What lives here: every call that needs no seat token. What must not live here: calls of a seat
(``_seat.py``), deadlines and retries (``_connection.py``).
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Sequence
from types import TracebackType

import grpc

from referee_client._connection import Connection, checked_target, new_request_id
from referee_client._errors import PermissionDeniedError
from referee_client._games import default_settings
from referee_client._gen.referee.v1.games_pb2 import GameSettings
from referee_client._gen.referee.v1.match_pb2 import (
    COLOUR_UNSPECIFIED,
    MATCH_STATE_OPEN,
    VISIBILITY_PUBLIC,
    Colour,
    Match,
    MatchState,
    Record,
    TimeControl,
    Visibility,
)
from referee_client._gen.referee.v1.match_service_pb2 import (
    CreateMatchRequest,
    GameDescription,
    GetMatchRequest,
    GetRecordRequest,
    JoinMatchRequest,
    ListGamesRequest,
    ListMatchesRequest,
    OpenSeat,
)
from referee_client._play import PlayStream
from referee_client._retry import RetryPolicy
from referee_client._seat import SeatClient, read_view
from referee_client._views import CreatedMatch, View
from referee_client._watch import Watch

_NONCE_BYTES = 16


class RefereeClient:
    """A connection to a referee, for everything that needs no seat.

    ::

        async with RefereeClient("localhost:50051") as client:
            created = await client.create_match("yoxii")
            seat = await client.join_match(join_code=created.join_codes[0])

    Every call is retried safely until the timeout; ``asyncio.timeout`` around one cuts it shorter.

    Args:
        target: Address of the referee, such as ``localhost:50051`` or any name that gRPC resolves.
        credentials: Channel credentials for TLS; None speaks plain text.
        timeout: Seconds that a call may take, all its tries together.
        token: A bearer token for the calls of this client, such as an operator's. Seats have their
            own.
        retry: How patient calls and watches are.
        options: Channel options of gRPC, on top of this package's.

    Raises:
        InvalidRequestError: The target is the URL of a web page.
    """

    def __init__(
        self,
        target: str,
        *,
        credentials: grpc.ChannelCredentials | None = None,
        timeout: float = 10.0,
        token: str | None = None,
        retry: RetryPolicy | None = None,
        options: Sequence[tuple[str, int | str]] = (),
    ) -> None:
        self._target = checked_target(target)
        self._credentials = credentials
        self._timeout = timeout
        self._token = token
        self._retry = retry or RetryPolicy()
        self._options = tuple(options)
        self._opened: Connection | None = None

    async def __aenter__(self) -> RefereeClient:
        if self._opened is not None:
            message = "The client is open already."
            raise RuntimeError(message)
        self._opened = Connection(
            self._target, self._credentials, self._timeout, self._retry, self._options
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._opened is not None:
            await self._opened.close()
            self._opened = None

    @property
    def _connection(self) -> Connection:
        if self._opened is None:
            message = (
                "The client is closed: use it inside `async with RefereeClient(...) as client`."
            )
            raise RuntimeError(message)
        return self._opened

    async def list_games(self) -> list[GameDescription]:
        """Every game that the referee knows, by id."""
        connection = self._connection
        response = await connection.unary(
            connection.stub.ListGames, ListGamesRequest(), token=self._token
        )
        return list(response.games)

    async def create_match(
        self,
        game: str | GameSettings,
        *,
        seats: int = 0,
        visibility: Visibility.ValueType = VISIBILITY_PUBLIC,
        time_control: TimeControl | None = None,
        server_seed: bytes = b"",
        request_id: str | None = None,
    ) -> CreatedMatch:
        """Open a match; nobody sits in it yet.

        Args:
            game: Id of a game for its default settings, or settings.
            seats: Number of seats; 0 for the fewest the game allows.
            visibility: Who may find and join the match.
            time_control: How much time the seats have, as ``per_turn`` and ``fischer`` make it;
                None for no clocks.
            server_seed: 32 bytes, only with an operator's token; empty as it should be.
            request_id: The request's id; None makes a fresh one.

        Raises:
            UnknownGameError: There is no such game.
            InvalidSettingsError: No match can be played with these settings, seats and times.
            RefereeError: Any other answer.
        """
        connection = self._connection
        request = CreateMatchRequest(
            request_id=request_id or new_request_id(),
            settings=default_settings(game) if isinstance(game, str) else game,
            seats=seats,
            visibility=visibility,
            time_control=time_control,
            server_seed=server_seed,
        )
        response = await connection.unary(connection.stub.CreateMatch, request, token=self._token)
        return CreatedMatch(response.match, {code.seat: code.code for code in response.join_codes})

    async def join_match(
        self,
        *,
        join_code: str | None = None,
        match_id: str | None = None,
        seat: int | None = None,
        display_name: str = "",
        colour: Colour.ValueType = COLOUR_UNSPECIFIED,
        client_nonce: bytes | None = None,
        request_id: str | None = None,
    ) -> SeatClient:
        """Take a seat, by join code or, in a public match, by match id.

        Args:
            join_code: A code from ``create_match``; or
            match_id: a public match, with
            seat: an open seat of it; None takes the first one.
            display_name: Name to show; empty for one made from the seat's number.
            colour: Wished colour; unspecified for the first free one.
            client_nonce: Own luck to mix into the match's, at most 64 bytes; None draws 16 fresh
                bytes.
            request_id: The request's id; None makes a fresh one. A retry from elsewhere needs the
                same nonce too.

        Raises:
            ValueError: Neither or both of join code and match id were given, or a seat with a join
                code.
            SeatTakenError: Somebody sits there, or no seat is open.
            ColourTakenError: Another seat has the colour.
            RefereeError: Any other answer.
        """
        if (join_code is None) == (match_id is None) or (
            join_code is not None and seat is not None
        ):
            message = "Join with a join_code, or with a match_id and perhaps a seat of it."
            raise ValueError(message)
        connection = self._connection
        request = JoinMatchRequest(
            display_name=display_name,
            colour=colour,
            client_nonce=secrets.token_bytes(_NONCE_BYTES)
            if client_nonce is None
            else client_nonce,
            request_id=request_id or new_request_id(),
        )
        if match_id is not None:
            request.open_seat.CopyFrom(OpenSeat(match_id=match_id, seat=seat))
        else:
            request.join_code = join_code or ""
        response = await connection.unary(connection.stub.JoinMatch, request, token=self._token)
        return SeatClient(connection, response.match.match_id, response.seat, response.seat_token)

    def seat(self, match_id: str, seat: int, token: str) -> SeatClient:
        """A seat that was taken earlier, from what was kept of it; asks nobody."""
        return SeatClient(self._connection, match_id, seat, token)

    async def resume(self, match_id: str, token: str) -> SeatClient:
        """A seat that was taken earlier, from its token; the referee says which seat it is.

        Raises:
            UnauthenticatedError: The token proves no seat.
            PermissionDeniedError: The token is for another match.
            RefereeError: Any other answer.
        """
        connection = self._connection
        view = await read_view(connection, match_id, token, include_legal_actions=False)
        if view.seat is None:
            message = "The token is good, but not for a seat of this match."
            raise PermissionDeniedError(message)
        return SeatClient(connection, match_id, view.seat, token)

    async def get_match(self, match_id: str) -> Match:
        """What everybody may know of a match."""
        connection = self._connection
        request = GetMatchRequest(match_id=match_id)
        response = await connection.unary(connection.stub.GetMatch, request, token=self._token)
        return response.match

    async def list_matches(
        self,
        *,
        game: str = "",
        state: MatchState.ValueType = MATCH_STATE_OPEN,
        oldest_first: bool = False,
        page_size: int = 0,
    ) -> AsyncIterator[Match]:
        """Public matches in one state, page after page as they are needed.

        Args:
            game: Only this game; empty for every game.
            state: Only matches in this state.
            oldest_first: Order by time of creation; the newest comes first otherwise.
            page_size: Matches a page, at most 100; 0 leaves it to the referee.
        """
        order = (
            ListMatchesRequest.ORDER_OLDEST_FIRST
            if oldest_first
            else ListMatchesRequest.ORDER_NEWEST_FIRST
        )
        request = ListMatchesRequest(game=game, state=state, order=order, page_size=page_size)
        while True:
            connection = self._connection
            page = await connection.unary(connection.stub.ListMatches, request, token=self._token)
            for match in page.matches:
                yield match
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def get_observation(self, match_id: str) -> View:
        """What the public may see of a match now."""
        return await read_view(self._connection, match_id, self._token, include_legal_actions=False)

    async def record(self, match_id: str) -> Record:
        """The record of a match as the public may see it.

        Once the match has ended it is whole, with the seed.
        """
        connection = self._connection
        request = GetRecordRequest(match_id=match_id)
        response = await connection.unary(connection.stub.GetRecord, request, token=self._token)
        return response.record

    def play(self) -> PlayStream:
        """A stream that carries any number of matches: follow, submit, get events and receipts.

        Open it with ``async with``. Lost streams are opened again without being noticed.
        """
        return PlayStream(self._connection)

    def watch(self, match_id: str, *, after_version: int = 0) -> Watch:
        """Every event after a version as the public may see it, each once and in order."""
        return Watch(self._connection, match_id, self._token, after_version)

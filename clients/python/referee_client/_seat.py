"""One seat of one match: look, choose, act, watch.

What lives here: every call that needs a seat token. What must not live here: deadlines and retries
(``_connection.py``), and how a seat is taken (``_client.py``).
"""

from __future__ import annotations

from referee_client._connection import Connection, new_request_id
from referee_client._errors import UnauthenticatedError
from referee_client._gen.referee.v1.games_pb2 import GameAction
from referee_client._gen.referee.v1.match_pb2 import Match, Receipt, Record
from referee_client._gen.referee.v1.match_service_pb2 import (
    GetMatchRequest,
    GetObservationRequest,
    GetRecordRequest,
    LeaveMatchRequest,
    ListLegalActionsRequest,
    ResignRequest,
    SubmitActionRequest,
)
from referee_client._views import LegalActions, Submitted, View
from referee_client._watch import Watch


async def read_view(
    connection: Connection,
    match_id: str,
    token: str | None,
    *,
    include_legal_actions: bool,
) -> View:
    """What the holder of a token may see, or the public without one."""
    response = await connection.unary(
        connection.stub.GetObservation,
        GetObservationRequest(match_id=match_id, include_legal_actions=include_legal_actions),
        token=token,
    )
    legal = (
        LegalActions(response.legal_actions, response.match.version)
        if include_legal_actions
        else None
    )
    return View(
        match=response.match,
        observation=response.observation if response.HasField("observation") else None,
        seat=response.seat if response.HasField("seat") else None,
        legal_actions=legal,
    )


class SeatClient:
    """A seat, taken with ``join_match`` of a client or, with a kept token, with ``resume``.

    It uses its client's channel and ends with it.

    Attributes:
        match_id: The match.
        seat: Index of the seat.
        token: Proves that the bearer sits here. Keep it secret; with it the seat can be resumed.
    """

    def __init__(self, connection: Connection, match_id: str, seat: int, token: str) -> None:
        self.match_id = match_id
        self.seat = seat
        self.token = token
        self._connection = connection

    def __repr__(self) -> str:
        # Not the token: it would end up in logs.
        return f"<SeatClient: seat {self.seat} of match {self.match_id}>"

    async def match(self) -> Match:
        """The match, as everybody may know it."""
        request = GetMatchRequest(match_id=self.match_id)
        stub = self._connection.stub
        response = await self._connection.unary(stub.GetMatch, request, token=self.token)
        return response.match

    async def observation(self, *, include_legal_actions: bool = False) -> View:
        """What this seat may see now, with its legal actions if asked for."""
        return await read_view(
            self._connection,
            self.match_id,
            self.token,
            include_legal_actions=include_legal_actions,
        )

    async def legal_actions(self) -> LegalActions:
        """All that this seat may do now: the full list, with the compact form as ``.compact``."""
        request = ListLegalActionsRequest(match_id=self.match_id)
        stub = self._connection.stub
        response = await self._connection.unary(stub.ListLegalActions, request, token=self.token)
        return LegalActions(response.legal_actions, response.version)

    async def submit(
        self,
        action: GameAction,
        *,
        expected_version: int | None = None,
        request_id: str | None = None,
        include_observation: bool = False,
        include_legal_actions: bool = False,
    ) -> Submitted:
        """Submit an action; however many tries it takes, it is played at most once.

        Args:
            action: The action.
            expected_version: The version that it was decided on; None plays it whatever the version
                is.
            request_id: The request's id; None makes a fresh one. Give your own to repeat a submit
                across restarts.
            include_observation: Give the observation afterwards.
            include_legal_actions: Give the legal actions afterwards.

        Raises:
            IllegalActionError: The action breaks a rule.
            NotYourTurnError: Another seat is to move.
            StaleVersionError: The match has moved on; look again, then decide again.
            MatchOverError: The match has ended.
            RefereeError: Any other answer. After UnavailableError and DeadlineExceededError it is
                not known whether the action was played; the same ``request_id`` finds out.
        """
        request = SubmitActionRequest(
            match_id=self.match_id,
            expected_version=expected_version or 0,
            request_id=request_id or new_request_id(),
            action=action,
            include_observation=include_observation,
            include_legal_actions=include_legal_actions,
        )
        stub = self._connection.stub
        response = await self._connection.unary(stub.SubmitAction, request, token=self.token)
        version = response.receipt.event.version
        return Submitted(
            receipt=response.receipt,
            observation=response.observation if response.HasField("observation") else None,
            legal_actions=LegalActions(response.legal_actions, version)
            if include_legal_actions
            else None,
        )

    async def resign(self, *, request_id: str | None = None) -> Receipt:
        """Resign this seat, on anybody's turn."""
        request = ResignRequest(match_id=self.match_id, request_id=request_id or new_request_id())
        stub = self._connection.stub
        response = await self._connection.unary(stub.Resign, request, token=self.token)
        return response.receipt

    async def leave(self) -> Match:
        """Give up this seat before the match starts; its token is worth nothing afterwards.

        Safe to retry: when an answer was lost and the next try finds the token worthless, the seat
        was left.
        """
        stub = self._connection.stub
        request = LeaveMatchRequest(match_id=self.match_id)
        try:
            response = await self._connection.unary(stub.LeaveMatch, request, token=self.token)
        except UnauthenticatedError as error:
            if error.tries == 1:
                raise
            found = await self._connection.unary(
                stub.GetMatch, GetMatchRequest(match_id=self.match_id), token=None
            )
            return found.match
        return response.match

    async def record(self) -> Record:
        """The record as far as this seat may see it.

        Once the match has ended it is whole, with the seed.
        """
        request = GetRecordRequest(match_id=self.match_id)
        stub = self._connection.stub
        response = await self._connection.unary(stub.GetRecord, request, token=self.token)
        return response.record

    def watch(self, *, after_version: int = 0) -> Watch:
        """Every event after a version as this seat may see it, each once and in order."""
        return Watch(self._connection, self.match_id, self.token, after_version)

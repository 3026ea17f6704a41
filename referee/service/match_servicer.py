"""``referee.v1.MatchService``: each method checks, calls, translates, returns."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import grpc

from referee._gen.referee.v1 import match_service_pb2 as pb
from referee._gen.referee.v1 import match_service_pb2_grpc
from referee.config import Config
from referee.errors import InvalidRequestError
from referee.match.creation import Creation
from referee.match.matches import Matches
from referee.match.model import Joined, MatchId
from referee.registry import GAMES, AnyGame, game_by_id
from referee.service import validate
from referee.service.auth import Auth
from referee.service.play.stream import PlayStream, Table
from referee.service.tokens import Tokens
from referee.wire import enums
from referee.wire.clock import time_control_from
from referee.wire.event import event_to, receipt_to
from referee.wire.games import action_from, settings_from, settings_to
from referee.wire.match import heartbeat_to, match_to
from referee.wire.record import record_to
from referee.wire.sight import legal_actions_of, observation_of

Context = grpc.aio.ServicerContext[Any, Any]


class MatchServicer(match_service_pb2_grpc.MatchServiceServicer):
    """Opens, plays, shows and watches matches."""

    def __init__(self, matches: Matches, tokens: Tokens, auth: Auth, config: Config) -> None:
        self._matches = matches
        self._tokens = tokens
        self._auth = auth
        self._heartbeat = config.heartbeat
        self._table = Table(matches, auth, config)

    async def CreateMatch(
        self, request: pb.CreateMatchRequest, context: Context
    ) -> pb.CreateMatchResponse:
        """Open a match."""
        game, settings = settings_from(request.settings)
        seed = validate.server_seed(request.server_seed)
        if seed:
            self._auth.require_operator(context)
        creation = Creation(
            game=game,
            settings=settings,
            seats=request.seats,
            visibility=validate.visibility(request.visibility),
            server_seed=seed,
            request_id=validate.request_id(request.request_id),
            time_control=time_control_from(request.time_control),
        )
        match = await self._matches.create(creation)
        codes = [
            pb.JoinCode(seat=index, code=self._tokens.join_code(match.match_id, index))
            for index, seat in enumerate(match.seats)
            if not seat.taken
        ]
        return pb.CreateMatchResponse(match=match_to(match), join_codes=codes)

    async def JoinMatch(
        self, request: pb.JoinMatchRequest, context: Context
    ) -> pb.JoinMatchResponse:
        """Take a seat."""
        wish = Joined(
            validate.display_name(request.display_name),
            validate.colour(request.colour),
            validate.client_nonce(request.client_nonce),
        )
        match_id, seat, invited = self._target(request)
        request_id = validate.request_id(request.request_id)
        seated = await self._matches.join(match_id, seat, wish, request_id, invited=invited)
        return pb.JoinMatchResponse(
            seat_token=self._tokens.seat_token(seated.claim),
            seat=seated.claim.seat,
            match=match_to(seated.match),
        )

    async def LeaveMatch(
        self, request: pb.LeaveMatchRequest, context: Context
    ) -> pb.LeaveMatchResponse:
        """Give up the caller's seat before the start."""
        claim = self._auth.seat(context, validate.match_id(request.match_id))
        return pb.LeaveMatchResponse(match=match_to(await self._matches.leave(claim)))

    async def GetMatch(self, request: pb.GetMatchRequest, context: Context) -> pb.GetMatchResponse:
        """What everybody may know of a match."""
        match = await self._matches.get(validate.match_id(request.match_id))
        return pb.GetMatchResponse(match=match_to(match))

    async def ListMatches(
        self, request: pb.ListMatchesRequest, context: Context
    ) -> pb.ListMatchesResponse:
        """A page of public matches."""
        game = game_by_id(request.game).info.id if request.game else ""
        found, last = await self._matches.list_matches(
            validate.listed_state(request.state),
            game,
            newest_first=validate.newest_first(request.order),
            after=validate.page_token(request.page_token),
            limit=validate.page_size(request.page_size),
        )
        return pb.ListMatchesResponse(
            matches=[match_to(one) for one in found], next_page_token=last or ""
        )

    async def ListGames(
        self, request: pb.ListGamesRequest, context: Context
    ) -> pb.ListGamesResponse:
        """The games that this referee knows."""
        return pb.ListGamesResponse(
            games=[_description(GAMES[game_id]) for game_id in sorted(GAMES)]
        )

    async def GetObservation(
        self, request: pb.GetObservationRequest, context: Context
    ) -> pb.GetObservationResponse:
        """What the caller may see now."""
        match_id = validate.match_id(request.match_id)
        look_up = self._auth.seat if request.include_legal_actions else self._auth.seat_or_public
        claim = look_up(context, match_id)
        sight = await self._matches.observe(match_id, claim)
        return pb.GetObservationResponse(
            match=match_to(sight.match()),
            observation=observation_of(sight),
            seat=sight.seat,
            legal_actions=legal_actions_of(sight) if request.include_legal_actions else None,
        )

    async def ListLegalActions(
        self, request: pb.ListLegalActionsRequest, context: Context
    ) -> pb.ListLegalActionsResponse:
        """What the caller's seat may do now."""
        match_id = validate.match_id(request.match_id)
        sight = await self._matches.observe(match_id, self._auth.seat(context, match_id))
        deciding = sight.deciding()
        count = len(sight.game.rules.legal_actions(*deciding)) if deciding else 0
        return pb.ListLegalActionsResponse(
            version=sight.version, legal_actions=legal_actions_of(sight), count=count
        )

    async def SubmitAction(
        self, request: pb.SubmitActionRequest, context: Context
    ) -> pb.SubmitActionResponse:
        """Submit an action of the caller's seat."""
        match_id = validate.match_id(request.match_id)
        claim = self._auth.seat(context, match_id)
        request_id = validate.request_id(request.request_id)
        game = await self._matches.game_of(match_id)
        action = action_from(game, request.action)
        receipt, sight = await self._matches.submit(
            claim, action, request.expected_version, request_id
        )
        return pb.SubmitActionResponse(
            receipt=receipt_to(game, receipt),
            observation=observation_of(sight) if request.include_observation else None,
            legal_actions=legal_actions_of(sight) if request.include_legal_actions else None,
        )

    async def Resign(self, request: pb.ResignRequest, context: Context) -> pb.ResignResponse:
        """Resign the caller's seat."""
        match_id = validate.match_id(request.match_id)
        claim = self._auth.seat(context, match_id)
        receipt = await self._matches.resign(claim, validate.request_id(request.request_id))
        game = await self._matches.game_of(match_id)
        return pb.ResignResponse(receipt=receipt_to(game, receipt))

    async def WatchMatch(
        self, request: pb.WatchMatchRequest, context: Context
    ) -> AsyncIterator[pb.WatchMatchResponse]:
        """Every commit after a version, as the caller may see it."""
        match_id = validate.match_id(request.match_id)
        claim = self._auth.seat_or_public(context, match_id)
        version = request.after_version
        watching = self._matches.watches.watch(match_id, claim, version, self._heartbeat)
        async with contextlib.aclosing(watching):
            async for game, event in watching:
                if event is None:
                    yield pb.WatchMatchResponse(heartbeat=heartbeat_to(version))
                else:
                    version = event.version
                    yield pb.WatchMatchResponse(event=event_to(game, event))

    async def Play(self, request_iterator: object, context: Context) -> None:  # type: ignore[override]  # the edge gives it the context to read from
        """Any number of matches on one stream."""
        await PlayStream(self._table, context).run()

    async def GetRecord(
        self, request: pb.GetRecordRequest, context: Context
    ) -> pb.GetRecordResponse:
        """The record as far as the caller may see it."""
        match_id = validate.match_id(request.match_id)
        claim = self._auth.seat_or_public(context, match_id)
        return pb.GetRecordResponse(record=record_to(await self._matches.record(match_id, claim)))

    def _target(self, request: pb.JoinMatchRequest) -> tuple[MatchId, int | None, bool]:
        """The match, the seat if one is named, and whether the caller has its code."""
        kind = request.WhichOneof("target")
        if kind == "join_code":
            invitation = self._tokens.invitation(request.join_code)
            return invitation.match_id, invitation.seat, True
        if kind == "open_seat":
            seat = request.open_seat.seat if request.open_seat.HasField("seat") else None
            return validate.match_id(request.open_seat.match_id, "open_seat.match_id"), seat, False
        raise InvalidRequestError(
            "target", "Say which seat: a join code, or an open seat of a public match."
        )


def _description(game: AnyGame) -> pb.GameDescription:
    info = game.info
    return pb.GameDescription(
        game=info.id,
        title=info.title,
        summary=info.summary,
        rules_version=info.rules_version,
        min_seats=info.min_seats,
        max_seats=info.max_seats,
        default_settings=settings_to(game, game.default_settings),
        colours=[enums.COLOUR_TO[colour] for colour in info.colours],
        colour_by_seat=info.colour_by_seat,
        strikes_offered=game.turns is not None,
    )

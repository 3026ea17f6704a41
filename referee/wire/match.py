"""Matches, seats and results."""

from __future__ import annotations

from referee._gen.referee.v1 import match_pb2 as pb
from referee._gen.referee.v1 import match_service_pb2
from referee.errors import InvalidRequestError
from referee.match.model import MatchId, PublicMatch, Seat, Version
from referee.plugin import Result
from referee.registry import game_by_id
from referee.wire import enums
from referee.wire.clock import clock_from, clock_to, time_control_from, time_control_to
from referee.wire.games import settings_from, settings_to
from referee.wire.times import time_from, time_to


def heartbeat_to(version: int) -> match_service_pb2.Heartbeat:
    """A heartbeat of now."""
    beat = match_service_pb2.Heartbeat(version=version)
    beat.time.GetCurrentTime()
    return beat


def result_to(result: Result | None) -> pb.Result | None:
    """A result as a message; None stays absent."""
    if result is None:
        return None
    return pb.Result(winners=result.winners, termination=enums.TERMINATION_TO[result.termination])


def result_from(message: pb.Result) -> Result | None:
    """A result from its message; one without a termination is none."""
    termination = enums.TERMINATION_FROM.get(message.termination)
    if termination is None:
        return None
    return Result(tuple(message.winners), termination)


def seat_to(index: int, seat: Seat) -> pb.Seat:
    """A seat as everybody may see it."""
    return pb.Seat(
        index=index,
        taken=seat.taken,
        display_name=seat.display_name,
        colour=enums.COLOUR_TO[seat.colour] if seat.colour else pb.COLOUR_UNSPECIFIED,
        client_nonce=seat.client_nonce,
    )


def match_to(match: PublicMatch) -> pb.Match:
    """A match as everybody may see it."""
    return pb.Match(
        match_id=match.match_id,
        game=match.game.info.id,
        rules_version=match.rules_version,
        settings=settings_to(match.game, match.settings),
        state=enums.STATE_TO[match.state],
        seats=[seat_to(index, seat) for index, seat in enumerate(match.seats)],
        version=match.version,
        ply=match.ply,
        to_move=match.to_move,
        result=result_to(match.result),
        commitment=match.commitment,
        seed_origin=enums.ORIGIN_TO[match.seed_origin],
        visibility=enums.VISIBILITY_TO[match.visibility],
        create_time=time_to(match.create_time),
        start_time=time_to(match.start_time) if match.start_time else None,
        end_time=time_to(match.end_time) if match.end_time else None,
        time_control=time_control_to(match.time_control),
        clocks=[clock_to(seat, one) for seat, one in enumerate(match.clocks)],
    )


def match_from(message: pb.Match, joined_versions: list[int]) -> PublicMatch:
    """A match from its message, as a record holds it.

    ``joined_versions`` are the versions at which the seats were taken; a message does not tell
    them, a record's events do.

    Raises:
        RefereeError: It is not a match of a game that this referee knows.
    """
    game, settings = settings_from(message.settings)
    if game is not game_by_id(message.game):
        raise InvalidRequestError(
            "match.game", f"is {message.game[:40]!r}, but the settings are for {game.info.id}"
        )
    try:
        state = enums.STATE_FROM[message.state]
        origin = enums.ORIGIN_FROM[message.seed_origin]
        visibility = enums.VISIBILITY_FROM[message.visibility]
    except KeyError as error:
        raise InvalidRequestError(
            "match", "has a state, visibility or seed origin that is not known"
        ) from error
    if [seat.index for seat in message.seats] != list(range(len(message.seats))):
        raise InvalidRequestError("match.seats", "are not numbered from 0 in order")
    sitting = zip(message.seats, joined_versions, strict=True)
    return PublicMatch(
        match_id=MatchId(message.match_id),
        game=game,
        rules_version=message.rules_version,
        settings=settings,
        state=state,
        seats=tuple([_seat_from(seat, joined) for seat, joined in sitting]),
        version=Version(message.version),
        ply=message.ply,
        to_move=tuple(message.to_move),
        result=result_from(message.result),
        commitment=message.commitment,
        seed_origin=origin,
        visibility=visibility,
        create_time=time_from(message.create_time),
        start_time=time_from(message.start_time),
        end_time=time_from(message.end_time),
        time_control=time_control_from(message.time_control),
        clocks=tuple([clock_from(one)[1] for one in message.clocks]),
    )


def _seat_from(message: pb.Seat, joined_version: int) -> Seat:
    return Seat(
        message.display_name,
        enums.COLOUR_FROM.get(message.colour, ""),
        message.client_nonce,
        joined_version if message.taken else 0,
    )

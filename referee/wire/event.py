"""Events, receipts and chance events."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from referee._gen.referee.v1 import match_pb2 as pb
from referee.chance.recorded import ChanceEvent
from referee.errors import InvalidRequestError
from referee.match.model import (
    Abandoned,
    Acted,
    Cause,
    Created,
    Event,
    Flagged,
    Joined,
    Left,
    MatchState,
    Receipt,
    Resigned,
    Struck,
    Version,
)
from referee.match.observe import OPEN, event_for
from referee.registry import AnyGame, game_by_id
from referee.wire import enums
from referee.wire.clock import clock_from, clock_to, span_from, span_to
from referee.wire.games import action_from, action_to, events_from, events_to
from referee.wire.match import result_from, result_to
from referee.wire.times import time_from, time_to

KEPT_PARTS = 16_384
_BYTES: Final = "bytes"
"""In ``Event.made``, the event's bytes."""


def event_to(game: AnyGame, event: Event) -> pb.Event:
    """An event, with whatever it holds: redaction comes before this."""
    message = pb.Event(
        version=event.version,
        ply=event.ply,
        time=time_to(event.time),
        seat=event.seat,
        game_events=events_to(game, event.game_events),
        state=enums.STATE_TO[event.state],
        to_move=event.to_move,
        state_digest=event.state_digest,
        clocks=[clock_to(seat, clock) for seat, clock in event.clocks],
        downtime=span_to(event.downtime) if event.downtime else None,
        **_cause_to(game, event.cause),
    )
    if event.result is not None:
        message.result.CopyFrom(result_to(event.result) or pb.Result())
    _add_chance(message, event)
    return message


def _add_chance(message: pb.Event, event: Event) -> None:
    for chance in event.chance_events:
        message.chance_events.add(
            number=chance.number,
            kind=enums.KIND_TO[chance.kind],
            request=chance.request,
            values=chance.values,
        )


def event_bytes(game: AnyGame, event: Event) -> bytes:
    """The bytes of an event without secrets, as ``event_for`` gives it; made once.

    What happens on a board is much the same from match to match, so the bytes of those parts are
    kept. Protobuf reads messages written one after another as one.
    """
    found: bytes | None = event.made.get(_BYTES)
    if found is None:
        head = pb.Event(
            version=event.version,
            ply=event.ply,
            seat=event.seat,
            state=enums.STATE_TO[event.state],
            to_move=event.to_move,
            result=result_to(event.result),
            clocks=[clock_to(seat, clock) for seat, clock in event.clocks],
            downtime=span_to(event.downtime) if event.downtime else None,
        )
        head.time.seconds, millis = divmod(event.time, 1000)
        head.time.nanos = millis * 1_000_000
        game_id = game.info.id
        parts = [head.SerializeToString(), _cause_bytes(game_id, event.cause)]
        parts += [_happened_bytes(game_id, one) for one in event.game_events]
        found = event.made[_BYTES] = b"".join(parts)
    return found


# Typed, for values of different classes may be equal where they are tuples.
@lru_cache(maxsize=KEPT_PARTS, typed=True)
def _happened_bytes(game_id: str, happened: Any) -> bytes:
    """What happened on a board, as a part of an event."""
    return pb.Event(game_events=events_to(game_by_id(game_id), [happened])).SerializeToString()


@lru_cache(maxsize=KEPT_PARTS, typed=True)
def _cause_bytes(game_id: str, cause: Cause) -> bytes:
    """A cause, as a part of an event."""
    return pb.Event(**_cause_to(game_by_id(game_id), cause)).SerializeToString()


def whole_event_bytes(game: AnyGame, event: Event) -> bytes:
    """An event with its secrets as bytes.

    Where nothing on the board is hidden from its own seat, these are the bytes of that seat's view,
    which its receipt needs anyway, with the secrets behind them.
    """
    shown = event_for(game, event, event.seat)
    if event.made.get(OPEN) is not shown:
        return event_to(game, event).SerializeToString()
    secrets = pb.Event(state_digest=event.state_digest)
    if event.chance_events:
        _add_chance(secrets, event)
    return event_bytes(game, shown) + secrets.SerializeToString()


def event_from(game: AnyGame, message: pb.Event) -> Event:
    """An event back from its message.

    Raises:
        RefereeError: Something in it is not known; only possible for what comes from outside.
    """
    return Event(
        version=Version(message.version),
        ply=message.ply,
        time=time_from(message.time),
        seat=message.seat if message.HasField("seat") else None,
        cause=_cause_from(game, message),
        state=_state_from(message.state),
        game_events=events_from(game, message.game_events),
        to_move=tuple(message.to_move),
        result=result_from(message.result) if message.HasField("result") else None,
        chance_events=tuple([_chance_from(chance) for chance in message.chance_events]),
        state_digest=message.state_digest,
        clocks=tuple([clock_from(clock) for clock in message.clocks]),
        downtime=span_from(message.downtime),
    )


def receipt_to(game: AnyGame, receipt: Receipt) -> pb.Receipt:
    """A receipt."""
    message = pb.Receipt(match_id=receipt.match_id, request_id=receipt.request_id)
    # Its bytes are there already: the commit stored them.
    message.event.ParseFromString(event_bytes(game, receipt.event))
    return message


def _cause_to(game: AnyGame, cause: Cause) -> dict[str, Any]:
    """The cause as the field to set."""
    match cause:
        case Acted(action):
            return {"action": pb.ActionTaken(action=action_to(game, action))}
        case Joined(display_name, colour, client_nonce):
            joined = pb.SeatJoined(
                display_name=display_name, colour=enums.COLOUR_TO[colour], client_nonce=client_nonce
            )
            return {"joined": joined}
        case Created():
            return {"created": pb.MatchCreated()}
        case Left():
            return {"left": pb.SeatLeft()}
        case Resigned():
            return {"resigned": pb.Resigned()}
        case Flagged():
            return {"flagged": pb.Flagged()}
        case Struck(strikes):
            return {"struck": pb.Struck(strikes=strikes)}
        case Abandoned(limit):
            return {"abandoned": pb.MatchAbandoned(limit=span_to(limit))}


def _cause_from(game: AnyGame, message: pb.Event) -> Cause:
    match message.WhichOneof("cause"):
        case "action":
            return Acted(action_from(game, message.action.action))
        case "joined":
            joined = message.joined
            return Joined(
                joined.display_name, enums.COLOUR_FROM.get(joined.colour, ""), joined.client_nonce
            )
        case "created":
            return Created()
        case "left":
            return Left()
        case "resigned":
            return Resigned()
        case "flagged":
            return Flagged()
        case "struck":
            return Struck(message.struck.strikes)
        case "abandoned":
            return Abandoned(span_from(message.abandoned.limit))
        case _:
            raise InvalidRequestError(
                "event.cause", f"version {message.version} has no cause that is known"
            )


def _state_from(message: pb.MatchState.ValueType) -> MatchState:
    state = enums.STATE_FROM.get(message)
    if state is None:
        raise InvalidRequestError("event.state", f"{message} is not known")
    return state


def _chance_from(message: pb.ChanceEvent) -> ChanceEvent:
    kind = enums.KIND_FROM.get(message.kind)
    if kind is None:
        raise InvalidRequestError("chance_event.kind", f"{message.kind} is not known")
    return ChanceEvent(message.number, kind, tuple(message.request), tuple(message.values))

"""Time controls and clocks."""

from __future__ import annotations

from google.protobuf.duration_pb2 import Duration

from referee._gen.referee.v1 import match_pb2 as pb
from referee.errors import InvalidRequestError, InvalidSettingsError
from referee.match.clock import Fischer, PerTurn, SeatClock, TimeControl
from referee.wire.times import time_from, time_to

_MILLISECOND = 1_000_000


def span_to(millis: int) -> Duration:
    """A span of time as a message."""
    return Duration(seconds=millis // 1000, nanos=millis % 1000 * _MILLISECOND)


def span_from(message: Duration) -> int:
    """A span of time from its message, in milliseconds; what is finer is cut off."""
    return message.seconds * 1000 + message.nanos // _MILLISECOND


def time_control_to(control: TimeControl | None) -> pb.TimeControl | None:
    """A time control as a message; None stays absent."""
    if control is None:
        return None
    message = pb.TimeControl(strikes=control.strikes)
    match control.pace:
        case PerTurn(limit):
            message.per_turn.limit.CopyFrom(span_to(limit))
        case Fischer(base, increment):
            message.fischer.base.CopyFrom(span_to(base))
            message.fischer.increment.CopyFrom(span_to(increment))
    message.bank.CopyFrom(span_to(control.bank))
    return message


def time_control_from(message: pb.TimeControl) -> TimeControl | None:
    """A time control from its message; None for an untimed match. Ranges are for ``clock.check``.

    Raises:
        InvalidSettingsError: A time is finer than a millisecond, or an untimed match has a bank or
            strikes.
    """
    bank = _whole("bank", message.bank)
    pace: PerTurn | Fischer
    match message.WhichOneof("pace"):
        case "per_turn":
            pace = PerTurn(_whole("per_turn.limit", message.per_turn.limit))
        case "fischer":
            base = _whole("fischer.base", message.fischer.base)
            pace = Fischer(base, _whole("fischer.increment", message.fischer.increment))
        case _:
            if bank or message.strikes:
                raise InvalidSettingsError(
                    "time_control.pace",
                    "a bank or strikes need a clock: give a limit for each turn, or a base.",
                )
            return None
    return TimeControl(pace, bank, message.strikes)


def clock_to(seat: int, clock: SeatClock) -> pb.SeatClock:
    """The clock of a seat."""
    deadline = clock.deadline
    return pb.SeatClock(
        seat=seat,
        remaining=span_to(clock.remaining),
        bank=span_to(clock.bank),
        strikes=clock.strikes,
        running_since=None if clock.since is None else time_to(clock.since),
        deadline=None if deadline is None else time_to(deadline),
    )


def clock_from(message: pb.SeatClock) -> tuple[int, SeatClock]:
    """A seat and its clock, back.

    Raises:
        InvalidRequestError: The deadline is not what follows from the rest.
    """
    clock = SeatClock(
        span_from(message.remaining),
        span_from(message.bank),
        message.strikes,
        time_from(message.running_since) if message.HasField("running_since") else None,
    )
    deadline = time_from(message.deadline) if message.HasField("deadline") else None
    if deadline != clock.deadline:
        raise InvalidRequestError(
            "clock.deadline", f"is {deadline}, but {clock.deadline} follows from the rest"
        )
    return message.seat, clock


def _whole(name: str, message: Duration) -> int:
    if message.nanos % _MILLISECOND:
        raise InvalidSettingsError(
            f"time_control.{name}", "is not a whole number of milliseconds; round it."
        )
    return span_from(message)

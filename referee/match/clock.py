"""Time controls as arithmetic on given times.

What lives here: what a turn costs, when a flag falls, what a match's clocks are after a commit.
What must not live here: reading a clock, storing, deciding what a fallen flag leads to. All times
are whole milliseconds; points in time count from the Unix epoch.

A clock runs while its seat is to move. It is charged once, when the turn ends: first the turn's
own time, then the bank. Nobody is charged for downtime of the service, nor for what a flag falls
late because nobody looked. Of a clock that runs, nothing is written before its turn ends, however
many actions the turn takes; downtime only moves the point that it counts from.

The sum that always holds, for every seat: what it was given (base or limits, bank, increments) is
what it was charged and what it has left. Nothing is made and nothing is lost.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from referee.errors import InvalidSettingsError

SECOND = 1_000
DAY = 86_400_000
MAX_TIME = 14 * DAY
MAX_STRIKES = 20


@dataclass(frozen=True, slots=True)
class PerTurn:
    """A fresh limit for every turn.

    Attributes:
        limit: Milliseconds for one turn.
    """

    limit: int


@dataclass(frozen=True, slots=True)
class Fischer:
    """A store of time, and an increment for every turn that is handed over.

    Attributes:
        base: Milliseconds to begin with.
        increment: Milliseconds added for each turn.
    """

    base: int
    increment: int


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time the seats of a match have.

    Attributes:
        pace: How a turn's own time is given.
        bank: Spare milliseconds of each seat for the whole match.
        strikes: Timeouts of a seat that the referee plays out before one forfeits it.
    """

    pace: PerTurn | Fischer
    bank: int = 0
    strikes: int = 0


@dataclass(frozen=True, slots=True)
class SeatClock:
    """The clock of one seat.

    Attributes:
        remaining: The seat's own time when the clock last started or stopped.
        bank: Spare time, likewise.
        strikes: Timeouts that were played out so far.
        since: When the clock began to run, moved on by downtime; None while it stands.
    """

    remaining: int
    bank: int = 0
    strikes: int = 0
    since: int | None = None

    @property
    def deadline(self) -> int | None:
        """When the flag falls; None while the clock stands."""
        return None if self.since is None else self.since + self.remaining + self.bank


Clocks = tuple[SeatClock, ...]


def check(control: TimeControl, *, strikes_offered: bool) -> None:
    """Refuse a time control that no match can be played with.

    Raises:
        InvalidSettingsError: A time is out of range, or the game has no strikes.
    """
    pace = control.pace
    if isinstance(pace, PerTurn):
        _require("per_turn.limit", pace.limit, SECOND, MAX_TIME)
    else:
        _require("fischer.base", pace.base, SECOND, MAX_TIME)
        _require("fischer.increment", pace.increment, 0, DAY)
    _require("bank", control.bank, 0, MAX_TIME)
    if not control.strikes:
        return
    field = "time_control.strikes"
    if not strikes_offered:
        message = "this game has no strikes: a turn can't be finished for a seat. Leave them at 0."
        raise InvalidSettingsError(field, message)
    if control.strikes > MAX_STRIKES:
        raise InvalidSettingsError(
            field, f"{control.strikes} is too many; at most {MAX_STRIKES} are played out."
        )
    if isinstance(pace, Fischer) and pace.increment < SECOND:
        message = (
            "strikes need an increment of at least 1 second: after one, the increment is all the "
            "time that the seat goes on with."
        )
        raise InvalidSettingsError(field, message)


def fresh(control: TimeControl, seats: int) -> Clocks:
    """The clocks of a match that is about to start; all stand."""
    own = control.pace.limit if isinstance(control.pace, PerTurn) else control.pace.base
    return (SeatClock(own, control.bank),) * seats


def fallen(clocks: Clocks, now: int, downtime: int) -> int | None:
    """The seat whose flag fell first, the lowest of several; None while all are up.

    ``downtime`` is how long the service was down since the last commit.
    """
    first: int | None = None
    earliest = now - downtime
    for seat, clock in enumerate(clocks):
        deadline = clock.deadline
        # At the deadline itself the time is used up.
        if deadline is not None and (
            deadline < earliest or (deadline == earliest and first is None)
        ):
            first, earliest = seat, deadline
    return first


def shift(clocks: Clocks, downtime: int) -> Clocks:
    """The clocks with downtime taken out of those that run."""
    if not downtime:
        return clocks
    return tuple(
        clock if clock.since is None else replace(clock, since=clock.since + downtime)
        for clock in clocks
    )


def turn_over(
    control: TimeControl,
    clocks: Clocks,
    now: int,
    *,
    ended: Collection[int],
    running: Collection[int],
    earned: int | None = None,
) -> Clocks:
    """The clocks after a commit at ``now``, downtime taken out before.

    Clocks of seats in ``ended`` are charged and stop; then those of seats in ``running`` start that
    stand. ``earned`` is the seat that gets the increment, for it handed its turn over.
    """
    after: list[SeatClock] = []
    for seat, clock in enumerate(clocks):
        if clock.since is not None and seat in ended:
            since = now if seat in running else None
            used = max(0, now - clock.since)
            clock = _charge(control, clock, used, since, earns=seat == earned)
        elif clock.since is None and seat in running:
            clock = SeatClock(clock.remaining, clock.bank, clock.strikes, now)
        after.append(clock)
    return tuple(after)


def strike(clocks: Clocks, seat: int) -> Clocks:
    """The clocks with one more timeout of a seat."""
    one = replace(clocks[seat], strikes=clocks[seat].strikes + 1)
    return (*clocks[:seat], one, *clocks[seat + 1 :])


def drop_out(clocks: Clocks, seat: int) -> Clocks:
    """The clocks with a seat out of the match: it has no time any more."""
    return (*clocks[:seat], SeatClock(0, 0, clocks[seat].strikes), *clocks[seat + 1 :])


def earliest_fall(clocks: Clocks, now: int) -> int | None:
    """The earliest time at which any flag could fall, whoever comes to be to move when.

    None where no seat has any time. Never earlier for a later commit: a clock that stands can't
    start before ``now``, and one that runs is not cut short by being stopped. So whoever has it
    noted need not look before.
    """
    # A seat without any time is out: one that goes on has at least a limit or an increment.
    return min(
        (
            (now if clock.since is None else clock.since) + clock.remaining + clock.bank
            for clock in clocks
            if clock.remaining or clock.bank
        ),
        default=None,
    )


def _charge(
    control: TimeControl, clock: SeatClock, used: int, since: int | None, *, earns: bool
) -> SeatClock:
    """A clock after ``used`` milliseconds; what goes beyond all it has is nobody's."""
    pace = control.pace
    beyond = max(0, used - clock.remaining)
    if isinstance(pace, PerTurn):
        own = pace.limit
    else:
        own = max(0, clock.remaining - used) + (pace.increment if earns else 0)
    return SeatClock(own, max(0, clock.bank - beyond), clock.strikes, since)


def _require(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        message = f"{_spell(value)} is out of range: {_spell(least)} to {_spell(most)}."
        raise InvalidSettingsError(f"time_control.{name}", message)


def _spell(millis: int) -> str:
    """A span of time for people."""
    if millis and millis % DAY == 0:
        return f"{millis // DAY} d"
    return f"{millis / SECOND:g} s"

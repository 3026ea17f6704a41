"""What every step of a match has in common: the moment, the luck, the new match and its event.

What lives here: how the answer of the rules becomes the next version, clocks included. What must
not live here: who may take which step, and when (``lifecycle.py``, ``timeouts.py``).
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any, NamedTuple

from referee.chance.draws import SeededChance
from referee.chance.recorded import ChanceEvent, RecordingChance
from referee.match import clock
from referee.match.clock import Clocks, SeatClock, TimeControl
from referee.match.model import (
    Acted,
    Cause,
    Event,
    Flagged,
    Match,
    MatchHead,
    MatchState,
    Millis,
    Resigned,
    Struck,
    Version,
)
from referee.plugin import Applied


class Step(NamedTuple):
    """What a step leads to."""

    match: Match
    event: Event


class Moment(NamedTuple):
    """When a step is taken.

    Attributes:
        time: The referee's time.
        downtime: Milliseconds since the last commit in which the service was down; charged to
            nobody.
    """

    time: Millis
    downtime: int = 0

    def on(self, match: Match) -> Moment:
        """The moment as this match counts it: never before its last commit, nor down for longer.

        Machines disagree about the time by a little; a match's own times never go back.
        """
        time = max(self.time, match.time)
        return Moment(time, min(self.downtime, time - match.time))


def chance_of(head: MatchHead, next_event: int) -> RecordingChance:
    """The match's luck from a chance event on."""
    return RecordingChance(SeededChance(head.match_key, next_event), next_event)


def advance(
    match: Match,
    moment: Moment,
    seat: int,
    cause: Cause,
    applied: Applied[Any, Any],
    chance: RecordingChance,
) -> Step:
    """Put what the rules answered into a new match and its event."""
    head = match.head
    result = head.game.rules.result(applied.state)
    if result is not None:
        head = replace(head, state=MatchState.ENDED, end_time=moment.time, result=result)
    clocks: Clocks = ()
    if head.time_control is not None:
        clocks = _clocks(match, head, head.time_control, applied.state, moment, seat, cause)
    after = Match(
        head,
        Version(match.version + 1),
        match.ply + isinstance(cause, Acted),
        chance.next_event,
        applied.state,
        head.game.wire.state_to_bytes(applied.state),
        moment.time,
        clocks,
    )
    event = event_of(after, match.clocks, moment, seat, cause, applied.events, chance.events)
    return Step(after, event)


def event_of(
    after: Match,
    clocks: Clocks,
    moment: Moment,
    seat: int | None,
    cause: Cause,
    game_events: tuple[Any, ...] = (),
    chance_events: tuple[ChanceEvent, ...] = (),
) -> Event:
    """The event that led to a match whose clocks were ``clocks`` before."""
    return Event(
        version=after.version,
        ply=after.ply,
        time=moment.time,
        seat=seat,
        cause=cause,
        state=after.head.state,
        game_events=game_events,
        to_move=after.to_move,
        result=after.head.result,
        chance_events=chance_events,
        state_digest=hashlib.sha256(after.state_bytes).digest() if after.state_bytes else b"",
        clocks=_changed(clocks, after.clocks),
        downtime=moment.downtime,
    )


def _changed(before: Clocks, after: Clocks) -> tuple[tuple[int, SeatClock], ...]:
    return tuple(
        [(seat, one) for seat, one in enumerate(after) if not before or one != before[seat]]
    )


def _clocks(
    match: Match,
    head: MatchHead,
    control: TimeControl,
    state: Any,
    moment: Moment,
    seat: int,
    cause: Cause,
) -> Clocks:
    """The clocks after a step of ``seat`` that led to this head and this game state."""
    clocks = match.clocks or clock.fresh(control, len(head.seats))
    clocks = clock.shift(clocks, moment.downtime)
    if isinstance(cause, Struck):
        clocks = clock.strike(clocks, seat)
    running = head.game.rules.to_move(state)
    after = clock.turn_over(
        control,
        clocks,
        moment.time,
        ended=[
            one
            for one, its in enumerate(clocks)
            if its.since is not None
            and (one not in running or _turn_ended(match, state, one, seat, cause))
        ],
        running=running,
        earned=seat if isinstance(cause, Acted | Struck) else None,
    )
    return clock.drop_out(after, seat) if isinstance(cause, Flagged | Resigned) else after


def _turn_ended(match: Match, state: Any, one: int, seat: int, cause: Cause) -> bool:
    """Whether a seat that was to move and still is has begun another turn."""
    turns = match.head.game.turns
    if turns is None:
        return one == seat and isinstance(cause, Acted)
    return turns.number(match.game_state, one) != turns.number(state, one)

"""What the referee does to a match by itself, as pure steps: flags, strikes, abandonment.

What lives here: the steps, and when the first of them is due. What must not live here: looking
whether it is time (``timekeeper.py``); replaying a record runs this very code.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from referee.errors import InvalidRequestError
from referee.match import clock
from referee.match.lifecycle import require_active
from referee.match.model import (
    Abandoned,
    Flagged,
    Match,
    MatchState,
    Millis,
    Struck,
    Version,
)
from referee.match.step import Moment, Step, advance, chance_of, event_of
from referee.plugin import Result, Termination

HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class Keeping:
    """How long matches are kept, in milliseconds.

    Attributes:
        open_ms: Silence after which an open match is abandoned.
        idle_ms: Silence after which an active match without clocks is abandoned.
        records_ms: How long the record of an ended match can be read.
        slack_ms: How much longer Redis keeps what the referee has to end first; also how long an
            abandoned open match can still be looked at.
    """

    open_ms: int = 24 * HOUR_MS
    idle_ms: int = 7 * 24 * HOUR_MS
    records_ms: int = 90 * 24 * HOUR_MS
    slack_ms: int = HOUR_MS

    def time_to_live(self, match: Match) -> int:
        """How long the keys of a match live without another commit, in milliseconds."""
        state = match.head.state
        if state is MatchState.OPEN:
            return self.open_ms + self.slack_ms
        if state is MatchState.ENDED:
            return self.records_ms
        if state is MatchState.ABANDONED:
            return self.slack_ms
        longest = max((one.remaining + one.bank for one in match.clocks), default=0)
        return self.idle_ms + longest + self.slack_ms

    def silence(self, match: Match) -> int | None:
        """Silence after which a match is abandoned; None where clocks or its end rule it out."""
        if match.head.state is MatchState.OPEN:
            return self.open_ms
        if match.head.state is MatchState.ACTIVE and not match.clocks:
            return self.idle_ms
        return None

    def look_at(self, match: Match) -> Millis | None:
        """When to look at a match next, were there no commit until then; None for never.

        Never earlier for a later version, so that whoever has it noted misses nothing.
        """
        silence = self.silence(match)
        if silence is not None:
            return Millis(match.time + silence)
        if match.head.state is not MatchState.ACTIVE:
            return None
        at = clock.earliest_fall(match.clocks, match.time)
        return None if at is None else Millis(at)


def due(match: Match, now: Millis, downtime: int, keeping: Keeping) -> Step | None:
    """The step that is due by now, or None."""
    moment = Moment(now, downtime).on(match)
    seat = clock.fallen(match.clocks, moment.time, moment.downtime)
    if seat is not None:
        return time_out(match, now, seat, downtime)
    silence = keeping.silence(match)
    if silence is not None and moment.time - moment.downtime - match.time >= silence:
        return abandon(match, now, silence, downtime)
    return None


def time_out(match: Match, now: Millis, seat: int, downtime: int = 0) -> Step:
    """A flag has fallen: finish the seat's turn where it has strikes left, else forfeit it.

    Raises:
        InvalidRequestError: The flag of this seat is not the next to fall by then.
        MatchOverError: The match has ended.
        MatchNotStartedError: Seats are still open.
    """
    moment = Moment(now, downtime).on(match)
    require_active(match)
    control, game = match.head.time_control, match.head.game
    if control is None or clock.fallen(match.clocks, moment.time, moment.downtime) != seat:
        message = f"the flag of seat {seat} is not the one that has fallen by {moment.time} ms"
        raise InvalidRequestError("time", message)
    chance = chance_of(match.head, match.next_chance_event)
    strikes = match.clocks[seat].strikes
    if strikes < control.strikes and game.turns is not None:
        applied = game.turns.finish(match.game_state, seat, chance)
        return advance(match, moment, seat, Struck(strikes + 1), applied, chance)
    applied = game.rules.forfeit(match.game_state, seat, Termination.TIME_FORFEIT, chance)
    return advance(match, moment, seat, Flagged(), applied, chance)


def abandon(match: Match, now: Millis, limit: int, downtime: int = 0) -> Step:
    """End a match in which nothing happened for ``limit`` milliseconds; nobody wins.

    Raises:
        InvalidRequestError: It was not silent for that long, or its clocks decide.
        MatchOverError: The match has ended.
    """
    moment = Moment(now, downtime).on(match)
    head = match.head
    if head.state is not MatchState.OPEN:
        require_active(match)
    silent = moment.time - moment.downtime - match.time
    if limit <= 0 or silent < limit or match.clocks:
        message = f"the match was silent for {silent} ms, and {limit} ms are the limit"
        raise InvalidRequestError("time", message)
    if head.state is MatchState.OPEN:
        head = replace(head, state=MatchState.ABANDONED, end_time=moment.time)
    else:
        result = Result((), Termination.ABANDONED)
        head = replace(head, state=MatchState.ENDED, end_time=moment.time, result=result)
    after = replace(match, head=head, version=Version(match.version + 1), time=moment.time)
    return Step(after, event_of(after, match.clocks, moment, None, Abandoned(limit)))

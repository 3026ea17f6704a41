"""The rules of Yoxii, as ``docs/games/yoxii.md`` numbers them.

What lives here: ``YoxiiRules``, which puts the parts together. The parts: ``board`` the geometry,
``state`` the truth and what follows from it, ``totem`` and ``placement`` the two halves of an
action, ``scoring`` the end, ``observation`` and ``events`` what is seen of it, ``notation`` the
text.

Yoxii has no luck: ``chance`` is taken because every game's rules take it, and never asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.errors import InvalidSettingsError, MatchOverError, NotYourTurnError
from referee.games.yoxii.rules.actions import POOL, Action
from referee.games.yoxii.rules.board import BIT
from referee.games.yoxii.rules.events import (
    Event,
    MatchEnded,
    MatchSetUp,
    PiecePlaced,
    SeatForfeited,
    TotemMoved,
)
from referee.games.yoxii.rules.observation import Observation, observe
from referee.games.yoxii.rules.placement import check_placement, placements, values_in_stock
from referee.games.yoxii.rules.scoring import is_stuck, score, winners
from referee.games.yoxii.rules.state import (
    COLOURS,
    INITIAL,
    INITIAL_STOCK,
    SEATS,
    Settings,
    State,
    piece_faults,
)
from referee.games.yoxii.rules.totem import jumped_squares, totem_targets
from referee.plugin import Applied, Chance, Result, Termination


class YoxiiRules:
    """Pure functions over ``State``; fulfils ``plugin.Rules``."""

    def initial(self, settings: Settings, seats: int, chance: Chance) -> Applied[State, Event]:
        """Set up a match.

        Raises:
            InvalidSettingsError: There are not exactly 2 seats.
        """
        if seats != SEATS:
            raise InvalidSettingsError("seats", f"Yoxii is for exactly {SEATS} seats, not {seats}.")
        return Applied(INITIAL, (MatchSetUp(INITIAL.totem, INITIAL_STOCK),))  # yoxii/2

    def to_move(self, state: State) -> tuple[int, ...]:
        """The seat whose action is awaited; empty at the end."""
        return () if state.result else (state.mover,)

    def legal_actions(self, state: State, seat: int) -> Sequence[Action]:
        """All actions ``seat`` may submit now, in order of their notation."""
        values = values_in_stock(state, seat) if seat in self.to_move(state) else []
        return [
            row[square]
            for totem, squares in legal_squares(state, seat)
            for value in values  # yoxii/6: a piece of any value in stock
            for row in (POOL[totem][value - 1],)
            for square in squares
        ]

    def apply(
        self, state: State, seat: int, action: Action, chance: Chance
    ) -> Applied[State, Event]:
        """Move the Totem and place a piece.

        Raises:
            IllegalActionError: The action breaks a rule, which the error names.
            NotYourTurnError: The other seat is to move.
            MatchOverError: There is a result already.
        """
        _require_running(state)
        if seat != state.mover:
            raise NotYourTurnError(f"{COLOURS[state.mover]} is to move.", to_move=str(state.mover))
        totem, value, square = action
        own, theirs = state.seats[seat], state.seats[1 - seat]
        jumped = jumped_squares(state.totem, totem, own, theirs, seat)  # yoxii/3, yoxii/4
        check_placement(state, seat, totem, value, square)  # yoxii/6, yoxii/7
        bit = BIT[square]
        ones, twos, threes, fours = (
            m | bit if v == value else m for v, m in enumerate(state.values, 1)
        )
        after = State(
            totem,
            (own | bit, theirs) if seat == 0 else (theirs, own | bit),
            (ones, twos, threes, fours),
            None,
        )
        happened = (TotemMoved(seat, state.totem, totem, jumped), PiecePlaced(seat, value, square))
        if not is_stuck(after):
            return Applied(after, happened)
        # yoxii/9: nobody passes; when the next seat can't move the Totem, the match ends
        ended = _end(after, Result(winners(after), Termination.COMPLETED))
        return Applied(ended.state, happened + ended.events)

    def forfeit(
        self, state: State, seat: int, termination: Termination, chance: Chance
    ) -> Applied[State, Event]:
        """Take ``seat`` out of a running match; the other seat wins.

        Raises:
            MatchOverError: There is a result already.
        """
        _require_running(state)
        ended = _end(state, Result((1 - seat,), termination))  # yoxii/12
        return Applied(ended.state, (SeatForfeited(seat, termination), *ended.events))

    def result(self, state: State) -> Result | None:
        """The result, or None while the match goes on."""
        return state.result

    def observe(self, state: State, seat: int | None) -> Observation:
        """What anybody may see of a state: everything."""
        return observe(state)

    def event_for(self, event: Event, seat: int | None) -> Event:
        """The event itself: nothing is hidden."""
        return event

    def invariants(self, state: State) -> list[str]:
        """Every way in which the state is impossible, as sentences; empty for a sound one."""
        faults = piece_faults(state)
        # yoxii/11: at most 36 turns, and the seat to move has a piece; so it always has an action
        if state.result is None and is_stuck(state):
            faults.append("The Totem can't move, but there is no result.")
        completed = Result(winners(state), Termination.COMPLETED)
        if state.result and state.result.termination is Termination.COMPLETED:
            if not is_stuck(state):
                faults.append("The match was completed although the Totem can move.")
            if state.result != completed:
                faults.append(
                    f"{state.result.winners} won, where the pieces say {completed.winners}."
                )
        elif state.result and len(state.result.winners) != 1:
            faults.append("After a forfeit the one other seat wins.")
        return faults


def legal_squares(state: State, seat: int) -> list[tuple[int, list[int]]]:
    """Where ``seat`` may move the Totem, each with where a piece may go then; empty out of turn."""
    if state.result or seat != state.mover:
        return []
    own, theirs = state.seats[seat], state.seats[1 - seat]
    occupied = own | theirs
    targets = sorted(totem_targets(state.totem, own, theirs))
    return [(totem, placements(totem, occupied)) for totem in targets]


def _require_running(state: State) -> None:
    if state.result:
        raise MatchOverError("The match has ended; see its result.")


def _end(state: State, result: Result) -> Applied[State, Event]:
    scores = (score(state, 0), score(state, 1))
    return Applied(state._replace(result=result), (MatchEnded(result, scores),))

"""The rules of XISK: pure functions over frozen states.

What lives here: ``XiskRules``, which sends each action to the phase file that knows it. What must
not live here: rules themselves. One file a phase, as the manual (``docs/games/xisk.md``) has them;
``# xisk/14`` in any of them cites its point 14.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from referee.errors import MatchOverError, NotYourTurnError
from referee.games.xisk.rules.actions import (
    Action,
    Adjust,
    Attack,
    Claim,
    EndAttack,
    EndTurn,
    Invade,
    Place,
    Redeem,
)
from referee.games.xisk.rules.adjust import adjust, end_turn, legal_adjust
from referee.games.xisk.rules.attack import attack, end_attack, invade, legal_attack, legal_invade
from referee.games.xisk.rules.events import Event, event_for
from referee.games.xisk.rules.forfeit import forfeit
from referee.games.xisk.rules.observation import Observation, observe
from referee.games.xisk.rules.setup import claim, deal, legal_claim
from referee.games.xisk.rules.state import NOBODY, Phase, Settings, State, invariants
from referee.games.xisk.rules.supply import legal_supply, place, redeem
from referee.games.xisk.rules.work import Work
from referee.plugin import Applied, Chance, Result, Termination

_APPLY: dict[type[Action], Callable[[Work, Any], None]] = {
    Claim: claim,
    Redeem: redeem,
    Place: place,
    Attack: attack,
    Invade: invade,
    EndAttack: end_attack,
    Adjust: adjust,
    EndTurn: end_turn,
}

_LEGAL: dict[Phase, Callable[[State], Sequence[Action]]] = {
    Phase.CLAIM: legal_claim,
    Phase.SUPPLY: legal_supply,
    Phase.ATTACK: legal_attack,
    Phase.INVADE: legal_invade,
    Phase.CONQUEST_SUPPLY: legal_supply,
    Phase.ADJUST: legal_adjust,
}


def apply_action(state: State, seat: int, action: Action, chance: Chance) -> Applied[State, Event]:
    """Apply one action of ``seat``; see ``plugin.Rules.apply``.

    Raises:
        IllegalActionError: The action breaks a rule, which the error names.
        NotYourTurnError: Another seat is to move.
        MatchOverError: There is a result already.
    """
    if seat != state.mover:
        _refuse_seat(state)
    work = Work(state, chance)
    _APPLY[type(action)](work, action)
    return work.freeze()


def _refuse_seat(state: State) -> None:
    if state.mover == NOBODY:
        raise MatchOverError("The match has ended.")
    raise NotYourTurnError(f"Seat {state.mover} is to move.", to_move=str(state.mover))


class XiskRules:
    """The rules of XISK; fulfils ``plugin.Rules``."""

    __slots__ = ()

    def initial(self, settings: Settings, seats: int, chance: Chance) -> Applied[State, Event]:
        """Shuffle, deal, and wait for the first claim.

        Raises:
            InvalidSettingsError: No match can be played with these settings and seats.
        """
        return deal(settings, seats, chance)

    def to_move(self, state: State) -> tuple[int, ...]:
        """The one seat whose action is awaited; empty exactly when there is a result."""
        return () if state.mover == NOBODY else (state.mover,)

    def legal_actions(self, state: State, seat: int) -> Sequence[Action]:
        """All actions ``seat`` may submit now, each once."""
        return _LEGAL[state.phase](state) if seat == state.mover else ()

    def apply(
        self, state: State, seat: int, action: Action, chance: Chance
    ) -> Applied[State, Event]:
        """Apply one action of ``seat``.

        Raises:
            IllegalActionError: The action breaks a rule, which the error names.
            NotYourTurnError: Another seat is to move.
            MatchOverError: There is a result already.
        """
        return apply_action(state, seat, action, chance)

    def forfeit(
        self, state: State, seat: int, termination: Termination, chance: Chance
    ) -> Applied[State, Event]:
        """Take ``seat`` out of a running match (xisk/25).

        Raises:
            IllegalActionError: The seat is out already; the error names the rule.
            MatchOverError: There is a result already.
        """
        if state.result is not None:
            raise MatchOverError("The match has ended.")
        work = Work(state, chance)
        forfeit(work, seat, termination)
        return work.freeze()

    def result(self, state: State) -> Result | None:
        """The result, or None while the match goes on."""
        return state.result

    def observe(self, state: State, seat: int | None) -> Observation:
        """What ``seat`` may see of a state, or the public for None (xisk/28)."""
        return observe(state, seat)

    def event_for(self, event: Event, seat: int | None) -> Event:
        """The event as ``seat`` may see it, or the public for None (xisk/28)."""
        return event_for(event, seat)

    def invariants(self, state: State) -> list[str]:
        """Every way in which the state is impossible; empty for a sound one."""
        return invariants(state)

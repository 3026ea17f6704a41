"""Finishing a turn for a seat that does not: the play-out of xisk/27.

What lives here: where a turn ends, and the shortest legal way there, as pure functions. What must
not live here: clocks and strikes; they decide whether it is called.

The way: in claiming, the one claim that is due. In a supply phase, a set while one must be
redeemed, then the whole pool on one country. No invasion, no attack, no adjustment; an earned card
is still drawn. Each forced choice (set, country, claim) is one chance event, also where only one
choice is legal: an index into the legal choices of that kind in sorted notation.
"""

from __future__ import annotations

from referee.errors import MatchOverError, NotYourTurnError
from referee.games.xisk.rules import apply_action
from referee.games.xisk.rules.actions import (
    END_ATTACK,
    END_TURN,
    Action,
    Invade,
    Place,
    Redeem,
    table_of,
)
from referee.games.xisk.rules.cards import DECK_SIZE
from referee.games.xisk.rules.events import Event
from referee.games.xisk.rules.notation import format_action
from referee.games.xisk.rules.setup import claimable
from referee.games.xisk.rules.state import Phase, State
from referee.games.xisk.rules.supply import placeable, redeemable
from referee.games.xisk.rules.world import WORLDS
from referee.plugin import Applied, Chance


def finish_turn(state: State, seat: int, chance: Chance) -> Applied[State, Event]:
    """Finish what ``seat`` has begun, in the shortest legal way.

    Raises:
        NotYourTurnError: The seat is not to move.
        MatchOverError: There is a result already.
    """
    if state.result is not None:
        raise MatchOverError("The match has ended.")
    if seat != state.mover:
        raise NotYourTurnError(
            f"Seat {state.mover} is to move; there is no turn of seat {seat} to finish."
        )
    events: list[Event] = []
    while True:
        closing = state.phase in (Phase.CLAIM, Phase.ADJUST)
        applied = apply_action(state, seat, _next_action(state, chance), chance)
        state = applied.state
        events += applied.events
        # A claim, or the end of the turn, is the last step; nothing else can pass the turn on, for
        # no chip is risked.
        if closing or state.mover != seat:
            return Applied(state, tuple(events))


class XiskTurns:
    """Turns of several actions; fulfils ``plugin.Turns``."""

    __slots__ = ()

    def number(self, state: State, seat: int) -> int:
        """Number of a turn: each claim is one (xisk/27), then each round has one of each seat."""
        return len(state.claims) if state.phase == Phase.CLAIM else DECK_SIZE + state.round

    def finish(self, state: State, seat: int, chance: Chance) -> Applied[State, Event]:
        """Finish the turn of ``seat`` in the shortest legal way."""
        return finish_turn(state, seat, chance)


def _next_action(state: State, chance: Chance) -> Action:
    """The next step of the shortest way, chosen by chance where it has to be chosen."""
    match state.phase:
        case Phase.CLAIM:
            claims = table_of(state.map_id).claims
            return _pick([claims[number] for number in claimable(state)], chance)
        case Phase.SUPPLY | Phase.CONQUEST_SUPPLY:
            pool = placeable(state)
            if not pool:
                return _pick([Redeem(cards) for cards in redeemable(state)], chance)
            ids = WORLDS[state.map_id].ids
            own = [ids[number] for number, owner in enumerate(state.owners) if owner == state.mover]
            return _pick([Place(country, pool) for country in own], chance)
        case Phase.INVADE:
            return Invade(0)
        case Phase.ATTACK:
            return END_ATTACK
    return END_TURN


def _pick(choices: list[Action], chance: Chance) -> Action:
    """One of the choices, by their sorted notation."""
    return sorted(choices, key=format_action)[chance.pick(len(choices))]

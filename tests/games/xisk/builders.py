"""States of XISK from few words, and what tests do with them: play, and be refused."""

from random import Random
from typing import Any, TypeVar

import pytest

from referee.chance.recorded import ScriptedChance, ScriptedDraw
from referee.errors import IllegalActionError
from referee.games.xisk.rules import XiskRules
from referee.games.xisk.rules.actions import Action, Attack, EndAttack, Invade, Place
from referee.games.xisk.rules.attack import attack_pairs
from referee.games.xisk.rules.cards import CARD_NUMBERS, DECK_SIZE
from referee.games.xisk.rules.events import Event
from referee.games.xisk.rules.notation import format_action, parse_action
from referee.games.xisk.rules.state import NOBODY, UNCLAIMED, Phase, State
from referee.games.xisk.rules.supply import placeable
from referee.games.xisk.rules.world import WORLDS
from referee.plugin import Applied

K = TypeVar("K")

RULES = XiskRules()
WORLD = WORLDS["classic"]


def cards(text: str) -> tuple[int, ...]:
    """Card numbers of names parted by spaces, in the order written."""
    return tuple(CARD_NUMBERS[name] for name in text.split())


def region(name: str) -> list[str]:
    """Ids of the countries of a continent."""
    return [
        WORLD.ids[number] for each in WORLD.regions if each.name == name for number in each.members
    ]


def midgame(
    land: dict[str, tuple[int, int]],
    *,
    rest: tuple[int, int] = (1, 1),
    seats: int = 2,
    hands: dict[int, str] | None = None,
    deck_top: str = "",
    **fields: Any,
) -> State:
    """A state during turns: countries as (owner, chips), all others as ``rest``; seat 0 attacks.

    Cards that no hand holds lie in the deck, ``deck_top`` first and the others ascending.
    """
    holdings = [land.get(country, rest) for country in WORLD.ids]
    held = {seat: tuple(sorted(cards(text))) for seat, text in (hands or {}).items()}
    hand_of = tuple(held.get(seat, ()) for seat in range(seats))
    top = cards(deck_top)
    used = {*top, *(card for hand in hand_of for card in hand)}
    deck = (*top, *(card for card in range(DECK_SIZE) if card not in used))
    state = State(
        map_id="classic",
        round_limit=0,
        seats=seats,
        phase=Phase.ATTACK,
        mover=0,
        owners=tuple(owner for owner, _ in holdings),
        chips=tuple(chips for _, chips in holdings),
        hands=hand_of,
        deck=deck,
        claims=(),
        order=tuple(range(seats)),
        out=(),
        round=1,
        pool=0,
        placing=False,
        conquered=False,
        sets_redeemed=0,
        source=NOBODY,
        target=NOBODY,
        result=None,
    )
    return state._replace(**fields)


def claiming(hands: dict[int, str], *, seats: int = 2) -> State:
    """A state at the first claim, with hands as written; the other cards are in the deck."""
    state = midgame({}, rest=(UNCLAIMED, 0), seats=seats, hands=hands)
    holders = [seat for seat in range(seats) if state.hands[seat]]
    first = min(holders, key=state.hands.__getitem__)
    return state._replace(phase=Phase.CLAIM, mover=first, order=(), round=0)


def play(state: State, text: str, *draws: ScriptedDraw) -> Applied[State, Event]:
    """Apply an action in notation for the seat to move; the script must be used up."""
    chance = ScriptedChance(*draws)
    applied = RULES.apply(state, state.mover, parse_action(text), chance)
    chance.finish()
    assert RULES.invariants(applied.state) == []
    return applied


def refused(state: State, action: str | Action) -> IllegalActionError:
    """The error that an action of the seat to move gets; nothing may be drawn for it."""
    parsed = parse_action(action) if isinstance(action, str) else action
    assert parsed not in RULES.legal_actions(state, state.mover)
    with pytest.raises(IllegalActionError) as caught:
        RULES.apply(state, state.mover, parsed, ScriptedChance())
    return caught.value


def legal(state: State) -> set[str]:
    """Legal actions of the seat to move, in notation."""
    actions = RULES.legal_actions(state, state.mover)
    texts = {format_action(action) for action in actions}
    assert len(texts) == len(actions)
    return texts


def at(state: State, country: str) -> tuple[int, int]:
    """Owner and chips of a country."""
    number = WORLD.index[country]
    return state.owners[number], state.chips[number]


def of_kind(applied: Applied[State, Event], kind: type[K]) -> list[K]:
    """The events of one kind."""
    return [event for event in applied.events if isinstance(event, kind)]


def fierce(state: State, random: Random) -> Action:
    """A legal action of a seat that means to conquer: pools at borders, attacks on the weaker."""
    match state.phase:
        case Phase.SUPPLY | Phase.CONQUEST_SUPPLY if placeable(state):
            return Place(random.choice(_border(state)), state.pool)
        case Phase.ATTACK:
            return _strongest_attack(state, random)
        case Phase.INVADE:
            return Invade(random.choice((0, state.chips[state.source] - 1)))
    return random.choice(list(RULES.legal_actions(state, state.mover)))


def _border(state: State) -> list[str]:
    """Own countries beside one of somebody else; all own ones if there is none."""
    owners, mover = state.owners, state.mover
    own = [number for number, owner in enumerate(owners) if owner == mover]
    border = [at for at in own if any(owners[near] != mover for near in WORLD.neighbours[at])]
    return [WORLD.ids[number] for number in border or own]


def _strongest_attack(state: State, random: Random) -> Action:
    """The attack with most chips to spare, or the end of the phase if there is none."""
    chips = state.chips
    pairs = [pair for pair in attack_pairs(state) if chips[pair[0]] > chips[pair[1]]]
    if not pairs or random.random() < 0.05:
        return EndAttack()
    source, target = max(pairs, key=lambda pair: chips[pair[0]] - chips[pair[1]])
    return Attack(WORLD.ids[source], WORLD.ids[target])

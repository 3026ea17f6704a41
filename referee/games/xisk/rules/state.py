"""The whole truth of a match of XISK, and what makes a state impossible.

What lives here: the state as one immutable value, the settings, and the invariants. What must not
live here: how a state changes (``work.py`` and the phase files) and what a seat may see
(``observation.py``).

The state is a named tuple of tuples and ints: building one costs a fraction of a frozen dataclass
of this size, and one is built per action.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from referee.games.xisk.rules.cards import DECK_SIZE
from referee.games.xisk.rules.world import WORLDS
from referee.plugin import Result

NOBODY = -1
"""In place of a seat or country number: none."""
NEUTRAL = -1
"""Owner of a country with white chips."""
UNCLAIMED = -2
"""Owner of a country that nobody has claimed yet; it has no chips."""


class Phase(IntEnum):
    """Part of a turn; numbers are those of the proto enum."""

    CLAIM = 1
    SUPPLY = 2
    ATTACK = 3
    INVADE = 4
    CONQUEST_SUPPLY = 5
    ADJUST = 6
    ENDED = 7


@dataclass(frozen=True, slots=True)
class Settings:
    """What a match can be set to.

    Attributes:
        map_id: Map to play on.
        round_limit: Rounds after which the match ends by count; 0 means no limit.
    """

    map_id: str = "classic"
    round_limit: int = 0


class State(NamedTuple):
    """A match between two actions.

    Attributes:
        map_id: The map; it gives country numbers their meaning.
        round_limit: Rounds after which the match ends; 0 means no limit.
        seats: Number of seats that began.
        phase: Part of the turn.
        mover: Seat to move; NOBODY once the match has ended.
        owners: Seat, NEUTRAL or UNCLAIMED, by country number.
        chips: Chips by country number.
        hands: Card numbers of each seat, ascending.
        deck: Card numbers, top first.
        claims: Card, seat and country of every claim so far; empty once turns have begun.
        order: Seats in order of play; empty while countries are claimed.
        out: Seats that are out, ascending.
        round: Round of the match, from 1; 0 while countries are claimed.
        pool: Chips still to place.
        placing: A chip was placed in this supply phase, which closes redeeming.
        conquered: A country was conquered this turn.
        sets_redeemed: Sets redeemed in the match so far.
        source: Attacking country of a pending invasion, or NOBODY.
        target: Conquered country of a pending invasion, or NOBODY.
        result: How the match ended, or None.
    """

    map_id: str
    round_limit: int
    seats: int
    phase: Phase
    mover: int
    owners: tuple[int, ...]
    chips: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    deck: tuple[int, ...]
    claims: tuple[tuple[int, int, int], ...]
    order: tuple[int, ...]
    out: tuple[int, ...]
    round: int
    pool: int
    placing: bool
    conquered: bool
    sets_redeemed: int
    source: int
    target: int
    result: Result | None


def seats_in(state: State) -> tuple[int, ...]:
    """Seats that are not out, ascending."""
    return tuple(seat for seat in range(state.seats) if seat not in state.out)


def invariants(state: State) -> list[str]:
    """Every way in which a state is impossible, as sentences; empty for a sound one."""
    return [
        *_card_faults(state),
        *_country_faults(state),
        *_turn_faults(state),
        *_end_faults(state),
    ]


def _card_faults(state: State) -> Iterator[str]:
    cards = [*state.deck, *(card for hand in state.hands for card in hand)]
    cards += [card for card, _, _ in state.claims]
    if sorted(cards) != list(range(DECK_SIZE)):
        yield "The deck, the hands and the cards that claimed are not the 52 cards, once each."
    if len(state.hands) != state.seats:
        yield f"There are {len(state.hands)} hands for {state.seats} seats."
    for seat, hand in enumerate(state.hands):
        if list(hand) != sorted(hand):
            yield f"The hand of seat {seat} is not in claim order."
        if hand and seat in state.out:
            yield f"Seat {seat} is out and still holds cards."
    if state.order and state.claims:
        yield "Claims are kept after claiming."


def _country_faults(state: State) -> Iterator[str]:
    world = WORLDS[state.map_id]
    if not len(state.owners) == len(state.chips) == world.size:
        yield f"The map has {world.size} countries, the state another number."
        return
    claiming = state.phase == Phase.CLAIM or not state.order
    for number, (owner, chips) in enumerate(zip(state.owners, state.chips, strict=True)):
        name = world.names[number]
        if owner == UNCLAIMED:
            if chips or not claiming:
                yield f"{name} is unclaimed, with {chips} chips, in phase {state.phase.name}."
        elif chips < 1:
            yield f"{name} is owned and has {chips} chips."
        if owner >= state.seats or owner < UNCLAIMED:
            yield f"{name} belongs to seat {owner}, who does not exist."
        if owner in state.out and owner >= 0:
            yield f"{name} belongs to seat {owner}, who is out."


def _turn_faults(state: State) -> Iterator[str]:
    if sorted(state.order) not in ([], list(range(state.seats))) and state.phase != Phase.CLAIM:
        missing = set(range(state.seats)) - set(state.order)
        if not missing <= set(state.out) or len(set(state.order)) != len(state.order):
            yield f"The order of play {state.order} is not one of the seats."
    supplying = state.phase in (Phase.SUPPLY, Phase.CONQUEST_SUPPLY)
    if supplying != (state.pool > 0):
        yield f"The pool holds {state.pool} chips in phase {state.phase.name}."
    if state.placing and not supplying:
        yield "Chips are being placed outside a supply phase."
    invading = state.phase == Phase.INVADE
    if invading != (state.source != NOBODY) or invading != (state.target != NOBODY):
        yield f"The pending invasion does not fit phase {state.phase.name}."
    if invading and not (
        state.owners[state.source] == state.owners[state.target] == state.mover
        and state.chips[state.source] > 1
    ):
        yield "The pending invasion is not one of two own countries with chips to move."
    alive = [seat for seat in seats_in(state) if seat in state.owners]
    if state.phase not in (Phase.CLAIM, Phase.INVADE, Phase.ENDED) and set(alive) != set(
        seats_in(state)
    ):
        yield "A seat that is not out owns no country."


def _end_faults(state: State) -> Iterator[str]:
    ended = state.result is not None
    if ended != (state.phase == Phase.ENDED) or ended != (state.mover == NOBODY):
        yield "Result, phase and seat to move disagree on whether the match has ended."
    if not ended and state.mover not in seats_in(state):
        yield f"Seat {state.mover} is to move and not in the match."
    if state.result is not None and not state.result.winners:
        yield "The match ended without a winner."

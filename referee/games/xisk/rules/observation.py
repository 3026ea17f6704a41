"""What each seat may see: xisk/28.

What lives here: the observation, built by listing what is shown. What must not live here: anything
that starts from the whole state and takes things away. The card that claims next is not listed, nor
any index that would give it away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from referee.games.xisk.rules.state import NOBODY, Phase, State
from referee.games.xisk.rules.world import WORLDS
from referee.plugin import Result


class CountryView(NamedTuple):
    """A country as everybody sees it; neutral and unclaimed have no seat, unclaimed no chips."""

    country: str
    seat: int | None
    chips: int


class ClaimView(NamedTuple):
    """A claim that was made."""

    seat: int
    card: int
    country: str


class InvasionView(NamedTuple):
    """An invasion to decide on, with the most chips that may follow."""

    source: str
    target: str
    max_chips: int


@dataclass(frozen=True, slots=True)
class Observation:
    """What one seat may see, or the public.

    Attributes:
        map_id: Map of the match.
        round_limit: Rounds after which it ends; 0 means no limit.
        seat: Who sees this; None for the public.
        phase: Part of the turn.
        to_move: Seat to move; None once the match has ended.
        countries: Every country in the order of the map.
        order: Seats in order of play; empty while countries are claimed.
        out: Seats that are out, ascending.
        round: Round of the match, from 1; 0 while countries are claimed.
        pool: Chips still to place.
        placing: A chip was placed in this supply phase.
        conquered: A country was conquered this turn.
        sets_redeemed: Sets redeemed in the match so far.
        next_set_chips: What the next set gives.
        hand_sizes: Number of cards of each seat.
        deck_size: Number of cards in the deck.
        hand: Own cards, ascending; empty for the public.
        invasion: The invasion to decide on, or None.
        claims: Claims so far; empty once turns have begun.
        result: How the match ended, or None.
    """

    map_id: str
    round_limit: int
    seat: int | None
    phase: Phase
    to_move: int | None
    countries: tuple[CountryView, ...]
    order: tuple[int, ...]
    out: tuple[int, ...]
    round: int
    pool: int
    placing: bool
    conquered: bool
    sets_redeemed: int
    next_set_chips: int
    hand_sizes: tuple[int, ...]
    deck_size: int
    hand: tuple[int, ...]
    invasion: InvasionView | None
    claims: tuple[ClaimView, ...]
    result: Result | None


def observe(state: State, seat: int | None) -> Observation:
    """What ``seat`` may see of a state, or the public for None."""
    # xisk/28
    ids = WORLDS[state.map_id].ids
    countries = tuple(
        CountryView(country, owner if owner >= 0 else None, chips)
        for country, owner, chips in zip(ids, state.owners, state.chips, strict=True)
    )
    invasion = None
    if state.source != NOBODY:
        most = state.chips[state.source] - 1
        invasion = InvasionView(ids[state.source], ids[state.target], most)
    return Observation(
        map_id=state.map_id,
        round_limit=state.round_limit,
        seat=seat,
        phase=state.phase,
        to_move=None if state.mover == NOBODY else state.mover,
        countries=countries,
        order=state.order,
        out=state.out,
        round=state.round,
        pool=state.pool,
        placing=state.placing,
        conquered=state.conquered,
        sets_redeemed=state.sets_redeemed,
        next_set_chips=state.sets_redeemed + 1,
        hand_sizes=tuple(len(hand) for hand in state.hands),
        deck_size=len(state.deck),
        hand=() if seat is None else state.hands[seat],
        invasion=invasion,
        claims=tuple(
            ClaimView(claimer, card, ids[number]) for card, claimer, number in state.claims
        ),
        result=state.result,
    )

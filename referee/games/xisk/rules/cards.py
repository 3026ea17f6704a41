"""The deck: names of cards, sets, and how many cards are dealt.

What lives here: what is true of cards in any match. What must not live here: who holds them. Inside
the rules a card is its number in claim order: AS 0, KS 1 .. 2S 12, AH 13 .. AD 26 .. AC 39 .. 2C
51. So the lowest number in any hand is the card that claims next, and a suit is ``card // 13``.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

RANKS = "AKQJT98765432"
SUITS = "SHDC"
DECK_SIZE = len(RANKS) * len(SUITS)  # xisk/2: no jokers

CARD_NAMES: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""Names by card number."""

CARD_NUMBERS: dict[str, int] = {name: number for number, name in enumerate(CARD_NAMES)}
"""Card numbers by name."""

CARDS_PER_SEAT: dict[int, int] = {2: 21, 3: 14, 4: 10, 5: 8, 6: 7}
"""Cards dealt to each seat, by number of seats."""  # xisk/4

SET_SIZE = 3
HAND_LIMIT = 4
"""Most cards that a hand may hold when chips are placed."""  # xisk/11

_SUIT_OF = tuple(number // len(RANKS) for number in range(DECK_SIZE))


def is_set(cards: tuple[int, ...]) -> bool:
    """True for exactly three different cards of one suit or of three different suits."""
    # xisk/10
    if len(cards) != SET_SIZE or len(set(cards)) != SET_SIZE:
        return False
    return len({_SUIT_OF[card] for card in cards}) != SET_SIZE - 1


@lru_cache(maxsize=2048)
def sets_in(hand: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Every set that a hand holds, each ascending. Cached: a hand is asked about more than once."""
    return tuple(cards for cards in combinations(hand, SET_SIZE) if is_set(cards))


def names_of(cards: tuple[int, ...]) -> str:
    """Names of cards, separated by commas."""
    return ",".join(CARD_NAMES[card] for card in cards)

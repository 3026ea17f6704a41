"""The deck and its sets: xisk/2 and xisk/10."""

from itertools import combinations

import pytest

from referee.games.xisk.rules.cards import CARD_NAMES, CARDS_PER_SEAT, is_set, sets_in
from tests.games.xisk.builders import cards


def test_xisk_2_the_deck_has_52_cards_and_no_joker():
    assert 52 == len(set(CARD_NAMES))
    assert {name[0] for name in CARD_NAMES} == set("AKQJT98765432")
    assert {name[1] for name in CARD_NAMES} == set("SHDC")


def test_xisk_5_cards_are_numbered_in_claim_order():
    assert ("AS", "KS", "2S") == (CARD_NAMES[0], CARD_NAMES[1], CARD_NAMES[12])
    assert ("AH", "AD", "AC", "2C") == tuple(CARD_NAMES[number] for number in (13, 26, 39, 51))


def test_xisk_4_no_deal_needs_more_cards_than_there_are_countries():
    assert {2: 42, 3: 42, 4: 40, 5: 40, 6: 42} == {n: n * k for n, k in CARDS_PER_SEAT.items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2C 5C 9C", True),
        ("AS KH QD", True),
        ("AS AH AD", True),
        ("2C 5C 9D", False),
        ("2C 5C", False),
        ("2C 5C 9C TC", False),
        ("2C 2C 9C", False),
        ("", False),
    ],
)
def test_xisk_10_a_set_is_three_of_one_suit_or_of_three_suits(text, expected):
    assert expected == is_set(cards(text))


def test_xisk_10_sets_of_the_whole_deck_are_as_many_as_arithmetic_says():
    one_suit = 4 * 286  # 13 choose 3
    three_suits = 4 * 13**3
    assert one_suit + three_suits == len(sets_in(tuple(range(52))))


def test_xisk_11_five_cards_always_hold_a_set():
    # Only suits matter, so hands are looked at by how many cards of each suit they hold.
    for suits in combinations([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3], 5):
        hand = tuple(sorted({13 * suit + at for at, suit in enumerate(suits)}))
        assert sets_in(hand)

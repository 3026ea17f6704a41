"""Dice and shuffles are even: chi-square tests over many draws.

Every test here draws from one fixed key, so it always gives the same verdict; it can't fail by bad
luck on a later day. What remains is the question whether the numbers seen are those of fair dice.
A statistic passes when a fair source would give a smaller one with a probability between one in a
million and one minus that. This is lax enough that a dozen tests of a fair source raise no false
alarm (chance of any: 1 in 40,000), and strict enough for the faults that occur in practice: the
last tests build such a die, whose faces are the remainder of a byte, and see it refused. Both sides
count, because numbers that are too even are no more random than uneven ones.
"""

import math
from collections import Counter
from itertools import pairwise

import pytest

from referee.chance.draws import SeededChance, words

KEY = bytes.fromhex("5eed" * 16)
TAIL = 1e-6
ATTACKS = 200_000
SHUFFLES = 20_000


def probability_below(statistic, freedom):
    """The chi-square distribution function, from the series of the incomplete gamma."""
    a, x = freedom / 2, statistic / 2
    term = total = 1.0
    n = 1
    while term > total * 1e-17:
        term *= x / (a + n)
        total += term
        n += 1
    return total * math.exp(a * math.log(x) - x - math.lgamma(a + 1)) if x > 0 else 0.0


def chi_square(counts, expected):
    """Sum over cells of (observed - expected)^2 / expected; both are lists of the same cells."""
    return sum((o - e) ** 2 / e for o, e in zip(counts, expected, strict=True))


def is_even(statistic, freedom):
    return TAIL < probability_below(statistic, freedom) < 1 - TAIL


@pytest.fixture(scope="module")
def attacks():
    chance = SeededChance(KEY)
    return [chance.dice((3, 2)) for _ in range(ATTACKS)]


@pytest.fixture(scope="module")
def faces(attacks):
    return [face for groups in attacks for group in groups for face in group]


@pytest.mark.parametrize(
    ("freedom", "quantile", "probability"),
    [
        (2, 13.816, 0.999),
        (5, 0.2102, 0.001),
        (5, 20.515, 0.999),
        (100, 61.918, 0.001),
        (100, 149.449, 0.999),
        (1000, 1143.917, 0.999),
    ],
)
def test_the_distribution_function_used_is_that_of_printed_tables(freedom, quantile, probability):
    assert probability == pytest.approx(probability_below(quantile, freedom), abs=2e-6)


@pytest.mark.slow
def test_a_million_dice_show_each_face_equally_often(faces):
    assert len(faces) >= 1_000_000
    seen = Counter(faces)
    assert {1, 2, 3, 4, 5, 6} == set(seen)
    assert is_even(chi_square(list(seen.values()), [len(faces) / 6] * 6), freedom=5)


@pytest.mark.slow
def test_each_die_of_an_attack_is_even_by_itself(attacks):
    for group, die in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]:
        seen = Counter(attack[group][die] for attack in attacks)
        assert is_even(chi_square(list(seen.values()), [ATTACKS / 6] * 6), freedom=5)


@pytest.mark.slow
def test_a_die_tells_nothing_of_the_next(faces):
    """All 36 pairs of neighbours.

    Pairs overlap, so the statistic of single faces comes off, which leaves 36 - 6 degrees of
    freedom (Good, 1953).
    """
    pairs = Counter(pairwise(faces))
    of_pairs = chi_square(
        [pairs[a, b] for a in range(1, 7) for b in range(1, 7)], [len(faces) / 36] * 36
    )
    of_faces = chi_square(list(Counter(faces).values()), [len(faces) / 6] * 6)
    assert is_even(of_pairs - of_faces, freedom=30)


@pytest.mark.slow
def test_attacks_end_as_often_as_the_odds_say(attacks):
    """Of 7776 outcomes the attacker loses no chip in 2890, one in 2611, two in 2275."""
    losses: Counter[int] = Counter()
    for attacker, defender in attacks:
        high = zip(sorted(attacker, reverse=True), sorted(defender, reverse=True), strict=False)
        losses[sum(ours <= theirs for ours, theirs in high)] += 1
    expected = [ATTACKS * ways / 7776 for ways in (2890, 2611, 2275)]
    observed = [losses[lost] for lost in (0, 1, 2)]
    assert is_even(chi_square(observed, expected), freedom=2)


@pytest.mark.slow
def test_every_card_is_at_every_place_of_the_deck_equally_often():
    """The table of 52 cards by 52 places.

    Each shuffle fills one cell in every row and column, so the cells depend on each other: their
    covariance is N/(n-1) times the projection that takes row and column means away. Hence (n-1)/N
    times the sum of squared deviations has the chi-square distribution with (n-1)^2 degrees of
    freedom.
    """
    chance = SeededChance(KEY, first_event=ATTACKS)
    table = [[0] * 52 for _ in range(52)]
    for _ in range(SHUFFLES):
        for place, card in enumerate(chance.shuffle(range(52))):
            table[place][card] += 1
    squares = sum((count - SHUFFLES / 52) ** 2 for row in table for count in row)
    assert is_even(51 / SHUFFLES * squares, freedom=51**2)


@pytest.mark.slow
def test_every_order_of_five_cards_comes_equally_often():
    chance = SeededChance(KEY, first_event=ATTACKS + SHUFFLES)
    orders = Counter(chance.shuffle(range(5)) for _ in range(120 * 500))
    assert 120 == len(orders)
    assert is_even(chi_square(list(orders.values()), [500] * 120), freedom=119)


@pytest.mark.slow
def test_a_die_made_of_the_remainder_of_a_byte_would_be_refused(faces):
    stream = words(KEY, 0)
    unfair = Counter(next(stream) % 256 % 6 for _ in range(len(faces)))
    assert not is_even(chi_square(list(unfair.values()), [len(faces) / 6] * 6), freedom=5)


def test_dice_that_are_too_even_would_be_refused():
    assert not is_even(chi_square([1000] * 6, [1000] * 6), freedom=5)

"""Words, bounded numbers, dice and shuffles: edges and rejection."""

import hashlib
import hmac
from itertools import islice

import pytest

from referee.chance.draws import SeededChance, below, roll, words

KEY = bytes(range(32))


def test_words_run_on_over_the_edge_of_a_digest():
    first, second = (
        hmac.digest(KEY, b"chance" + (7).to_bytes(8, "big") + block.to_bytes(4, "big"), "sha256")
        for block in (0, 1)
    )
    drawn = b"".join(word.to_bytes(4, "big") for word in islice(words(KEY, 7), 16))
    assert first + second == drawn


@pytest.mark.parametrize("number", [0, 1, 2**32, 2**64 - 1])
def test_event_numbers_use_all_of_their_64_bits(number):
    message = b"chance" + number.to_bytes(8, "big") + bytes(4)
    expected = hmac.new(KEY, message, hashlib.sha256).digest()[:4]
    assert expected == next(words(KEY, number)).to_bytes(4, "big")


def test_an_event_number_past_64_bits_is_refused():
    with pytest.raises(OverflowError):
        next(words(KEY, 2**64))


@pytest.mark.parametrize(
    ("bound", "highest_taken"),
    [(6, 2**32 - 5), (7, 2**32 - 5), (52, 2**32 - 49), (2**31 + 1, 2**31), (3, 2**32 - 2)],
)
def test_words_in_the_incomplete_last_stretch_are_thrown_away(bound, highest_taken):
    assert 0 == (highest_taken + 1) % bound
    assert bound - 1 == below(iter([highest_taken]), bound)
    assert 0 == below(iter([highest_taken + 1, 2**32 - 1, 0]), bound)


@pytest.mark.parametrize("bound", [1, 2, 2**31, 2**32])
def test_a_bound_that_divides_the_range_takes_every_word(bound):
    assert bound - 1 == below(iter([2**32 - 1]), bound)


@pytest.mark.parametrize("bound", [0, -1, 2**32 + 1])
def test_a_bound_outside_the_range_of_a_word_is_refused(bound):
    with pytest.raises(ValueError, match="a bound is 1 to"):
        below(iter([0]), bound)


def test_dice_throw_away_the_same_words_as_bounded_numbers_do():
    script = [2**32 - 1, 5, 2**32 - 4, 2**32 - 5, 0]
    assert (6, 6, 1) == roll(iter(script), 3)
    stream = iter(script)
    assert (6, 6, 1) == tuple(1 + below(stream, 6) for _ in range(3))


def test_many_dice_in_one_event_equal_bounded_numbers_one_by_one():
    stream = words(KEY, 0)
    expected = tuple(1 + below(stream, 6) for _ in range(100))
    assert (expected[:60], expected[60:]) == SeededChance(KEY).dice((60, 40))


def test_each_call_is_one_event():
    chance = SeededChance(KEY, first_event=5)
    assert 5 == chance.next_event
    chance.dice((3, 2))
    chance.shuffle(range(52))
    chance.pick(42)
    assert 8 == chance.next_event


def test_an_event_does_not_depend_on_what_came_before():
    one, other = SeededChance(KEY), SeededChance(KEY)
    one.dice((3, 2))
    other.shuffle(range(52))
    assert one.dice((3, 3, 3)) == other.dice((3, 3, 3))


def test_events_that_need_no_word_still_count():
    chance = SeededChance(KEY)
    assert () == chance.dice(())
    assert ((), ()) == chance.dice((0, 0))
    assert () == chance.shuffle(())
    assert (9,) == chance.shuffle((9,))
    assert 0 == chance.pick(1)
    assert 5 == chance.next_event


def test_a_shuffle_starts_from_ascending_order_whatever_order_it_is_given():
    expected = SeededChance(KEY).shuffle(range(10))
    assert expected == SeededChance(KEY).shuffle(reversed(range(10)))
    assert set(range(10)) == set(expected)


def test_a_shuffle_of_an_item_twice_is_refused():
    with pytest.raises(ValueError, match="distinct"):
        SeededChance(KEY).shuffle((1, 2, 1))


def test_a_group_of_fewer_than_no_dice_is_refused():
    with pytest.raises(ValueError, match="0 or more"):
        SeededChance(KEY).dice((3, -1))


def test_a_pick_from_nothing_is_refused():
    with pytest.raises(ValueError, match="a bound is 1 to"):
        SeededChance(KEY).pick(0)

"""The second half of an action: where a piece may go, and which. yoxii/5 to yoxii/8."""

import pytest

from referee.games.yoxii.rules.board import NAMES
from referee.games.yoxii.rules.state import INITIAL, stock
from tests.games.yoxii.builders import RULES, action, at, piece_squares, play, play_all, refused

# From c5 White jumps over c6 to c7, where everything around is occupied.
CROWDED = """
      . a .
    A A a . .
  . . T . . . .
  . . . . . . .
  . . . . . . .
    . . . . .
      . . .
"""

# White has placed its five 1s and its three 4s.
SPENT = """
      A A .
    . . . . .
  a . . . . A A
  a . . T . . A
  a . . . . D D
    a a b . .
      b b D
"""


def test_a_piece_goes_next_to_the_new_square_of_the_totem():
    """yoxii/6"""
    around_e5 = ["d4", "d5", "d6", "e4", "e6", "f4", "f5", "f6"]
    assert piece_squares(INITIAL, "e5") == around_e5


def test_at_the_edge_fewer_squares_are_open():
    """yoxii/6"""
    state = play_all("c5/1@b5", "b6/1@c6")
    assert ["a4", "b4", "b6"] == piece_squares(state, "a5")


def test_the_square_that_the_totem_has_left_is_open():
    """yoxii/6"""
    state = play(INITIAL, "e5/3@d4").state
    assert "e5" == NAMES[state.totem]
    assert state.occupied == 1 << NAMES.index("d4")


def test_a_square_next_to_the_old_place_of_the_totem_only_is_refused():
    """yoxii/6"""
    rule, sentence = refused(INITIAL, "e5/3@c4")
    assert "yoxii/6" == rule
    assert "c4 is not next to the Totem's new square e5" in sentence
    assert "d4, d5, d6, e4, e6, f4, f5, f6" in sentence


@pytest.mark.parametrize("value", [1, 2, 3, 4])
def test_any_value_in_stock_may_be_placed(value):
    """yoxii/6"""
    state = play(INITIAL, f"e5/{value}@e6").state
    expected = tuple(had - (each == value) for each, had in enumerate((5, 5, 5, 3), start=1))
    assert expected == stock(state, 0)
    assert (5, 5, 5, 3) == stock(state, 1)


def test_a_value_that_is_used_up_is_refused():
    """yoxii/6"""
    state = at(SPENT)
    assert (0, 5, 5, 0) == stock(state, 0)
    assert {2, 3} == {each.value for each in RULES.legal_actions(state, 0)}
    for value in (1, 4):
        rule, sentence = refused(state, f"d5/{value}@d6")
        assert "yoxii/6" == rule
        assert f"White has no {value} left in stock" in sentence
        assert "Left: 5 of value 2, 5 of value 3." in sentence


def test_the_other_seats_stock_does_not_matter():
    """yoxii/6"""
    state = play(at(SPENT), "d5/2@d6").state
    assert (0, 2, 5, 3) == stock(state, 1)
    assert {2, 3, 4} == {each.value for each in RULES.legal_actions(state, 1)}


def test_a_piece_does_not_go_on_a_piece_or_under_the_totem():
    """yoxii/5"""
    state = play(INITIAL, "e5/3@e6").state
    rule, sentence = refused(state, "f5/1@e6")
    assert "yoxii/5" == rule
    assert "e6: a piece stands there" in sentence
    rule, sentence = refused(state, "f5/1@f5")
    assert "yoxii/5" == rule
    assert "f5: the Totem stands there" in sentence


def test_with_nothing_free_around_the_totem_any_free_square_is_open():
    """yoxii/7"""
    state = at(CROWDED)
    taken = {"d7", "b6", "c6", "d6", "c7"}
    assert piece_squares(state, "c7") == [name for name in NAMES if name not in taken]
    assert play(state, "c7/1@g3").state.occupied & 1 << NAMES.index("g3")


def test_the_square_just_left_is_one_of_any_free_squares():
    """yoxii/7"""
    assert "c5" in piece_squares(at(CROWDED), "c7")


def test_even_then_an_occupied_square_is_refused():
    """yoxii/7 and yoxii/5"""
    assert "yoxii/5" == refused(at(CROWDED), "c7/1@c6")[0]
    assert "yoxii/5" == refused(at(CROWDED), "c7/1@c7")[0]


def test_one_free_neighbour_is_enough_to_bind_the_piece():
    """yoxii/7 does not apply; yoxii/6 does"""
    state = at(CROWDED.replace(". a .", ". . a", 1))
    assert ["d7"] == piece_squares(state, "c7")
    assert "yoxii/6" == refused(state, "c7/1@c5")[0]


def test_an_action_is_refused_whole_when_either_half_is():
    """yoxii/8"""
    before = INITIAL
    refused(INITIAL, "e5/3@a3")
    refused(INITIAL, "g5/3@g4")
    assert INITIAL == before
    assert (0,) == RULES.to_move(INITIAL)


def test_the_legal_actions_are_the_product_of_squares_and_values():
    """yoxii/8"""
    state = play(INITIAL, "e5/3@e6").state
    actions = RULES.legal_actions(state, 1)
    expected = [
        action(f"{totem}/{value}@{square}")
        for totem in ("d4", "d5", "d6", "e4", "f4", "f5", "f6")
        for value in (1, 2, 3, 4)
        for square in piece_squares(state, totem)
    ]
    assert expected == list(actions)
    assert len(set(actions)) == len(actions)

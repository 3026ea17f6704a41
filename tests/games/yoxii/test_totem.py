"""The first half of an action: where the Totem may go. yoxii/3, yoxii/4, yoxii/5."""

import pytest

from referee.games.yoxii.rules.board import SQUARE_BY_NAME
from referee.games.yoxii.rules.events import PiecePlaced, TotemMoved
from referee.games.yoxii.rules.state import INITIAL
from tests.games.yoxii.builders import at, play, refused, totem_squares

# White's line c4 b4 west of the Totem ends before a4; its line d5 d6 d7 north ends at the edge; c3
# and b2 lead off the board; e5 stands before Red's f6; Red's e4 is no stepping stone.
LINES = """
      . B .
    . . A . a
  . . . C A . b
  . B A T a . .
  . . D . b . .
    A . . . a
      c d c
"""


def test_the_totem_steps_in_all_8_directions():
    """yoxii/3"""
    assert ["c3", "c4", "c5", "d3", "d5", "e3", "e4", "e5"] == totem_squares(INITIAL)


def test_the_totem_can_not_stay_where_it_is():
    """yoxii/3"""
    rule, sentence = refused(INITIAL, "d4/1@d5")
    assert "yoxii/3" == rule
    assert "it has to move" in sentence


@pytest.mark.parametrize("target", ["e6", "b5", "a3", "g5", "c1"])
def test_the_totem_moves_in_straight_lines_only(target):
    """yoxii/3"""
    rule, sentence = refused(INITIAL, f"{target}/1@d4")
    assert "yoxii/3" == rule
    assert f"from d4 to {target}" in sentence


def test_the_totem_does_not_pass_free_squares():
    """yoxii/4"""
    rule, sentence = refused(INITIAL, "d6/1@d5")
    assert "yoxii/4" == rule
    assert "d5 is empty" in sentence


def test_a_jump_lands_right_behind_an_unbroken_line_of_own_pieces():
    """yoxii/4"""
    assert ["a4", "c5", "d3"] == totem_squares(at(LINES))


def test_a_jump_tells_which_pieces_it_passed_in_order():
    """yoxii/4"""
    events = play(at(LINES), "a4/2@a5").events
    d4, a4, a5 = (SQUARE_BY_NAME[name] for name in ("d4", "a4", "a5"))
    jumped = tuple(SQUARE_BY_NAME[name] for name in ("c4", "b4"))
    assert events == (TotemMoved(0, d4, a4, jumped), PiecePlaced(0, 2, a5))


def test_a_step_passes_nothing():
    """yoxii/3"""
    moved = play(INITIAL, "e5/3@e6").events[0]
    assert TotemMoved(0, SQUARE_BY_NAME["d4"], SQUARE_BY_NAME["e5"], ()) == moved


def test_a_jump_over_an_opponents_piece_is_refused():
    """yoxii/4"""
    rule, sentence = refused(at(LINES), "f4/2@f5")
    assert "yoxii/4" == rule
    assert "e4 holds a piece of Red" in sentence
    assert "White's own pieces only" in sentence


def test_a_jump_over_a_mixed_line_is_refused():
    """yoxii/4"""
    state = at("""
          . . .
        . . . a .
      . . . . . . .
      . . . T A a .
      . . . . . . .
        . . . . A
          . . .
    """)
    rule, sentence = refused(state, "g4/1@g5")
    assert "yoxii/4" == rule
    assert "f4 holds a piece of Red" in sentence


def test_a_jump_ends_behind_the_line_and_no_farther():
    """yoxii/4"""
    state = at("""
          . . .
        . . . . .
      . . . . . . .
      a . . T A . .
      . . . . . . .
        . . . . .
          . . .
    """)
    assert "f4" in totem_squares(state)
    rule, sentence = refused(state, "g4/1@g5")
    assert "yoxii/4" == rule
    assert "f4 is empty" in sentence


def test_red_jumps_over_red_and_not_over_white():
    """yoxii/4"""
    state = at("""
          . . .
        . . . . .
      . . . . . . .
      . . A T a . .
      . . . . . . .
        . . . . A
          . . .
    """)
    squares = totem_squares(state)
    assert "f4" in squares
    assert "b4" not in squares
    assert "yoxii/4" == refused(state, "b4/1@a4")[0]


def test_values_do_not_matter_to_a_jump():
    """yoxii/4"""
    state = at("""
          . . .
        . . . . a
      . . . . . . a
      . A B T C D .
      . . . . . . a
        . . . . a
          . . .
    """)
    assert {"a4", "g4"} <= set(totem_squares(state))


def test_the_totem_does_not_land_on_a_piece():
    """yoxii/5"""
    for target in ("d5", "e4", "f6"):
        rule, sentence = refused(at(LINES), f"{target}/1@c5")
        assert "yoxii/5" == rule
        assert f"can't move to {target}" in sentence

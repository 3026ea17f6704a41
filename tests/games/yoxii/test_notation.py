"""Actions and positions as text."""

import pytest

from referee.errors import InvalidActionError, InvalidRequestError
from referee.games.yoxii.rules.actions import POOL, Action
from referee.games.yoxii.rules.board import SQUARE_BY_NAME
from referee.games.yoxii.rules.notation import format_position, parse_position
from referee.games.yoxii.rules.state import INITIAL
from tests.games.yoxii.builders import NOTATION, play

START = ".../...../......./...T.../......./...../..."


def test_an_action_is_written_as_totem_value_and_square():
    """yoxii/8"""
    action = Action(SQUARE_BY_NAME["e5"], 3, SQUARE_BY_NAME["e6"])
    assert "e5/3@e6" == NOTATION.format_action(action)
    assert NOTATION.parse_action("e5/3@e6") == action


def test_every_action_survives_its_notation():
    for rows in POOL:
        for row in rows:
            for action in row:
                assert action == NOTATION.parse_action(NOTATION.format_action(action))


@pytest.mark.parametrize(
    "text",
    [
        *("", "e5", "e5/3", "e5/3@", "e5-3@e6", "e5/3@e6 ", " e5/3@e6", "e5/3@e6\n", "E5/3@e6"),
        *("e5/0@e6", "e5/5@e6", "e5/\uff13@e6", "e5/3@e8", "h5/3@e6"),
        *("a1/3@b2", "a1/3@a1", "e5/3@g7", "x" * 10_000),
    ],
)
def test_text_that_is_no_action_can_not_be_read(text):
    with pytest.raises(InvalidActionError) as caught:
        NOTATION.parse_action(text)
    assert len(caught.value.message) < 200


def test_a_square_that_was_cut_off_is_named():
    """yoxii/1"""
    with pytest.raises(InvalidActionError, match="square: There is no square 'g7'"):
        NOTATION.parse_action("e5/3@g7")


def test_the_start_as_text():
    assert START == format_position(INITIAL)
    assert INITIAL == parse_position(START)


def test_pieces_are_letters_by_seat_and_value():
    state = play(play(INITIAL, "e5/4@e6").state, "f5/1@g4").state
    assert ".../...D./.....T./......a/......./...../..." == format_position(state)
    assert parse_position(format_position(state)) == state


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "7 ranks"),
        (START[:-1], "7 ranks"),
        (START.replace("T", "."), "one Totem, not 0"),
        (START.replace("...T...", "..TT..."), "one Totem, not 2"),
        (START.replace("T", "Tx").replace("Tx..", "Tx."), "'x' is neither free"),
        (START.replace("...T", "a..T"), "White has placed 0 pieces and Red 1"),
        (START.replace("...T", "AA.T"), "White has placed 2 pieces and Red 0"),
        ("DDD/ddd../D...d../...T.../......./...../...", "more pieces of a value than it had"),
        (".TA/.aAaa/......./......./......./...../...", "White has placed"),
        ("Td./abc../......./......./ABCD.../...../...", "Totem can't move"),
    ],
)
def test_text_that_no_running_match_can_stand_like_is_refused(text, sentence):
    with pytest.raises(InvalidRequestError, match=sentence):
        parse_position(text)

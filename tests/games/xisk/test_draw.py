"""The board for the terminal: readable as plain text, never wider than it may be."""

import unicodedata
from random import Random

import pytest

from referee.games.xisk.plugin import GAME
from referee.games.xisk.rules.state import NEUTRAL, Phase
from referee.plugin import Result, Termination
from tests.games.xisk.builders import RULES, claiming, midgame, play
from tests.games.xisk.randoms import midway

NAMES = ("Ann", "Bob the Builder of Bridges", "日本語日本語日本語", "", "E\x1b[31m\n", "F")


def text_of(state, seat=None):
    drawing = GAME.draw.board(RULES.observe(state, seat), NAMES[: state.seats])
    return ["".join(span.text for span in line) for line in drawing]


def columns(line):
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line)


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("plies", [0, 20, 45, 200, 5000])
def test_no_line_is_wider_than_80_columns_and_all_can_be_printed(seats, plies):
    state = midway(seats, Random(plies), plies)
    for seat in (None, 0):
        for line in text_of(state, seat):
            assert columns(line) <= 80
            assert line.isprintable()


def test_every_country_stands_there_with_owner_and_chips():
    state = midgame({"alaska": (0, 17), "peru": (NEUTRAL, 2)})
    board = "\n".join(text_of(state))
    for name in ("Western United States", "Madagascar", "New Guinea"):
        assert name in board
    assert "Alaska                 0 Ann         17" in board
    assert "Peru                   neutral        2" in board


def test_continents_are_headed_with_their_bonus_in_their_colour():
    state = midgame({})
    drawing = GAME.draw.board(RULES.observe(state, None), NAMES[:2])
    headings = {span.text.strip(): span.style for line in drawing for span in line}
    assert "yellow" in headings["North America (bonus 5)"]
    assert "magenta" in headings["Australia (bonus 2)"]


def test_what_is_pending_is_said_in_words():
    state = midgame({"alaska": (0, 4)}, phase=Phase.SUPPLY, pool=5, hands={0: "AS TC"})
    board = "\n".join(text_of(state, 0))
    assert "round 1  phase: supply  to move: 0 Ann" in board
    assert "Chips to place: 5" in board
    assert "Your hand: AS  TC" in board
    state = midgame(
        {"alaska": (0, 4), "alberta": (0, 1)},
        phase=Phase.INVADE,
        source=0,
        target=1,
        conquered=True,
    )
    board = "\n".join(text_of(state))
    assert "Invasion: 0 to 3 chips, Alaska > Alberta" in board
    assert "a card is drawn" in board


def test_claiming_shows_what_is_unclaimed_and_the_last_claim():
    state = play(claiming({0: "AS", 1: "KS"}), "claim:alaska").state
    board = "\n".join(text_of(state))
    assert "Last claim: AS took alaska" in board
    assert 41 == board.count("unclaimed")


def test_the_end_is_told():
    won = midgame({}, phase=Phase.ENDED, mover=-1, result=Result((1,), Termination.TIME_FORFEIT))
    assert "Winner: 1 Bob the B  (time forfeit)" in text_of(won)
    drawn = midgame({}, phase=Phase.ENDED, mover=-1, result=Result((0, 1), Termination.LIMIT))
    assert "Draw between: 0 Ann  1 Bob the B  (limit)" in text_of(drawn)


def test_seats_that_are_out_and_the_order_of_play_are_listed():
    state = midgame({}, seats=3, order=(2, 0, 1), out=(1,), rest=(2, 1))
    board = text_of(state)
    assert "Order of play: 2 日本語日  0 Ann  1 Bob the B" in board
    assert "Out: 1 Bob the B" in board


def test_a_seat_is_drawn_in_the_colour_it_sits_in():
    state = midgame({"alaska": (0, 17)})
    drawing = GAME.draw.board(RULES.observe(state, None), NAMES[:2], ("magenta", "cyan"))
    styles = {span.style for line in drawing for span in line if span.text.strip() == "0 Ann"}
    assert styles == {"bold magenta"}

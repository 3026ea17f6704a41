"""The board for a terminal."""

import pytest

from referee.games.yoxii.draw import YoxiiDraw
from referee.games.yoxii.rules.observation import observe
from referee.games.yoxii.rules.state import INITIAL, State
from referee.plugin import Result, Termination
from tests.games.yoxii.builders import NO_CHANCE, RULES, play_all

PICTURE = """\
       a     b     c     d     e     f     g
                +-----+-----+-----+
 7              |     |     |     |
          +-----+-----+-----+-----+-----+
 6        |     |     |     |     | <T> |
    +-----+-----+-----+-----+-----+-----+-----+
 5  |     |     |     |     |     |  R1 |     |
    +-----+-----+-----+-----+-----+-----+-----+
 4  |     |     |     |  W4 |     |     |     |
    +-----+-----+-----+-----+-----+-----+-----+
 3  |     |     |     |     |     |     |     |
    +-----+-----+-----+-----+-----+-----+-----+
 2        |     |     |     |     |     |
          +-----+-----+-----+-----+-----+
 1              |     |     |     |
                +-----+-----+-----+
       a     b     c     d     e     f     g

White Ann
      points 0, pieces 0 at the Totem
      stock: 5x W1  5x W2  5x W3  2x W4
Red   Bob
      points 1, pieces 1 at the Totem
      stock: 4x R1  5x R2  5x R3  3x R4
Ply 2: White to move."""


def drawn(state: State, *names: str):
    return YoxiiDraw().board(observe(state), names)


def text_of(drawing):
    return "\n".join("".join(span.text for span in line) for line in drawing)


def test_the_board_reads_without_any_style():
    assert PICTURE == text_of(drawn(play_all("e5/4@d4", "f6/1@f5"), "Ann", "Bob"))


def test_pieces_and_totem_have_styles_of_their_own():
    spans = [span for line in drawn(play_all("e5/4@d4", "f6/1@f5"), "A", "B") for span in line]
    styles = {span.text.strip(): span.style for span in spans}
    assert 4 == len({styles["W4"], styles["R1"], styles["<T>"], ""})


@pytest.mark.parametrize("name", ["", "x" * 500, "two\nlines\x1b[31m", "\u5f35" * 60])
def test_no_name_breaks_the_lines(name):
    drawing = drawn(INITIAL, name, name)
    assert 25 == len(drawing)
    for line in text_of(drawing).split("\n"):
        assert line.isprintable()
        assert sum(1 if char.isascii() else 2 for char in line) <= 80


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (Result((0,), Termination.COMPLETED), "White wins (completed)."),
        (Result((1,), Termination.TIME_FORFEIT), "Red wins (time forfeit)."),
        (Result((0, 1), Termination.COMPLETED), "a draw (completed)."),
    ],
)
def test_the_last_line_says_how_the_match_ended(result, sentence):
    assert text_of(drawn(INITIAL._replace(result=result), "A", "B")).endswith(f"Ply 0: {sentence}")


def test_a_forfeit_is_drawn():
    ended = RULES.forfeit(INITIAL, 0, Termination.RESIGNATION, NO_CHANCE).state
    assert text_of(drawn(ended, "A", "B")).endswith("Red wins (resignation).")

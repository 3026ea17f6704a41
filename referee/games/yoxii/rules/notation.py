"""Actions and positions as text, for records, logs, tests, perft files and people.

What lives here: both directions of both notations.

An action is ``e5/3@e6``: the Totem's new square, the value of the piece, its square (yoxii/8).

A position is the board as seen from White's side, rank 7 first, ranks parted by ``/``, one
character a square: ``.`` free, ``T`` the Totem, ``A B C D`` White's pieces of value 1 to 4, ``a b c
d`` Red's. Whose turn it is follows from the number of pieces. The start is
``.../...../......./...T.../......./...../...``. A position is of a match that goes on.
"""

from __future__ import annotations

import re

from referee.errors import InvalidActionError, InvalidRequestError
from referee.games.yoxii.rules.actions import POOL, VALUES, Action
from referee.games.yoxii.rules.board import BIT, FILES, NAMES, RANKS, SQUARE_BY_NAME, mask_of
from referee.games.yoxii.rules.scoring import is_stuck
from referee.games.yoxii.rules.state import State, piece_faults, value_at

_ACTION = re.compile(r"([a-g][1-7])/([1-4])@([a-g][1-7])")
_LETTERS = ("ABCD", "abcd")
_FREE = "."
_TOTEM = "T"

RANK_SQUARES: tuple[tuple[int, ...], ...] = tuple(
    tuple(SQUARE_BY_NAME[file + rank] for file in FILES if file + rank in SQUARE_BY_NAME)
    for rank in reversed(RANKS)
)
"""Squares as a reader sees them: rank 7 first, each from file a to g."""


class YoxiiNotation:
    """Actions as canonical text; fulfils ``plugin.Notation``."""

    def format_action(self, action: Action) -> str:
        """The canonical text of an action, such as ``e5/3@e6``."""
        totem, value, square = action
        return f"{NAMES[totem]}/{value}@{NAMES[square]}"

    def parse_action(self, text: str) -> Action:
        """Read the canonical text of an action.

        Raises:
            InvalidActionError: The text is not an action of this game.
        """
        match = _ACTION.fullmatch(text)
        if match is None:
            raise InvalidActionError(
                "action", f"{text[:40]!r} is no action; write it like e5/3@e6."
            )
        totem, value, square = match.groups()
        return POOL[_square("totem", totem)][int(value) - 1][_square("square", square)]


def _square(field: str, name: str) -> int:
    square = SQUARE_BY_NAME.get(name)
    if square is None:
        raise InvalidActionError(
            field, f"There is no square {name!r}; the corners of the grid are cut off."
        )
    return square


def format_position(state: State) -> str:
    """The text of a position."""
    return "/".join("".join(_letter(state, square) for square in rank) for rank in RANK_SQUARES)


def _letter(state: State, square: int) -> str:
    if square == state.totem:
        return _TOTEM
    value = value_at(state, square)
    if not value:
        return _FREE
    return _LETTERS[0 if state.seats[0] & BIT[square] else 1][value - 1]


def parse_position(text: str) -> State:
    """Read the text of a position.

    Raises:
        InvalidRequestError: The text is no board, or no match that goes on can stand like that.
    """
    at = _read_board(text)

    def squares_with(letters: str) -> int:
        return mask_of(square for square, letter in at.items() if letter in letters)

    white, red = _LETTERS
    ones, twos, threes, fours = (squares_with(white[v - 1] + red[v - 1]) for v in VALUES)
    totem = squares_with(_TOTEM).bit_length() - 1
    state = State(
        totem, (squares_with(white), squares_with(red)), (ones, twos, threes, fours), None
    )
    faults = piece_faults(state)
    if not faults and is_stuck(state):
        faults = ["The match is over here: the Totem can't move."]
    if faults:
        raise InvalidRequestError("position", " ".join(faults))
    return state


def _read_board(text: str) -> dict[int, str]:
    """The character of each square."""
    ranks = text.split("/")
    if [len(rank) for rank in ranks] != [len(rank) for rank in RANK_SQUARES]:
        raise InvalidRequestError(
            "position", "It takes 7 ranks of 3, 5, 7, 7, 7, 5 and 3 squares, rank 7 first."
        )
    at = dict(
        zip((square for rank in RANK_SQUARES for square in rank), "".join(ranks), strict=True)
    )
    unknown = sorted(set(at.values()) - set(_FREE + _TOTEM + "".join(_LETTERS)))
    if unknown:
        raise InvalidRequestError(
            "position", f"{unknown[0]!r} is neither free, nor the Totem, nor a piece."
        )
    totems = list(at.values()).count(_TOTEM)
    if totems != 1:
        raise InvalidRequestError("position", f"There is one Totem, not {totems}.")
    return at

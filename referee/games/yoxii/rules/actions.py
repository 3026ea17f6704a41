"""What a seat submits: one whole turn.

What lives here: the action and the pool of all of them. Lists of legal actions share the pool's
objects instead of making hundreds of new ones per state.
"""

from __future__ import annotations

from typing import NamedTuple

from referee.games.yoxii.rules.board import SQUARES

VALUES = (1, 2, 3, 4)


class Action(NamedTuple):
    """Move the Totem, then place a piece (yoxii/8).

    Attributes:
        totem: Square that the Totem moves to.
        value: Value of the piece, 1 to 4.
        square: Square that the piece goes on.
    """

    totem: int
    value: int
    square: int


# yoxii/8: both halves form one action
POOL: tuple[tuple[tuple[Action, ...], ...], ...] = tuple(
    tuple(tuple(Action(totem, value, square) for square in SQUARES) for value in VALUES)
    for totem in SQUARES
)
"""Every action there could be: ``POOL[totem][value - 1][square]``."""

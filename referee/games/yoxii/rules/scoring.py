"""End and score.

What lives here: when a match is over, what counts then, and who has won.
"""

from __future__ import annotations

from typing import NamedTuple

from referee.games.yoxii.rules.actions import VALUES
from referee.games.yoxii.rules.board import NEAR
from referee.games.yoxii.rules.state import SEATS, State
from referee.games.yoxii.rules.totem import totem_targets


class Score(NamedTuple):
    """What a seat has next to the Totem.

    The greater of two scores wins, and tuples compare by points first, then pieces.

    Attributes:
        points: Sum of the values of its pieces there.
        pieces: Number of its pieces there, which decides between equal points.
    """

    points: int
    pieces: int


def score(state: State, seat: int) -> Score:
    """What a seat has next to the Totem."""
    near = state.seats[seat] & NEAR[state.totem]
    # yoxii/10: values count, not pieces
    points = sum(
        value * (near & mask).bit_count() for value, mask in zip(VALUES, state.values, strict=True)
    )
    return Score(points, near.bit_count())


def is_stuck(state: State) -> bool:
    """True when the seat to move has no legal Totem move, even where the other would have one."""
    mover = state.mover
    targets = totem_targets(state.totem, state.seats[mover], state.seats[1 - mover])
    return next(targets, None) is None  # yoxii/9


def winners(state: State) -> tuple[int, ...]:
    """The seats that win if the match ends now; both for a draw."""
    white, red = score(state, 0), score(state, 1)
    # yoxii/10: more points, then more pieces, then a draw
    if white == red:
        return tuple(range(SEATS))
    return (0,) if white > red else (1,)

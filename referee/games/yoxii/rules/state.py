"""The state of a match, and what is derived from it.

What lives here: the one source of truth, six numbers and a result, and the questions it answers.
What must not live here: whether an action is legal.

Pieces are kept as bit masks: which squares each seat holds, and which squares hold each value.
Stock, ply and the seat to move are not stored, since they follow: a seat has in stock what it has
not placed, every turn places one piece, and seats take turns. So no two parts of a state can
disagree about them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from referee.games.yoxii.rules.actions import VALUES
from referee.games.yoxii.rules.board import ALL, BIT, CENTRE, NAMES, names_of
from referee.plugin import Result

SEATS = 2
COLOURS = ("White", "Red")
# yoxii/2: pieces of each value that a seat begins with
INITIAL_STOCK = (5, 5, 5, 3)
PIECES_PER_SEAT = sum(INITIAL_STOCK)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a match can be set to: nothing."""


class State(NamedTuple):
    """The whole truth of one match; a NamedTuple because one is built per action.

    Attributes:
        totem: Square of the Totem.
        seats: Mask of the squares that each seat's pieces stand on; White is seat 0.
        values: Mask of the squares that hold 1s, 2s, 3s, 4s.
        result: How the match ended; None while it goes on.
    """

    totem: int
    seats: tuple[int, int]
    values: tuple[int, int, int, int]
    result: Result | None

    @property
    def occupied(self) -> int:
        """Mask of the squares that hold pieces."""
        return self.seats[0] | self.seats[1]

    @property
    def ply(self) -> int:
        """Number of actions so far: each placed one piece."""
        return self.occupied.bit_count()

    @property
    def mover(self) -> int:
        """The seat whose turn it is, or would be had the match not ended."""
        return self.ply % SEATS  # yoxii/2: White, seat 0, moves first


INITIAL = State(totem=CENTRE, seats=(0, 0), values=(0, 0, 0, 0), result=None)


def stock(state: State, seat: int) -> tuple[int, ...]:
    """How many 1s, 2s, 3s and 4s a seat has yet to place."""
    own = state.seats[seat]
    return tuple(
        had - (own & mask).bit_count()
        for had, mask in zip(INITIAL_STOCK, state.values, strict=True)
    )


def value_at(state: State, square: int) -> int:
    """The value of the piece on a square, 0 where there is none."""
    return next(
        (value for value, mask in zip(VALUES, state.values, strict=True) if mask & BIT[square]), 0
    )


def piece_faults(state: State) -> list[str]:
    """Every way in which pieces and Totem contradict the equipment, as sentences."""
    faults = []
    white, red = state.seats
    if white & red:
        faults.append(f"Both seats hold {names_of(white & red)}.")
    if state.occupied & ~ALL:
        faults.append("A piece stands beside the board.")
    if state.occupied & BIT[state.totem]:
        faults.append(f"A piece stands under the Totem on {NAMES[state.totem]}.")
    if sum(state.values) != state.occupied or any(
        a & b for a in state.values for b in state.values if a is not b
    ):
        faults.append("Some piece has no value, or several.")
    if white.bit_count() - red.bit_count() not in (0, 1):
        faults.append(f"White has placed {white.bit_count()} pieces and Red {red.bit_count()}.")
    for seat, colour in enumerate(COLOURS):
        if min(stock(state, seat)) < 0:
            faults.append(f"{colour} has placed more pieces of a value than it had.")
    return faults

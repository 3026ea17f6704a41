"""Where a piece may go, and which.

What lives here: the second half of an action. All masks are those from before the piece is placed,
with the Totem on its new square; the square that it has left is free.
"""

from __future__ import annotations

from referee.errors import IllegalActionError
from referee.games.yoxii.rules.actions import VALUES
from referee.games.yoxii.rules.board import ALL, BIT, NAMES, NEAR, NEIGHBOURS, SQUARES, names_of
from referee.games.yoxii.rules.state import COLOURS, INITIAL_STOCK, State, stock


def placements(totem: int, occupied: int) -> list[int]:
    """Squares that a piece may be placed on, ascending; there is always one.

    Args:
        totem: Square that the Totem has just moved to.
        occupied: Mask of all pieces.
    """
    near = [square for square in NEIGHBOURS[totem] if not occupied & BIT[square]]  # yoxii/6
    # yoxii/7: with no free square next to the Totem, any free square will do
    return near or [square for square in SQUARES if not (occupied | BIT[totem]) & BIT[square]]


def values_in_stock(state: State, seat: int) -> list[int]:
    """Values of which a seat has a piece left, ascending."""
    own = state.seats[seat]
    return [
        value
        for value, had, mask in zip(VALUES, INITIAL_STOCK, state.values, strict=True)
        if (own & mask).bit_count() < had
    ]


def check_placement(state: State, seat: int, totem: int, value: int, square: int) -> None:
    """Make sure that ``seat`` may place a piece once the Totem stands on ``totem``.

    Raises:
        IllegalActionError: The seat has no such piece left, or it may not go there.
    """
    if (state.seats[seat] & state.values[value - 1]).bit_count() >= INITIAL_STOCK[value - 1]:
        raise _stock_refusal(state, seat, value)
    free = ALL & ~(state.seats[0] | state.seats[1] | BIT[totem])
    if not free & BIT[square]:
        what = "the Totem" if square == totem else "a piece"
        raise IllegalActionError(
            "yoxii/5", f"No piece can be placed on {NAMES[square]}: {what} stands there."
        )
    near = free & NEAR[totem]
    if near and not near & BIT[square]:  # yoxii/6; otherwise yoxii/7 allows any free square
        raise IllegalActionError(
            "yoxii/6",
            f"{NAMES[square]} is not next to the Totem's new square {NAMES[totem]}. "
            f"The piece goes on a free square next to it: {names_of(near)}.",
        )


def _stock_refusal(state: State, seat: int, value: int) -> IllegalActionError:
    left = ", ".join(
        f"{count} of value {value}"
        for value, count in zip(VALUES, stock(state, seat), strict=True)
        if count
    )
    return IllegalActionError(
        "yoxii/6", f"{COLOURS[seat]} has no {value} left in stock. Left: {left}."
    )

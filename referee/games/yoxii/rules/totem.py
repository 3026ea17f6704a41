"""Where the Totem may go.

What lives here: steps and jumps. A step is a jump over no piece at all, so both are one walk along
a ray: pass the mover's own pieces, and land on the first square behind them if it is free.
"""

from __future__ import annotations

from collections.abc import Iterator

from referee.errors import IllegalActionError
from referee.games.yoxii.rules.board import BIT, LINES, NAMES, RAYS
from referee.games.yoxii.rules.state import COLOURS


def totem_targets(totem: int, own: int, theirs: int) -> Iterator[int]:
    """Squares that the Totem may move to, in no order.

    Args:
        totem: Where it stands.
        own: Mask of the mover's pieces.
        theirs: Mask of the other seat's pieces.
    """
    for ray in RAYS[totem]:
        for square in ray:
            bit = BIT[square]
            if own & bit:  # yoxii/4: an unbroken line of own pieces may be jumped
                continue
            if not theirs & bit:  # yoxii/3, yoxii/5: the landing square must be free
                yield square
            break


def jumped_squares(totem: int, target: int, own: int, theirs: int, seat: int) -> tuple[int, ...]:
    """Squares that the Totem passes on its way to ``target``, from near to far; empty for a step.

    Raises:
        IllegalActionError: The Totem may not go there.
    """
    passed = LINES[totem].get(target)
    if passed is None or (own | theirs) & BIT[target]:
        raise _refusal(totem, target, own | theirs)
    for square in passed:
        if not own & BIT[square]:
            raise _jump_refusal(totem, target, square, theirs, seat)
    return passed


def _refusal(totem: int, target: int, occupied: int) -> IllegalActionError:
    here, there = NAMES[totem], NAMES[target]
    if target == totem:
        return IllegalActionError("yoxii/3", f"The Totem stands on {here} already; it has to move.")
    if occupied & BIT[target]:
        return IllegalActionError(
            "yoxii/5",
            f"The Totem can't move to {there}: a piece stands there. It needs a free square.",
        )
    return IllegalActionError(
        "yoxii/3",
        f"The Totem can't get from {here} to {there}: it moves in a straight line, "
        "along a file, a rank or a diagonal.",
    )


def _jump_refusal(
    totem: int, target: int, blocker: int, theirs: int, seat: int
) -> IllegalActionError:
    way = f"from {NAMES[totem]} to {NAMES[target]}"
    own_colour, other_colour = COLOURS[seat], COLOURS[1 - seat]
    fault = f"holds a piece of {other_colour}" if theirs & BIT[blocker] else "is empty"
    return IllegalActionError(
        "yoxii/4",
        f"The Totem can't jump {way}: {NAMES[blocker]} {fault}. "
        f"{own_colour} jumps over an unbroken line of {own_colour}'s own pieces only.",
    )

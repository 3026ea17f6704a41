"""The board: 37 squares, and all that follows from their geometry, computed once.

What lives here: tables. What must not live here: pieces, seats, turns.

A square is its index in the order a3 a4 a5, b2 .. b6, c1 .. c7 and so on: by file, then by rank, so
that ascending squares are also ascending names. A set of squares is an int used as a bit mask: bit
``i`` is square ``i``.
"""

from __future__ import annotations

from collections.abc import Iterable

FILES = "abcdefg"
RANKS = "1234567"
_CENTRE = 3
_REACH = 4


def _on_board(file: int, rank: int) -> bool:
    # yoxii/1: a 7x7 grid that lacks three squares at each corner
    in_grid = 0 <= file < len(FILES) and 0 <= rank < len(RANKS)
    return in_grid and abs(file - _CENTRE) + abs(rank - _CENTRE) <= _REACH


_PLACES = tuple((f, r) for f in range(len(FILES)) for r in range(len(RANKS)) if _on_board(f, r))
_INDEX = {place: square for square, place in enumerate(_PLACES)}
_DIRECTIONS = tuple((f, r) for f in (-1, 0, 1) for r in (-1, 0, 1) if (f, r) != (0, 0))

SQUARES = range(len(_PLACES))
NAMES: tuple[str, ...] = tuple(FILES[file] + RANKS[rank] for file, rank in _PLACES)
SQUARE_BY_NAME: dict[str, int] = {name: square for square, name in enumerate(NAMES)}
CENTRE = SQUARE_BY_NAME["d4"]

BIT: tuple[int, ...] = tuple(1 << square for square in SQUARES)
ALL = (1 << len(SQUARES)) - 1


def squares_of(mask: int) -> tuple[int, ...]:
    """The squares of a mask, ascending."""
    squares = []
    while mask:
        lowest = mask & -mask
        squares.append(lowest.bit_length() - 1)
        mask ^= lowest
    return tuple(squares)


def mask_of(squares: Iterable[int]) -> int:
    """The mask of distinct squares."""
    return sum(BIT[square] for square in squares)


def names_of(mask: int) -> str:
    """A mask for people: ``"e5, e6, f5"``."""
    return ", ".join(NAMES[square] for square in squares_of(mask))


def _ray(square: int, direction: tuple[int, int]) -> tuple[int, ...]:
    """Squares in one direction, from the next one to the edge."""
    file, rank = _PLACES[square]
    ray = []
    while (place := (file + direction[0], rank + direction[1])) in _INDEX:
        ray.append(_INDEX[place])
        file, rank = place
    return tuple(ray)


RAYS: tuple[tuple[tuple[int, ...], ...], ...] = tuple(
    tuple(ray for direction in _DIRECTIONS if (ray := _ray(square, direction)))
    for square in SQUARES
)
"""Per square: the non-empty rays that start next to it, each from near to far."""

NEIGHBOURS: tuple[tuple[int, ...], ...] = tuple(
    tuple(sorted(ray[0] for ray in RAYS[square])) for square in SQUARES
)
"""Per square: the squares next to it, ascending; 8, or fewer at the edge."""

NEAR: tuple[int, ...] = tuple(mask_of(NEIGHBOURS[square]) for square in SQUARES)
"""Per square: the mask of the squares next to it."""


def _lines_from(square: int) -> dict[int, tuple[int, ...]]:
    return {target: ray[:distance] for ray in RAYS[square] for distance, target in enumerate(ray)}


LINES: tuple[dict[int, tuple[int, ...]], ...] = tuple(_lines_from(square) for square in SQUARES)
"""Per square and target in line with it: the squares strictly between, from near to far."""

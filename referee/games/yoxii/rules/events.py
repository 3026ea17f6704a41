"""What happens in a match, as values. Nothing is hidden, so every seat sees them whole."""

from __future__ import annotations

from typing import NamedTuple

from referee.games.yoxii.rules.scoring import Score
from referee.plugin import Result, Termination


class MatchSetUp(NamedTuple):
    """The board was set up (yoxii/2).

    Attributes:
        totem: Square of the Totem.
        stock: Pieces of value 1, 2, 3 and 4 that each seat has.
    """

    totem: int
    stock: tuple[int, ...]


class TotemMoved(NamedTuple):
    """The Totem moved (yoxii/3, yoxii/4).

    Attributes:
        seat: Who moved it.
        origin: Square that it left.
        square: Square that it went to.
        jumped: Squares of the pieces that it passed, in that order; empty for a step.
    """

    seat: int
    origin: int
    square: int
    jumped: tuple[int, ...]


class PiecePlaced(NamedTuple):
    """A piece was placed (yoxii/6, yoxii/7)."""

    seat: int
    value: int
    square: int


class SeatForfeited(NamedTuple):
    """A seat was taken out of the match before its end (yoxii/12)."""

    seat: int
    termination: Termination


class MatchEnded(NamedTuple):
    """The match ended (yoxii/9, yoxii/12).

    Attributes:
        result: Who won, and why the match ended.
        scores: What each seat had next to the Totem. After a forfeit it counts for nothing.
    """

    result: Result
    scores: tuple[Score, Score]


Event = MatchSetUp | TotemMoved | PiecePlaced | SeatForfeited | MatchEnded

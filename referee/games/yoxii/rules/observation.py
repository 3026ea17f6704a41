"""What may be seen of a match: all of it, by everybody."""

from __future__ import annotations

from typing import NamedTuple

from referee.games.yoxii.rules.actions import VALUES
from referee.games.yoxii.rules.board import squares_of
from referee.games.yoxii.rules.scoring import Score, score
from referee.games.yoxii.rules.state import SEATS, State, stock
from referee.plugin import Result


class Piece(NamedTuple):
    """A piece on the board."""

    square: int
    seat: int
    value: int


class Observation(NamedTuple):
    """What any seat and the public may see.

    Attributes:
        totem: Square of the Totem.
        pieces: Pieces on the board, by ascending square.
        stocks: Per seat, how many 1s, 2s, 3s and 4s it has yet to place.
        to_move: Seat whose action is awaited; None once the match has ended.
        ply: Number of actions so far.
        scores: Per seat, what it has next to the Totem now.
        result: How the match ended; None while it goes on.
    """

    totem: int
    pieces: tuple[Piece, ...]
    stocks: tuple[tuple[int, ...], ...]
    to_move: int | None
    ply: int
    scores: tuple[Score, ...]
    result: Result | None


def observe(state: State) -> Observation:
    """List what is shown of a state."""
    pieces = [
        Piece(square, seat, value)
        for seat, own in enumerate(state.seats)
        for value, mask in zip(VALUES, state.values, strict=True)
        for square in squares_of(own & mask)
    ]
    return Observation(
        totem=state.totem,
        pieces=tuple(sorted(pieces)),
        stocks=tuple(stock(state, seat) for seat in range(SEATS)),
        to_move=None if state.result else state.mover,
        ply=state.ply,
        scores=tuple(score(state, seat) for seat in range(SEATS)),
        result=state.result,
    )

"""What the bots know of Yoxii: who would have more next to the Totem.

What lives here: luck and a one-action look-ahead. What must not live here: rules; every action that
is judged here is legal already.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from referee_client._gen.referee.v1.games_pb2 import GameAction
from referee_client._gen.yoxii.v1 import yoxii_pb2 as pb

_PIECE = 0.01
"""Worth of one more piece next to the Totem: it only breaks ties of points (yoxii/10)."""


def at_random(
    observation: pb.Observation,  # noqa: ARG001 - other games lean on it
    legal_actions: Sequence[GameAction],
    rng: random.Random,
) -> GameAction:
    """Any legal action, each as likely."""
    return rng.choice(legal_actions)


def _around(square: str) -> list[str]:
    """Names of the eight squares around one, on the board or not."""
    file, rank = ord(square[0]), int(square[1])
    steps = (-1, 0, 1)
    around = [f"{chr(file + x)}{rank + y}" for x in steps for y in steps]
    return [name for name in around if name != square]


def judge(observation: pb.Observation) -> Callable[[GameAction], float]:
    """The difference of scores after an action, as if the match ended with it (yoxii/10)."""
    mover = observation.to_move
    worth_at = {
        piece.square: (piece.value + _PIECE) * (1 if piece.seat == mover else -1)
        for piece in observation.pieces
    }
    standing: dict[str, tuple[float, frozenset[str]]] = {}

    def worth(action: GameAction) -> float:
        totem, value, square = action.yoxii.totem, action.yoxii.value, action.yoxii.square
        if totem not in standing:
            around = frozenset(_around(totem))
            standing[totem] = (sum(worth_at.get(name, 0.0) for name in around), around)
        sum_around, around = standing[totem]
        # Sums of floats depend on their order; rounding makes equal worths equal again.
        return round(sum_around + (value + _PIECE if square in around else 0.0), 6)

    return worth

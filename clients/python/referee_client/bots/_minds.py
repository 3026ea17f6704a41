"""What the bots know of each game, behind one table.

What lives here: the table. A new game adds a module and a line.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from referee_client._errors import UnknownGameError
from referee_client._gen.referee.v1.games_pb2 import GameAction
from referee_client.bots import _xisk, _yoxii


class Mind(Protocol):
    """What a module of a game offers to the bots."""

    def at_random(
        self, observation: Any, legal_actions: Sequence[GameAction], rng: random.Random
    ) -> GameAction:
        """Any legal action, by luck; in a game that needs it, luck that brings it to an end."""
        ...

    def judge(self, observation: Any) -> Callable[[GameAction], float]:
        """What tells the worth of a legal action to the seat to move; only the order matters."""
        ...


# The keys are the names of the fields in games.proto.
_MINDS: Mapping[str, Mind] = {"xisk": _xisk, "yoxii": _yoxii}


def mind_of(game: str) -> Mind:
    """What the bots know of a game.

    Raises:
        UnknownGameError: Nothing.
    """
    mind = _MINDS.get(game)
    if mind is None:
        games = ", ".join(_MINDS)
        message = f"The bots can't play {game!r}; they play {games}."
        raise UnknownGameError(message, metadata={"games": games})
    return mind

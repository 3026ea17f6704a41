"""Two sample bots that play every game the client knows.

What lives here: the bots. What must not live here: anything of one game; ``_minds.py`` has the
table.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol

from referee_client._games import game_of
from referee_client._gen.referee.v1.games_pb2 import GameAction, GameObservation
from referee_client.bots._minds import mind_of


class Bot(Protocol):
    """Chooses actions for one seat."""

    def choose(
        self, observation: GameObservation, legal_actions: Sequence[GameAction]
    ) -> GameAction:
        """One of the legal actions, of which there is at least one."""
        ...


class RandomBot:
    """Plays any legal action, but does not dither: where a match needs a push, it is more likely.

    The same seed gives the same actions for the same observations.

    Args:
        seed: Any number; None for another one each time.
    """

    def __init__(self, seed: int | None = None) -> None:
        self._rng = random.Random(seed)  # noqa: S311 - play, not a secret

    def choose(
        self, observation: GameObservation, legal_actions: Sequence[GameAction]
    ) -> GameAction:
        """One of the legal actions, by luck."""
        game = game_of(observation)
        return mind_of(game).at_random(getattr(observation, game), legal_actions, self._rng)


class GreedyBot:
    """Plays what looks best right now, from what its seat may see alone; luck breaks ties.

    The same seed gives the same actions for the same observations.

    Args:
        seed: Any number; None for another one each time.
    """

    def __init__(self, seed: int | None = None) -> None:
        self._rng = random.Random(seed)  # noqa: S311 - play, not a secret

    def choose(
        self, observation: GameObservation, legal_actions: Sequence[GameAction]
    ) -> GameAction:
        """The legal action that looks best."""
        game = game_of(observation)
        worth = mind_of(game).judge(getattr(observation, game))
        worths = [worth(action) for action in legal_actions]
        best = max(worths)
        pairs = zip(legal_actions, worths, strict=True)
        return self._rng.choice([action for action, value in pairs if value == best])

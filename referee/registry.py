"""Every game that the referee knows: one line each, written down, read-only.

A game's key is its id, and the name of its field in every oneof of
``protos/referee/v1/games.proto``. This is the one place where ``Any`` stands for the types of a
game, since code that serves all games can't name them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from referee.errors import UnknownGameError
from referee.games.xisk.plugin import GAME as XISK
from referee.games.yoxii.plugin import GAME as YOXII
from referee.plugin import Game

AnyGame = Game[Any, Any, Any, Any, Any]

GAMES: Mapping[str, AnyGame] = MappingProxyType(
    {
        XISK.info.id: XISK,
        YOXII.info.id: YOXII,
    }
)


def game_by_id(game_id: str) -> AnyGame:
    """The game with this id.

    Raises:
        UnknownGameError: There is none; the error lists those there are.
    """
    game = GAMES.get(game_id)
    if game is None:
        known = ", ".join(sorted(GAMES))
        message = f"There is no game {game_id[:40]!r}. This referee knows: {known}."
        raise UnknownGameError(message, games=known)
    return game

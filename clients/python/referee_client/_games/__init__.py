"""What the client knows of each game, behind one table.

What lives here: the table and the functions that look into it. What must not live here: anything of
one game; that is in the module of its name. A new game adds a module and a line in ``_GAMES``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from referee_client._errors import InvalidActionError, UnknownGameError
from referee_client._games import xisk, yoxii
from referee_client._gen.referee.v1.games_pb2 import (
    GameAction,
    GameEvent,
    GameLegalActions,
    GameObservation,
    GameSettings,
)

_Payload = GameAction | GameEvent | GameLegalActions | GameObservation | GameSettings


class GameModule(Protocol):
    """What a module of a game offers; messages are those of the game's own proto package."""

    def expand(self, compact: Any) -> list[GameAction]:
        """Every action that a compact form stands for."""
        ...

    def format_action(self, action: Any) -> str:
        """The canonical text of an action."""
        ...

    def parse_action(self, text: str) -> GameAction | None:
        """The action of a canonical text, or None when it is none."""
        ...


# The keys are the names of the fields in games.proto.
_GAMES: Mapping[str, GameModule] = {"xisk": xisk, "yoxii": yoxii}


def known_games() -> tuple[str, ...]:
    """Ids of the games that this edition of the client knows, ascending."""
    return tuple(sorted(_GAMES))


def game_of(message: _Payload) -> str:
    """Id of the game that a payload belongs to; empty when it holds nothing."""
    return message.WhichOneof("game") or ""


def default_settings(game: str) -> GameSettings:
    """Settings that stand for a game's defaults.

    Raises:
        UnknownGameError: This edition of the client knows no such game.
    """
    _module(game)
    settings = GameSettings()
    getattr(settings, game).SetInParent()
    return settings


def expand_legal_actions(compact: GameLegalActions) -> list[GameAction]:
    """The full list of actions that a compact form stands for, in the order of the form.

    Raises:
        UnknownGameError: This edition of the client does not know the game.
    """
    game = game_of(compact)
    return _module(game).expand(getattr(compact, game)) if game else []


def format_action(action: GameAction) -> str:
    """The canonical text of an action, such as ``attack:alaska>kamchatka`` or ``e5/3@e6``.

    Raises:
        InvalidActionError: The action is empty, or of a kind that has no text.
        UnknownGameError: This edition of the client does not know the game.
    """
    game = game_of(action)
    text = _module(game).format_action(getattr(action, game)) if game else ""
    if not text:
        raise _invalid("The action is empty, or of a kind that this edition does not know.")
    return text


def parse_action(game: str, text: str) -> GameAction:
    """Read the canonical text of an action; whether it is legal, the referee decides.

    Raises:
        InvalidActionError: The text is no action of the game.
        UnknownGameError: This edition of the client does not know the game.
    """
    action = _module(game).parse_action(text)
    if action is None:
        raise _invalid(f"{text[:40]!r} is no action of {game} in canonical form.")
    return action


def _module(game: str) -> GameModule:
    module = _GAMES.get(game)
    if module is None:
        games = ", ".join(known_games())
        message = f"There is no game {game!r} here; there are {games}."
        raise UnknownGameError(message, metadata={"games": games})
    return module


def _invalid(message: str) -> InvalidActionError:
    return InvalidActionError(message, metadata={"field": "action"})

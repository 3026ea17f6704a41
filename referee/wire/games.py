"""Payloads of games: the oneofs of ``games.proto``, whose field name is the game's id.

What must not live here: the name of any game. ``WhichOneof`` is the registry's key.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from google.protobuf.message import Message

from referee._gen.referee.v1 import games_pb2 as pb
from referee.errors import InvalidActionError, InvalidSettingsError
from referee.registry import AnyGame, game_by_id


def _wrap(kind: type[Any], game: AnyGame, payload: Message) -> Any:
    return kind(**{game.info.id: payload})


def settings_to(game: AnyGame, settings: Any) -> pb.GameSettings:
    """Settings of a game, every default spelled out."""
    wrapped: pb.GameSettings = _wrap(pb.GameSettings, game, game.wire.settings_to_message(settings))
    return wrapped


def settings_from(message: pb.GameSettings) -> tuple[AnyGame, Any]:
    """The game that settings are for, and the settings.

    Raises:
        InvalidSettingsError: No game is named, or a value is not possible.
    """
    game_id = message.WhichOneof("game")
    if game_id is None:
        raise InvalidSettingsError(
            "settings.game", "Say which game: set its field, if only to an empty message."
        )
    game = game_by_id(game_id)
    return game, game.wire.settings_from_message(getattr(message, game_id))


def action_to(game: AnyGame, action: Any) -> pb.GameAction:
    """An action of a game."""
    wrapped: pb.GameAction = _wrap(pb.GameAction, game, game.wire.action_to_message(action))
    return wrapped


def action_from(game: AnyGame, message: pb.GameAction) -> Any:
    """An action of the game that is being played.

    Raises:
        InvalidActionError: There is none, it is of another game, or it can't be read.
    """
    game_id = message.WhichOneof("game")
    if game_id != game.info.id:
        given = "no action is given" if game_id is None else f"the action given is one of {game_id}"
        raise InvalidActionError("action.game", f"This match plays {game.info.title}; {given}.")
    return game.wire.action_from_message(getattr(message, game_id))


def observation_to(game: AnyGame, observation: Any) -> pb.GameObservation:
    """What may be seen of a state."""
    wrapped: pb.GameObservation = _wrap(
        pb.GameObservation, game, game.wire.observation_to_message(observation)
    )
    return wrapped


def legal_actions_to(game: AnyGame, state: Any, seat: int) -> pb.GameLegalActions:
    """The legal actions of a seat, in the game's compact form."""
    wrapped: pb.GameLegalActions = _wrap(
        pb.GameLegalActions, game, game.wire.legal_actions_to_message(state, seat)
    )
    return wrapped


def events_to(game: AnyGame, events: Iterable[Any]) -> list[pb.GameEvent]:
    """Events on the board."""
    to_message = game.wire.event_to_message
    return [_wrap(pb.GameEvent, game, to_message(event)) for event in events]


def events_from(game: AnyGame, messages: Iterable[pb.GameEvent]) -> tuple[Any, ...]:
    """Events on the board, back."""
    game_id = game.info.id
    return tuple([game.wire.event_from_message(getattr(message, game_id)) for message in messages])

"""What a caller may see, as messages."""

from __future__ import annotations

from referee._gen.referee.v1 import games_pb2 as pb
from referee.match.sight import Sight
from referee.wire.games import legal_actions_to, observation_to


def observation_of(sight: Sight) -> pb.GameObservation | None:
    """What the caller may see of the game; None while the match is open."""
    observation = sight.observation()
    return None if observation is None else observation_to(sight.game, observation)


def legal_actions_of(sight: Sight) -> pb.GameLegalActions | None:
    """What the caller's seat may do; None unless it is to move."""
    deciding = sight.deciding()
    return None if deciding is None else legal_actions_to(sight.game, *deciding)

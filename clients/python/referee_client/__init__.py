"""Async, typed client of the referee: join, watch with resume, submit with safe retries.

What lives here: the public names. Messages of a game are in ``referee_client.xisk`` and
``referee_client.yoxii``, bots in ``referee_client.bots``; everything else is private.
"""

from __future__ import annotations

from referee_client._client import RefereeClient
from referee_client._errors import (
    ColourTakenError,
    ContendedError,
    DeadlineExceededError,
    DrainingError,
    GapError,
    IllegalActionError,
    InvalidActionError,
    InvalidRequestError,
    InvalidSettingsError,
    LimitExceededError,
    MatchAlreadyStartedError,
    MatchNotFoundError,
    MatchNotStartedError,
    MatchOverError,
    NotFoundError,
    NotYourTurnError,
    PermissionDeniedError,
    ProtocolError,
    RefereeError,
    RequestIdReusedError,
    SeatTakenError,
    SlowReaderError,
    StaleVersionError,
    StoreUnavailableError,
    UnauthenticatedError,
    UnavailableError,
    UnknownGameError,
)
from referee_client._following import Following
from referee_client._games import (
    default_settings,
    expand_legal_actions,
    format_action,
    game_of,
    known_games,
    parse_action,
)
from referee_client._gen.referee.v1.games_pb2 import (
    GameAction,
    GameEvent,
    GameLegalActions,
    GameObservation,
    GameSettings,
)
from referee_client._gen.referee.v1.match_pb2 import (
    ChanceEvent,
    Colour,
    Event,
    Match,
    MatchState,
    Receipt,
    Record,
    Result,
    Seat,
    SeedOrigin,
    Termination,
    Visibility,
)
from referee_client._gen.referee.v1.match_service_pb2 import GameDescription
from referee_client._play import PlayStream
from referee_client._retry import RetryPolicy
from referee_client._seat import SeatClient
from referee_client._version import __version__
from referee_client._views import CreatedMatch, LegalActions, Submitted, View
from referee_client._watch import Watch, is_over

__all__ = [
    "ChanceEvent",
    "Colour",
    "ColourTakenError",
    "ContendedError",
    "CreatedMatch",
    "DeadlineExceededError",
    "DrainingError",
    "Event",
    "Following",
    "GameAction",
    "GameDescription",
    "GameEvent",
    "GameLegalActions",
    "GameObservation",
    "GameSettings",
    "GapError",
    "IllegalActionError",
    "InvalidActionError",
    "InvalidRequestError",
    "InvalidSettingsError",
    "LegalActions",
    "LimitExceededError",
    "Match",
    "MatchAlreadyStartedError",
    "MatchNotFoundError",
    "MatchNotStartedError",
    "MatchOverError",
    "MatchState",
    "NotFoundError",
    "NotYourTurnError",
    "PermissionDeniedError",
    "PlayStream",
    "ProtocolError",
    "Receipt",
    "Record",
    "RefereeClient",
    "RefereeError",
    "RequestIdReusedError",
    "Result",
    "RetryPolicy",
    "Seat",
    "SeatClient",
    "SeatTakenError",
    "SeedOrigin",
    "SlowReaderError",
    "StaleVersionError",
    "StoreUnavailableError",
    "Submitted",
    "Termination",
    "UnauthenticatedError",
    "UnavailableError",
    "UnknownGameError",
    "View",
    "Visibility",
    "Watch",
    "__version__",
    "default_settings",
    "expand_legal_actions",
    "format_action",
    "game_of",
    "is_over",
    "known_games",
    "parse_action",
]

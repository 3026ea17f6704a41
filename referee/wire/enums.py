"""Enums of the model and of the protos, value by value.

A test walks all of them: a value that has no counterpart on the other side fails it.
"""

from __future__ import annotations

from referee._gen.referee.v1 import match_pb2 as pb
from referee.chance.recorded import ChanceKind
from referee.match.model import MatchState, SeedOrigin, Visibility
from referee.plugin import Termination

STATE_TO: dict[MatchState, pb.MatchState.ValueType] = {
    MatchState.OPEN: pb.MATCH_STATE_OPEN,
    MatchState.ACTIVE: pb.MATCH_STATE_ACTIVE,
    MatchState.ENDED: pb.MATCH_STATE_ENDED,
    MatchState.ABANDONED: pb.MATCH_STATE_ABANDONED,
}
STATE_FROM = {message: value for value, message in STATE_TO.items()}

VISIBILITY_TO: dict[Visibility, pb.Visibility.ValueType] = {
    Visibility.PUBLIC: pb.VISIBILITY_PUBLIC,
    Visibility.PRIVATE: pb.VISIBILITY_PRIVATE,
}
VISIBILITY_FROM = {message: value for value, message in VISIBILITY_TO.items()}

ORIGIN_TO: dict[SeedOrigin, pb.SeedOrigin.ValueType] = {
    SeedOrigin.SYSTEM: pb.SEED_ORIGIN_SYSTEM,
    SeedOrigin.OPERATOR: pb.SEED_ORIGIN_OPERATOR,
}
ORIGIN_FROM = {message: value for value, message in ORIGIN_TO.items()}

TERMINATION_TO: dict[Termination, pb.Termination.ValueType] = {
    Termination.COMPLETED: pb.TERMINATION_COMPLETED,
    Termination.LIMIT: pb.TERMINATION_LIMIT,
    Termination.RESIGNATION: pb.TERMINATION_RESIGNATION,
    Termination.TIME_FORFEIT: pb.TERMINATION_TIME_FORFEIT,
    Termination.ABANDONED: pb.TERMINATION_ABANDONED,
}
TERMINATION_FROM = {message: value for value, message in TERMINATION_TO.items()}

KIND_TO: dict[ChanceKind, pb.ChanceEvent.Kind.ValueType] = {
    ChanceKind.DICE: pb.ChanceEvent.KIND_DICE,
    ChanceKind.SHUFFLE: pb.ChanceEvent.KIND_SHUFFLE,
    ChanceKind.PICK: pb.ChanceEvent.KIND_PICK,
}
KIND_FROM = {message: value for value, message in KIND_TO.items()}

COLOUR_TO: dict[str, pb.Colour.ValueType] = {
    name.removeprefix("COLOUR_").lower(): value for name, value in pb.Colour.items() if value
}
"""Colours are plain words in the model; no word stands for ``COLOUR_UNSPECIFIED``."""
COLOUR_FROM = {message: value for value, message in COLOUR_TO.items()}

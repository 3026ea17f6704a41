"""Messages of Yoxii: what the payloads of a Yoxii match hold.

What lives here: the names of the game's proto package that travel to clients. The comments of
``protos/yoxii/v1`` say what each field means.
"""

from referee_client._gen.yoxii.v1.yoxii_pb2 import (
    TERMINATION_ABANDONED,
    TERMINATION_COMPLETED,
    TERMINATION_RESIGNATION,
    TERMINATION_TIME_FORFEIT,
    TERMINATION_UNSPECIFIED,
    Action,
    Event,
    LegalActions,
    MatchEnded,
    MatchSetUp,
    Observation,
    Piece,
    PiecePlaced,
    Result,
    Score,
    SeatForfeited,
    Settings,
    Stock,
    Termination,
    TotemMoved,
    TotemOptions,
)

__all__ = [
    "TERMINATION_ABANDONED",
    "TERMINATION_COMPLETED",
    "TERMINATION_RESIGNATION",
    "TERMINATION_TIME_FORFEIT",
    "TERMINATION_UNSPECIFIED",
    "Action",
    "Event",
    "LegalActions",
    "MatchEnded",
    "MatchSetUp",
    "Observation",
    "Piece",
    "PiecePlaced",
    "Result",
    "Score",
    "SeatForfeited",
    "Settings",
    "Stock",
    "Termination",
    "TotemMoved",
    "TotemOptions",
]

"""What a match is: frozen values that the match layer passes around.

What lives here: Match and its parts, events with their causes, receipts' and records' contents.
What must not live here: protobuf, Redis keys, behaviour beyond what follows from the values alone.

A match is split in two: the ``MatchHead`` changes when somebody joins, at the start and at the end;
the rest changes with every action. The hot path builds a new ``Match`` around the same head.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NewType

from referee.chance.recorded import ChanceEvent
from referee.match.clock import Clocks, SeatClock, TimeControl
from referee.plugin import Result
from referee.registry import AnyGame

MatchId = NewType("MatchId", str)
Version = NewType("Version", int)
Millis = NewType("Millis", int)
"""Milliseconds since the Unix epoch."""


class MatchState(Enum):
    """Where a match is in its life."""

    OPEN = "open"
    ACTIVE = "active"
    ENDED = "ended"
    ABANDONED = "abandoned"


class Visibility(Enum):
    """Who may find and join a match."""

    PUBLIC = "public"
    PRIVATE = "private"


class SeedOrigin(Enum):
    """Who chose the server seed."""

    SYSTEM = "system"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class Seat:
    """A place in a match.

    Attributes:
        display_name: Name to show; empty while open.
        colour: A colour of the game; empty while open.
        client_nonce: The seat's share of the salt, at most 64 bytes.
        joined_version: Version at which it was taken; 0 while open. A token names it, so it dies
            when the seat is left.
    """

    display_name: str = ""
    colour: str = ""
    client_nonce: bytes = b""
    joined_version: int = 0

    @property
    def taken(self) -> bool:
        """True when somebody sits here."""
        return self.joined_version > 0


@dataclass(frozen=True, slots=True)
class MatchHead:
    """The part of a match that changes seldom. ``server_seed`` and ``match_key`` are secrets."""

    match_id: MatchId
    game: AnyGame
    rules_version: int
    settings: Any
    state: MatchState
    seats: tuple[Seat, ...]
    visibility: Visibility
    seed_origin: SeedOrigin
    server_seed: bytes
    create_time: Millis
    match_key: bytes = b""
    start_time: Millis = Millis(0)
    end_time: Millis = Millis(0)
    result: Result | None = None
    time_control: TimeControl | None = None

    def __repr__(self) -> str:
        """Short, and without the secrets: a repr ends up in logs and tracebacks."""
        return f"MatchHead({self.match_id}, {self.game.info.id}, {self.state.value})"


@dataclass(frozen=True, slots=True)
class Match:
    """The whole truth about a match at one version.

    Attributes:
        head: The part that changes seldom.
        version: Number of commits.
        ply: Number of accepted actions.
        next_chance_event: Number of the next chance event.
        game_state: The game's state; None until the match starts.
        state_bytes: The same as bytes, for the store and the digest; empty until the match starts.
        time: When the last commit was made. Never goes back from one version to the next.
        clocks: Clocks by seat; empty without a time control and until the match starts.
    """

    head: MatchHead
    version: Version
    ply: int = 0
    next_chance_event: int = 0
    game_state: Any = None
    state_bytes: bytes = b""
    time: Millis = Millis(0)
    clocks: Clocks = ()

    def __repr__(self) -> str:
        """Short, and without the game's state, which holds hidden hands."""
        return f"Match({self.head.match_id}, version={self.version})"

    @property
    def to_move(self) -> tuple[int, ...]:
        """Seats whose action is awaited; empty unless active."""
        if self.head.state is not MatchState.ACTIVE:
            return ()
        return self.head.game.rules.to_move(self.game_state)


@dataclass(frozen=True, slots=True)
class Created:
    """The match was created."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A seat was taken."""

    display_name: str
    colour: str
    client_nonce: bytes


@dataclass(frozen=True, slots=True)
class Left:
    """A seat was given up before the start."""


@dataclass(frozen=True, slots=True)
class Acted:
    """An action was accepted."""

    action: Any


@dataclass(frozen=True, slots=True)
class Resigned:
    """A seat resigned."""


@dataclass(frozen=True, slots=True)
class Flagged:
    """A seat's time was over; it is forfeited."""


@dataclass(frozen=True, slots=True)
class Struck:
    """A seat's time was over; its turn was finished for it. ``strikes`` counts this one too."""

    strikes: int


@dataclass(frozen=True, slots=True)
class Abandoned:
    """Nobody did anything for longer than ``limit`` milliseconds."""

    limit: int


Cause = Created | Joined | Left | Acted | Resigned | Flagged | Struck | Abandoned


@dataclass(frozen=True, slots=True)
class Event:
    """One commit: what was done and all that followed from it.

    Attributes:
        version: Version of the match after it.
        ply: Accepted actions after it.
        time: When the referee accepted it.
        seat: Seat that caused it; None where no seat did.
        cause: What was done.
        state: Where the match is after it.
        game_events: What happened on the board, in order.
        to_move: Seats to move after it.
        result: The result, where it ended the match.
        chance_events: Luck that it used; secret until the match has ended.
        state_digest: SHA-256 of the game's state bytes after it, empty while open; secret until the
            match has ended.
        clocks: Clocks that it changed, by seat.
        downtime: Milliseconds since the commit before in which the service was down.
        made: What was made of it before and will be needed again: its views (``observe``), its
            bytes (``wire``). Follows from the rest, so it takes no part in comparisons.
    """

    version: Version
    ply: int
    time: Millis
    seat: int | None
    cause: Cause
    state: MatchState
    game_events: tuple[Any, ...] = ()
    to_move: tuple[int, ...] = ()
    result: Result | None = None
    chance_events: tuple[ChanceEvent, ...] = ()
    state_digest: bytes = b""
    clocks: tuple[tuple[int, SeatClock], ...] = ()
    downtime: int = 0
    made: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Receipt:
    """The answer to one accepted request of a seat."""

    match_id: MatchId
    request_id: str
    event: Event


@dataclass(frozen=True, slots=True)
class PublicMatch:
    """What everybody may know of a match: built by listing what is shown."""

    match_id: MatchId
    game: AnyGame
    rules_version: int
    settings: Any
    state: MatchState
    seats: tuple[Seat, ...]
    version: Version
    ply: int
    to_move: tuple[int, ...]
    result: Result | None
    commitment: bytes
    seed_origin: SeedOrigin
    visibility: Visibility
    create_time: Millis
    start_time: Millis
    end_time: Millis
    time_control: TimeControl | None = None
    clocks: Clocks = ()


@dataclass(frozen=True, slots=True)
class Record:
    """The whole story of a match, as far as its receiver may see it.

    Attributes:
        match: The match as it stood when the record was made.
        events: Every commit, from version 1.
        server_seed: 32 bytes; empty until the match has ended.
    """

    match: PublicMatch
    events: tuple[Event, ...]
    server_seed: bytes = b""

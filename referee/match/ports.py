"""What the match layer needs from outside, as Protocols.

What must not live here: anything that knows how they are fulfilled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from referee.match.model import Event, Match, MatchId, MatchState, Millis
from referee.registry import AnyGame


@dataclass(frozen=True, slots=True)
class RequestKey:
    """Names one request so that a retry is known again.

    Attributes:
        key: The caller's request id, qualified by who called (such as ``0:4f1c...`` for seat 0).
        fingerprint: Digest of what was asked; a retry has the same one.
    """

    key: str
    fingerprint: bytes


@dataclass(frozen=True, slots=True)
class Seen:
    """A request that was committed before, and the event that it became."""

    fingerprint: bytes
    event: Event


@dataclass(frozen=True, slots=True)
class Committed:
    """The commit was stored."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Somebody else committed first; nothing was stored."""


CommitOutcome = Committed | Conflict | Seen


@dataclass(frozen=True, slots=True)
class Page:
    """A page of match ids.

    Attributes:
        match_ids: The ids, in the order asked for.
        last: The last id looked at, from which the next page goes on; None after the last page.
    """

    match_ids: tuple[MatchId, ...]
    last: MatchId | None


class Sink(Protocol):
    """Where the events of one match go as they are published."""

    def put(self, event: Event | None) -> None:
        """An event; None whenever some may have been missed: then read the log."""
        ...


class Store(Protocol):
    """Keeps matches. Every method raises StoreUnavailableError when it can't answer."""

    async def load(self, match_id: MatchId, known: Match | None = None) -> Match:
        """The match as it is now; ``known`` itself when nothing has changed since.

        Raises:
            MatchNotFoundError: There is none.
        """
        ...

    async def recheck(
        self, match_id: MatchId, known: Match, request: RequestKey | None
    ) -> Match | Seen:
        """The match as it is now, or what the request became if it was committed before.

        Raises:
            MatchNotFoundError: There is none.
        """
        ...

    async def commit(
        self, before: Match, after: Match, event: Event, request: RequestKey | None
    ) -> CommitOutcome:
        """Store ``after`` and ``event`` if the match is still at ``before``, then publish."""
        ...

    async def create(self, match: Match, event: Event) -> Match:
        """Store a new match; where one with this id exists, give that one instead."""
        ...

    async def claim_match_id(self, request: RequestKey, match_id: MatchId) -> MatchId:
        """Tie a request for a new match to an id; one that was tied before gives its first id.

        Raises:
            RequestIdReusedError: The request id stood for a different match.
        """
        ...

    async def events(
        self, match_id: MatchId, game: AnyGame, after: int, limit: int = 0
    ) -> list[Event]:
        """Events after a version, in order: at most ``limit``, or all for 0."""
        ...

    async def subscribe(self, match_id: MatchId, game: AnyGame, sink: Sink) -> None:
        """Tell a sink of a match; nothing published after this has returned is missed."""
        ...

    def unsubscribe(self, match_id: MatchId, sink: Sink) -> None:
        """Tell a sink nothing more; one that was never told of the match is fine."""
        ...

    async def list_matches(
        self, state: MatchState, game: str, *, newest_first: bool, after: MatchId | None, limit: int
    ) -> Page:
        """A page of public matches' ids; ``game`` may be empty for all."""
        ...


class Schedule(Protocol):
    """Says which matches to look at, and when. It may lag or lose entries; a sweep repairs it."""

    async def take(self, now: Millis, hold: int) -> list[MatchId]:
        """Matches to look at by now; nobody else is given them for ``hold`` milliseconds."""
        ...

    async def set(self, match_id: MatchId, at: Millis | None) -> None:
        """Look at a match at that time, or never."""
        ...


class Downtime(Protocol):
    """Knows when no process could serve."""

    async def refresh(self, now: Millis) -> None:
        """Learn of all downtime before ``now``; costs nothing while the service is up.

        Raises:
            StoreUnavailableError: The service is down at this moment.
        """
        ...

    def between(self, start: int, end: int) -> int:
        """Milliseconds of downtime from ``start`` to ``end``."""
        ...


class Clock(Protocol):
    """The referee's time."""

    def now(self) -> Millis:
        """Now."""
        ...


class Entropy(Protocol):
    """The system's luck, for what must not be guessed."""

    def server_seed(self) -> bytes:
        """32 bytes."""
        ...

    def match_id(self, now: Millis) -> MatchId:
        """A new id that sorts after older ones."""
        ...

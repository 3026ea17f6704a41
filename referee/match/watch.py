"""Following matches as callers ask for it: one as an iterator, or any number through takers.

What lives here: who may follow, from where, and what is shown. What must not live here: how nothing
is missed (``follow``).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from typing import NamedTuple

from referee.errors import InvalidRequestError, UnauthenticatedError
from referee.match.claim import SeatClaim, check_claim, check_still_good
from referee.match.commit import CommitPath
from referee.match.follow import Follower, Taker
from referee.match.model import Event, MatchId, MatchState
from referee.match.observe import event_for
from referee.match.ports import Store
from referee.registry import AnyGame

OVER = (MatchState.ENDED, MatchState.ABANDONED)
MAX_WAITING = 256


class Outlook(NamedTuple):
    """What there is to follow.

    Attributes:
        game: The game.
        claim: The follower's seat; None for the public.
        version: Version of the match now.
        over: True when nothing can come any more after ``version``.
    """

    game: AnyGame
    claim: SeatClaim | None
    version: int
    over: bool


class Watches:
    """Lets callers follow matches. Owns nothing."""

    def __init__(self, store: Store, path: CommitPath) -> None:
        self._store = store
        self._path = path

    async def outlook(self, match_id: MatchId, claim: SeatClaim | None, after: int) -> Outlook:
        """What a caller who knows a version may follow.

        Raises:
            MatchNotFoundError: There is no such match.
            InvalidRequestError: The match has not come to that version.
            UnauthenticatedError: The seat was given up.
        """
        match = await self._path.load(match_id)
        if claim is not None:
            check_claim(match, claim)
        if after > match.version:
            message = f"the match is at version {match.version}; nothing comes after {after} yet."
            raise InvalidRequestError("after_version", message)
        head = match.head
        return Outlook(head.game, claim, match.version, head.state in OVER)

    def follower(self, match_id: MatchId, outlook: Outlook, after: int, taker: Taker) -> Follower:
        """A follower, not started yet, whose taker gets events as its seat may see them."""
        shown = _Shown(outlook.game, outlook.claim, taker)
        return Follower(self._store, match_id, outlook.game, after, shown)

    async def watch(
        self, match_id: MatchId, claim: SeatClaim | None, after: int, heartbeat: float
    ) -> AsyncGenerator[tuple[AnyGame, Event | None], None]:
        """Every event after a version as the caller may see it; ends with the match.

        Gives None after each ``heartbeat`` seconds of quiet.

        Raises:
            RefereeError: As ``outlook``.
            UnauthenticatedError: The seat was given up while it was watched.
        """
        outlook = await self.outlook(match_id, claim, after)
        if outlook.over and after == outlook.version:
            return
        waiting = _Waiting()
        follower = self.follower(match_id, outlook, after, waiting)
        try:
            await follower.start()
            while True:
                event = await waiting.next(heartbeat)
                if event is None:
                    follower.check()
                yield outlook.game, event
                if event is not None and event.state in OVER:
                    return
        finally:
            await follower.stop()


class _Shown:
    """Shows a taker what its seat may see, as long as it is its seat; fulfils ``follow.Taker``."""

    __slots__ = ("_claim", "_game", "_given_up", "_seat", "_taker")

    def __init__(self, game: AnyGame, claim: SeatClaim | None, taker: Taker) -> None:
        self._game = game
        self._claim = claim
        self._seat = None if claim is None else claim.seat
        self._taker = taker
        self._given_up = False

    def take(self, event: Event) -> bool:
        if self._claim is not None and not self._given_up:
            try:
                check_still_good(self._claim, event)
            except UnauthenticatedError as error:
                self._given_up = True
                self._taker.fail(error)
        # Whoever gave a seat up must not see what its next owner may see.
        return self._given_up or self._taker.take(event_for(self._game, event, self._seat))

    async def space(self) -> None:
        await self._taker.space()

    def fail(self, error: Exception) -> None:
        self._taker.fail(error)


class _Waiting:
    """Events that the watcher has not asked for yet; fulfils ``follow.Taker``."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self._error: Exception | None = None
        self._filled = asyncio.Event()
        self._drained = asyncio.Event()

    def take(self, event: Event) -> bool:
        if len(self._events) >= MAX_WAITING:
            self._drained.clear()
            return False
        self._events.append(event)
        self._filled.set()
        return True

    async def space(self) -> None:
        if len(self._events) >= MAX_WAITING:
            await self._drained.wait()

    def fail(self, error: Exception) -> None:
        self._error = error
        self._filled.set()

    async def next(self, heartbeat: float) -> Event | None:
        """The next event, or None when none came in time.

        Raises:
            Exception: Why nothing more will come.
        """
        if not self._events:
            self._filled.clear()
            if self._error is not None:
                raise self._error
            try:
                async with asyncio.timeout(heartbeat):
                    await self._filled.wait()
            except TimeoutError:
                return None
            if not self._events:
                return await self.next(heartbeat)
        event = self._events.popleft()
        if len(self._events) == MAX_WAITING // 2:
            self._drained.set()
        return event

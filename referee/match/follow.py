"""Following a match from a version on: every event once, in order, however it is delivered.

What lives here: the state machine that all watchers share, be they a stream of one match or one of
a thousand. What must not live here: queues, protobuf, what a seat may see.

Two sources feed a follower: the log, which is complete, and what is published, which is quick. The
order of the first two steps is what makes it lossless: subscribe, THEN read the log. An event
committed in between is in both, and its version tells that it was handed on already; no event can
be in neither.

A follower is *live* or it *reads the log*. Live, each published event that continues where it
stands is handed on at once, in the call that brings it: no task, no queue. Whenever that can't be
(a version is missing, some may have been missed, or the taker has no room), it reads the log from
where it stands, as soon as there is room, and is live again when the log has no more. What is
published meanwhile is only taken as a sign to read on.

Ordering hazard: between the last look at ``_more`` and the end of the reading nothing may be
awaited, or an event published in that moment would neither be handed on nor be read.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

from referee.match.model import Event, MatchId
from referee.match.ports import Store
from referee.registry import AnyGame
from referee.tasks import end

PAGE_EVENTS = 256


class Taker(Protocol):
    """Takes what a follower hands on."""

    def take(self, event: Event) -> bool:
        """Take the next event; False, and untaken, when there is no room."""
        ...

    async def space(self) -> None:
        """Wait until there is room."""
        ...

    def fail(self, error: Exception) -> None:
        """The log can't be read; nothing more will come."""
        ...


class Follower:
    """Follows one match; fulfils ``ports.Sink``.

    Attributes:
        version: Version of the last event that was taken.
    """

    __slots__ = (
        "_checked",
        "_game",
        "_live",
        "_match_id",
        "_more",
        "_reading",
        "_store",
        "_taker",
        "version",
    )

    def __init__(
        self, store: Store, match_id: MatchId, game: AnyGame, after: int, taker: Taker
    ) -> None:
        self.version = after
        self._checked = after
        self._store = store
        self._match_id = match_id
        self._game = game
        self._taker = taker
        self._live = False
        self._more = False
        self._reading: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin; what the log holds already is handed on soon.

        Raises:
            StoreUnavailableError: What is published can't be followed.
        """
        await self._store.subscribe(self._match_id, self._game, self)
        self._live = True
        self.look()

    def end(self) -> None:
        """Hand on nothing any more; may be called by the taker, too."""
        self._live = self._more = False
        self._store.unsubscribe(self._match_id, self)

    async def stop(self) -> None:
        """End, and leave nothing behind."""
        self.end()
        if self._reading is not None:
            await end(self._reading)

    def put(self, event: Event | None) -> None:
        """A published event, or None when some may have been missed."""
        if not self._live:
            return
        if event is not None:
            if event.version <= self.version:
                return
            if (
                self._reading is None
                and event.version == self.version + 1
                and self._taker.take(event)
            ):
                self.version = event.version
                return
        self.look()

    def look(self) -> None:
        """Read the log, to be sure that nothing was missed."""
        self._more = True
        if self._reading is None:
            self._reading = asyncio.create_task(self._read(), name="follow-log")

    def check(self) -> None:
        """Read the log if nothing has come since the last check.

        What is published may get lost without a trace; the log can't.
        """
        if self._live and self._checked == self.version:
            self.look()
        self._checked = self.version

    async def _read(self) -> None:
        try:
            while self._more:
                self._more = False
                await self._taker.space()
                events = await self._store.events(
                    self._match_id, self._game, self.version, PAGE_EVENTS
                )
                self._more |= len(events) == PAGE_EVENTS
                for event in events:
                    while not self._taker.take(event):
                        await self._taker.space()
                    self.version = event.version
                    if not self._live:
                        return
        except Exception as error:  # nobody awaits this task, so the taker has to be told
            self._live = False
            self._taker.fail(error)
        finally:
            self._reading = None

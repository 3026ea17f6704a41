"""Events as they are published: one subscription connection a process, shared by all its watchers.

Published events are a shortcut, never the truth: whatever may have been missed (a lost connection,
a slow watcher) shows as None in the feed, and the watcher reads the log. So a feed's queue is
bounded and may be dropped whole.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError

from referee.errors import StoreUnavailableError
from referee.match.model import Event, MatchId
from referee.registry import AnyGame
from referee.store.codec import event_from_bytes
from referee.store.keys import Keys
from referee.tasks import end

log = logging.getLogger(__name__)

QUEUE_EVENTS = 256
CONFIRM_SECONDS = 2.0
RECONNECT_SECONDS = 0.2


class QueueFeed:
    """One watcher's feed; fulfils ``match.ports.Feed``."""

    __slots__ = ("_queue",)

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue(QUEUE_EVENTS)

    async def get(self) -> Event | None:
        """The next event, or None when some may have been missed."""
        return await self._queue.get()

    def put(self, event: Event | None) -> None:
        """Hand an event over, or None.

        A watcher that is too slow gets one None instead of all that waited.
        """
        if self._queue.full():
            while not self._queue.empty():
                self._queue.get_nowait()
            event = None
        self._queue.put_nowait(event)


class _Channel:
    """One match's channel in this process."""

    __slots__ = ("confirmed", "feeds", "game")

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self.feeds: set[QueueFeed] = set()
        self.confirmed = asyncio.Event()


class FeedHub:
    """All feeds of a process. Owns the subscription connection and the task that reads it."""

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis = redis
        self._keys = keys
        self._channels: dict[str, _Channel] = {}
        self._task: asyncio.Task[None] | None = None
        self._pubsub: Any = None

    def start(self) -> None:
        """Start reading."""
        self._task = asyncio.create_task(self._run(), name="feed-hub")

    async def close(self) -> None:
        """Stop reading."""
        if self._task is not None:
            await end(self._task)

    @asynccontextmanager
    async def subscribe(self, match_id: MatchId, game: AnyGame) -> AsyncIterator[QueueFeed]:
        """A feed of a match; entering returns once Redis has confirmed the subscription.

        Raises:
            StoreUnavailableError: Redis did not confirm in time.
        """
        name = self._keys.published(match_id)
        feed = QueueFeed()
        channel = self._channels.get(name)
        if channel is None:
            channel = self._channels[name] = _Channel(game)
        channel.feeds.add(feed)
        try:
            await self._confirm(name, channel)
            yield feed
        finally:
            channel.feeds.discard(feed)
            if not channel.feeds and self._channels.get(name) is channel:
                del self._channels[name]
                await self._say("SUNSUBSCRIBE", name)

    async def _confirm(self, name: str, channel: _Channel) -> None:
        try:
            if not channel.confirmed.is_set() and len(channel.feeds) == 1:
                await self._say("SSUBSCRIBE", name)
            async with asyncio.timeout(CONFIRM_SECONDS):
                await channel.confirmed.wait()
        except TimeoutError as error:
            message = "The store can't be reached now. Watch again from the last version you saw."
            raise StoreUnavailableError(message) from error

    async def _say(self, command: str, name: str) -> None:
        """Send a command on the subscription connection, if there is one.

        A lost connection is left to ``_run``, which makes a new one with every channel. The methods
        of redis-py's PubSub would connect it again, and ``_run`` go on listening to the old one.
        """
        connection = None if self._pubsub is None else self._pubsub.connection
        if connection is not None and connection.is_connected:
            with contextlib.suppress(RedisError, OSError):
                await connection.send_command(command, name, check_health=False)

    async def _run(self) -> None:
        """Read for ever.

        After a lost connection, subscribe again and tell every feed that it may have missed some.
        """
        while True:
            pubsub: Any = self._redis.pubsub()
            try:
                await pubsub.ssubscribe(self._keys.control)
                self._pubsub = pubsub
                # Channels that came before this line are subscribed here, later ones on their own.
                if self._channels:
                    await pubsub.ssubscribe(*self._channels)
                async for message in pubsub.listen():
                    self._handle(message)
            except (RedisError, OSError) as error:
                log.warning("lost the subscription connection, trying again: %s", error)
            finally:
                self._pubsub = None
                await pubsub.aclose()
            for channel in self._channels.values():
                channel.confirmed.clear()
            await asyncio.sleep(RECONNECT_SECONDS)

    def _handle(self, message: dict[str, Any]) -> None:
        name = message["channel"].decode()
        channel = self._channels.get(name)
        if channel is None:
            return
        if message["type"] == "ssubscribe":
            channel.confirmed.set()
            for feed in channel.feeds:
                feed.put(None)
        elif message["type"] == "smessage":
            event = _read(channel.game, message["data"])
            for feed in channel.feeds:
                feed.put(event)


def _read(game: AnyGame, data: bytes) -> Event | None:
    """A published event; None for one that can't be read: who watches learns why from the log."""
    try:
        return event_from_bytes(game, data)
    except Exception:  # of a later release, say; the other watchers go on
        log.exception("a published event can't be read")
        return None

"""Events as they are published: one subscription connection a process, shared by all its followers.

Published events are a shortcut, never the truth: whatever may have been missed shows as None, and
the follower reads the log.

An event reaches the followers of this process by one of two ways, whichever is quicker:

* The commit was made here. Then the event is handed over as it is, decoded, when Redis has said
  that it is stored.
* It comes through Redis. Its version stands before its bytes, so that what was handed over already
  is dropped without decoding. And an event of this process that comes before the answer to its
  commit is known by its bytes, and not decoded, either: what is published has been stored.

Ordering hazard: an event of this process may overtake one of another process that Redis published
before it. So one that does not continue where the channel stands is not handed over here; it comes
through Redis, behind the other.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError

from referee.errors import StoreUnavailableError
from referee.match.model import Event, MatchId
from referee.match.ports import Sink
from referee.registry import AnyGame
from referee.store.codec import event_from_bytes
from referee.store.keys import Keys
from referee.tasks import end

log = logging.getLogger(__name__)

CONFIRM_SECONDS = 2.0
RECONNECT_SECONDS = 0.2
MAX_NAMES = 500  # of one command, so that Redis is never busy with it for long


class _Channel:
    """One match's channel in this process.

    Attributes:
        game: The game that the match plays.
        sinks: Who follows.
        confirmed: Set while Redis sends what is published.
        version: Version of the last event that was handed on; 0 until there is one.
        mine: The last event that this process tried to commit, and its bytes.
    """

    __slots__ = ("confirmed", "game", "mine", "sinks", "version")

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self.sinks: dict[Sink, None] = {}
        self.confirmed = asyncio.Event()
        self.version = 0
        self.mine: tuple[bytes, Event] | None = None

    def read(self, data: bytes) -> Event | None:
        """A published event; None for one that can't be read: the log tells followers why."""
        if self.mine is not None and self.mine[0] == data:
            return self.mine[1]
        try:
            return event_from_bytes(self.game, data)
        except Exception:  # of a later release, say; the other followers go on
            log.exception("a published event can't be read")
            return None

    def put(self, event: Event | None) -> None:
        """Hand an event to all who follow, or None."""
        self.version = 0 if event is None else event.version
        for sink in list(self.sinks):
            sink.put(event)


class FeedHub:
    """All channels of a process. Owns the subscription connection and the tasks that use it."""

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._pool: Any = redis.connection_pool
        self._keys = keys
        self._channels: dict[MatchId, _Channel] = {}
        self._changed: dict[MatchId, None] = {}
        self._change = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._connection: Any = None

    def __len__(self) -> int:
        """Number of matches that somebody follows."""
        return len(self._channels)

    def start(self) -> None:
        """Start reading."""
        self._task = asyncio.create_task(self._run(), name="feed-hub")

    async def close(self) -> None:
        """Stop reading."""
        if self._task is not None:
            await end(self._task)

    async def subscribe(self, match_id: MatchId, game: AnyGame, sink: Sink) -> None:
        """Tell a sink of a match; returns once Redis has confirmed the subscription.

        Raises:
            StoreUnavailableError: Redis did not confirm in time.
        """
        channel = self._channels.get(match_id)
        if channel is None:
            channel = self._channels[match_id] = _Channel(game)
            self._note_change(match_id)
        channel.sinks[sink] = None
        try:
            async with asyncio.timeout(CONFIRM_SECONDS):
                await channel.confirmed.wait()
        except TimeoutError as error:
            self.unsubscribe(match_id, sink)
            message = "The store can't be reached now. Watch again from the last version you saw."
            raise StoreUnavailableError(message) from error
        except BaseException:
            self.unsubscribe(match_id, sink)
            raise

    def unsubscribe(self, match_id: MatchId, sink: Sink) -> None:
        """Tell a sink nothing more of a match."""
        channel = self._channels.get(match_id)
        if channel is None:
            return
        channel.sinks.pop(sink, None)
        if not channel.sinks:
            del self._channels[match_id]
            self._note_change(match_id)

    def committing(self, match_id: MatchId, event: Event, data: bytes) -> None:
        """This process is about to commit an event, with these bytes."""
        channel = self._channels.get(match_id)
        if channel is not None:
            channel.mine = data, event

    def committed(self, match_id: MatchId, event: Event) -> None:
        """Hand on an event that this process has committed."""
        channel = self._channels.get(match_id)
        if channel is not None and channel.version in (0, event.version - 1):
            channel.put(event)

    def _note_change(self, match_id: MatchId) -> None:
        self._changed[match_id] = None
        self._change.set()

    async def _run(self) -> None:
        """Read for ever.

        After a lost connection, subscribe again; each confirmation tells the followers that they
        may have missed some.
        """
        while True:
            connection = self._connection = self._pool.make_connection()
            writer: asyncio.Task[None] | None = None
            try:
                await connection.connect()
                # This one keeps the connection in the mode for subscriptions.
                await connection.send_command("SSUBSCRIBE", self._keys.control, check_health=False)
                self._changed = dict.fromkeys(self._channels)
                self._change.set()
                writer = asyncio.create_task(self._send_changes(connection), name="feed-changes")
                while True:
                    self._handle(await _next(connection))
            except (RedisError, OSError) as error:
                log.warning("lost the subscription connection, trying again: %s", error)
            finally:
                if writer is not None:
                    await end(writer)
                await connection.disconnect(nowait=True)
            for channel in self._channels.values():
                channel.confirmed.clear()
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _send_changes(self, connection: Any) -> None:
        """Subscribe and unsubscribe, all that has changed at once."""
        with contextlib.suppress(RedisError, OSError):  # the reader meets the same error
            while True:
                await self._change.wait()
                self._change.clear()
                changed, self._changed = list(self._changed), {}
                for at in range(0, len(changed), MAX_NAMES):
                    await self._send_page(connection, changed[at : at + MAX_NAMES])

    async def _send_page(self, connection: Any, changed: list[MatchId]) -> None:
        if not connection.is_connected:
            return  # the reader makes a new one; to send would connect this one again
        # A match that was left and followed again since is confirmed anew, whatever it was before.
        names = [self._keys.published(match_id) for match_id in changed]
        await connection.send_command("SUNSUBSCRIBE", *names, check_health=False)
        names = [self._keys.published(one) for one in changed if one in self._channels]
        if names:
            await connection.send_command("SSUBSCRIBE", *names, check_health=False)

    def _handle(self, reply: list[Any]) -> None:
        kind, name, data = reply
        text = name.decode()
        if text == self._keys.control:
            return
        channel = self._channels.get(self._keys.match_id_of(text))
        if channel is None:
            return
        if kind == b"ssubscribe":
            channel.confirmed.set()
            channel.put(None)
        elif kind == b"smessage":
            version, _, event = data.partition(b":")
            if not version.isdigit():
                log.error("something was published that is no event")
                channel.put(None)
            elif int(version) > channel.version:
                channel.put(channel.read(event))


async def _next(connection: Any) -> list[Any]:
    """The next message of the connection: its kind, the channel's name, and what it brings."""
    reply: list[Any] = await connection.read_response(
        disable_decoding=True, timeout=math.inf, push_request=True
    )
    return reply

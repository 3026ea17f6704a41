"""Matches in Redis: implements ``match.ports.Store`` with one round trip a call.

What must not live here: any decision about a match. The scripts check versions and request ids; who
may do what was decided before.
"""

from __future__ import annotations

import asyncio
from typing import Any

from redis.asyncio import Redis

from referee.errors import MatchNotFoundError, RequestIdReusedError
from referee.match.model import Event, Match, MatchId, MatchState
from referee.match.ports import CommitOutcome, Committed, Conflict, Page, RequestKey, Seen, Sink
from referee.match.timeouts import Keeping
from referee.registry import AnyGame
from referee.store.codec import (
    event_from_bytes,
    event_to_bytes,
    head_from_bytes,
    head_to_bytes,
    mark_of,
    match_from_bytes,
    state_to_bytes,
)
from referee.store.durability import NO_BARRIER, Barrier
from referee.store.faults import store_faults
from referee.store.feed import FeedHub
from referee.store.index import MatchIndex
from referee.store.keys import CREATE_REQUEST_TTL_MS, Keys
from referee.store.pipeline import ScriptPipeline
from referee.store.schedule import RedisSchedule
from referee.store.scripts import Script, load_script

LOGS_AT_ONCE = 32


class RedisMatchStore:
    """Keeps matches in Redis."""

    def __init__(
        self,
        redis: Redis,
        keys: Keys,
        keeping: Keeping,
        index: MatchIndex,
        hub: FeedHub,
        barrier: Barrier = NO_BARRIER,
    ) -> None:
        self._redis = redis
        self._keys = keys
        self._keeping = keeping
        self._schedule = RedisSchedule(redis, keys)
        self._index = index
        self._hub = hub
        self._reading = asyncio.Semaphore(LOGS_AT_ONCE)
        self._pipeline = ScriptPipeline(redis, barrier)
        self._commit: Script = load_script("commit")
        self._read: Script = load_script("read")

    async def load(self, match_id: MatchId, known: Match | None = None) -> Match:
        """The match as it is now; ``known`` itself when nothing has changed since."""
        found = await self._look(match_id, known, None)
        if isinstance(found, Seen):
            message = "a look without a request id found a request"
            raise AssertionError(message)
        return found

    async def recheck(
        self, match_id: MatchId, known: Match, request: RequestKey | None
    ) -> Match | Seen:
        """The match as it is now, or what the request became."""
        return await self._look(match_id, known, request)

    async def commit(
        self, before: Match, after: Match, event: Event, request: RequestKey | None
    ) -> CommitOutcome:
        """Store a commit if the match is still as it was, then publish it."""
        head = after.head
        if head.state is not before.head.state:
            await self._note(after)
        reply = await self._run_commit(before, after, event, request)
        if reply[0] == b"ok":
            self._hub.committed(head.match_id, event)
            if head.state is not before.head.state:
                await self._index.put(head)
            return Committed()
        if reply[0] == b"conflict":
            return Conflict()
        return Seen(reply[1], event_from_bytes(head.game, reply[2]))

    async def create(self, match: Match, event: Event) -> Match:
        """Store a new match; where one with this id exists, give that one instead."""
        await self._note(match)
        reply = await self._run_commit(None, match, event, None)
        if reply[0] != b"ok":
            return await self.load(match.head.match_id)
        await self._index.put(match.head)
        return match

    async def claim_match_id(self, request: RequestKey, match_id: MatchId) -> MatchId:
        """Tie a request for a new match to an id, for a day."""
        value = match_id.encode() + b":" + request.fingerprint
        with store_faults():
            before: Any = await self._redis.set(
                self._keys.request(request.key), value, nx=True, get=True, px=CREATE_REQUEST_TTL_MS
            )
        if before is None:
            return match_id
        first, fingerprint = before.split(b":", 1)
        if fingerprint != request.fingerprint:
            message = (
                "This request id stood for a different match. Make a new id for each new request."
            )
            raise RequestIdReusedError(message)
        return MatchId(first.decode())

    async def events(
        self, match_id: MatchId, game: AnyGame, after: int, limit: int = 0
    ) -> list[Event]:
        """Events after a version, in order: at most ``limit``, or all for 0."""
        last = after + limit - 1 if limit else -1
        # Each takes a connection: a thousand watchers that look at once must not take them all.
        async with self._reading:
            lrange: Any = self._redis.lrange(self._keys.events(match_id), after, last)
            # Shielded, for redis-py on Python 3.11 may swallow a cancellation, and a watcher that
            # is not told of it would never end.
            command = asyncio.ensure_future(lrange)
            command.add_done_callback(_retrieve)
            with store_faults():
                found: list[Any] = await asyncio.shield(command)
        return [event_from_bytes(game, data) for data in found]

    async def subscribe(self, match_id: MatchId, game: AnyGame, sink: Sink) -> None:
        """Tell a sink of a match from now on."""
        await self._hub.subscribe(match_id, game, sink)

    def unsubscribe(self, match_id: MatchId, sink: Sink) -> None:
        """Tell a sink nothing more."""
        self._hub.unsubscribe(match_id, sink)

    async def close(self) -> None:
        """Let go of Redis; for when nothing more will be asked."""
        await self._pipeline.close()

    async def list_matches(
        self, state: MatchState, game: str, *, newest_first: bool, after: MatchId | None, limit: int
    ) -> Page:
        """A page of public matches' ids."""
        return await self._index.page(
            state, game, newest_first=newest_first, after=after, limit=limit
        )

    async def _note(self, match: Match) -> None:
        """Note when to look at a match whose state is about to change.

        Before the commit, so that a crash in between costs one look in vain and not a late flag.
        """
        at = self._keeping.look_at(match)
        if at is not None:
            await self._schedule.lower(match.head.match_id, at)

    async def _look(
        self, match_id: MatchId, known: Match | None, request: RequestKey | None
    ) -> Match | Seen:
        keys = self._keys
        with store_faults():
            reply: Any = await self._pipeline.run(
                self._read,
                keys=(keys.match(match_id), keys.events(match_id), keys.requests(match_id)),
                args=(
                    known.version if known else 0,
                    request.key if request else "",
                    mark_of(known) if known else b"",
                ),
                durable=request is not None,
            )
        kind = reply[0]
        if kind == b"same" and known is not None:
            return known
        if kind == b"match":
            return match_from_bytes(head_from_bytes(reply[1]), reply[2])
        if kind == b"seen" and known is not None:
            return Seen(reply[1], event_from_bytes(known.head.game, reply[2]))
        message = "There is no match with this id, or its record's time is over. Check the id."
        raise MatchNotFoundError(message)

    async def _run_commit(
        self, before: Match | None, after: Match, event: Event, request: RequestKey | None
    ) -> Any:
        head = after.head
        match_id = head.match_id
        keys = self._keys
        data = event_to_bytes(head.game, event)
        self._hub.committing(match_id, event, data)
        with store_faults():
            return await self._pipeline.run(
                self._commit,
                keys=(
                    keys.match(match_id),
                    keys.events(match_id),
                    keys.requests(match_id),
                    keys.published(match_id),
                ),
                args=(
                    before.version if before else 0,
                    after.version,
                    state_to_bytes(after),
                    b"" if before and before.head is head else head_to_bytes(head),
                    data,
                    self._keeping.time_to_live(after),
                    request.key if request else "",
                    request.fingerprint if request else b"",
                    mark_of(before) if before else b"",
                    mark_of(after),
                ),
                durable=True,
            )


def _retrieve(command: asyncio.Future[Any]) -> None:
    """Look at an error that nobody may wait for any more, so that asyncio does not log it."""
    if not command.cancelled():
        command.exception()

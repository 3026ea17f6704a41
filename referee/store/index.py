"""Indexes over many matches, and the sweep that repairs them.

An index may lag: it is written after the commit and outside it, for its keys lie on other nodes
than the match. No promise rests on it. Whatever is wrong in it (a process died between commit and
index, a match expired) the sweep puts right.

Each index is a sorted set in which every id has score 0, so that ids are in the order of the id
itself, and that is the order of creation.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError

from referee.errors import StoreUnavailableError
from referee.match.model import MatchHead, MatchId, MatchState, Visibility
from referee.match.ports import Page
from referee.store.codec import head_from_bytes
from referee.store.faults import store_faults
from referee.store.keys import Keys

log = logging.getLogger(__name__)

SWEEP_SECONDS = 60.0
SWEEP_BATCH = 500


class MatchIndex:
    """Public matches by state and game."""

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis = redis
        self._keys = keys

    async def put(self, head: MatchHead) -> None:
        """Put a match where its state says, and nowhere else; see that it is looked at in time.

        Failing does no harm: the sweep does it again.
        """
        try:
            async with self._redis.pipeline(transaction=False) as pipeline:
                for state in MatchState:
                    shown = head.visibility is Visibility.PUBLIC and state is head.state
                    for game in ("", head.game.info.id):
                        key = self._keys.index(state, game)
                        if shown:
                            pipeline.zadd(key, {head.match_id: 0})
                        else:
                            pipeline.zrem(key, head.match_id)
                if head.state in (MatchState.OPEN, MatchState.ACTIVE):
                    # Only where the entry was lost: a look now finds the right time.
                    pipeline.zadd(self._keys.due, {head.match_id: 0}, nx=True)
                else:
                    pipeline.zrem(self._keys.due, head.match_id)
                await pipeline.execute()
        except RedisError as error:
            log.warning("match %s is not indexed yet: %s", head.match_id, error)

    async def page(
        self, state: MatchState, game: str, *, newest_first: bool, after: MatchId | None, limit: int
    ) -> Page:
        """A page of ids; one more is read to learn whether there is a next page."""
        key = self._keys.index(state, game)
        beyond = f"({after}" if after else None
        start, end = (beyond or "+", "-") if newest_first else (beyond or "-", "+")
        with store_faults():
            ids: Any = await self._redis.zrange(
                key, start, end, desc=newest_first, bylex=True, offset=0, num=limit + 1
            )
        found = tuple([MatchId(one.decode()) for one in ids[:limit]])
        return Page(found, found[-1] if len(ids) > limit else None)

    async def sweep_for_ever(self, every: float = SWEEP_SECONDS) -> None:
        """Sweep now and then; one process at a time does it."""
        while True:
            try:
                with store_faults():
                    if await self._redis.set(
                        self._keys.sweep_lock, 1, nx=True, px=int(every * 900)
                    ):
                        await self.sweep()
            except StoreUnavailableError:
                log.info("the sweep waits for redis")
            await asyncio.sleep(every)

    async def sweep(self) -> None:
        """Put every match where it belongs, and take out what has expired."""
        with store_faults():
            batch: list[MatchId] = []
            async for key in self._redis.scan_iter(match=self._keys.every_match, count=SWEEP_BATCH):
                batch.append(self._keys.match_id_of(key.decode()))
                if len(batch) == SWEEP_BATCH:
                    await self._repair(batch)
                    batch = []
            await self._repair(batch)
            await self._take_out_expired()

    async def _repair(self, match_ids: list[MatchId]) -> None:
        async with self._redis.pipeline(transaction=False) as pipeline:
            for match_id in match_ids:
                pipeline.hget(self._keys.match(match_id), "head")
            for match_id, data in zip(match_ids, await pipeline.execute(), strict=True):
                if data is not None:
                    await self._put_again(match_id, data)

    async def _put_again(self, match_id: MatchId, data: bytes) -> None:
        """Index one match; one that can't be read must not keep the others from being swept."""
        try:
            head = head_from_bytes(data)
        except Exception:  # a later release's, say, whose own sweep sees to it
            log.exception("match %s can't be read, so it is not indexed", match_id)
        else:
            await self.put(head)

    async def _take_out_expired(self) -> None:
        pattern = f"{self._keys.namespace}:index:*:*"
        async for key in self._redis.scan_iter(match=pattern):
            members: Any = self._redis.zscan_iter(key, count=SWEEP_BATCH)
            async for member, _ in members:
                match_id = MatchId(member.decode())
                if not await self._redis.exists(self._keys.match(match_id)):
                    await self._redis.zrem(key, member)

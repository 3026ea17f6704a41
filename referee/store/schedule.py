"""When to look at which match: implements ``match.ports.Schedule`` with one sorted set.

No promise rests on it. A time in it is never later than the match needs: it is noted before the
commit that needs it, and a later version of a match never needs an earlier look. Where an entry was
lost, the sweep of the indexes notes the match again.
"""

from __future__ import annotations

from typing import Any

from redis.asyncio import Redis

from referee.match.model import MatchId, Millis
from referee.store.faults import store_faults
from referee.store.keys import Keys
from referee.store.scripts import load_script

TAKE = 256


class RedisSchedule:
    """Keeps the schedule in Redis."""

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis = redis
        self._keys = keys
        self._take = redis.register_script(load_script("take_due").text)

    async def take(self, now: Millis, hold: int) -> list[MatchId]:
        """Matches to look at by now, held for this process for a while."""
        with store_faults():
            ids: Any = await self._take(keys=[self._keys.due], args=[now, now + hold, TAKE])
        return [MatchId(one.decode()) for one in ids]

    async def set(self, match_id: MatchId, at: Millis | None) -> None:
        """Look at a match at that time, or never."""
        with store_faults():
            if at is None:
                await self._redis.zrem(self._keys.due, match_id)
            else:
                await self._redis.zadd(self._keys.due, {match_id: at})

    async def lower(self, match_id: MatchId, at: Millis) -> None:
        """Look at a match at that time or earlier."""
        with store_faults():
            await self._redis.zadd(self._keys.due, {match_id: at}, lt=True)

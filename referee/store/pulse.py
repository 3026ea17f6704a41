"""When no process could serve: implements ``match.ports.Downtime``.

Every process says several times a second, in one key, that it can serve, which includes that it
reaches Redis. Whoever finds that nobody has said so for longer than ``OUTAGE_MS`` notes an outage,
from the last word to its own. So a crash of all processes, a stop of the deployment and a loss of
Redis are one and the same thing, and the outage is known before the first call after it counts: a
process whose own last word is older than that asks before it answers.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from redis.asyncio import Redis

from referee.errors import StoreUnavailableError
from referee.match.model import Millis
from referee.match.ports import Clock
from referee.store.faults import store_faults
from referee.store.keys import OUTAGES_KEPT_MS, Keys
from referee.store.scripts import load_script

log = logging.getLogger(__name__)

PULSE_SECONDS = 0.25
# Long enough that a busy moment of the machine is none, short enough that a quick restart is one.
OUTAGE_MS = 750


class Pulse:
    """Says that this process serves, and knows when none did. Owns the list of outages."""

    def __init__(self, redis: Redis, keys: Keys, clock: Clock) -> None:
        self._redis = redis
        self._clock = clock
        self._keys = keys
        self._beat = redis.register_script(load_script("pulse").text)
        self._last = 0
        self._asking = asyncio.Lock()
        self._outages: list[tuple[int, int]] = []

    async def refresh(self, now: Millis) -> None:
        """Learn of all downtime before ``now``; costs nothing while the service is up."""
        if now - self._last > OUTAGE_MS:
            async with self._asking:
                # Of many calls that have waited for a busy process, the first one asks for all.
                if now - self._last > OUTAGE_MS:
                    await self.beat(now)

    def between(self, start: int, end: int) -> int:
        """Milliseconds of downtime from ``start`` to ``end``."""
        total = 0
        for began, ended in reversed(self._outages):
            if ended <= start:
                break
            total += max(0, min(ended, end) - max(began, start))
            # A Redis that lost its last second may give overlapping ones: count each moment once.
            end = min(end, began)
        return total

    async def beat(self, now: Millis) -> None:
        """Say that this process serves, and learn of new outages.

        Raises:
            StoreUnavailableError: Redis does not answer, so it does not serve.
        """
        known = self._outages[-1][1] if self._outages else 0
        words = [now, OUTAGE_MS, known, now - OUTAGES_KEPT_MS]
        try:
            found = await self._say(words)
        except StoreUnavailableError:
            # Connections that lie idle died with Redis, and each would fail one call after it is
            # back. To say it twice does no harm.
            await self._redis.connection_pool.disconnect(inuse_connections=False)
            found = await self._say(words)
        for one in found:
            began, _, ended = one.decode().partition(":")
            outage = int(began), int(ended)
            if not self._outages or outage[1] > self._outages[-1][1]:
                self._outages.append(outage)
                log.info("nobody served for %d ms; no clock is charged", outage[1] - outage[0])
        self._last = max(self._last, now)

    async def _say(self, words: list[int]) -> list[bytes]:
        keys = [self._keys.pulse, self._keys.outages]
        with store_faults():
            found: Any = await self._beat(keys=keys, args=words)
        return list(found)

    async def beat_for_ever(self, every: float = PULSE_SECONDS) -> None:
        """Say so again and again."""
        while True:
            try:
                await self.beat(self._clock.now())
            except StoreUnavailableError:
                log.debug("no pulse: redis does not answer")
            await asyncio.sleep(every)

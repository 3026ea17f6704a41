"""Trouble for a referee of several workers and its Redis, while clients play.

What lives here: what is done to the processes, and when. What must not live here: anything that
knows what the clients do.

Kills are spread evenly over the play: the next one comes when so many requests more were
acknowledged. So a slow machine gets as many as a fast one, each at some other point of the traffic.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections import Counter
from dataclasses import dataclass, field
from random import Random

from tests.history.clients import World
from tests.support.processes import RedisProcess, RefereeProcess

# Out of so many troubles in a row.
CYCLE = (
    "kill a worker",
    "kill a worker",
    "kill redis",
    "pause redis",
    "kill a worker",
    "pause a worker",
    "kill a worker and redis",
    "restart the workers",
)
KILLS = {"kill a worker": 1, "kill redis": 1, "kill a worker and redis": 2}


@dataclass
class Nemesis:
    """Troubles a referee and its Redis.

    Attributes:
        referee: The supervisor and its workers.
        redis: Their Redis.
        actions: Requests over which the trouble is spread.
        kills: Processes to kill at least.
        done: What was done how often.
    """

    referee: RefereeProcess
    redis: RedisProcess
    actions: int
    kills: int
    random: Random = field(default_factory=lambda: Random(7))
    done: Counter[str] = field(default_factory=Counter)

    @property
    def killed(self) -> int:
        """Processes that were killed with -9."""
        return sum(KILLS.get(what, 0) * times for what, times in self.done.items())

    async def __call__(self, world: World) -> None:
        """Trouble until there were enough kills."""
        troubles = sum(what in KILLS for what in CYCLE)
        weight = sum(KILLS.get(what, 0) for what in CYCLE)
        planned = self.kills * len(CYCLE) // weight + troubles
        number = 0
        while self.killed < self.kills:
            number += 1
            await world.reached(self.actions * number // planned)
            what = CYCLE[number % len(CYCLE)]
            await self._do(what)
            self.done[what] += 1

    async def _do(self, what: str) -> None:
        if what == "restart the workers":
            self.referee.signal(signal.SIGHUP)
        elif what == "pause redis":
            self.redis.pause()
            await asyncio.sleep(self.random.uniform(0.2, 1.5))
            self.redis.resume()
        elif what == "pause a worker":
            pid = await self._worker()
            _send(pid, signal.SIGSTOP)
            await asyncio.sleep(self.random.uniform(0.2, 1.5))
            _send(pid, signal.SIGCONT)
        else:
            if "worker" in what:
                _send(await self._worker(), signal.SIGKILL)
            if "redis" in what:
                self.redis.kill()
                await asyncio.sleep(self.random.uniform(0.0, 0.5))
                await asyncio.to_thread(self.redis.start)

    async def _worker(self) -> int:
        """Any worker; waits while there is none."""
        while True:
            pids = self.referee.workers()
            if pids:
                return self.random.choice(pids)
            await asyncio.sleep(0.05)


def _send(pid: int, number: int) -> None:
    """Send a signal, unless the process has ended by itself meanwhile."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)

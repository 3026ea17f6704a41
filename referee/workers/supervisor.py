"""The supervisor: keeps so many workers on one port, and does nothing else.

It owns the number of the port, the private Redis if there is one, and the worker processes; it
serves no call itself, and each worker is a fresh process.

::

    SIGTERM, SIGINT    every worker drains, then the supervisor ends with 0
    SIGHUP             one after the other, a new worker serves before the old one drains
    a worker dies      another one takes its place: at once, or later and later if it can't live
    the supervisor     its workers drain and end: the kernel tells them, and so does their standard
    is killed          input, which ends with it
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from referee.app import Running, redis_of
from referee.config import Config
from referee.store.connect import probe_redis
from referee.workers.port import shared_port
from referee.workers.worker import Worker, WorkerError

log = logging.getLogger(__name__)

# A worker that ends younger than this counts as one that can't live.
YOUNG_SECONDS = 5.0
FIRST_PAUSE = 0.2
LONGEST_PAUSE = 5.0


def pause_after(failures: int) -> float:
    """Seconds to wait before the next try after so many failures in a row.

    The first one costs no wait: whatever killed a worker once need not kill the next.
    """
    if failures <= 1:
        return 0.0
    return min(FIRST_PAUSE * 2.0 ** min(failures - 2, 16), LONGEST_PAUSE)


class Slot:
    """A place for one worker.

    Owns the worker. Whether it died or is to be replaced is settled under one lock, so that a place
    never has two workers for long, nor none unnoticed.
    """

    def __init__(self, number: int, worker: Worker, start: Callable[[], Awaitable[Worker]]) -> None:
        self.number = number
        self.worker = worker
        self._start = start
        self._failures = 0
        self._lock = asyncio.Lock()

    async def keep(self) -> None:
        """Keep a worker here for ever."""
        while True:
            worker = self.worker
            how = await worker.ended()
            self._failures = self._failures + 1 if worker.age < YOUNG_SECONDS else 0
            async with self._lock:
                if self.worker is worker:
                    log.error(
                        "worker %d (process %d) ended by itself: %s", self.number, worker.pid, how
                    )
                    self.worker = await self._bring_back()

    async def replace(self) -> None:
        """Let a new worker serve, then let the old one drain.

        Raises:
            WorkerError: There is no new one; the old one goes on.
        """
        async with self._lock:
            old, self.worker = self.worker, await self._start()
        log.info(
            "worker %d: process %d serves, process %d drains", self.number, self.worker.pid, old.pid
        )
        await old.stop()

    async def _bring_back(self) -> Worker:
        while True:
            pause = pause_after(self._failures)
            if pause:
                log.error(
                    "worker %d failed %d times in a row; trying again in %.1f s",
                    self.number,
                    self._failures,
                    pause,
                )
            await asyncio.sleep(pause)
            try:
                worker = await self._start()
            except WorkerError as error:
                self._failures += 1
                log.error("worker %d does not start: %s", self.number, error)
                continue
            log.info("worker %d is back (process %d)", self.number, worker.pid)
            return worker


class Team:
    """All workers of a supervisor. Owns their slots and the tasks that keep them filled."""

    def __init__(self, config: Config, log_level: str) -> None:
        self._config = config
        self._log_level = log_level
        self._slots: list[Slot] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._rolling: asyncio.Task[None] | None = None

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the workers."""
        return tuple(slot.worker.pid for slot in self._slots)

    async def start(self, workers: int) -> None:
        """Start all workers at once.

        Raises:
            WorkerError: One of them can't be had.
        """
        starts = [asyncio.create_task(self._start()) for _ in range(workers)]
        try:
            found = await asyncio.gather(*starts)
        except BaseException:
            await _end_of(*starts)
            for start in starts:
                if not start.cancelled() and start.exception() is None:
                    await start.result().stop()
            raise
        self._slots = [Slot(number, worker, self._start) for number, worker in enumerate(found, 1)]
        self._tasks = [
            asyncio.create_task(slot.keep(), name=f"slot-{slot.number}") for slot in self._slots
        ]

    def restart(self) -> None:
        """Replace the workers one after the other, in a task of its own."""
        if self._rolling is not None and not self._rolling.done():
            log.warning("a rolling restart is going on; not beginning another one")
            return
        self._rolling = asyncio.create_task(self._roll(), name="rolling-restart")

    async def stop(self) -> None:
        """Let all workers drain, and wait until they are gone."""
        await _end_of(*self._tasks, *([self._rolling] if self._rolling else []))
        await asyncio.gather(*[slot.worker.stop() for slot in self._slots])

    async def _start(self) -> Worker:
        return await Worker.start(self._config, self._log_level)

    async def _roll(self) -> None:
        log.info("rolling restart of %d workers", len(self._slots))
        for slot in self._slots:
            try:
                await slot.replace()
            except WorkerError as error:
                log.error(
                    "rolling restart given up at worker %d, the old ones go on: %s",
                    slot.number,
                    error,
                )
                return
        log.info("rolling restart done")


@asynccontextmanager
async def supervised(
    config: Config, workers: int, log_level: str
) -> AsyncIterator[tuple[Running, Team]]:
    """A team of workers that serves until the block is left.

    Raises:
        WorkerError: A worker can't be had.
        ConfigError: The Redis URL can't be read.
        EmbeddedRedisError: A private Redis can't be had.
        StoreUnavailableError: The outside Redis does not answer.
        ListenError: The address can't be listened on.
    """
    async with contextlib.AsyncExitStack() as stack:
        url, shown = await stack.enter_async_context(redis_of(config))
        await probe_redis(url, shown)
        port = stack.enter_context(shared_port(config.host, config.port))
        team = Team(replace(config, redis_url=url, port=port, share_port=True), log_level)
        stack.push_async_callback(team.stop)
        await team.start(workers)
        yield Running(f"{config.host}:{port}", shown), team


async def _end_of(*tasks: asyncio.Task[object]) -> None:
    """Cancel tasks and wait until they have ended, however they do."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

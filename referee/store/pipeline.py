"""Commits that are ready at the same time leave together: one pipeline, one round trip.

While a batch is on its way, whatever comes is gathered for the next one. So a process under load
sends few large batches and an idle one sends each command at once; nothing waits for a timer.

A caller that goes away while its batch is on its way (its deadline passed) only stops listening:
the command was sent, the connection stays good, and a retry with the same request id finds what
became of it.
"""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from redis.asyncio import Redis
from redis.commands.core import AsyncScript
from redis.exceptions import NoScriptError, RedisError

from referee.store.durability import NO_BARRIER, Barrier

MAX_BATCH = 256


class _Call(NamedTuple):
    """A script that waits to be sent."""

    script: AsyncScript
    words: list[Any]
    durable: bool
    future: asyncio.Future[Any]


class ScriptPipeline:
    """Runs scripts in batches. Owns the queue of those that wait and the task that sends them."""

    def __init__(self, redis: Redis, barrier: Barrier = NO_BARRIER) -> None:
        self._redis = redis
        self._barrier = barrier
        self._waiting: list[_Call] = []
        self._task: asyncio.Task[None] | None = None

    async def run(
        self, script: AsyncScript, keys: list[Any], args: list[Any], *, durable: bool
    ) -> Any:
        """The reply of a script; a ``durable`` one stands for a commit that is acknowledged.

        Raises:
            RedisError: As redis-py raises it.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        words = [script.sha, len(keys), *keys, *args]
        self._waiting.append(_Call(script, words, durable, future))
        if self._task is None:
            self._task = loop.create_task(self._send_all(), name="script-pipeline")
        return await future

    async def _send_all(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:MAX_BATCH], self._waiting[MAX_BATCH:]
                await self._send(batch)
        finally:
            self._task = None

    async def _send(self, batch: list[_Call]) -> None:
        """Send a batch and hand out its replies; whatever goes wrong, no caller is left waiting."""
        try:
            replies = await self._round_trip(
                [("EVALSHA", *call.words) for call in batch], self._barrier_of(*batch)
            )
        except (RedisError, OSError) as error:
            replies = [error] * len(batch)
        for call, reply in zip(batch, replies, strict=True):
            answer = reply
            if isinstance(reply, NoScriptError):
                answer = await self._load_and_run(call)
            if call.future.done():
                continue
            if isinstance(answer, Exception):
                call.future.set_exception(answer)
            else:
                call.future.set_result(answer)

    async def _load_and_run(self, call: _Call) -> Any:
        """A Redis that has just started knows no scripts: send the text, then the command again."""
        try:
            load = ("SCRIPT LOAD", call.script.script)
            return (
                await self._round_trip([load, ("EVALSHA", *call.words)], self._barrier_of(call))
            )[1]
        except (RedisError, OSError) as error:
            return error

    async def _round_trip(self, commands: list[tuple[Any, ...]], barrier: Barrier) -> list[Any]:
        """Send commands and a barrier; gives the commands' replies, errors among them."""
        pipeline = self._redis.pipeline(transaction=False)
        for command in (*commands, *barrier.commands):
            pipeline.execute_command(*command)
        return barrier.settle(await pipeline.execute(raise_on_error=False))

    def _barrier_of(self, *calls: _Call) -> Barrier:
        """What has to follow the calls: nothing after those that only read."""
        return self._barrier if any(call.durable for call in calls) else NO_BARRIER

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
from redis.exceptions import NoScriptError, RedisError

from referee.store.connection import BatchConnection, Command, Word
from referee.store.durability import NO_BARRIER, Barrier
from referee.store.scripts import Script

MAX_BATCH = 256
BATCH_SECONDS = 3.0


class _Call(NamedTuple):
    """A script that waits to be sent."""

    script: Script
    command: Command
    durable: bool
    future: asyncio.Future[Any]


class ScriptPipeline:
    """Runs scripts in batches. Owns the queue of those that wait and the task that sends them."""

    def __init__(self, redis: Redis, barrier: Barrier = NO_BARRIER) -> None:
        self._connection = BatchConnection(redis, BATCH_SECONDS)
        self._barrier = barrier
        self._waiting: list[_Call] = []
        self._task: asyncio.Task[None] | None = None

    def run(
        self, script: Script, keys: tuple[str, ...], args: tuple[Word, ...], *, durable: bool
    ) -> Any:
        """A future of the reply of a script; fails with a RedisError, as redis-py raises it.

        A ``durable`` one stands for a commit that is acknowledged.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        command = ("EVALSHA", script.sha, len(keys), *keys, *args)
        self._waiting.append(_Call(script, command, durable, future))
        if self._task is None:
            self._task = loop.create_task(self._send_all(), name="script-pipeline")
        return future

    async def close(self) -> None:
        """Close the connection; for when nothing more will be run."""
        await self._connection.close()

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
                [call.command for call in batch], self._barrier_of(*batch)
            )
        except Exception as error:  # of whatever kind: each caller gets it
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
        load: Command = ("SCRIPT", "LOAD", call.script.text)
        try:
            return (await self._round_trip([load, call.command], self._barrier_of(call)))[1]
        except RedisError as error:
            return error

    async def _round_trip(self, commands: list[Command], barrier: Barrier) -> list[Any]:
        """Send commands and a barrier; gives the commands' replies, errors among them."""
        return barrier.settle(await self._connection.run([*commands, *barrier.commands]))

    def _barrier_of(self, *calls: _Call) -> Barrier:
        """What has to follow the calls: nothing after those that only read."""
        return self._barrier if any(call.durable for call in calls) else NO_BARRIER

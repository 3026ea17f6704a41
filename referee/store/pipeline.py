"""Commits that are ready at the same time leave together: one pipeline, one round trip.

While a batch is on its way, whatever comes is gathered for the next one. So a process under load
sends few large batches and an idle one sends each command at once; nothing waits for a timer.

A caller that goes away while its batch is on its way (its deadline passed) only stops listening:
the command was sent, the connection stays good, and a retry with the same request id finds what
became of it.
"""

from __future__ import annotations

import asyncio
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import NoScriptError, RedisError

from referee.store.connection import BatchConnection, Command, Word
from referee.store.scripts import Script

MAX_BATCH = 256
BATCH_SECONDS = 3.0

Waiting = tuple[Script, Command, asyncio.Future[Any]]


class ScriptPipeline:
    """Runs scripts in batches. Owns the queue of those that wait and the task that sends them."""

    def __init__(self, redis: Redis) -> None:
        self._connection = BatchConnection(redis, BATCH_SECONDS)
        self._waiting: list[Waiting] = []
        self._task: asyncio.Task[None] | None = None

    def run(self, script: Script, keys: tuple[str, ...], args: tuple[Word, ...]) -> Any:
        """A future of the reply of a script; fails with a RedisError, as redis-py raises it."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        command = ("EVALSHA", script.sha, len(keys), *keys, *args)
        self._waiting.append((script, command, future))
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

    async def _send(self, batch: list[Waiting]) -> None:
        """Send a batch and hand out its replies; whatever goes wrong, no caller is left waiting."""
        try:
            replies = await self._connection.run([command for _, command, _ in batch])
        except Exception as error:  # of whatever kind: each caller gets it
            replies = [error] * len(batch)
        for (script, command, future), reply in zip(batch, replies, strict=True):
            answer = reply
            if isinstance(reply, NoScriptError):
                answer = await self._load_and_run(script, command)
            if future.done():
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)

    async def _load_and_run(self, script: Script, command: Command) -> Any:
        """A Redis that has just started knows no scripts: send the text, then the command again."""
        try:
            _, reply = await self._connection.run([("SCRIPT", "LOAD", script.text), command])
        except RedisError as error:
            return error
        return reply

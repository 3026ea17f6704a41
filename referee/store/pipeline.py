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
from redis.commands.core import AsyncScript
from redis.exceptions import NoScriptError, RedisError

MAX_BATCH = 256


class ScriptPipeline:
    """Runs scripts in batches. Owns the queue of those that wait and the task that sends them."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._waiting: list[tuple[AsyncScript, list[Any], asyncio.Future[Any]]] = []
        self._task: asyncio.Task[None] | None = None

    async def run(self, script: AsyncScript, keys: list[Any], args: list[Any]) -> Any:
        """The reply of a script.

        Raises:
            RedisError: As redis-py raises it.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._waiting.append((script, [script.sha, len(keys), *keys, *args], future))
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

    async def _send(self, batch: list[tuple[AsyncScript, list[Any], asyncio.Future[Any]]]) -> None:
        """Send a batch and hand out its replies; whatever goes wrong, no caller is left waiting."""
        pipeline = self._redis.pipeline(transaction=False)
        for _, words, _ in batch:
            pipeline.execute_command("EVALSHA", *words)
        try:
            replies = await pipeline.execute(raise_on_error=False)
        except (RedisError, OSError) as error:
            replies = [error] * len(batch)
        for (script, words, future), reply in zip(batch, replies, strict=True):
            answer = reply
            if isinstance(reply, NoScriptError):
                answer = await self._load_and_run(script, words)
            if future.done():
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)

    async def _load_and_run(self, script: AsyncScript, words: list[Any]) -> Any:
        """A Redis that has just started knows no scripts: send the text, then the command again."""
        try:
            await self._redis.script_load(script.script)
            return await self._redis.evalsha(words[0], words[1], *words[2:])
        except (RedisError, OSError) as error:
            return error

"""How much a reply of Redis promises: nothing leaves before the commits behind it are that safe.

What lives here: the commands that follow a batch of scripts on the same connection, and the reading
of their replies. What must not live here: sending them (``pipeline``).

The commands come after the scripts, never in them: a script can't wait. They begin with a write of
their own, for Redis waits for what *this connection* wrote: a retry that only finds a commit of
another process has written nothing, and would be answered while that commit is still in memory.
A write that comes later covers all that came before it, whoever wrote it.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any

from redis import exceptions
from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError

from referee.config import ConfigError, Durability

# Longer than the second between two fsyncs of `everysec`; two of them are shorter than the 3 s
# after which a silent Redis is taken for lost.
WAIT_MS = 1_400

Command = tuple[str | int, ...]


class NotDurableError(exceptions.TimeoutError):
    """Redis has the commits, but can't say yet that they are as safe as asked for."""


@dataclass(frozen=True, slots=True)
class Barrier:
    """What follows a batch.

    Attributes:
        commands: The commands, the first of which is a write; none where Redis' reply is enough.
    """

    commands: tuple[Command, ...] = ()

    def settle(self, replies: list[Any]) -> list[Any]:
        """Take the barrier's replies off the end; where they say no, no other reply counts."""
        if not self.commands:
            return replies
        first = len(replies) - len(self.commands)
        error = _refusal(self.commands[1:], replies[first + 1 :])
        found: list[Any] = replies[:first]
        if error is None:
            return found
        return [reply if isinstance(reply, Exception) else error for reply in found]


NO_BARRIER = Barrier()


async def barrier_for(redis: Redis, durability: Durability, key: str) -> Barrier:
    """The barrier of a durability, after trying that this Redis can do it.

    Raises:
        ConfigError: It can't.
        RedisError: It does not answer.
    """
    if durability is Durability.MEMORY:
        return NO_BARRIER
    waits: list[Command] = []
    if not await _replies_after_fsync(redis):
        await _require_waitaof(redis)
        waits.append(("WAITAOF", 1, 0, WAIT_MS))
    if durability is Durability.REPLICA:
        waits.append(("WAIT", 1, WAIT_MS))
    return Barrier((("SET", key, "1"), *waits)) if waits else NO_BARRIER


async def _replies_after_fsync(redis: Redis) -> bool:
    """True for a Redis too old for WAITAOF that always replies after the fsync.

    Elsewhere WAITAOF is sent all the same: it costs nothing there, and it goes on telling the truth
    when somebody changes the setting.
    """
    with contextlib.suppress(ResponseError):
        version = str((await redis.info("server"))["redis_version"])
        if tuple(map(int, version.split(".")[:2])) >= (7, 2):
            return False
        found = await redis.config_get("append*")
        return found.get("appendonly") == "yes" and found.get("appendfsync") == "always"
    return False


async def _require_waitaof(redis: Redis) -> None:
    command: Any = redis.execute_command  # redis-py gives it no types
    try:
        await command("WAITAOF", 1, 0, 1)
    except ResponseError as error:
        message = (
            f"This Redis can't tell when a commit is on disk ({error}). Use Redis 7.2 or newer "
            "with `appendonly yes`, or --durability memory."
        )
        raise ConfigError(message) from error


def _refusal(waits: tuple[Command, ...], replies: list[Any]) -> RedisError | None:
    """What to tell the callers instead of their replies, or None when all waits were met."""
    for (name, *_), reply in zip(waits, replies, strict=True):
        if isinstance(reply, RedisError):
            return NotDurableError(f"{name} failed: {reply}")
        confirmed = reply[0] if isinstance(reply, list) else reply
        if int(confirmed) < 1:
            where = "its disk" if name == "WAITAOF" else "a replica"
            return NotDurableError(f"redis has not confirmed commits on {where} in {WAIT_MS} ms")
    return None

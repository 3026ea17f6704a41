"""The Lua scripts of ``scripts/``; each one's header tells its keys, arguments, replies."""

from __future__ import annotations

from importlib import resources

from redis.asyncio import Redis
from redis.commands.core import AsyncScript


def load_script(redis: Redis, name: str) -> AsyncScript:
    """A script by its file's name; sent to Redis once, then called by its digest."""
    text = resources.files("referee.store").joinpath("scripts", f"{name}.lua").read_text()
    return redis.register_script(text)

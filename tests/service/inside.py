"""A referee inside the test's own process, wired as `serve` does it, with settings of the test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from referee._gen.referee.v1.match_service_pb2_grpc import MatchServiceStub
from referee.app import running
from referee.config import Config
from tests.support.api import connected


@asynccontextmanager
async def serving_inside(redis_url: str, **fields: Any) -> AsyncIterator[str]:
    """The address of a referee of its own; ``fields`` are those of Config."""
    config = replace(Config(port=0, grace=0.2, redis_url=redis_url), **fields)
    async with running(config) as up:
        yield up.address


@asynccontextmanager
async def referee_inside(redis_url: str, **fields: Any) -> AsyncIterator[MatchServiceStub]:
    """A connection to a referee of its own; ``fields`` are those of Config."""
    async with serving_inside(redis_url, **fields) as address, connected(address) as stub:
        yield stub

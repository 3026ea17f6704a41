"""Fixtures that many tests share: one referee and one Redis for the whole run; none is mocked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
from redis.asyncio import Redis

from referee._gen.referee.v1.match_service_pb2_grpc import MatchServiceStub
from tests.support.api import connected
from tests.support.processes import RedisProcess, RefereeProcess


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisProcess]:
    """A Redis that outlives every test; tests that stop or kill one start their own."""
    server = RedisProcess(tmp_path_factory.mktemp("redis")).start()
    yield server
    server.stop()


@pytest.fixture
async def redis(redis_server: RedisProcess) -> AsyncIterator[Redis]:
    """A client of the shared Redis, emptied before the test."""
    client: Redis = Redis.from_url(redis_server.url)
    await client.flushall()
    yield client
    await client.aclose()


@pytest.fixture(scope="session")
def referee_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RefereeProcess]:
    """A referee with a private Redis that outlives every test."""
    process = RefereeProcess(tmp_path_factory.mktemp("referee")).start()
    yield process
    assert process.stop() == 0


@pytest.fixture
async def stub(referee_process: RefereeProcess) -> AsyncIterator[MatchServiceStub]:
    """A connection to the shared referee."""
    async with connected(referee_process.address) as found:
        yield found

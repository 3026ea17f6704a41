"""What a receipt promises at each durability, on real Redis servers that are slow or killed.

What one machine can't show is a loss of power: what a process has written survives its death,
fsynced or not. So a disk that is behind is made by telling Redis not to fsync (`appendfsync no`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import grpc
import pytest
from redis.asyncio import Redis
from redis.exceptions import RedisError

from referee.config import ConfigError, Durability
from referee.errors import Reason
from referee.store.durability import Barrier, NotDurableError, barrier_for
from referee.store.embedded import EmbeddedRedis
from tests.service.inside import referee_inside
from tests.support.api import Table, fault_of, open_table
from tests.support.processes import RedisProcess

Start = Callable[..., RedisProcess]


@pytest.fixture
def start(tmp_path) -> Iterator[Start]:
    """Start a Redis with settings of the test; all are stopped after it."""
    started: list[RedisProcess] = []

    def one(**settings: str) -> RedisProcess:
        started.append(RedisProcess(tmp_path / f"redis-{len(started)}", **settings))
        return started[-1].start()

    yield one
    for server in started:
        server.stop()


async def first_legal(table: Table) -> str:
    return (await table.legal(0))[0]


async def configure(server: RedisProcess, name: str, value: str) -> None:
    client: Redis = Redis.from_url(server.url)
    await client.config_set(name, value)
    await client.aclose()


# --- disk ---------------------------------------------------------------------------------------


async def test_memory_answers_when_redis_has_accepted(start):
    server = start(appendfsync="no")
    async with referee_inside(server.url) as stub:
        table = await open_table(stub, "yoxii")
        assert 10 == len(await table.play(10, Random(1)))


async def test_disk_keeps_the_receipt_back_until_the_fsync_and_the_retry_finds_the_commit(start):
    server = start(appendfsync="always")
    async with referee_inside(server.url, durability=Durability.DISK) as stub:
        table = await open_table(stub, "yoxii")
        text = await first_legal(table)
        await configure(server, "appendfsync", "no")
        fault = await fault_of(table.submit(0, text, request_id="r1"))
        assert (grpc.StatusCode.UNAVAILABLE, Reason.STORE_UNAVAILABLE) == (fault.code, fault.reason)
        assert table.match.version + 1 == (await table.now()).version
        await configure(server, "appendfsync", "always")
        answer = await table.submit(0, text, request_id="r1")
        assert ("r1", table.match.version + 1) == (
            answer.receipt.request_id,
            answer.receipt.event.version,
        )
        assert table.match.version + 1 == (await table.now()).version


async def test_a_retry_waits_too_for_a_commit_that_another_process_made(start):
    server = start(appendfsync="always")
    async with (
        referee_inside(server.url) as hasty,
        referee_inside(server.url, durability=Durability.DISK) as careful,
    ):
        table = await open_table(hasty, "yoxii")
        text = await first_legal(table)
        await configure(server, "appendfsync", "no")
        first = await table.submit(0, text, request_id="r1")
        table.stub = careful
        fault = await fault_of(table.submit(0, text, request_id="r1"))
        assert Reason.STORE_UNAVAILABLE == fault.reason
        await configure(server, "appendfsync", "always")
        assert first.receipt == (await table.submit(0, text, request_id="r1")).receipt


async def test_reading_does_not_wait_for_the_disk(start):
    server = start(appendfsync="no")
    async with (
        referee_inside(server.url) as hasty,
        referee_inside(server.url, durability=Durability.DISK) as careful,
    ):
        table = await open_table(hasty, "yoxii")
        table.stub = careful
        begin = time.monotonic()
        assert table.match == await table.now()
        assert await table.legal(0)
        assert time.monotonic() - begin < 1.0


@pytest.mark.parametrize("durability", [Durability.MEMORY, Durability.DISK])
async def test_a_killed_redis_that_fsyncs_every_second_has_what_was_acknowledged_at_disk(
    start, durability
):
    server = start(appendfsync="everysec")
    async with referee_inside(server.url, durability=durability) as stub:
        table = await open_table(stub, "yoxii")
        answers = await table.play(2, Random(2))
        server.kill()
        server.start()
        record = await _record_when_back(table)
    versions = [event.version for event in record.events]
    assert list(range(1, len(versions) + 1)) == versions
    acknowledged = answers[-1].receipt.event.version
    # At memory a slow disk may cost the last ones; what is left is whole all the same.
    assert acknowledged == len(versions) or durability is Durability.MEMORY


async def _record_when_back(table: Table):
    """The record, once Redis has loaded its file."""
    async with asyncio.timeout(20):
        while True:
            with contextlib.suppress(grpc.aio.AioRpcError):
                return await table.record()
            await asyncio.sleep(0.02)


async def test_a_redis_without_an_append_only_file_can_not_be_asked_for_disk(start):
    server = start(appendonly="no")
    with pytest.raises(ConfigError, match="can't tell when a commit is on disk"):
        async with referee_inside(server.url, durability=Durability.DISK):
            raise AssertionError


@pytest.mark.parametrize(
    ("durability", "fsync"),
    [(Durability.MEMORY, "everysec"), (Durability.DISK, "always"), (Durability.REPLICA, "always")],
)
async def test_a_private_redis_fsyncs_as_its_durability_needs(tmp_path, durability, fsync):
    server = EmbeddedRedis(tmp_path / "data", durability)
    await server.start()
    client: Redis = Redis.from_url(server.url)
    assert {"appendfsync": fsync} == await client.config_get("appendfsync")
    await client.aclose()
    await server.stop()


async def test_a_private_redis_that_is_killed_comes_back_with_its_data(tmp_path):
    server = EmbeddedRedis(Path(tmp_path / "data"), Durability.DISK)
    await server.start()
    client: Redis = Redis.from_url(server.url)
    await client.set("key", "value")
    killed = server.pid
    os.kill(killed, signal.SIGKILL)
    value = None
    async with asyncio.timeout(20):
        while server.pid == killed or value is None:
            await asyncio.sleep(0.02)
            with contextlib.suppress(RedisError):
                value = await client.get("key")
    assert b"value" == value
    await client.aclose()
    await server.stop()


# --- replica ------------------------------------------------------------------------------------


async def with_replica(start: Start) -> tuple[RedisProcess, RedisProcess]:
    """A primary, and a replica that has caught up."""
    primary = start(appendfsync="always", repl_diskless_sync_delay="0")
    replica = start(replicaof=f"127.0.0.1 {primary.port}")
    await caught_up(replica)
    return primary, replica


async def caught_up(replica: RedisProcess) -> None:
    """Wait until a replica has what its primary has, and has written its first file of it."""
    client: Redis = Redis.from_url(replica.url)
    there = False
    async with asyncio.timeout(30):
        while not there:
            await asyncio.sleep(0.02)
            with contextlib.suppress(RedisError):
                link = (await client.info("replication"))["master_link_status"]
                writing = (await client.info("persistence"))["aof_rewrite_in_progress"]
                there = (link, writing) == ("up", 0)
    await client.aclose()


async def promote(replica: RedisProcess) -> None:
    """Make a replica a primary, as a failover does."""
    client: Redis = Redis.from_url(replica.url)
    promoted = False
    async with asyncio.timeout(30):
        while not promoted:
            with contextlib.suppress(RedisError):
                promoted = bool(await client.replicaof("NO", "ONE"))
    await client.aclose()


async def after_failover(primary: RedisProcess, replica: RedisProcess, table: Table) -> int:
    """Kill the primary, promote the replica; gives the version that the match has there."""
    primary.kill()
    await promote(replica)
    async with referee_inside(replica.url) as stub:
        table.stub = stub
        return (await table.now()).version


@pytest.mark.parametrize("durability", [Durability.MEMORY, Durability.DISK])
async def test_without_a_replica_s_word_a_failover_loses_what_the_replica_had_not_received(
    start, durability
):
    primary, replica = await with_replica(start)
    async with referee_inside(primary.url, durability=durability) as stub:
        table = await open_table(stub, "yoxii")
        await table.play(2, Random(1))
        client: Redis = Redis.from_url(primary.url)
        await client.set("marker", 1)
        assert 1 == await client.wait(1, 5000)
        await client.aclose()
        replica.kill()
        answers = await table.play(3, Random(1))
    assert table.match.version + 5 == answers[-1].receipt.event.version
    primary.kill()
    replica.start()
    assert table.match.version + 2 == await after_failover(primary, replica, table)


async def test_replica_acknowledges_nothing_that_a_failover_would_lose(start):
    primary, replica = await with_replica(start)
    async with referee_inside(primary.url, durability=Durability.REPLICA) as stub:
        table = await open_table(stub, "yoxii")
        await table.play(2, Random(1))
        replica.kill()
        mover = await table.to_move()
        text = (await table.legal(mover))[0]
        fault = await fault_of(table.submit(mover, text, request_id="r1"))
        assert Reason.STORE_UNAVAILABLE == fault.reason
        replica.start()
        await caught_up(replica)
        answer = await table.submit(mover, text, request_id="r1")
        assert table.match.version + 3 == answer.receipt.event.version
        await table.play(2, Random(1))
    assert table.match.version + 5 == await after_failover(primary, replica, table)


async def test_replica_takes_nothing_while_there_is_none(start):
    server = start()
    async with referee_inside(server.url, durability=Durability.REPLICA) as stub:
        assert Reason.STORE_UNAVAILABLE == (await fault_of(open_table(stub, "yoxii"))).reason


# --- the barrier --------------------------------------------------------------------------------


async def test_a_barrier_begins_with_a_write_of_its_own(redis):
    found = [await barrier_for(redis, durability, "key") for durability in Durability]
    assert [(), ("SET", "WAITAOF"), ("SET", "WAITAOF", "WAIT")] == [
        tuple(command[0] for command in barrier.commands) for barrier in found
    ]


async def test_a_barrier_that_is_not_met_takes_every_good_reply_back(redis):
    barrier = await barrier_for(redis, Durability.REPLICA, "key")
    bad = ValueError("of the script's own")
    assert [1, bad] == barrier.settle([1, bad, True, [1, 0], 1])
    for replies in ([True, [0, 0], 1], [True, [1, 0], 0]):
        first, second = barrier.settle([1, bad, *replies])
        assert (NotDurableError, bad) == (type(first), second)
    assert [1, 2] == Barrier().settle([1, 2])

"""A process that is told to stop: what it says, what it lets finish, and when it is gone."""

from __future__ import annotations

import asyncio
import signal
import time
from random import Random
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.errors import Reason
from tests.support.api import connected, fault_of, next_event, open_table
from tests.support.processes import RedisProcess, RefereeProcess

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
UNKNOWN = health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
NAMES = ("", "referee.v1.MatchService")


def health_stub(channel: grpc.aio.Channel) -> Any:
    """A stub of the health service, whose methods the types don't know."""
    stub: Any = health_pb2_grpc.HealthStub
    return stub(channel)


async def test_health_names_the_services_and_no_other(referee_process):
    async with grpc.aio.insecure_channel(referee_process.address) as channel:
        health = health_stub(channel)
        for name in NAMES:
            answer = await health.Check(health_pb2.HealthCheckRequest(service=name))
            assert SERVING == answer.status
        nobody = health_pb2.HealthCheckRequest(service="nobody")
        fault = await fault_of(health.Check(nobody))
        assert grpc.StatusCode.NOT_FOUND == fault.code
        assert UNKNOWN == (await health.Watch(nobody).read()).status


async def test_health_says_so_when_redis_is_lost_and_when_it_is_back(tmp_path):
    redis = RedisProcess(tmp_path / "redis").start()
    process = RefereeProcess(tmp_path / "referee", redis_url=redis.url).start()
    async with grpc.aio.insecure_channel(process.address) as channel:
        watch = health_stub(channel).Watch(health_pb2.HealthCheckRequest())
        assert SERVING == (await watch.read()).status
        redis.kill()
        assert NOT_SERVING == (await watch.read()).status
        redis.start()
        assert SERVING == (await watch.read()).status
    assert 0 == process.stop()
    redis.stop()


async def test_health_turns_to_not_serving_and_its_watches_end_without_using_up_the_grace(
    tmp_path, redis_server
):
    options = ("--grace", "30")
    process = RefereeProcess(tmp_path, *options, redis_url=redis_server.url).start()
    async with grpc.aio.insecure_channel(process.address) as channel:
        watches = [
            health_stub(channel).Watch(health_pb2.HealthCheckRequest(service=name))
            for name in NAMES
        ]
        assert [SERVING] * 2 == [(await watch.read()).status for watch in watches]
        begin = time.monotonic()
        process.signal(signal.SIGTERM)
        assert [NOT_SERVING] * 2 == [(await watch.read()).status for watch in watches]
        codes = [(await fault_of(watch.read())).code for watch in watches]
    assert [grpc.StatusCode.UNAVAILABLE] * 2 == codes
    assert 0 == process.wait()
    assert time.monotonic() - begin < 10


async def test_a_stream_ends_with_the_version_to_go_on_from_and_goes_on_elsewhere(
    tmp_path, redis_server
):
    leaving = RefereeProcess(tmp_path / "a", redis_url=redis_server.url).start()
    staying = RefereeProcess(tmp_path / "b", redis_url=redis_server.url).start()
    async with connected(leaving.address) as stub, connected(staying.address) as other:
        table = await open_table(stub, "yoxii")
        await table.play(4, Random(1))
        reader, idle = table.watch(0), table.watch(after=7)
        assert list(range(1, 8)) == [(await next_event(reader)).version for _ in range(7)]
        await asyncio.sleep(0.5)  # nothing tells that an idle stream has begun
        leaving.signal(signal.SIGTERM)
        for stream in (reader, idle):
            fault = await fault_of(next_event(stream))
            assert (grpc.StatusCode.UNAVAILABLE, Reason.DRAINING) == (fault.code, fault.reason)
            assert "7" == fault.metadata["last_version"]
        assert 0 == leaving.wait()
        table.stub = other
        await table.play(2, Random(2))
        stream = table.watch(0, after=int(fault.metadata["last_version"]))
        assert [8, 9] == [(await next_event(stream)).version for _ in range(2)]
        stream.cancel()
    assert 0 == staying.stop()


async def test_a_call_in_flight_finishes_while_new_ones_are_refused(tmp_path):
    redis = RedisProcess(tmp_path / "redis").start()
    process = RefereeProcess(tmp_path / "referee", redis_url=redis.url).start()
    async with connected(process.address) as stub, connected(process.address) as late:
        table = await open_table(stub, "yoxii")
        text = (await table.legal(0))[0]
        await late.ListGames(pb.ListGamesRequest())
        redis.pause()
        call = asyncio.create_task(table.submit(0, text, request_id="in-flight"))
        await asyncio.sleep(0.3)
        process.signal(signal.SIGTERM)
        await asyncio.sleep(0.3)
        refused = await fault_of(late.ListGames(pb.ListGamesRequest()))
        stream = late.WatchMatch(pb.WatchMatchRequest(match_id=table.match_id))
        no_stream = await fault_of(stream.read())
        assert [grpc.StatusCode.UNAVAILABLE] * 2 == [refused.code, no_stream.code]
        redis.resume()
        answer = await call
    assert ("in-flight", 4) == (answer.receipt.request_id, answer.receipt.event.version)
    assert 0 == process.wait()
    redis.stop()


async def test_a_call_that_never_ends_is_cut_off_when_the_grace_is_over(tmp_path):
    redis = RedisProcess(tmp_path / "redis").start()
    options = ("--grace", "0.5")
    process = RefereeProcess(tmp_path / "referee", *options, redis_url=redis.url).start()
    async with connected(process.address) as stub:
        table = await open_table(stub, "yoxii")
        text = (await table.legal(0))[0]
        redis.pause()
        call = asyncio.create_task(fault_of(table.submit(0, text, request_id="stuck")))
        await asyncio.sleep(0.3)
        begin = time.monotonic()
        process.signal(signal.SIGTERM)
        assert (await call).code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)
    assert 0 == process.wait()
    assert time.monotonic() - begin < 6
    redis.stop()

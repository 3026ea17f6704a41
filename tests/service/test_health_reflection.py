"""What operators and tools ask a running referee: is it well, and what does it serve."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

from referee._gen.referee.v1 import match_service_pb2 as pb
from tests.support.api import connected, open_table
from tests.support.processes import RedisProcess, RefereeProcess

SERVICE = "referee.v1.MatchService"
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


async def until_health_is(stub: Any, status: Any, service: str = "") -> float:
    """Wait for a health; gives the seconds that it took."""
    start = time.monotonic()
    async with asyncio.timeout(10):
        while True:
            answer = await stub.Check(health_pb2.HealthCheckRequest(service=service))
            if answer.status == status:
                return time.monotonic() - start
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("service", ["", SERVICE])
async def test_a_referee_that_is_up_serves(referee_process, service):
    async with grpc.aio.insecure_channel(referee_process.address) as channel:
        await until_health_is(health_pb2_grpc.HealthStub(channel), SERVING, service)


async def test_a_service_that_is_not_there_has_no_health(referee_process):
    async with grpc.aio.insecure_channel(referee_process.address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.Check(health_pb2.HealthCheckRequest(service="nothing"))
    assert grpc.StatusCode.NOT_FOUND == caught.value.code()


async def test_without_redis_it_does_not_serve_and_with_redis_it_does_again(tmp_path):
    redis = RedisProcess(tmp_path / "redis").start()
    process = RefereeProcess(tmp_path / "referee", redis_url=redis.url).start()
    async with (
        grpc.aio.insecure_channel(process.address) as channel,
        connected(process.address) as stub,
    ):
        health = health_pb2_grpc.HealthStub(channel)
        await until_health_is(health, SERVING)
        table = await open_table(stub, "yoxii")
        redis.kill()
        assert 3 > await until_health_is(health, NOT_SERVING)
        await until_health_is(health, NOT_SERVING, SERVICE)
        redis.start()
        assert 3 > await until_health_is(health, SERVING)
        # The new Redis knows no scripts, and every match.
        response = await table.submit(0, "d5/1@d6")
        assert 4 == response.receipt.event.version
    assert 0 == process.stop()
    assert "redis is lost" in process.printed()
    assert "redis is back" in process.printed()
    redis.stop()


async def test_health_says_so_the_moment_the_process_is_told_to_stop(tmp_path, redis_server):
    process = RefereeProcess(tmp_path, "--grace", "1", redis_url=redis_server.url).start()
    async with grpc.aio.insecure_channel(process.address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        stream = stub.Watch(health_pb2.HealthCheckRequest(service=SERVICE))
        async for message in stream:
            if message.status == SERVING:
                break
        stopping = asyncio.create_task(asyncio.to_thread(process.stop))
        assert [NOT_SERVING] == [(await anext(aiter(stream))).status]
        assert 0 == await stopping


def test_reflection_lists_the_services_and_describes_them(referee_process):
    with grpc.insecure_channel(referee_process.address) as channel:
        database = ProtoReflectionDescriptorDatabase(channel)
        assert {
            SERVICE,
            "grpc.health.v1.Health",
            "grpc.reflection.v1alpha.ServerReflection",
        } == set(database.get_services())
        found = DescriptorPool(database).FindServiceByName(SERVICE)
        ours = pb.DESCRIPTOR.services_by_name["MatchService"]
        assert [one.name for one in ours.methods] == [one.name for one in found.methods]
        xisk = DescriptorPool(database).FindMessageTypeByName("xisk.v1.Action")
        assert "attack" in xisk.fields_by_name


@pytest.mark.parametrize("name", ["ErrorInfo", "BadRequest", "RetryInfo"])
def test_reflection_describes_the_details_of_errors(referee_process, name):
    with grpc.insecure_channel(referee_process.address) as channel:
        pool = DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
        assert f"google.rpc.{name}" == pool.FindMessageTypeByName(f"google.rpc.{name}").full_name

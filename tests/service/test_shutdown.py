"""SIGTERM: what is in flight finishes, streams are told to go on elsewhere, the exit code is 0."""

from __future__ import annotations

import asyncio
import signal
import time

import grpc

from tests.support.api import connected, fault_of, next_event, open_table, read_to_fault
from tests.support.processes import RedisProcess, RefereeProcess


async def test_a_call_in_flight_finishes_and_is_kept(tmp_path):
    redis = RedisProcess(tmp_path / "redis").start()
    process = RefereeProcess(tmp_path / "referee", redis_url=redis.url).start()
    async with connected(process.address) as stub:
        table = await open_table(stub, "yoxii")
        redis.pause()
        call = asyncio.ensure_future(table.submit(0, "d5/1@d6", request_id="a"))
        await asyncio.sleep(0.2)
        process.signal(signal.SIGTERM)
        await asyncio.sleep(0.3)
        redis.resume()
        response = await call
    assert 4 == response.receipt.event.version
    assert 0 == process.wait()
    process = RefereeProcess(tmp_path / "referee", redis_url=redis.url).start()
    async with connected(process.address) as stub:
        table.stub = stub
        again = await table.submit(0, "d5/1@d6", request_id="a")
        assert response.SerializeToString() == again.SerializeToString()
    assert 0 == process.stop()
    redis.stop()


async def test_every_stream_is_told_and_the_process_ends_well_within_its_grace(
    tmp_path, redis_server
):
    process = RefereeProcess(tmp_path, "--grace", "20", redis_url=redis_server.url).start()
    async with connected(process.address) as stub:
        table = await open_table(stub, "yoxii")
        streams = [table.watch(after=after) for after in (0, 1, 2)]
        for stream in streams:
            assert 3 >= (await next_event(stream)).version
        process.signal(signal.SIGTERM)
        start = time.monotonic()
        for stream in streams:
            messages, fault = await read_to_fault(stream)
            assert all(message.event.version <= 3 for message in messages)
            assert (grpc.StatusCode.UNAVAILABLE, "DRAINING") == (fault.code, fault.reason)
        assert 0 == process.wait()
        assert 5 > time.monotonic() - start
        assert grpc.StatusCode.UNAVAILABLE == (await fault_of(table.now())).code


async def test_a_process_without_callers_stops_at_once(tmp_path, redis_server):
    process = RefereeProcess(tmp_path, redis_url=redis_server.url).start()
    start = time.monotonic()
    assert 0 == process.stop()
    assert 5 > time.monotonic() - start
    assert "Stopping" in process.printed()
    assert "Traceback" not in process.printed()


async def test_ctrl_c_stops_it_as_well_as_sigterm(tmp_path):
    process = RefereeProcess(tmp_path).start()
    process.signal(signal.SIGINT)
    assert 0 == process.wait()
    assert "Traceback" not in process.printed()

"""How Play streams end, and what they leave behind: nothing."""

from __future__ import annotations

import asyncio
import gc
import signal
from random import Random
from typing import Any

import grpc
import pytest

from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.config import Limits
from referee.errors import Reason
from referee.service.play.stream import PlayStream
from tests.service.inside import referee_inside, serving_inside
from tests.support.api import Fault, Table, connected, fault_of, open_table
from tests.support.play import Line, follow, submit
from tests.support.processes import RefereeProcess

OPENING = "d5/1@d6"
# Without these a client's gRPC takes megabytes before anybody reads them.
NARROW = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 65_535))


async def end_of(line: Line) -> Fault:
    """Read a stream to its end, which must be an error."""
    return await fault_of(line.rest())


def tasks_of_streams() -> list[str]:
    """Names of the tasks that streams and followers of this process have."""
    names = [task.get_name() for task in asyncio.all_tasks()]
    return [name for name in names if name.startswith(("play-", "follow-"))]


async def channels(redis) -> list[bytes]:
    """Channels of matches that somebody follows."""
    return [name for name in await redis.execute_command("PUBSUB", "SHARDCHANNELS") if b"{" in name]


async def eventually(condition) -> None:
    """Wait until something holds."""
    for _ in range(500):
        if await condition():
            return
        await asyncio.sleep(0.02)
    raise AssertionError(tasks_of_streams())


async def streams_are_open() -> bool:
    return bool(tasks_of_streams())


async def ask_too_much(line: Line, table: Table) -> None:
    """Ask for more than what waits on the way and in the queue, and read nothing."""
    seat = await table.to_move()
    wanted = {"include_observation": True, "include_legal_actions": True, "request_id": "one"}
    one = submit(table, seat, (await table.legal(seat))[0], **wanted)
    await line.send(follow(table, seat))
    for _ in range(50):
        await line.send(*[one] * 200)


async def is_clean(redis) -> bool:
    return not tasks_of_streams() and not await channels(redis)


# --- the client's end --------------------------------------------------------------------------


async def test_all_results_are_sent_when_the_client_has_said_all(stub):
    tables = [await open_table(stub, "yoxii") for _ in range(40)]
    line = Line(stub)
    for table in tables:
        await line.send(follow(table, 0, without_events=True), submit(table, 0, OPENING))
    await line.call.done_writing()
    updates = await line.rest()
    assert {table.match_id for table in tables} == {
        update.submit_result.match_id
        for update in updates
        if update.submit_result.HasField("receipt")
    }
    assert 80 == len(updates)
    assert grpc.StatusCode.OK == await line.call.code()


async def test_a_stream_without_a_word_ends_when_the_client_has_said_nothing(stub):
    line = Line(stub)
    await line.call.done_writing()
    assert [] == await line.rest()
    assert grpc.StatusCode.OK == await line.call.code()


async def test_nothing_is_left_of_streams_that_were_cancelled_or_whose_client_died(
    redis_server, redis
):
    async with referee_inside(redis_server.url) as stub:
        tables = [await open_table(stub, "yoxii") for _ in range(20)]
        lines = [Line(stub) for _ in range(10)]
        for line in lines:
            await line.send(*[follow(table, 0) for table in tables])
            await line.until("played")
            await line.send(*[submit(table, 0, OPENING, request_id="one") for table in tables])
        assert 20 == len(await channels(redis))
        for line in lines:
            line.call.cancel()
        await eventually(lambda: is_clean(redis))
        assert [4] * 20 == [(await table.now()).version for table in tables]


async def test_two_hundred_streams_leave_no_object_behind(redis_server, redis):
    async def none_is_alive() -> bool:
        gc.collect()
        return not any(isinstance(one, PlayStream) for one in gc.get_objects())

    async with referee_inside(redis_server.url) as stub:
        table = await open_table(stub, "yoxii")
        await table.play(4, Random(1))
        for number in range(200):
            line = Line(stub)
            await line.send(follow(table, 0), submit(table, 0, OPENING))
            await line.until("submit_result")
            if number % 2:
                await line.call.done_writing()
                await line.rest()
            else:
                line.call.cancel()
        await eventually(lambda: is_clean(redis))
        await eventually(none_is_alive)


# --- bad frames --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "frame",
    [b"\xff\xff\xff", b"\x0a\x05ab", b"\x0a\xff\xff\xff\xff\x0f"],
    ids=["no message", "cut short", "too long a length"],
)
async def test_a_frame_that_is_no_message_ends_its_stream_and_no_other(
    referee_process, stub, frame
):
    other = Line(stub)
    options = [("grpc.use_local_subchannel_pool", 1)]
    async with grpc.aio.insecure_channel(referee_process.address, options=options) as channel:
        call: Any = channel.stream_stream("/referee.v1.MatchService/Play")()
        await call.write(frame)
        fault = await fault_of(call.read())
    assert (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST") == (fault.code, fault.reason)
    table = await open_table(stub, "yoxii")
    await other.send(follow(table, 0, after=3))
    await other.get("subscribed")
    other.call.cancel()


async def test_a_frame_takes_so_many_commands_and_no_more(stub):
    line = Line(stub)
    await line.send(*[pb.PlayCommand()] * 256)
    for _ in range(256):
        assert "command" == (await line.get("failure")).metadata["field"]
    await line.send(*[pb.PlayCommand()] * 257)
    fault = await end_of(line)
    assert (grpc.StatusCode.INVALID_ARGUMENT, ("commands",)) == (fault.code, fault.fields)


async def test_a_frame_that_is_too_large_is_refused(stub):
    line = Line(stub)
    await line.send(pb.PlayCommand(submit=pb.Submit(request_id="x" * 70_000)))
    assert grpc.StatusCode.RESOURCE_EXHAUSTED == (await end_of(line)).code


async def test_a_thousand_submits_without_reading_are_all_answered(stub):
    table = await open_table(stub, "yoxii")
    line = Line(stub)
    await line.send(follow(table, 0, without_events=True))
    one = submit(table, 0, OPENING, request_id="one", include_observation=True)
    for _ in range(10):
        await line.send(*[one] * 100)
    await line.get("subscribed")
    for _ in range(1000):
        assert 4 == (await line.get("submit_result")).receipt.event.version
    line.call.cancel()


# --- slow readers ------------------------------------------------------------------------------


async def test_a_client_that_does_not_read_is_cut_off_and_slows_nobody(redis_server, redis):
    limits = Limits(queue_updates=2000, stall=1.0)
    async with (
        serving_inside(redis_server.url, limits=limits, heartbeat=0.2) as address,
        connected(address) as stub,
        connected(address, *NARROW) as narrow,
    ):
        table, other = await open_table(stub, "yoxii"), await open_table(stub, "yoxii")
        await table.play(20, Random(2))
        slow, quick = Line(narrow), Line(stub)
        flood = asyncio.create_task(ask_too_much(slow, table))
        await quick.send(*[follow(other, seat, after=3) for seat in (0, 1)])
        await quick.get("subscribed")
        await quick.get("subscribed")
        random, took = Random(3), []
        loop = asyncio.get_running_loop()
        for _ in range(15):
            seat = await other.to_move()
            began = loop.time()
            await quick.send(submit(other, seat, random.choice(await other.legal(seat))))
            assert (await quick.until("submit_result")).HasField("receipt")
            took.append(loop.time() - began)
            await asyncio.sleep(0.1)
        assert max(took) < 1.0
        fault = await end_of(slow)
        await asyncio.gather(flood, return_exceptions=True)
        quick.call.cancel()
        assert (grpc.StatusCode.UNAVAILABLE, Reason.SLOW_READER) == (fault.code, fault.reason)
        assert 0.5 == fault.retry_after
        assert "last versions" in fault.message
        await eventually(lambda: is_clean(redis))


async def test_a_client_that_never_reads_again_leaves_nothing_behind(redis_server, redis):
    limits = Limits(queue_updates=2000, stall=0.5)
    async with (
        serving_inside(redis_server.url, limits=limits, heartbeat=0.1) as address,
        connected(address, *NARROW) as stub,
    ):
        table = await open_table(stub, "yoxii")
        await table.play(20, Random(2))
        line = Line(stub)
        flood = asyncio.create_task(ask_too_much(line, table))
        await eventually(streams_are_open)
        await eventually(lambda: is_clean(redis))
        line.call.cancel()
        await asyncio.gather(flood, return_exceptions=True)


# --- the referee's end -------------------------------------------------------------------------


async def test_a_drain_ends_streams_with_its_reason(tmp_path, redis_server):
    process = RefereeProcess(tmp_path, redis_url=redis_server.url).start()
    async with connected(process.address) as stub:
        table = await open_table(stub, "yoxii")
        lines = [Line(stub) for _ in range(5)]
        for line in lines:
            await line.send(follow(table, 0, after=3))
            await line.get("subscribed")
        process.signal(signal.SIGTERM)
        for line in lines:
            fault = await end_of(line)
            assert (grpc.StatusCode.UNAVAILABLE, Reason.DRAINING) == (fault.code, fault.reason)
    assert 0 == process.wait()
    assert "Traceback" not in process.printed()

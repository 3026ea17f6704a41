"""Several processes on one port: started, replaced, restarted one by one, stopped, killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

import grpc
import pytest

from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.workers.supervisor import LONGEST_PAUSE, pause_after
from tests.history.checker import check
from tests.history.clients import World, connections
from tests.history.history import Outcome
from tests.history.traffic import run
from tests.support.api import connected, open_table
from tests.support.processes import RedisProcess, RefereeProcess, command_of, free_port

SECONDS = 30.0


async def until(true: Callable[[], bool]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < end, "it did not come true"
        await asyncio.sleep(0.02)


Launch = Callable[..., RefereeProcess]


@pytest.fixture
def launch(tmp_path) -> Iterator[Launch]:
    """Start a referee; whatever the test leaves running is stopped."""
    started: list[RefereeProcess] = []

    def start(*arguments: str, redis_url: str = "") -> RefereeProcess:
        folder = tmp_path / f"referee-{len(started)}"
        started.append(RefereeProcess(folder, *arguments, redis_url=redis_url))
        return started[-1].start()

    yield start
    for process in started:
        process.stop()


@pytest.fixture
def own_redis(tmp_path) -> Iterator[RedisProcess]:
    """A Redis that the test may kill."""
    server = RedisProcess(tmp_path / "redis").start()
    yield server
    server.stop()


def alive(pid: int) -> bool:
    """True while a process runs; one that has ended and is not yet waited for does not."""
    return command_of(pid) != ""


def private_redis(process: RefereeProcess) -> int:
    """Process id of a referee's private Redis."""
    return int((process.folder / "data/redis.pid").read_text())


async def addresses_answer(process: RefereeProcess, count: int = 8) -> None:
    """New connections are answered, whichever worker they lead to."""
    async with AsyncExitStack() as stack:
        for _ in range(count):
            stub = await stack.enter_async_context(connected(process.address))
            assert 2 == len(
                (await stub.ListGames(pb.ListGamesRequest(), wait_for_ready=True)).games
            )


def refused(*arguments: str) -> str:
    """What `serve` says when it can't start."""
    command = [sys.executable, "-m", "referee", "serve", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert 1 == done.returncode, done.stderr
    return done.stderr


async def test_a_free_port_is_shared_by_all_workers_and_each_of_them_answers(launch):
    process = launch("--workers", "3")
    workers = process.workers()
    assert 3 == len(workers)
    printed = process.printed()
    assert printed.startswith(f"The referee listens on {process.address}\n")
    assert f"3 workers share the port (processes {', '.join(map(str, workers))})" in printed
    listening: set[int] = set()
    async with AsyncExitStack() as stack:
        for _ in range(40):
            stub = await stack.enter_async_context(connected(process.address))
            await stub.ListGames(pb.ListGamesRequest())
        port = int(process.address.rpartition(":")[2])
        listening = {pid for pid in workers if _connections(pid, port)}
    assert set(workers) == listening
    assert 0 == process.stop()
    assert [] == [pid for pid in workers if alive(pid)]


def _connections(pid: int, port: int) -> int:
    """Number of connections to a port that a process has accepted."""
    inodes = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if int(fields[1].rpartition(":")[2], 16) == port and fields[3] == "01":
                inodes.add(f"socket:[{fields[9]}]")
    return sum(str(fd.readlink()) in inodes for fd in Path(f"/proc/{pid}/fd").iterdir())


async def test_a_killed_worker_comes_back_and_the_others_go_on(launch):
    process = launch("--workers", "2")
    async with connected(process.address) as stub:
        table = await open_table(stub, "yoxii")
    first, second = process.workers()
    os.kill(first, signal.SIGKILL)
    await until(lambda: len(process.workers()) == 2 and first not in process.workers())
    assert second in process.workers()
    await until(lambda: "worker 1 is back" in process.printed())
    lines = [json.loads(line) for line in process.printed().splitlines() if line[:1] == "{"]
    ends = [line for line in lines if "ended" in line["message"]]
    told = {"logger": "referee.workers.supervisor", "pid": process.pid, "level": "error"}
    told["message"] = f"worker 1 (process {first}) ended by itself: SIGKILL"
    assert [told] == [{key: line[key] for key in told} for line in ends]
    await addresses_answer(process)
    async with connected(process.address) as stub:
        table.stub = stub
        assert 4 == len(await table.play(4, Random(1)))
    assert 0 == process.stop()


def test_the_pause_before_the_next_try_grows_to_a_limit():
    pauses = [pause_after(failures) for failures in range(12)]
    assert [0.0, 0.0, 0.2, 0.4, 0.8, 1.6, 3.2] == pauses[:7]
    assert [LONGEST_PAUSE] * 5 == pauses[7:]
    assert LONGEST_PAUSE == pause_after(10**6)


async def test_workers_that_cannot_live_are_tried_later_and_later_and_come_back(launch, own_redis):
    process = launch("--workers", "2", redis_url=own_redis.url)
    own_redis.kill()
    for pid in process.workers():
        os.kill(pid, signal.SIGKILL)
    await until(lambda: "failed 3 times in a row; trying again in 0.4 s" in process.printed())
    assert "worker 1 does not start: No Redis answers at redis://" in process.printed()
    own_redis.start()
    await until(lambda: process.printed().count("is back") == 2)
    await addresses_answer(process)
    assert 0 == process.stop()


async def test_a_rolling_restart_under_load_loses_nothing_and_shows_nothing_but_retries(
    launch, redis_server
):
    process = launch("--workers", "2", "--grace", "5", redis_url=redis_server.url)
    before = process.workers()

    async def restart(world: World) -> None:
        for actions in (150, 300):
            await world.reached(actions)
            done = process.printed().count("rolling restart done")
            process.signal(signal.SIGHUP)
            await until(lambda: process.printed().count("rolling restart done") > done)  # noqa: B023 - awaited here

    async with connections([process.address], 6) as stubs:
        history = await run(stubs, 450, tables=8, trouble=restart)
    after = process.workers()
    assert 0 == process.stop()
    assert 2 == len(after)
    assert not set(before) & set(after)
    assert [] == list(map(str, check(history)))
    unknown = {call.reason for call in history.calls if call.outcome is Outcome.UNKNOWN}
    assert unknown <= {"DRAINING", "UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED"}
    assert history.summary()["streams that told where to go on"] > 0
    assert "ended by itself" not in process.printed()
    assert "incident" not in process.printed()


async def test_a_rolling_restart_that_gets_no_new_worker_leaves_the_old_ones(launch, own_redis):
    process = launch("--workers", "2", redis_url=own_redis.url)
    before = process.workers()
    own_redis.kill()
    process.signal(signal.SIGHUP)
    await until(lambda: "rolling restart given up at worker 1" in process.printed())
    await until(lambda: before == process.workers())
    own_redis.start()
    await addresses_answer(process)
    assert 0 == process.stop()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_told_supervisor_drains_its_workers_stops_redis_and_ends_with_zero(launch, number):
    process = launch("--workers", "2")
    pids = [*process.workers(), private_redis(process)]
    async with connected(process.address) as stub:
        table = await open_table(stub, "yoxii")
        stream = table.watch()
        assert 1 == (await stream.read()).event.version
        process.signal(number)
        assert 0 == await asyncio.to_thread(process.wait)
        stream.cancel()
    assert [] == [pid for pid in pids if alive(pid)]
    process.start()
    async with connected(process.address) as stub:
        table.stub = stub
        assert table.match == await table.now()
    assert 0 == process.stop()


async def test_a_killed_supervisor_takes_its_workers_and_its_redis_along(launch):
    process = launch("--workers", "2")
    pids = [*process.workers(), private_redis(process)]
    assert all(map(alive, pids))
    process.kill()
    await until(lambda: not any(map(alive, pids)))


async def test_a_private_redis_that_dies_is_started_again_with_what_it_had(launch):
    process = launch("--workers", "2", "--durability", "disk")
    async with connected(process.address) as stub:
        table = await open_table(stub, "yoxii")
        await table.play(5, Random(1))
        killed = private_redis(process)
        os.kill(killed, signal.SIGKILL)
        await until(lambda: private_redis(process) not in (0, killed))
        await until(lambda: not alive(killed))
    async with connected(process.address) as stub:
        table.stub = stub
        version = (await _when_back(table)).version
        assert table.match.version + 5 == version
        await table.play(2, Random(2))
    assert "ended by itself (-9); starting it again" in process.printed()
    assert 0 == process.stop()


async def _when_back(table):
    """The match, once Redis answers again."""
    end = time.monotonic() + SECONDS
    while True:
        try:
            return await table.now()
        except grpc.aio.AioRpcError:
            assert time.monotonic() < end
            await asyncio.sleep(0.1)


async def test_a_port_that_somebody_listens_on_is_refused(launch, redis_server):
    process = launch("--workers", "2", redis_url=redis_server.url)
    port = process.address.rpartition(":")[2]
    for workers in ("1", "2"):
        said = refused("--port", port, "--workers", workers, "--redis-url", redis_server.url)
        assert f"Can't listen on 127.0.0.1:{port}" in said
    assert 0 == process.stop()


def test_workers_that_never_start_are_an_error():
    url = f"redis://127.0.0.1:{free_port()}/0"
    said = refused("--port", "0", "--workers", "2", "--redis-url", url)
    assert f"No Redis answers at {url}" in said


def test_a_socket_that_keeps_the_port_gets_no_connections():
    with socket.socket() as keeper:
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        keeper.bind(("127.0.0.1", 0))
        with socket.socket() as caller:
            assert 0 != caller.connect_ex(keeper.getsockname())

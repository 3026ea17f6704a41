"""The private redis-server: its folder, its lock, its end, and what it finds when it comes back."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from redis.asyncio import Redis

from referee.store.embedded import EmbeddedRedis
from referee.store.redis_server import EmbeddedRedisError, find_redis_server
from tests.support.api import connected, open_table
from tests.support.processes import RedisProcess, RefereeProcess


def alive(pid: int) -> bool:
    """True while a process runs; one that ended and was not asked for its exit code is dead."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


async def until_dead(pid: int) -> None:
    """Wait until a process has ended."""
    async with asyncio.timeout(10):
        while alive(pid):  # noqa: ASYNC110 - another process ends when it ends
            await asyncio.sleep(0.02)


def server_of(folder: Path) -> int:
    """Process id of the redis-server in a data folder."""
    return int((folder / "redis.pid").read_text())


async def put(server: EmbeddedRedis, value: str) -> None:
    """Keep a value."""
    async with Redis.from_url(server.url) as redis:
        await redis.set("kept", value)


async def kept(server: EmbeddedRedis) -> object:
    """The value that was kept."""
    async with Redis.from_url(server.url) as redis:
        return await redis.get("kept")


async def test_it_listens_on_its_socket_alone_and_keeps_what_it_is_told(tmp_path):
    server = EmbeddedRedis(tmp_path / "data")
    await server.start()
    async with Redis.from_url(server.url) as redis:
        config = await redis.config_get("*")
        assert ("0", "yes") == (config["port"], config["appendonly"])
    await put(server, "a")
    pid = server.pid
    await server.stop()
    assert not alive(pid)
    again = EmbeddedRedis(tmp_path / "data")
    await again.start()
    assert b"a" == await kept(again)
    await again.stop()


async def test_the_folder_is_for_its_owner_alone(tmp_path):
    server = EmbeddedRedis(tmp_path / "data")
    await server.start()
    assert 0 == (tmp_path / "data").stat().st_mode & 0o077
    assert 0 == server.socket.stat().st_mode & 0o077
    await server.stop()


async def test_a_folder_in_use_is_refused_with_the_process_that_uses_it(tmp_path):
    first, second = EmbeddedRedis(tmp_path), EmbeddedRedis(tmp_path)
    await first.start()
    with pytest.raises(EmbeddedRedisError, match=rf"process {os.getpid()}\).*--data") as caught:
        await second.start()
    assert str(tmp_path) in str(caught.value)
    await second.stop()
    await put(first, "a")
    await first.stop()
    await second.start()
    assert b"a" == await kept(second)
    await second.stop()


async def test_a_second_referee_on_the_same_folder_says_who_has_it_and_goes(tmp_path):
    process = RefereeProcess(tmp_path).start()
    command = [sys.executable, "-m", "referee", "serve", "--port", "0"]
    command += ["--data", str(tmp_path / "data")]
    second = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, check=False, timeout=30
    )
    assert 0 != second.returncode
    assert f"process {process.pid}" in second.stdout + second.stderr
    assert "Traceback" not in second.stdout + second.stderr
    assert 0 == process.stop()


async def test_a_server_that_was_never_started_can_be_stopped_and_has_no_process(tmp_path):
    server = EmbeddedRedis(tmp_path)
    await server.stop()
    with pytest.raises(EmbeddedRedisError):
        _ = server.pid


async def test_a_deep_folder_gets_a_short_socket(tmp_path):
    deep = tmp_path.joinpath(*["a-folder-with-quite-a-long-name"] * 5)
    server = EmbeddedRedis(deep)
    await server.start()
    assert len(str(server.socket)) <= 100
    assert not server.socket.is_relative_to(tmp_path)
    assert server.socket == EmbeddedRedis(deep).socket
    assert server.socket != EmbeddedRedis(deep / "b").socket
    await put(server, "a")
    assert (deep / "appendonlydir").is_dir()
    await server.stop()


async def test_a_short_socket_is_not_put_where_others_can_reach_it(tmp_path):
    deep = tmp_path.joinpath(*["a-folder-with-quite-a-long-name"] * 5)
    folder = EmbeddedRedis(deep).socket.parent
    folder.chmod(0o777)
    with pytest.raises(EmbeddedRedisError, match="open to others"):
        await EmbeddedRedis(deep).start()
    folder.rmdir()


async def test_after_kill_9_everything_is_found_again(tmp_path):
    process = RefereeProcess(tmp_path).start()
    async with connected(process.address) as stub:
        tables = [await open_table(stub, game_id) for game_id in ("xisk", "yoxii")]
        for table in tables:
            await table.play(10, Random(1))
        before = [await table.observation(seat) for table in tables for seat in (None, 0, 1)]
        redis = server_of(tmp_path / "data")
        process.kill()
        await until_dead(redis)
    process.start()
    async with connected(process.address) as stub:
        for table in tables:
            table.stub = stub
        after = [await table.observation(seat) for table in tables for seat in (None, 0, 1)]
        assert before == after
        await tables[1].play(3, Random(2))
    assert 0 == process.stop()


async def test_a_referee_that_comes_back_at_once_waits_for_the_old_redis_to_end(tmp_path):
    process = RefereeProcess(tmp_path).start()
    for plies in range(1, 4):
        async with connected(process.address) as stub:
            table = await open_table(stub, "yoxii")
            await table.play(plies, Random(plies))
            process.kill()
        process.start()
        async with connected(process.address) as stub:
            table.stub = stub
            assert 3 + plies == (await table.now()).version
    assert 0 == process.stop()


async def test_the_private_redis_dies_with_its_referee_however_that_goes(tmp_path):
    for number, end in enumerate([signal.SIGTERM, signal.SIGINT, signal.SIGKILL]):
        process = RefereeProcess(tmp_path / str(number)).start()
        pid = server_of(tmp_path / str(number) / "data")
        assert alive(pid)
        process.signal(end)
        process.wait()
        await until_dead(pid)


def orphan(folder: Path) -> subprocess.Popen[bytes]:
    """A redis-server that works in a data folder and belongs to no referee."""
    folder.mkdir(exist_ok=True)
    command = [find_redis_server(), "--port", "0", "--unixsocket", str(folder / "redis.sock")]
    command += ["--dir", str(folder), "--pidfile", str(folder / "redis.pid")]
    command += ["--appendonly", "yes", "--daemonize", "no", "--logfile", "redis.log"]
    process = subprocess.Popen(command)
    while not (folder / "redis.sock").exists():
        time.sleep(0.01)
    return process


async def test_a_server_that_was_left_over_is_stopped_and_its_data_taken_over(tmp_path):
    left = orphan(tmp_path)
    server = EmbeddedRedis(tmp_path)
    await put(server, "a")
    start = time.monotonic()
    await server.start()
    # Nobody has asked for the exit code yet; it is waited for no longer than it lives.
    assert 10 > time.monotonic() - start
    assert not alive(left.pid)
    assert left.pid != server.pid
    assert b"a" == await kept(server)
    await server.stop()
    assert 0 == left.wait()


async def test_a_number_on_file_that_is_somebody_elses_by_now_is_left_alone(tmp_path):
    stranger = RedisProcess(tmp_path / "stranger").start()
    assert stranger._process is not None
    folder = tmp_path / "data"
    folder.mkdir()
    for pid in (stranger._process.pid, os.getpid(), 2**22 + 1):
        (folder / "redis.pid").write_text(f"{pid}\n")
        server = EmbeddedRedis(folder)
        await server.start()
        await server.stop()
    assert alive(stranger._process.pid)
    stranger.stop()


async def test_a_folder_whose_data_can_not_be_read_says_where_to_look(tmp_path):
    (tmp_path / "appendonlydir").mkdir()
    (tmp_path / "appendonlydir" / "appendonly.aof.manifest").write_text("nonsense\n")
    server = EmbeddedRedis(tmp_path)
    with pytest.raises(EmbeddedRedisError, match=r"redis\.log"):
        await server.start()
    # The folder was given back.
    (tmp_path / "appendonlydir" / "appendonly.aof.manifest").unlink()
    await server.start()
    await server.stop()


def test_the_redis_server_that_is_found_is_new_enough():
    found = find_redis_server()
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True)
    assert "v=" in version.stdout

"""``referee serve``: what it says, what it refuses to start with, and how it ends."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

from referee.cli.serve import found_as, serve
from referee_client import RefereeClient
from tests.support.cli import REFEREE, run, run_here
from tests.support.processes import OPERATOR_TOKEN, RedisProcess, RefereeProcess, free_port

SEED = bytes(range(32))
TOKEN_KEY = "5e" * 32


def one_error(done: subprocess.CompletedProcess[str]) -> str:
    """The one sentence that a command ended with."""
    assert 1 == done.returncode
    assert "" == done.stdout
    assert 1 == done.stderr.count("\n"), done.stderr
    assert done.stderr.startswith("Error: ")
    return done.stderr.removeprefix("Error: ").strip()


def test_it_says_where_it_listens_what_redis_it_has_and_how_to_try_it(referee_process):
    lines = referee_process.printed().splitlines()
    address = referee_process.address
    assert f"The referee listens on {address}" == lines[0]
    assert re.fullmatch(r"127\.0\.0\.1:\d+", address)
    pattern = r"Matches are kept in a private redis-server \(process \d+\), data in (\S+)"
    found = re.fullmatch(pattern, lines[1])
    assert found
    assert (referee_process.folder / "data").resolve() == Path(found[1])
    tried = lines[lines.index("Try it:") + 1 : -1]
    url = f"http://{address}/referee.v1.MatchService/ListGames"
    demo, buf = tried
    assert demo.endswith(f"referee demo --target {address}")
    assert buf.endswith(f"buf curl --protocol grpc --http2-prior-knowledge {url}")
    programs = [line.split()[0] for line in tried]
    assert all(shutil.which(program) for program in programs)


def test_a_program_is_named_as_it_can_be_typed_here(tmp_path, monkeypatch):
    folder = tmp_path / ".venv" / "bin"
    folder.mkdir(parents=True)
    program = folder / "umpire"
    program.touch(mode=0o755)
    monkeypatch.setattr("sys.executable", str(folder / "python"))
    monkeypatch.chdir(tmp_path)
    assert ".venv/bin/umpire" == found_as("umpire")
    monkeypatch.chdir("/")
    assert str(program.relative_to("/")) == found_as("umpire")
    assert "" == found_as("linesman")
    monkeypatch.setenv("PATH", str(folder))
    assert "umpire" == found_as("umpire")


def test_help_names_the_variable_of_every_option_that_has_one():
    printed = " ".join(run_here("serve", "--help").stdout.split())
    missing = [one.envvar for one in serve.params if one.envvar and str(one.envvar) not in printed]
    assert [] == missing


def test_an_outside_redis_is_named_without_its_password(tmp_path, redis_server):
    # A Redis without a password takes any.
    url = redis_server.url.replace("//", "//default:hunter2@")
    process = RefereeProcess(tmp_path, redis_url=url).start()
    assert 0 == process.stop()
    assert f"Matches are kept in {redis_server.url}" in process.printed()
    assert "hunter2" not in process.printed()


def test_a_referee_with_a_fresh_folder_is_up_at_once(tmp_path):
    # Measured against a command that does nothing: how fast the machine is now does not matter.
    began = time.monotonic()
    assert 0 == run("--version").returncode
    nothing = time.monotonic() - began
    process = RefereeProcess(tmp_path)
    began = time.monotonic()
    process.start()
    taken = time.monotonic() - began
    assert 0 == process.stop()
    assert taken < 2.5 * nothing + 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_and_its_redis(tmp_path, number):
    process = RefereeProcess(tmp_path).start()
    redis = redis_of(process)
    process.signal(number)
    assert 0 == process.wait()
    assert "Stopping" in process.printed()
    assert not Path(f"/proc/{redis}").exists()


def test_a_taken_port_is_named_with_advice(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        error = one_error(run("serve", "--port", port, "--data", tmp_path / "data"))
    assert f"Can't listen on 127.0.0.1:{port}: something else listens there." in error
    assert "--port" in error


def test_an_address_of_another_machine_is_refused(tmp_path):
    done = run("serve", "--host", "203.0.113.5", "--port", 0, "--data", tmp_path / "data")
    assert "--host" in one_error(done)


def test_a_data_folder_in_use_names_the_process_that_uses_it(referee_process):
    folder = referee_process.folder / "data"
    error = one_error(run("serve", "--port", 0, "--data", folder))
    assert f"Another referee (process {referee_process.pid}) uses the data folder {folder}" in error
    assert "--data" in error


def test_a_data_folder_that_can_be_none_is_refused(tmp_path):
    (tmp_path / "file").touch()
    error = one_error(run("serve", "--port", 0, "--data", tmp_path / "file" / "data"))
    assert "can't be used: Not a directory" in error


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("localhost:6379", "The Redis URL can't be read"),
        ("redis://localhost:port/0", "The Redis URL can't be read"),
        ("redis://localhost:6379/abc", "'/abc' is no database"),
        ("redis://:hunter2/%@localhost:6379/0", "must be %-quoted"),
        ("redis://:hunter2@127.0.0.1:1/0", "No Redis answers at redis://127.0.0.1:1/0: Connection"),
    ],
)
def test_a_redis_that_can_not_be_had_is_named(url, words):
    error = one_error(run("serve", "--port", 0, "--redis-url", url))
    assert words in error
    assert "hunter2" not in error


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("scheme", "user", "database", "words"),
    [
        ("redis", "nobody:hunter2@", "0", "refuses the user or the password"),
        ("redis", "", "99", "has no such database"),
        ("rediss", "", "0", "If it has no TLS, the URL begins with redis://."),
    ],
)
def test_a_redis_that_refuses_us_is_named_with_advice(
    redis_server, workers, scheme, user, database, words
):
    url = f"{scheme}://{user}127.0.0.1:{redis_server.port}/{database}"
    done = run("serve", "--port", 0, "--workers", workers, "--redis-url", url)
    error = one_error(done)
    assert words in error
    assert f"{scheme}://127.0.0.1:{redis_server.port}/{database}" in error
    assert "hunter2" not in error


def test_a_redis_that_wants_a_password_is_named(tmp_path):
    redis = RedisProcess(tmp_path, requirepass="hunter2").start()
    try:
        error = one_error(run("serve", "--port", 0, "--redis-url", redis.url))
    finally:
        redis.stop()
    assert f"The Redis at {redis.url} refuses the user or the password, or wants one" in error


def test_something_else_than_a_redis_is_named(referee_process):
    url = f"redis://:hunter2@{referee_process.address}/0"
    error = one_error(run("serve", "--port", 0, "--redis-url", url))
    assert f"What answers at redis://{referee_process.address}/0 is no Redis" in error
    assert "hunter2" not in error


@pytest.mark.parametrize("key", ["no hex digits at all", "5e" * 31])
def test_a_token_key_of_another_form_is_refused_with_a_recipe(key):
    error = one_error(run("serve", "--port", 0, env={"REFEREE_TOKEN_KEY": key}))
    assert "REFEREE_TOKEN_KEY must be 64 hex digits" in error
    assert "openssl rand -hex 32" in error
    assert key not in error


def test_logs_that_go_to_a_file_are_json_lines(tmp_path):
    redis = RedisProcess(tmp_path / "redis").start()
    process = RefereeProcess(tmp_path / "referee", redis_url=redis.url).start()
    redis.kill()
    end = time.monotonic() + 30
    while "redis is lost" not in process.printed() and time.monotonic() < end:
        time.sleep(0.05)
    assert 0 == process.stop()
    logged = [json.loads(line) for line in process.printed().splitlines() if line.startswith("{")]
    (lost,) = [entry for entry in logged if "redis is lost" in entry["message"]]
    assert ("warning", "referee.service.server") == (lost["level"], lost["logger"])
    assert all(entry["time"].endswith("+00:00") for entry in logged)


def redis_of(process: RefereeProcess) -> int:
    """Process id of a referee's private Redis."""
    return int((process.folder / "data" / "redis.pid").read_text())


def command_lines(*pids: int) -> list[str]:
    """What everybody on the machine can see of processes."""
    return [Path(f"/proc/{pid}/cmdline").read_bytes().decode() for pid in pids]


async def test_no_secret_shows_in_the_process_list_or_the_log(tmp_path, monkeypatch):
    monkeypatch.setenv("REFEREE_TOKEN_KEY", TOKEN_KEY)
    process = RefereeProcess(tmp_path, "--log-level", "debug").start()
    async with RefereeClient(process.address, token=OPERATOR_TOKEN) as client:
        created = await client.create_match("xisk", server_seed=SEED)
        seats = [await client.join_match(join_code=code) for code in created.join_codes.values()]
    listed = command_lines(process.pid, redis_of(process))
    assert 0 == process.stop()
    secrets = [TOKEN_KEY, OPERATOR_TOKEN, SEED.hex(), *created.join_codes.values()]
    secrets += [seat.token for seat in seats]
    for text in [*listed, process.printed()]:
        assert [] == [secret for secret in secrets if secret in text]


async def test_a_token_key_from_the_environment_is_not_kept_in_redis(tmp_path, monkeypatch, redis):
    monkeypatch.setenv("REFEREE_TOKEN_KEY", TOKEN_KEY)
    url = "redis://127.0.0.1:{}/0".format(redis.connection_pool.connection_kwargs["port"])
    process = RefereeProcess(tmp_path, redis_url=url).start()
    assert 0 == process.stop()
    assert [] == [key for key in await redis.keys("*") if b"token" in key]


def test_settings_come_from_the_environment_too(tmp_path):
    port = free_port()
    command = [*REFEREE, "serve"]
    environment = {"REFEREE_PORT": str(port), "REFEREE_DATA": str(tmp_path / "data")}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | environment
    )
    assert process.stdout is not None
    assert f"The referee listens on 127.0.0.1:{port}\n" == process.stdout.readline()
    process.terminate()
    process.communicate()
    assert 0 == process.returncode
    assert (tmp_path / "data" / "redis.log").exists()

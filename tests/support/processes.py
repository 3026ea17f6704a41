"""Real referees and real Redis servers for tests: started, stopped, killed.

Every process gets a free port and a folder of its own, so tests can run side by side.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from referee.store.redis_server import find_redis_server

START_SECONDS = 30
STOP_SECONDS = 30
OPERATOR_TOKEN = "operator-token-of-the-tests"  # noqa: S105 - of processes that tests start
_LISTENS = re.compile(r"The referee listens on (\S+)")


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def command_of(pid: int) -> str:
    """What a process runs; empty once it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


class RefereeProcess:
    """One `referee serve` as users start it.

    Attributes:
        address: host:port, once started.
        log: File with what it printed and logged.
    """

    def __init__(self, folder: Path, *arguments: str, redis_url: str = "", port: int = 0) -> None:
        self.folder = folder
        self.log = folder / "referee.log"
        self.address = ""
        self._port = port
        self._arguments = [*arguments]
        self._arguments += (
            ["--redis-url", redis_url] if redis_url else ["--data", str(folder / "data")]
        )
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> RefereeProcess:
        """Start it and wait until it listens."""
        self.folder.mkdir(parents=True, exist_ok=True)
        seen = self.log.stat().st_size if self.log.exists() else 0
        command = [
            sys.executable,
            "-m",
            "referee",
            "serve",
            "--port",
            str(self._port),
            *self._arguments,
        ]
        environment = os.environ | {"REFEREE_OPERATOR_TOKEN": OPERATOR_TOKEN}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            printed = self.log.read_bytes()[seen:].decode()
            found = _LISTENS.search(printed)
            if found:
                self.address = found[1]
                return self
            if self._process.poll() is not None:
                break
            time.sleep(0.02)
        raise AssertionError(f"the referee did not start:\n{self.log.read_text()[-4000:]}")

    @property
    def pid(self) -> int:
        """Process id."""
        assert self._process is not None
        return self._process.pid

    def workers(self) -> list[int]:
        """Process ids of its workers that live, oldest first."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return [pid for pid in map(int, children) if "referee.workers" in command_of(pid)]

    def signal(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid, number)

    def wait(self) -> int:
        """Wait for its end; gives the exit code."""
        assert self._process is not None
        return self._process.wait(STOP_SECONDS)

    def kill(self) -> None:
        """kill -9."""
        self.signal(signal.SIGKILL)
        self.wait()

    def stop(self) -> int:
        """SIGTERM, and wait; gives the exit code."""
        if self._process is None:
            return 0
        if self._process.poll() is None:
            self.signal(signal.SIGTERM)
        return self.wait()

    def printed(self) -> str:
        """All that it printed and logged."""
        return self.log.read_text()


class RedisProcess:
    """One redis-server on a TCP port, with its append-only file on.

    ``settings`` are Redis' own, with underscores for its dashes.
    """

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self._settings = {"appendonly": "yes", "appendfsync": "always", "save": '""'} | settings
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its URL."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> RedisProcess:
        """Start it and wait until it takes connections."""
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [find_redis_server(), "--port", str(self.port), "--dir", str(self.folder)]
        command += ["--bind", "127.0.0.1"]
        for name, value in self._settings.items():
            command += [f"--{name.replace('_', '-')}", *value.split()]
        with (self.folder / "redis.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            time.sleep(0.02)
        raise AssertionError(
            f"redis did not start:\n{(self.folder / 'redis.log').read_text()[-4000:]}"
        )

    def pause(self) -> None:
        """Stop it in its tracks: connections stay open and nothing answers."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Go on after ``pause``."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """kill -9."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(STOP_SECONDS)

    def stop(self) -> None:
        """Stop it, however it is; one that is still writing its first file does not listen."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGCONT)
        self._process.terminate()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self.kill()

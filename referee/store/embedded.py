"""A private redis-server: started, watched over and stopped by the referee.

The server listens on a Unix socket only, keeps an append-only file in the data folder, and dies
with the referee: on Linux the kernel sends it SIGTERM when its parent goes, however the parent
went, and it then closes its file cleanly. A data folder belongs to one referee at a time, which a
lock says; a server that outlived its referee is stopped first. One that dies is started again.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import fcntl
import hashlib
import logging
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO
from urllib.parse import quote

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from referee.config import Durability
from referee.store.redis_server import EmbeddedRedisError, find_redis_server
from referee.tasks import end

log = logging.getLogger(__name__)

START_SECONDS = 30.0
STOP_SECONDS = 20.0
KEEP_SECONDS = 0.1
START_AGAIN_SECONDS = 2.0
_MAX_SOCKET_PATH = 100
_PR_SET_PDEATHSIG = 1
# Looked up now: between fork and exec nothing may be loaded.
_PRCTL = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


class EmbeddedRedis:
    """Owns the lock of a data folder and the server process in it."""

    def __init__(self, data_dir: Path, durability: Durability = Durability.MEMORY) -> None:
        self.data_dir = data_dir
        # Where receipts wait for an fsync, one for each batch of Redis is better than one a second.
        self._fsync = "everysec" if durability is Durability.MEMORY else "always"
        self._process: subprocess.Popen[bytes] | None = None
        self._lock: IO[str] | None = None
        self._keeper: asyncio.Task[None] | None = None

    @property
    def socket(self) -> Path:
        """Where the server listens; elsewhere for a deep folder, as sockets have short names."""
        path = self.data_dir.resolve() / "redis.sock"
        if len(str(path)) <= _MAX_SOCKET_PATH:
            return path
        digest = hashlib.sha256(str(path).encode()).hexdigest()[:16]
        folder = Path(tempfile.gettempdir()) / f"referee-{os.getuid()}-{digest}"
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if found.st_uid != os.getuid() or found.st_mode & 0o077:
            message = f"{folder} is open to others. Remove it, or choose a shorter --data."
            raise EmbeddedRedisError(message)
        return folder / "redis.sock"

    @property
    def url(self) -> str:
        """URL of the server."""
        return f"unix://{quote(str(self.socket))}"

    @property
    def pid(self) -> int:
        """Process id of the server."""
        if self._process is None:
            message = "the server is not running"
            raise EmbeddedRedisError(message)
        return self._process.pid

    async def start(self) -> None:
        """Start the server and wait until it has loaded its data.

        Raises:
            EmbeddedRedisError: Another referee uses the folder, or the server does not start.
        """
        server = find_redis_server()
        self._take_lock()
        try:
            await self._stop_orphan()
            self._process = self._spawn(server)
            await self._wait_until_ready()
        except BaseException:
            await self.stop()
            raise
        self._keeper = asyncio.create_task(self._keep(server), name="keep-redis")

    async def stop(self) -> None:
        """Stop the server, which writes what it has, and give the folder back."""
        if self._keeper is not None:
            await end(self._keeper)
            self._keeper = None
        if self._process is not None:
            self._process.terminate()
            if not await _gone(self._process, STOP_SECONDS):
                log.warning("redis-server did not stop in %.0f s; killing it", STOP_SECONDS)
                self._process.kill()
                await _gone(self._process, STOP_SECONDS)
            self._process = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    async def _keep(self, server: str) -> None:
        """Start the server again whenever it has ended by itself; its file has what it knew."""
        while self._process is not None:
            await asyncio.sleep(KEEP_SECONDS)
            if self._process.poll() is None:
                continue
            log.error(
                "redis-server (process %d) ended by itself (%d); starting it again",
                self._process.pid,
                self._process.returncode,
            )
            self._process = self._spawn(server)
            try:
                await self._wait_until_ready()
            except EmbeddedRedisError as error:
                log.error("redis-server is not back: %s", error)  # the message says it all
                await asyncio.sleep(START_AGAIN_SECONDS)

    def _take_lock(self) -> None:
        try:
            self.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = (self.data_dir / "referee.lock").open("a+")
        except OSError as error:
            message = (
                f"The data folder {self.data_dir} can't be used: {error.strerror}. "
                "Choose another one with --data."
            )
            raise EmbeddedRedisError(message) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.seek(0)
            owner = lock.read().strip() or "unknown"
            lock.close()
            message = (
                f"Another referee (process {owner}) uses the data folder {self.data_dir}. "
                "Stop it, or choose another folder with --data."
            )
            raise EmbeddedRedisError(message) from error
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        self._lock = lock

    def _spawn(self, server: str) -> subprocess.Popen[bytes]:
        arguments = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.data_dir.resolve()),
            "appendonly": "yes",
            "appendfsync": self._fsync,
            "save": "",
            "logfile": "redis.log",
            "loglevel": "notice",
            "daemonize": "no",
            "pidfile": str(self.data_dir.resolve() / "redis.pid"),
        }
        command = [
            server,
            *(word for key, value in arguments.items() for word in (f"--{key}", value)),
        ]
        # A process group of its own: Ctrl-C in the terminal stops the referee first, which then
        # stops the server.
        return subprocess.Popen(  # noqa: S603 - a path we looked up
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509 - it takes no lock
        )

    async def _wait_until_ready(self) -> None:
        process = self._process
        redis = self._client()
        try:
            async with asyncio.timeout(START_SECONDS):
                while process is not None:
                    if process.poll() is not None:
                        message = (
                            f"redis-server ended at once. {self.data_dir / 'redis.log'} says why."
                        )
                        raise EmbeddedRedisError(message)
                    with contextlib.suppress(RedisError, OSError):
                        if await redis.ping():
                            return
                    await asyncio.sleep(0.02)
        except TimeoutError as error:
            log_file = self.data_dir / "redis.log"
            message = (
                f"redis-server was not ready in {START_SECONDS:.0f} s. {log_file} may say why."
            )
            raise EmbeddedRedisError(message) from error
        finally:
            await redis.aclose()

    async def _stop_orphan(self) -> None:
        """Stop a server that outlived its referee, and wait until it has let go of the folder."""
        pid = await self._pid_that_answers() or self._pid_on_file()
        if pid is None:
            return
        log.info(
            "stopping a redis-server (process %d) that was left over in %s", pid, self.data_dir
        )
        try:
            async with asyncio.timeout(STOP_SECONDS):
                os.kill(pid, signal.SIGTERM)
                while True:
                    if not _lives(pid):
                        return
                    await asyncio.sleep(0.02)
        except ProcessLookupError:
            return
        except TimeoutError as error:
            message = (
                f"A redis-server (process {pid}) still uses {self.data_dir} and does not stop. "
                "Stop it by hand."
            )
            raise EmbeddedRedisError(message) from error

    def _client(self) -> Redis:
        """A client that asks once: the stock one asks a missing server for seconds."""
        return Redis(
            unix_socket_path=str(self.socket), socket_timeout=1.0, retry=Retry(NoBackoff(), 0)
        )

    async def _pid_that_answers(self) -> int | None:
        redis = self._client()
        try:
            with contextlib.suppress(RedisError, OSError):
                return int((await redis.info("server"))["process_id"])
        finally:
            await redis.aclose()
        return None

    def _pid_on_file(self) -> int | None:
        """A server that is just ending answers no more, but has not written everything yet.

        The file may be old and its number somebody else's by now, so the process must be a
        redis-server that works in this very folder.
        """
        with contextlib.suppress(OSError, ValueError):
            pid = int((self.data_dir / "redis.pid").read_text())
            process = Path(f"/proc/{pid}")
            ours = (process / "cwd").samefile(self.data_dir)
            if ours and b"redis-server" in (process / "cmdline").read_bytes():
                return pid
        return None


def _lives(pid: int) -> bool:
    """False once a process has ended, also where nobody has asked for its exit code yet."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with contextlib.suppress(OSError):  # there is no /proc elsewhere
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state != "Z"
    return True


def _die_with_parent() -> None:
    if _PRCTL is not None:
        _PRCTL(_PR_SET_PDEATHSIG, signal.SIGTERM)


async def _gone(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """True once the process has ended; False when it has not within ``seconds``."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        await asyncio.to_thread(process.wait, seconds)
    return process.poll() is not None

"""One worker process as its supervisor sees it: started, waited for, stopped."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import pickle
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process

from referee.config import Config
from referee.workers.child import MARGIN_SECONDS

log = logging.getLogger(__name__)

START_SECONDS = 60.0


class WorkerError(Exception):
    """A worker can't be had; the message says why."""


class Worker:
    """A process that serves, or is about to.

    Attributes:
        pid: Its process id.
    """

    def __init__(self, process: Process, grace: float) -> None:
        self.pid = process.pid
        self._process = process
        self._grace = grace
        self._started = time.monotonic()

    @classmethod
    async def start(cls, config: Config, log_level: str) -> Worker:
        """Start a worker and wait until it serves.

        Raises:
            WorkerError: It ended instead, or did not come up in time.
        """
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "referee.workers.child",
            stdin=PIPE,
            stdout=PIPE,
            # A Ctrl-C in the terminal goes to the supervisor, which then stops its workers.
            start_new_session=True,
        )
        worker = cls(process, config.grace)
        try:
            async with asyncio.timeout(START_SECONDS):
                await worker._come_up(pickle.dumps((config, log_level)))
        except BaseException as error:
            worker.kill()
            if isinstance(error, TimeoutError):
                message = f"it did not serve within {START_SECONDS:.0f} s"
                raise WorkerError(message) from error
            raise
        return worker

    @property
    def age(self) -> float:
        """Seconds since it was started."""
        return time.monotonic() - self._started

    async def ended(self) -> str:
        """Wait for its end; says how it ended."""
        code = await self._process.wait()
        return f"exit code {code}" if code >= 0 else signal.Signals(-code).name

    async def stop(self) -> None:
        """Let it drain, and wait until it is gone; one that does not go is killed."""
        self._signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(self._grace + MARGIN_SECONDS):
                await self._process.wait()
        except TimeoutError:
            log.warning("worker process %d did not stop; killing it", self.pid)
            self.kill()
            await self._process.wait()

    def kill(self) -> None:
        """End it at once."""
        self._signal(signal.SIGKILL)

    async def _come_up(self, settings: bytes) -> None:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            message = "a worker was started without pipes"
            raise AssertionError(message)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            stdin.write(settings)
            await stdin.drain()
        line = await stdout.readline()
        said = json.loads(line) if line else {"failed": await self.ended()}
        if not said.get("ready"):
            raise WorkerError(str(said["failed"]))

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(number)

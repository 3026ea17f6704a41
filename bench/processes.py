"""Server processes on one core, the load on the other, and what they cost."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SERVER_CORE = 0
_LISTENS = re.compile(r"listens on (\S+)")
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Server:
    """A server that is being measured."""

    address: str
    pid: int

    def cpu_seconds(self) -> float:
        """Processor time that the process has used, user and system."""
        return cpu_seconds(self.pid)

    def redis_pid(self) -> int | None:
        """Process id of its private Redis, if it has one."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return int(children[0]) if children else None


def cpu_seconds(pid: int) -> float:
    """Processor time that a process has used, user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def spread_over_cores() -> bool:
    """Put this process, and so the load, on the other cores; False where there is only one."""
    others = os.sched_getaffinity(0) - {SERVER_CORE}
    if not others:
        return False
    os.sched_setaffinity(0, others)
    return True


@contextmanager
def server(*arguments: str) -> Iterator[Server]:
    """Run a Python server on the server's core until the block is left."""
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True)
    os.sched_setaffinity(process.pid, {SERVER_CORE})
    try:
        assert process.stdout is not None  # noqa: S101 - asked for above
        line = process.stdout.readline()
        found = _LISTENS.search(line)
        if found is None:
            message = f"the server did not start: {line!r}"
            raise RuntimeError(message)
        yield Server(found[1], process.pid)
    finally:
        process.terminate()
        process.wait(30)
        if process.stdout is not None:
            process.stdout.close()

"""The command line as people and scripts use it: a process, its output, its exit code."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

from click.testing import CliRunner

from referee.cli import main

REFEREE = [sys.executable, "-m", "referee"]
SECONDS = 60


def run(
    *arguments: object, env: dict[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [*REFEREE, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=os.environ | (env or {}),
        cwd=cwd,
        check=False,
    )


def run_here(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command that starts nothing in this process: the same, without the start of Python."""
    words = [*map(str, arguments)]
    done = CliRunner().invoke(main, words, prog_name="referee")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def run_on_terminal(*arguments: object, columns: int = 100) -> tuple[int, str]:
    """Run a command on a terminal of its own; its exit code and all that it wrote there."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "50"}
    process = subprocess.Popen(
        [*REFEREE, *map(str, arguments)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    written = b""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        ready, _, _ = select.select([ours], [], [], 0.1)
        if ready:
            try:
                data = os.read(ours, 65536)
            except OSError:  # how Linux says that the other end is closed
                break
            if not data:
                break
            written += data
        elif process.poll() is not None:
            break
    os.close(ours)
    return process.wait(SECONDS), written.decode()

"""Processes of their own for tests that kill them, or need several."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest

from tests.support.processes import RedisProcess, RefereeProcess

Process = TypeVar("Process", RefereeProcess, RedisProcess)
Start = Callable[[Process], Process]


@pytest.fixture
def start() -> Iterator[Start[Process]]:
    """Starts a process that is stopped after the test, the last one first, if it still runs."""
    started: list[RefereeProcess | RedisProcess] = []

    def begin(process: Process) -> Process:
        started.append(process)
        return process.start()

    yield begin
    for process in reversed(started):
        process.stop()

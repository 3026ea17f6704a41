"""A match that has ended, for the commands that read one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from random import Random

import pytest

from referee._gen.referee.v1.match_pb2 import Record
from referee._gen.xisk.v1 import xisk_pb2
from tests.support.api import connected, open_table
from tests.support.processes import RefereeProcess


@dataclass(frozen=True)
class Ended:
    """A match of XISK that was played to its end, where it can be asked for, and its record."""

    address: str
    match_id: str
    record: Record


@pytest.fixture(scope="session")
def ended(referee_process: RefereeProcess) -> Ended:
    """A match that has ended on the shared referee."""

    async def play() -> Ended:
        async with connected(referee_process.address) as stub:
            brief = xisk_pb2.Settings(round_limit=1)
            table = await open_table(stub, "xisk", 3, game_settings=brief)
            await table.play(10_000, Random(1))
            return Ended(referee_process.address, table.match_id, await table.record())

    return asyncio.run(play())

"""A scripted server and an impatient client of it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from referee_client import RefereeClient, RetryPolicy
from tests.support.scripted_server import ScriptedServer

QUICK = RetryPolicy(
    initial_backoff=0.005,
    max_backoff=0.02,
    attempt_timeout=0.25,
    stall_after=0.25,
    give_up_after=0.6,
)


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    """A server that answers as scripted."""
    async with ScriptedServer() as started:
        yield started


@pytest.fixture
async def client(server: ScriptedServer) -> AsyncIterator[RefereeClient]:
    """A client that waits for fractions of a second."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    async with RefereeClient(server.address, timeout=2.0, retry=QUICK, options=options) as opened:
        yield opened

"""The promises hold while workers are killed and Redis is paused, killed and restarted.

How much is played comes from the environment, so that `make history` can run longer than CI:
``HISTORY_ACTIONS`` requests are acknowledged at least, and ``HISTORY_KILLS`` processes killed.
"""

from __future__ import annotations

import os
from random import Random

import pytest

from tests.history.checker import check
from tests.history.clients import connections
from tests.history.nemesis import CYCLE, Nemesis
from tests.history.traffic import run
from tests.support.processes import RedisProcess, RefereeProcess

ACTIONS = int(os.environ.get("HISTORY_ACTIONS", "20000"))
KILLS = int(os.environ.get("HISTORY_KILLS", "20"))
SEED = int(os.environ.get("HISTORY_SEED", "1"))
CONNECTIONS = 8


@pytest.mark.slow
@pytest.mark.timeout(120 + ACTIONS // 20)
async def test_nothing_acknowledged_is_lost_doubled_or_reordered_whichever_process_dies(
    tmp_path, capsys
):
    redis = RedisProcess(tmp_path / "redis").start()
    options = ("--workers", "2", "--grace", "3", "--durability", "disk")
    referee = RefereeProcess(tmp_path / "referee", *options, redis_url=redis.url).start()
    nemesis = Nemesis(referee, redis, ACTIONS, KILLS, Random(SEED))
    try:
        async with connections([referee.address], CONNECTIONS) as stubs:
            history = await run(stubs, ACTIONS, seed=SEED, trouble=nemesis)
        workers = len(referee.workers())
        code = referee.stop()
    finally:
        referee.stop()
        redis.stop()
    with capsys.disabled():
        print("\n", dict(history.summary()), dict(nemesis.done))  # noqa: T201 - figures for the log
    assert [] == list(map(str, check(history)))
    assert (2, 0) == (workers, code)
    assert "incident" not in referee.printed()
    assert history.acknowledged() >= ACTIONS
    assert nemesis.killed >= KILLS
    assert set(CYCLE) == set(nemesis.done)
    assert history.summary()["streams that told where to go on"] > 0

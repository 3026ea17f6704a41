"""Background tasks end when they are told to, however often they have to be told."""

from __future__ import annotations

import asyncio

from referee.tasks import end


async def test_a_task_that_swallows_cancellations_is_ended_all_the_same():
    swallowed = []

    async def stubborn() -> None:
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                swallowed.append(1)
                if len(swallowed) == 3:
                    raise

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    await end(task)
    assert task.cancelled()
    assert 3 == len(swallowed)


async def test_a_task_that_has_ended_is_left_alone():
    task = asyncio.create_task(asyncio.sleep(0))
    await task
    await end(task)
    assert not task.cancelled()

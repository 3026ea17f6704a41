"""Background tasks: how they are ended.

What must not live here: what they do.
"""

from __future__ import annotations

import asyncio

_AGAIN_SECONDS = 0.2


async def end(task: asyncio.Task[None]) -> None:
    """Cancel a task and wait until it has ended.

    It is cancelled again until it has: redis-py on Python 3.11 waits with ``asyncio.wait_for``,
    which swallows a cancellation that comes together with the answer. One in five was, in a task
    that does nothing but ask Redis, and a process that waited for it never stopped.
    """
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=_AGAIN_SECONDS)

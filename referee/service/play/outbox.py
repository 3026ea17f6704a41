"""What waits for the reader of a Play stream: bounded, and taken a frame at a time.

Those who can wait (followers, and the reader of commands) ask for room and wait until less than
half is taken. Results of what was submitted can't wait; where even they don't fit, the reader is
too slow.
"""

from __future__ import annotations

import asyncio

MAX_FRAME_BYTES = 1024 * 1024
"""A frame ends before it is longer, unless one update is: gRPC clients take 4 MiB at most."""


class Outbox:
    """A queue of updates as bytes.

    Attributes:
        overflown: Set when more waited than may.
    """

    def __init__(self, max_updates: int, max_bytes: int) -> None:
        self._max_updates = max_updates
        self._max_bytes = max_bytes
        self._updates: list[bytes] = []
        self._bytes = 0
        self._closed = False
        self._filled = asyncio.Event()
        self._drained = asyncio.Event()
        self.overflown = asyncio.Event()

    @property
    def empty(self) -> bool:
        """True when nothing waits."""
        return not self._updates

    @property
    def has_space(self) -> bool:
        """True while less than half is taken."""
        return 2 * len(self._updates) < self._max_updates and 2 * self._bytes < self._max_bytes

    async def space(self) -> None:
        """Wait until less than half is taken."""
        while not self.has_space:
            self._drained.clear()
            await self._drained.wait()

    def put(self, update: bytes) -> None:
        """Add an update, whether there is room or not."""
        self._updates.append(update)
        self._bytes += len(update)
        if not self._filled.is_set():
            self._filled.set()
        if len(self._updates) > self._max_updates or self._bytes > self._max_bytes:
            self.overflown.set()

    def close(self) -> None:
        """Nothing more will be added."""
        self._closed = True
        self._filled.set()

    async def frame(self) -> bytes | None:
        """All that waits, as one frame; None once it is closed and all was taken."""
        while not self._updates:
            if self._closed:
                return None
            self._filled.clear()
            await self._filled.wait()
        if self._bytes <= MAX_FRAME_BYTES:
            frame = b"".join(self._updates)
            self._updates = []
        else:
            frame = self._first_frame()
        self._bytes -= len(frame)
        if self.has_space:
            self._drained.set()
        return frame

    def _first_frame(self) -> bytes:
        count, size = 1, len(self._updates[0])
        while size + len(self._updates[count]) <= MAX_FRAME_BYTES:
            size += len(self._updates[count])
            count += 1
        frame = b"".join(self._updates[:count])
        del self._updates[:count]
        return frame

"""A Play stream in tests, on the bare generated stub: commands out, updates in, one by one."""

from __future__ import annotations

from collections import deque
from typing import Any

import grpc

from referee._gen.referee.v1 import match_service_pb2 as pb
from tests.support.api import Table, action


def follow(table: Table, seat: int | None = None, after: int = 0, **fields: Any) -> pb.PlayCommand:
    """A command that follows a match as a seat or as the public."""
    request = pb.Subscribe(match_id=table.match_id, after_version=after, **fields)
    if seat is not None:
        request.seat_token = table.tokens[seat]
    return pb.PlayCommand(subscribe=request)


def submit(table: Table, seat: int | None, text: str, **fields: Any) -> pb.PlayCommand:
    """A command that submits an action in notation."""
    request = pb.Submit(
        match_id=table.match_id, seat=seat, action=action(table.game_id, text), **fields
    )
    return pb.PlayCommand(submit=request)


def leave(table: Table, seat: int | None = None) -> pb.PlayCommand:
    """A command that follows a match no longer."""
    return pb.PlayCommand(unsubscribe=pb.Unsubscribe(match_id=table.match_id, seat=seat))


class Line:
    """One stream.

    Attributes:
        call: The call.
        frames: How many updates each frame brought.
    """

    def __init__(self, stub: Any) -> None:
        self.call = stub.Play()
        self.frames: list[int] = []
        self._updates: deque[pb.PlayUpdate] = deque()

    async def send(self, *commands: pb.PlayCommand) -> None:
        """Send a frame."""
        await self.call.write(pb.PlayRequest(commands=commands))

    async def next(self) -> pb.PlayUpdate:
        """The next update, past any heartbeats."""
        while True:
            while not self._updates:
                frame = await self.call.read()
                assert frame is not grpc.aio.EOF, "the stream ended"
                self.frames.append(len(frame.updates))
                self._updates.extend(frame.updates)
            update = self._updates.popleft()
            if not update.HasField("heartbeat"):
                return update

    async def get(self, kind: str) -> Any:
        """The next update, which must be of a kind."""
        update = await self.next()
        assert kind == update.WhichOneof("update"), update
        return getattr(update, kind)

    async def until(self, kind: str) -> Any:
        """The next update of a kind; others are let go."""
        while (update := await self.next()).WhichOneof("update") != kind:
            pass
        return getattr(update, kind)

    async def rest(self) -> list[pb.PlayUpdate]:
        """All updates until the stream ends."""
        updates = list(self._updates)
        self._updates.clear()
        while (frame := await self.call.read()) is not grpc.aio.EOF:
            self.frames.append(len(frame.updates))
            updates += frame.updates
        return [update for update in updates if not update.HasField("heartbeat")]

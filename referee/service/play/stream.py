"""One Play stream: a loop that reads commands, a loop that writes updates, and lanes between them.

Commands for one match go into that match's lane and are done one after another; lanes don't wait
for each other. A lane is a task that lives while there is something in it. Whatever comes of a
command goes into the outbox as bytes, and the writing loop takes all that is there as one frame.

Back-pressure: the reading loop stops while too many commands are at work or the outbox is half
full, so a client that sends and does not read is not read, either. Followers wait for room, too,
and read what they left out from the log later. So a slow reader costs a bounded queue and nobody
else anything; one that reads nothing at all for ``Limits.stall`` is cut off, and comes back with
the last versions that it saw.

Ordering hazards:

* The end of a half-closed stream. The reading loop ends first; then the lanes run empty; only then
  is the outbox closed; and the writing loop ends when it has sent the rest. In any other order
  results get lost.
* A write that gRPC does not take (the client does not read) can't be ended by ``abort``, and must
  not be awaited on the way out. So the loops are tasks of their own; the handler itself only waits,
  and can always be cancelled (see ``service/edge.py``).
* ``Subscribed`` has to leave before the events. It is put into the outbox before the follower
  begins.
* On the way out the lanes go first, for they begin followings; then these; then the loops. A commit
  that is on its way is stored or not, as always; its request id tells.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import grpc

from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.config import Config
from referee.errors import (
    InvalidRequestError,
    MatchOverError,
    RefereeError,
    SlowReaderError,
)
from referee.match.matches import Matches
from referee.match.watch import OVER
from referee.service import validate
from referee.service.auth import Auth
from referee.service.play import frames
from referee.service.play.followings import Followings
from referee.service.play.outbox import Outbox
from referee.service.status import failure_of, incident_failure_of
from referee.tasks import end
from referee.wire.event import event_bytes
from referee.wire.games import action_from
from referee.wire.sight import legal_actions_of, observation_of

Context = grpc.aio.ServicerContext[Any, Any]
Do = Callable[[Any], Awaitable[None]]

MAX_AT_WORK = 1024
"""Commands of one stream that are at work before the next frame is read."""


class Table:
    """What the streams of a process share."""

    def __init__(self, matches: Matches, auth: Auth, config: Config) -> None:
        self.matches = matches
        self.auth = auth
        self.limits = config.limits
        self.heartbeat = config.heartbeat


class PlayStream:
    """One stream. Owns its tasks, its outbox and its followings; ``run`` leaves none behind."""

    def __init__(self, table: Table, context: Context) -> None:
        limits = table.limits
        self._table = table
        self._context = context
        self._outbox = Outbox(limits.queue_updates, limits.queue_bytes)
        self._followings = Followings(table.matches.watches, self._outbox, limits.followed_matches)
        self._do: dict[str, Do] = {
            "subscribe": self._subscribe,
            "unsubscribe": self._unsubscribe,
            "submit": self._submit,
        }
        self._lanes: dict[str, deque[tuple[Do, Any]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._at_work = 0
        self._calmer = asyncio.Event()
        self._clock = asyncio.get_running_loop().time
        self._writes_since: float | None = None
        self._wrote_at = self._clock()

    async def run(self) -> None:
        """Serve the stream until it ends.

        Raises:
            InvalidRequestError: A frame can't be read.
            SlowReaderError: The client does not read.
        """
        reader = asyncio.create_task(self._read(), name="play-read")
        writer = asyncio.create_task(self._write(), name="play-write")
        overflow = asyncio.create_task(self._outbox.overflown.wait(), name="play-overflow")
        try:
            await self._oversee(reader, writer, overflow)
        finally:
            await _seen_through(self._clean_up(reader, writer, overflow))

    async def _clean_up(self, *loops: asyncio.Task[Any]) -> None:
        await _cancelled(*self._tasks)
        await self._followings.stop_all()
        await _cancelled(*loops)

    async def _oversee(
        self, reader: asyncio.Task[None], writer: asyncio.Task[None], overflow: asyncio.Task[Any]
    ) -> None:
        """Wait for the end; give heartbeats meanwhile, and notice a client that does not read."""
        limits = self._table.limits
        tick = min(self._table.heartbeat, limits.stall / 2)
        checked = self._clock()
        waiting: set[asyncio.Task[Any]] = {reader, writer, overflow}
        while not writer.done():
            done, waiting = await asyncio.wait(
                waiting, timeout=tick, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done - {overflow}:
                task.result()
            now = self._clock()
            since = self._writes_since
            if overflow in done or (since is not None and now - since > limits.stall):
                message = (
                    "The stream was not read. Open another one, subscribe with the last versions "
                    "seen, and read."
                )
                raise SlowReaderError(message)
            if since is None and now - self._wrote_at >= self._table.heartbeat:
                self._outbox.put(frames.heartbeat())
            if now - checked >= self._table.heartbeat:
                checked = now
                self._followings.check()

    # --- the two loops ---------------------------------------------------------------------------

    async def _read(self) -> None:
        most = self._table.limits.frame_commands
        while (request := await self._context.read()) is not grpc.aio.EOF:
            if not isinstance(request, pb.PlayRequest):
                raise InvalidRequestError("request", "a frame can't be parsed as a PlayRequest.")
            if len(request.commands) > most:
                message = f"a frame has {len(request.commands)}; at most {most} are taken."
                raise InvalidRequestError("commands", message)
            for command in request.commands:
                self._sort(command)
            while self._at_work > MAX_AT_WORK:
                await self._calm_down()
            if not self._outbox.has_space:
                await self._outbox.space()
        while self._at_work:
            await self._calm_down()
        self._outbox.close()

    async def _write(self) -> None:
        outbox, context, clock = self._outbox, self._context, self._clock
        while (frame := await outbox.frame()) is not None:
            self._writes_since = clock()
            try:
                await context.write(frame)
            except grpc.aio.InternalError:
                return  # the client is gone; the handler is about to be cancelled
            self._wrote_at, self._writes_since = clock(), None

    async def _calm_down(self) -> None:
        self._calmer.clear()
        await self._calmer.wait()

    # --- lanes -----------------------------------------------------------------------------------

    def _sort(self, command: pb.PlayCommand) -> None:
        """Put a command into its match's lane."""
        kind = command.WhichOneof("command")
        if kind is None:
            error = InvalidRequestError("command", "is empty: subscribe, unsubscribe or submit.")
            self._outbox.put(frames.failed(failure_of(error)))
            return
        request = getattr(command, kind)
        match_id = request.match_id
        self._at_work += 1
        lane = self._lanes.get(match_id)
        if lane is not None:
            lane.append((self._do[kind], request))
            return
        self._lanes[match_id] = deque([(self._do[kind], request)])
        task = asyncio.create_task(self._work(match_id), name="play-lane")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _work(self, match_id: str) -> None:
        lane = self._lanes[match_id]
        try:
            while lane:
                do, request = lane.popleft()
                await do(request)
                self._at_work -= 1
        finally:
            del self._lanes[match_id]
            self._calmer.set()

    async def _subscribe(self, request: pb.Subscribe) -> None:
        try:
            match_id = validate.match_id(request.match_id)
            token = request.seat_token
            claim = self._table.auth.claim(token, match_id) if token else None
            events = not request.without_events
            await self._followings.begin(match_id, claim, request.after_version, events=events)
        except Exception as error:  # what becomes of one command never ends the stream
            self._outbox.put(frames.unsubscribed(request.match_id, None, _failure(error)))

    async def _unsubscribe(self, request: pb.Unsubscribe) -> None:
        match_id = request.match_id
        if request.HasField("seat"):
            seats: list[int | None] = [request.seat]
        else:
            seats = self._followings.seats_of(match_id) or [None]
        for seat in seats:
            await self._followings.stop(match_id, seat)
            self._outbox.put(frames.unsubscribed(match_id, seat))

    async def _submit(self, request: pb.Submit) -> None:
        match_id, request_id = request.match_id, request.request_id
        try:
            seat = request.seat if request.HasField("seat") else None
            following = self._followings.seat(match_id, seat)
            claim = following.claim
            if claim is None:
                message = "a following with a seat has a claim"
                raise AssertionError(message)
            validate.request_id(request_id)
            action = action_from(following.game, request.action)
            receipt, sight = await self._table.matches.submit(
                claim, action, request.expected_version, request_id
            )
            event = receipt.event
            update = frames.accepted(
                match_id,
                request_id,
                event_bytes(following.game, event),
                observation_of(sight) if request.include_observation else None,
                legal_actions_of(sight) if request.include_legal_actions else None,
            )
            self._outbox.put(update)
            if event.state in OVER:
                self._followings.end_silent(match_id)
        except Exception as error:  # what becomes of one command never ends the stream
            self._outbox.put(frames.refused(match_id, request_id, _failure(error)))
            if isinstance(error, MatchOverError):
                self._followings.end_silent(match_id)


def _failure(error: Exception) -> pb.Failure:
    return failure_of(error) if isinstance(error, RefereeError) else incident_failure_of(error)


async def _seen_through(work: Coroutine[Any, Any, None]) -> None:
    """Await something to its end, also when a drain cancels a stream that is ending already."""
    task = asyncio.create_task(work, name="play-clean-up")
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    task.result()


async def _cancelled(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks and wait until they are gone."""
    await asyncio.gather(*map(end, tasks))
    for task in tasks:
        if not task.cancelled():
            task.exception()  # looked at, so that asyncio does not log it; the stream is over

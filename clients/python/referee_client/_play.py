"""Many matches on one stream: follow, submit, and lose nothing when the stream is lost.

What lives here: the stream, opened again whenever it ends. What must not live here: what belongs to
one match (``_following.py``).

A new stream begins with all followings, each from the last version that came, and then all submits
that have no answer yet, with the request ids that they had. So every event comes once, and every
action counts once, whatever became of the streams before. Commands for one match are taken in the
order in which they are sent, which puts each following before its submits.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, cast

import grpc

from referee_client._connection import Connection
from referee_client._errors import RefereeError, UnavailableError
from referee_client._following import Following
from referee_client._gen.referee.v1.match_pb2 import Event
from referee_client._gen.referee.v1.match_service_pb2 import (
    PlayCommand,
    PlayRequest,
    PlayResponse,
    PlayUpdate,
    Submit,
    Subscribe,
    Unsubscribe,
    Unsubscribed,
)
from referee_client._retry import is_resumable, is_retryable
from referee_client._seat import SeatClient
from referee_client._status import error_from_failure, error_from_rpc
from referee_client._submits import Submits, fail
from referee_client._views import Submitted

if TYPE_CHECKING:
    # Generic for the checker only: the runtime class takes no parameters.
    Call = grpc.aio.StreamStreamCall[PlayRequest, PlayResponse]

MAX_COMMANDS = 256
MAX_BYTES = 48 * 1024
"""Of a frame, as the referee takes them."""

Key = tuple[str, int | None]


class PlayStream:
    """A stream that carries any number of matches; made by ``RefereeClient.play``.

    ::

        async with client.play() as stream:
            following = await stream.subscribe(seat)
            done = await following.submit(action)
            async for event in following:
                ...
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._outgoing: deque[PlayCommand] = deque()
        self._wake = asyncio.Event()
        self._followings: dict[Key, Following] = {}
        self._beginning: dict[str, deque[tuple[Following, asyncio.Future[None]]]] = {}
        self._submits = Submits(connection, self._put)
        self._task: asyncio.Task[None] | None = None
        self._failure: Exception | None = None
        self._heard_at = 0.0

    async def __aenter__(self) -> PlayStream:
        self._task = asyncio.create_task(self._run(), name="referee-play")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._give_up(RuntimeError("The stream is closed: use it inside `async with`."))

    async def subscribe(
        self,
        target: SeatClient | str,
        *,
        after_version: int = 0,
        events: bool = True,
        on_event: Callable[[Event], None] | None = None,
    ) -> Following:
        """Follow a match, as a seat or, by its id, as the public.

        Args:
            target: A seat, to submit for it as well; or a match's id.
            after_version: The last version that is known; events after it come.
            events: False for those who live on receipts alone.
            on_event: Called with each event as it comes, instead of keeping it for iteration.

        Raises:
            RefereeError: The match can't be followed.
        """
        self._require_open()
        seat = target if isinstance(target, SeatClient) else None
        request = Subscribe(
            match_id=target.match_id if isinstance(target, SeatClient) else target,
            seat_token="" if seat is None else seat.token,
            after_version=after_version,
            without_events=not events,
        )
        number = None if seat is None else seat.seat
        following = Following(request, number, self._submit, self._unsubscribe, on_event)
        confirmed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._beginning.setdefault(request.match_id, deque()).append((following, confirmed))
        self._followings[request.match_id, number] = following
        self._put(following.command())
        await confirmed
        return following

    async def _unsubscribe(self, following: Following) -> None:
        if self._followings.pop((following.match_id, following.seat), None) is following:
            following.close()
            command = Unsubscribe(match_id=following.match_id, seat=following.seat)
            # Without a seat it would end the followings of all seats; then what the public gets is
            # just let fall.
            if following.seat is not None or len(self._seats(following.match_id)) == 0:
                self._put(PlayCommand(unsubscribe=command))

    async def _submit(self, request: Submit) -> Submitted:
        self._require_open()
        return await self._submits.submit(request)

    # --- the stream ------------------------------------------------------------------------------

    async def _run(self) -> None:
        policy, clock = self._connection.policy, asyncio.get_running_loop().time
        self._heard_at = clock()
        failures = 0
        while True:
            began = clock()
            call = self._connection.stub.Play()
            try:
                failure: RefereeError = await self._talk(call)
            except Exception as error:  # whoever waits must not wait for ever
                self._give_up(error)
                raise
            finally:
                call.cancel()
            failures = 1 if self._heard_at >= began else failures + 1
            if not is_resumable(failure) or clock() - self._heard_at >= policy.give_up_after:
                self._give_up(failure)
                return
            await asyncio.sleep(policy.delay(failures, failure.retry_after, self._connection.rng))

    async def _talk(self, call: Call) -> RefereeError:
        """Use one stream until it is lost; gives the reason."""
        self._outgoing = deque(self._from_the_start())
        self._wake.set()
        writer = asyncio.create_task(self._write(call), name="referee-play-write")
        try:
            while True:
                async with asyncio.timeout(self._connection.policy.stall_after):
                    message = await call.read()
                if message is grpc.aio.EOF:
                    return UnavailableError("The referee ended the stream.")
                self._heard_at = asyncio.get_running_loop().time()
                for update in cast("PlayResponse", message).updates:
                    self._accept(update)
        except TimeoutError:
            return UnavailableError("The stream was silent for too long.")
        except grpc.aio.AioRpcError as error:
            return error_from_rpc(error, self._connection.target)
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)

    def _from_the_start(self) -> Iterator[PlayCommand]:
        for following in self._followings.values():
            yield following.command()
        yield from self._submits.commands()

    async def _write(self, call: Call) -> None:
        # A stream that was lost is noticed by reading, which also learns why.
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            while True:
                while not self._outgoing:
                    self._wake.clear()
                    await self._wake.wait()
                frame, size = PlayRequest(), 0
                while self._outgoing and len(frame.commands) < MAX_COMMANDS and size < MAX_BYTES:
                    command = self._outgoing.popleft()
                    size += command.ByteSize()
                    frame.commands.append(command)
                await call.write(frame)

    def _put(self, command: PlayCommand) -> None:
        self._outgoing.append(command)
        self._wake.set()

    # --- updates ---------------------------------------------------------------------------------

    def _accept(self, update: PlayUpdate) -> None:
        kind = update.WhichOneof("update")
        if kind == "submit_result":
            self._submits.accept(update.submit_result)
        elif kind == "played":
            played = update.played
            seat = played.seat if played.HasField("seat") else None
            following = self._followings.get((played.match_id, seat))
            if following is not None:
                following.accept(played.event)
        elif kind == "subscribed":
            self._begun(update.subscribed.match_id, None)
        elif kind == "unsubscribed":
            self._ended(update.unsubscribed)

    def _begun(self, match_id: str, error: Exception | None) -> Following | None:
        """The match's oldest subscribe was answered; None when there was none."""
        waiting = self._beginning.get(match_id)
        if not waiting:
            return None
        following, confirmed = waiting.popleft()
        if not waiting:
            del self._beginning[match_id]
        if error is None and not confirmed.done():
            confirmed.set_result(None)
        elif error is not None:
            fail(confirmed, error)
        return following

    def _ended(self, update: Unsubscribed) -> None:
        seat = update.seat if update.HasField("seat") else None
        key: Key = update.match_id, seat
        if not update.HasField("failure"):
            following = self._followings.pop(key, None)
            if following is not None:
                following.close()
            return
        failure = error_from_failure(update.failure)
        if is_retryable(failure):
            delay = self._connection.policy.delay(1, failure.retry_after, self._connection.rng)
            asyncio.get_running_loop().call_later(delay, self._follow_again, update.match_id)
            return
        following = None if seat is not None else self._begun(update.match_id, failure)
        following = following or self._followings.get(key)
        if following is not None:
            self._followings.pop((following.match_id, following.seat), None)
            following.close(failure)

    def _follow_again(self, match_id: str) -> None:
        for following in self._seats(match_id):
            self._put(following.command())

    def _seats(self, match_id: str) -> list[Following]:
        return [one for (found, _), one in self._followings.items() if found == match_id]

    # --- the end ---------------------------------------------------------------------------------

    def _require_open(self) -> None:
        if self._task is None:
            message = "The stream is not open: use it inside `async with client.play() as stream`."
            raise RuntimeError(message)
        if self._failure is not None:
            raise self._failure

    def _give_up(self, error: Exception) -> None:
        """Tell everybody who waits why nothing more will come."""
        self._failure = self._failure or error
        for following in self._followings.values():
            following.close(error)
        for waiting in self._beginning.values():
            for _, confirmed in waiting:
                fail(confirmed, error)
        self._submits.give_up(error)
        self._followings, self._beginning = {}, {}

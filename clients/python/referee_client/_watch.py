"""Following a match: every event once, in order, over as many streams as it takes.

What lives here: one watch, which reconnects from its last version whenever its stream is lost. What
must not live here: what events mean.

Four ways a stream ends, and what follows:

* the event that ends the match came: the watch is over;
* an error after which reading again makes sense, or silence beyond ``stall_after``: back off, then
  a new stream;
* any other error: it is raised;
* a clean end without an ending event: a referee that goes away, or a watch that began at the end.
  ``GetMatch`` tells.

Versions are what makes this safe: an event at or below the last version was given already and is
dropped, one beyond the next means that the referee left something out, which is its fault and
raises ``GapError``.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import TYPE_CHECKING, cast

import grpc

from referee_client._connection import Connection, bearer
from referee_client._errors import GapError, RefereeError, UnavailableError
from referee_client._gen.referee.v1.match_pb2 import (
    MATCH_STATE_ABANDONED,
    MATCH_STATE_ENDED,
    Event,
    Match,
)
from referee_client._gen.referee.v1.match_service_pb2 import (
    GetMatchRequest,
    WatchMatchRequest,
    WatchMatchResponse,
)
from referee_client._retry import is_resumable
from referee_client._status import error_from_rpc

if TYPE_CHECKING:
    # Generic for the checker only: the runtime class takes no parameters.
    Stream = grpc.aio.UnaryStreamCall[WatchMatchRequest, WatchMatchResponse]

_OVER = (MATCH_STATE_ENDED, MATCH_STATE_ABANDONED)


def is_over(match: Match | Event) -> bool:
    """True when nothing can happen in the match any more."""
    return match.state in _OVER


class Watch:
    """An async iterator over the events of a match, each once and in order; ends with the match.

    Lost and silent streams are resumed without being noticed. After an error the next step tries
    again from the same version, so a caller that is more patient than the policy just goes on
    iterating. ``aclose`` (or ``async with``) ends it early; one task at a time may iterate.

    Attributes:
        version: The last version that was given; a new watch from here on misses nothing.
    """

    def __init__(
        self, connection: Connection, match_id: str, token: str | None, after_version: int
    ) -> None:
        self.version = after_version
        self._connection = connection
        self._match_id = match_id
        self._token = token
        self._stream: Stream | None = None
        self._failures = 0
        self._silent_since: float | None = None
        self._over = False

    def __aiter__(self) -> Watch:
        return self

    async def __anext__(self) -> Event:
        """The next event.

        Raises:
            StopAsyncIteration: The match is over, or the watch was closed.
            GapError: The referee left out a version.
            RefereeError: The match can't be watched, or no referee answered for ``give_up_after``
                seconds.
        """
        while not self._over:
            message = await self._read()
            event = None if message is None else self._accept(message)
            if event is not None:
                return event
        raise StopAsyncIteration

    async def __aenter__(self) -> Watch:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End the watch; closing twice is fine."""
        self._over = True
        self._drop()

    async def _read(self) -> WatchMatchResponse | None:
        """The next message, or None when the stream ended and the next one may be tried."""
        stream = self._stream or self._open()
        policy = self._connection.policy
        try:
            async with asyncio.timeout(policy.stall_after):
                message = await stream.read()
        except TimeoutError:
            self._drop()
            await self._pause(
                UnavailableError(f"The stream was silent for {policy.stall_after} seconds.")
            )
            return None
        except grpc.aio.AioRpcError as error:
            self._drop()
            failure = error_from_rpc(error, self._connection.target)
            if not is_resumable(failure):
                raise failure from error
            await self._pause(failure)
            return None
        except asyncio.CancelledError:
            self._drop()  # gRPC has cancelled the stream with the read; the next step opens another
            raise
        if message is grpc.aio.EOF:
            self._drop()
            await self._ended()
            return None
        self._failures, self._silent_since = 0, None
        return cast("WatchMatchResponse", message)

    def _open(self) -> Stream:
        request = WatchMatchRequest(match_id=self._match_id, after_version=self.version)
        self._stream = self._connection.stub.WatchMatch(request, metadata=bearer(self._token))
        if self._silent_since is None:
            self._silent_since = asyncio.get_running_loop().time()
        return self._stream

    def _accept(self, message: WatchMatchResponse) -> Event | None:
        """The event of a message, if it is the next one; heartbeats and repeats give None."""
        kind = message.WhichOneof("update")
        received = message.heartbeat.version if kind == "heartbeat" else message.event.version
        expected = self.version + 1
        if received > (self.version if kind == "heartbeat" else expected):
            self._drop()
            raise GapError(expected, received)
        if kind != "event" or received < expected:
            return None
        self.version = received
        if is_over(message.event):
            self._over = True
            self._drop()
        return message.event

    async def _ended(self) -> None:
        """Find out why a stream ended cleanly: because nothing more can come, or by mistake."""
        connection = self._connection
        request = GetMatchRequest(match_id=self._match_id)
        response = await connection.unary(connection.stub.GetMatch, request, token=self._token)
        if not is_over(response.match):
            await self._pause(UnavailableError("The stream ended before the match did."))
        elif response.match.version <= self.version:
            self._over = True
        else:
            await self._pause(UnavailableError("The stream ended before the last event came."))

    async def _pause(self, failure: RefereeError) -> None:
        """Wait before the next stream; raises the failure when nothing was heard for too long."""
        policy = self._connection.policy
        now = asyncio.get_running_loop().time()
        if self._silent_since is not None and now - self._silent_since >= policy.give_up_after:
            self._failures, self._silent_since = 0, None
            raise failure
        self._failures += 1
        await asyncio.sleep(policy.delay(self._failures, failure.retry_after, self._connection.rng))

    def _drop(self) -> None:
        if self._stream is not None:
            self._stream.cancel()
            self._stream = None

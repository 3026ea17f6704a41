"""Submits on a Play stream that have no answer yet.

What lives here: which submit waits for which answer, and which failures are tried again. What must
not live here: the stream (``_play.py``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

from referee_client._connection import Connection
from referee_client._gen.referee.v1.match_service_pb2 import PlayCommand, Submit, SubmitResult
from referee_client._retry import is_retryable
from referee_client._status import error_from_failure
from referee_client._views import LegalActions, Submitted


class _Waiting:
    """A submit that has no answer yet."""

    __slots__ = ("answer", "request", "since", "tries")

    def __init__(self, request: Submit) -> None:
        loop = asyncio.get_running_loop()
        self.request = request
        self.answer: asyncio.Future[Submitted] = loop.create_future()
        self.since = loop.time()
        self.tries = 0


class Submits:
    """All submits of a stream that wait. ``put`` sends a command."""

    def __init__(self, connection: Connection, put: Callable[[PlayCommand], None]) -> None:
        self._connection = connection
        self._put = put
        self._waiting: dict[tuple[str, str], _Waiting] = {}

    def commands(self) -> Iterator[PlayCommand]:
        """All of them once more, in the order in which they came."""
        for one in self._waiting.values():
            yield PlayCommand(submit=one.request)

    async def submit(self, request: Submit) -> Submitted:
        """Send a submit, unless it was sent already, and wait for its answer.

        Raises:
            RefereeError: It was refused, or could not be answered.
        """
        key = request.match_id, request.request_id
        found = self._waiting.get(key)
        if found is None:
            found = self._waiting[key] = _Waiting(request)
            self._put(PlayCommand(submit=request))
        return await asyncio.shield(found.answer)

    def accept(self, result: SubmitResult) -> None:
        """Hand out an answer; a failure that will pass is tried again instead."""
        key = result.match_id, result.request_id
        found = self._waiting.get(key)
        if found is None:
            return  # answered already, on a stream before
        if result.HasField("failure"):
            self._fail(key, found, result)
            return
        del self._waiting[key]
        legal = LegalActions(result.legal_actions, result.receipt.event.version)
        done = Submitted(
            receipt=result.receipt,
            observation=result.observation if result.HasField("observation") else None,
            legal_actions=legal if found.request.include_legal_actions else None,
        )
        if not found.answer.done():
            found.answer.set_result(done)

    def give_up(self, error: Exception) -> None:
        """No answer will come any more."""
        for one in self._waiting.values():
            fail(one.answer, error)
        self._waiting = {}

    def _fail(self, key: tuple[str, str], found: _Waiting, result: SubmitResult) -> None:
        failure = error_from_failure(result.failure)
        loop, policy = asyncio.get_running_loop(), self._connection.policy
        found.tries += 1
        failure.tries = found.tries
        if is_retryable(failure) and loop.time() - found.since < policy.give_up_after:
            delay = policy.delay(found.tries, failure.retry_after, self._connection.rng)
            loop.call_later(delay, self._again, key)
            return
        del self._waiting[key]
        fail(found.answer, failure)

    def _again(self, key: tuple[str, str]) -> None:
        found = self._waiting.get(key)
        if found is not None:
            self._put(PlayCommand(submit=found.request))


def fail(future: asyncio.Future[None] | asyncio.Future[Submitted], error: Exception) -> None:
    """Give an error to whoever still waits."""
    if not future.done():
        future.set_exception(error)
        future.exception()  # whoever waited may be gone, and asyncio would complain

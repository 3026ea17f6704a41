"""One match on a Play stream: its events, and submitting to it.

What lives here: what belongs to one match. What must not live here: the stream, which carries many
of them and is lost and opened again (``_play.py``).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from types import TracebackType

from referee_client._connection import new_request_id
from referee_client._errors import GapError
from referee_client._gen.referee.v1.games_pb2 import GameAction
from referee_client._gen.referee.v1.match_pb2 import Event
from referee_client._gen.referee.v1.match_service_pb2 import PlayCommand, Submit, Subscribe
from referee_client._views import Submitted
from referee_client._watch import is_over

Send = Callable[[Submit], Awaitable[Submitted]]
Leave = Callable[["Following"], Awaitable[None]]


class Following:
    """A match that a stream follows, as one seat or as the public; made by ``subscribe``.

    It is an async iterator over the events of the match, each once and in order, which ends with
    the match. Events wait in memory until they are asked for. ``unsubscribe`` (or ``async with``)
    ends it early; one task at a time may iterate.

    Attributes:
        match_id: The match.
        seat: The seat; None for the public.
        version: The last version that came.
    """

    def __init__(
        self,
        subscribe: Subscribe,
        seat: int | None,
        send: Send,
        leave: Leave,
        on_event: Callable[[Event], None] | None,
    ) -> None:
        self.match_id = subscribe.match_id
        self.seat = seat
        self.version = subscribe.after_version
        self._subscribe = subscribe
        self._send = send
        self._leave = leave
        self._on_event = on_event
        self._events: deque[Event] = deque()
        self._news = asyncio.Event()
        self._error: Exception | None = None
        self._over = False

    def __repr__(self) -> str:
        # Not the token: it would end up in logs.
        who = "the public" if self.seat is None else f"seat {self.seat}"
        return f"<Following: {who} of match {self.match_id}>"

    async def __aenter__(self) -> Following:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.unsubscribe()

    def __aiter__(self) -> Following:
        return self

    async def __anext__(self) -> Event:
        """The next event.

        Raises:
            StopAsyncIteration: The match is over, or no longer followed.
            GapError: The referee left out a version.
            RefereeError: The match can't be followed any more.
        """
        while not self._events:
            if self._error is not None:
                raise self._error
            if self._over:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._events.popleft()

    async def submit(
        self,
        action: GameAction,
        *,
        expected_version: int | None = None,
        request_id: str | None = None,
        include_observation: bool = False,
        include_legal_actions: bool = False,
    ) -> Submitted:
        """Submit an action, as ``SeatClient.submit``; however many streams it takes, once.

        Raises:
            RefereeError: It was refused, or no referee answers any more. After UnavailableError it
                is not known whether the action was played; the same ``request_id`` finds out.
        """
        request = Submit(
            match_id=self.match_id,
            expected_version=expected_version or 0,
            request_id=request_id or new_request_id(),
            action=action,
            include_observation=include_observation,
            include_legal_actions=include_legal_actions,
            seat=self.seat,
        )
        return await self._send(request)

    async def unsubscribe(self) -> None:
        """Follow the match no longer; doing it twice is fine."""
        if not self._over:
            await self._leave(self)

    # --- for the stream --------------------------------------------------------------------------

    def command(self) -> PlayCommand:
        """What makes a new stream go on from here."""
        self._subscribe.after_version = self.version
        return PlayCommand(subscribe=self._subscribe)

    def accept(self, event: Event) -> None:
        """Take an event, if it is the next one; repeats are dropped."""
        if event.version <= self.version:
            return
        if event.version > self.version + 1:
            self.close(GapError(self.version + 1, event.version))
            return
        self.version = event.version
        if self._on_event is not None:
            self._on_event(event)
        else:
            self._events.append(event)
        if is_over(event):
            self._over = True
        self._news.set()

    def close(self, error: Exception | None = None) -> None:
        """Nothing more will come."""
        self._over = True
        self._error = self._error or error
        self._news.set()

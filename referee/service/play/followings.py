"""What a Play stream follows: matches, each as one or several seats or as the public.

What must not live here: how events are found (``match/follow.py``), and what is done for a seat.
"""

from __future__ import annotations

import asyncio

from referee.errors import LimitExceededError, RefereeError, UnauthenticatedError
from referee.match.claim import SeatClaim
from referee.match.follow import Follower
from referee.match.model import Event, MatchId
from referee.match.watch import OVER, Outlook, Watches
from referee.registry import AnyGame
from referee.service.play import frames
from referee.service.play.outbox import Outbox
from referee.service.status import failure_of, incident_failure_of
from referee.wire.event import event_bytes

Seats = dict[int | None, "Following"]


class Following:
    """A match as one seat, or as the public; fulfils ``match.follow.Taker``.

    Attributes:
        match_id: The match.
        seat: The seat; None for the public.
        game: The game that it plays.
        claim: What proves the seat; None for the public.
        follower: What brings its events; None for those who want none.
    """

    __slots__ = ("_followings", "_outbox", "claim", "follower", "game", "match_id", "seat")

    def __init__(
        self,
        match_id: MatchId,
        claim: SeatClaim | None,
        game: AnyGame,
        outbox: Outbox,
        followings: Followings,
    ) -> None:
        self.match_id = match_id
        self.claim = claim
        self.seat = None if claim is None else claim.seat
        self.game = game
        self.follower: Follower | None = None
        self._outbox = outbox
        self._followings = followings

    def take(self, event: Event) -> bool:
        """Send an event, as the seat may see it; False when the client has to read first."""
        if not self._outbox.has_space:
            return False
        self._outbox.put(frames.played(self.match_id, self.seat, event_bytes(self.game, event)))
        if event.state in OVER:
            self._followings.end(self)
        return True

    async def space(self) -> None:
        """Wait until the client has read."""
        await self._outbox.space()

    def fail(self, error: Exception) -> None:
        """Tell why no more events come."""
        self._followings.end(self, error)


class Followings:
    """All followings of a stream."""

    def __init__(self, watches: Watches, outbox: Outbox, limit: int) -> None:
        self._watches = watches
        self._outbox = outbox
        self._limit = limit
        self._count = 0
        self._matches: dict[str, Seats] = {}

    def __len__(self) -> int:
        """Number of followings."""
        return self._count

    def seat(self, match_id: str, seat: int | None) -> Following:
        """The following of a seat, or of the only one for None.

        Raises:
            UnauthenticatedError: The stream does not follow the match as that seat.
        """
        seats = self._matches.get(match_id, {})
        if seat is None:
            mine = [one for one in seats.values() if one.claim is not None]
            if len(mine) == 1:
                return mine[0]
        elif seat in seats:
            return seats[seat]
        message = (
            "This stream follows the match as no such seat. Subscribe with the seat's token first, "
            "and name the seat where there are several."
        )
        raise UnauthenticatedError(message, missing=True)

    async def begin(
        self, match_id: MatchId, claim: SeatClaim | None, after: int, *, events: bool
    ) -> None:
        """Follow a match; one that is followed already begins again.

        Raises:
            RefereeError: As ``Watches.outlook``.
            LimitExceededError: The stream follows as many as it may.
        """
        seat = None if claim is None else claim.seat
        outlook = await self._watches.outlook(match_id, claim, after)
        await self.stop(match_id, seat)
        # Counted where nothing is awaited any more: many matches begin side by side.
        if self._count >= self._limit:
            message = f"A stream follows at most {self._limit} matches. Open another stream."
            raise LimitExceededError(message, retry_after=1.0, limit=str(self._limit))
        following = Following(match_id, claim, outlook.game, self._outbox, self)
        self._outbox.put(frames.subscribed(match_id, outlook.version, seat))
        self._matches.setdefault(match_id, {})[seat] = following
        self._count += 1
        if outlook.over and (after == outlook.version or not events):
            self.end(following)
        elif events:
            await self._start(following, outlook, after)

    async def _start(self, following: Following, outlook: Outlook, after: int) -> None:
        match_id = following.match_id
        following.follower = self._watches.follower(match_id, outlook, after, following)
        try:
            await following.follower.start()
        except BaseException as error:
            if isinstance(error, RefereeError):
                self.end(following, error)
                return
            raise

    def end(self, following: Following, error: Exception | None = None) -> None:
        """End a following, and say so."""
        self._forget(following)
        if following.follower is not None:
            following.follower.end()
        failure = None
        if isinstance(error, RefereeError):
            failure = failure_of(error)
        elif error is not None:
            failure = incident_failure_of(error)
        self._outbox.put(frames.unsubscribed(following.match_id, following.seat, failure))

    def end_silent(self, match_id: str) -> None:
        """A match is over: end the followings of it that no event tells."""
        for following in list(self._matches.get(match_id, {}).values()):
            if following.follower is None:
                self.end(following)

    def seats_of(self, match_id: str) -> list[int | None]:
        """As what a match is followed."""
        return list(self._matches.get(match_id, {}))

    async def stop(self, match_id: str, seat: int | None) -> bool:
        """Stop a following without a word; False when there was none."""
        following = self._matches.get(match_id, {}).get(seat)
        if following is None:
            return False
        self._forget(following)
        if following.follower is not None:
            await following.follower.stop()
        return True

    async def stop_all(self) -> None:
        """Stop everything, and leave nothing behind."""
        all_of_them = [one for seats in self._matches.values() for one in seats.values()]
        self._matches = {}
        self._count = 0
        followers = [one.follower for one in all_of_them if one.follower is not None]
        for follower in followers:
            follower.end()
        await asyncio.gather(*[follower.stop() for follower in followers])

    def check(self) -> None:
        """Let every follower that heard nothing for a while look into the log."""
        for seats in list(self._matches.values()):
            for following in list(seats.values()):
                if following.follower is not None:
                    following.follower.check()

    def _forget(self, following: Following) -> None:
        seats = self._matches.get(following.match_id, {})
        if seats.get(following.seat) is following:
            del seats[following.seat]
            self._count -= 1
            if not seats:
                del self._matches[following.match_id]

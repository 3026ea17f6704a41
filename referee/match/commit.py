"""THE path of every change to a match: look, decide, commit; on a conflict look again.

What lives here: the one loop through which joins, leaves, actions and resignations go. Publishing
is the store's last act in a commit, so nothing can be published that was not stored.

The usual case costs one round trip: the match comes from the cache, the decision is made on it, and
the store commits it if the cache was right. Two things can be wrong, and both are found out before
the caller is told anything:

* The cache is behind. The commit is a ``Conflict``, and the loop begins again with a fresh match. A
  *refusal* may rest on a stale match as well, so a refusal is passed on only after the store has
  said that the match is current.
* The request is a retry. The store knows the request id, and the first event is the answer, also
  where deciding again would refuse (a retry usually comes when the turn has passed).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from referee.errors import (
    ContendedError,
    MatchNotFoundError,
    RefereeError,
    RequestIdReusedError,
)
from referee.match.cache import MatchCache
from referee.match.model import Event, Match, MatchId
from referee.match.ports import Committed, RequestKey, Seen, Store
from referee.match.step import Step

# Each conflict means that somebody else got through, so a match with this many in a row is very
# busy indeed.
MAX_ATTEMPTS = 32

Decide = Callable[[Match], Step]


class Outcome(NamedTuple):
    """The event that a request became.

    Attributes:
        event: The event, unredacted.
        match: A match at least as new as the event.
    """

    event: Event
    match: Match


class CommitPath:
    """Changes matches. Owns no state of its own but the cache it is given."""

    def __init__(self, store: Store, cache: MatchCache) -> None:
        self._store = store
        self._cache = cache

    async def load(self, match_id: MatchId) -> Match:
        """The match as it is now.

        Raises:
            MatchNotFoundError: There is none.
        """
        try:
            match = await self._store.load(match_id, self._cache.get(match_id))
        except MatchNotFoundError:
            self._cache.drop(match_id)
            raise
        self._cache.renew(match)
        return match

    async def glance(self, match_id: MatchId) -> Match:
        """Some version of the match, for what never changes: its game, its number of seats.

        Raises:
            MatchNotFoundError: There is none.
        """
        return self._cache.get(match_id) or await self.load(match_id)

    async def change(
        self, match_id: MatchId, request: RequestKey | None, decide: Decide
    ) -> Outcome:
        """Decide on the current match and commit the decision.

        ``decide`` may be called several times, and must depend on nothing but the match it is
        given.

        Raises:
            RefereeError: Whatever ``decide`` refuses with, on a current match.
            RequestIdReusedError: The request id stood for a different request.
            ContendedError: Too many others commit to this match at once.
        """
        match = await self.glance(match_id)
        for _ in range(MAX_ATTEMPTS):
            try:
                step = decide(match)
            except RefereeError:
                current = await self._store.recheck(match_id, match, request)
                if isinstance(current, Seen):
                    return await self._again(match_id, request, current)
                if current is match:
                    raise
                match = current
                self._cache.renew(match)
                continue
            outcome = await self._store.commit(match, step.match, step.event, request)
            if isinstance(outcome, Committed):
                self._cache.put(step.match)
                return Outcome(step.event, step.match)
            if isinstance(outcome, Seen):
                return await self._again(match_id, request, outcome)
            match = await self.load(match_id)
        message = "Many requests change this match at once. Try again."
        raise ContendedError(message)

    async def _again(self, match_id: MatchId, request: RequestKey | None, seen: Seen) -> Outcome:
        if request is None or request.fingerprint != seen.fingerprint:
            message = (
                "This request id stood for a different request of yours. Make a new id for each "
                "new request."
            )
            raise RequestIdReusedError(message, version=str(seen.event.version))
        return Outcome(seen.event, await self.load(match_id))

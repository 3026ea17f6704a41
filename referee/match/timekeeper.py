"""The referee's own hand on the clock: moments, and what is due when nobody calls.

What lives here: the moment at which a call counts, the look at matches that are due, and the task
that looks. What must not live here: what is due and what it leads to (``timeouts.py``).

Any number of processes look at the same time. Each commits through the one commit path, on the
version it decided on, so whatever is due happens once: who comes second has a conflict, looks
again, and finds it done.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from referee.errors import FlagFellError, MatchNotFoundError, RefereeError
from referee.match.commit import CommitPath, Outcome
from referee.match.model import Match, MatchId, Millis, PublicMatch
from referee.match.observe import public_match
from referee.match.ports import Clock, Downtime, RequestKey, Schedule
from referee.match.step import Step
from referee.match.timeouts import Keeping, due

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.2
WAIT_SECONDS = 1.0
# Whoever takes matches to look at has them for so long; then another process may have to.
HOLD_MS = 3_000
# A match is not looked at more often than this, however little time a seat has left.
PAUSE_MS = 200


Take = Callable[[Match, Millis, int], Step]
"""Takes a step of a seat on a match, at a time, after so much downtime; depends on nothing else."""


class NothingDueError(Exception):
    """There is nothing to do for a match now."""


class Timekeeper:
    """Knows what time it is for a match, and does what is due."""

    def __init__(
        self,
        path: CommitPath,
        clock: Clock,
        downtime: Downtime,
        schedule: Schedule,
        keeping: Keeping,
    ) -> None:
        self._path = path
        self._clock = clock
        self._downtime = downtime
        self._schedule = schedule
        self._keeping = keeping

    async def now(self) -> Millis:
        """The time, once all downtime before it is known.

        A call counts from here, however long its commit takes.

        Raises:
            StoreUnavailableError: The service is down at this moment.
        """
        now = self._clock.now()
        await self._downtime.refresh(now)
        return now

    def shown(self, match: Match) -> PublicMatch:
        """What everybody may know of a match now: its clocks with all known downtime taken out."""
        downtime = self._downtime.between(match.time, self._clock.now()) if match.clocks else 0
        return public_match(match, downtime)

    async def change(
        self, match_id: MatchId, seat: int | None, request: RequestKey | None, take: Take
    ) -> Outcome:
        """Commit a step of a seat at this moment; flags that have fallen by now go first.

        Raises:
            FlagFellError: It was this seat's flag; what that leads to is committed.
            RefereeError: Whatever ``take`` refuses with, on a current match.
        """
        now = await self.now()

        def decide(match: Match) -> Step:
            return take(match, now, self._downtime.between(match.time, now))

        while True:
            try:
                return await self._path.change(match_id, request, decide)
            except FlagFellError as fell:
                await self.settle(match_id)
                if fell.seat == seat:
                    raise

    async def settle(self, match_id: MatchId) -> None:
        """Do all that is due for a match by now, and note when to look at it again.

        Raises:
            MatchNotFoundError: There is no such match.
        """
        now = await self.now()

        def find(match: Match) -> Step | None:
            return due(match, now, self._downtime.between(match.time, now), self._keeping)

        def decide(match: Match) -> Step:
            step = find(match)
            if step is None:
                raise NothingDueError
            return step

        match = await self._path.load(match_id)
        while find(match) is not None:
            try:
                _, match = await self._path.change(match_id, None, decide)
            except NothingDueError:
                match = await self._path.load(match_id)
        at = self._keeping.look_at(match)
        if at is not None:
            at = Millis(max(at, now + PAUSE_MS))
        await self._schedule.set(match_id, at)

    async def look(self) -> int:
        """Settle every match that is due a look; gives how many there were."""
        match_ids = await self._schedule.take(await self.now(), HOLD_MS)
        await asyncio.gather(*map(self._settle_or_log, match_ids))
        return len(match_ids)

    async def look_for_ever(self, every: float = LOOK_SECONDS) -> None:
        """Look again and again; every process does."""
        while True:
            try:
                await self.look()
            except RefereeError as error:
                log.info("looking for fallen flags waits: %s", error.message)
                await asyncio.sleep(WAIT_SECONDS)
            await asyncio.sleep(every)

    async def _settle_or_log(self, match_id: MatchId) -> None:
        """Settle a match; one that can't be settled must not keep others from it."""
        try:
            await self.settle(match_id)
        except MatchNotFoundError:
            await self._schedule.set(match_id, None)
        except RefereeError as error:
            log.info("match %s is looked at again soon: %s", match_id, error.message)
        except Exception:
            log.exception("match %s can't be looked at", match_id)

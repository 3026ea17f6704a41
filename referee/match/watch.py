"""Following a match from a version on: every event once, in order, however it is delivered.

Two sources feed a watcher: the log, which is complete, and what is published, which is quick. The
order of the first two steps is what makes it lossless: subscribe, THEN read the log. An event
committed in between is in both, and its version tells that it was sent already; no event can be in
neither. Whenever the published events do not continue where the watcher stands (some were missed,
or nothing came for a while), the log is read again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from referee.match.model import Event, MatchId, MatchState
from referee.match.ports import Feed, Store
from referee.registry import AnyGame

OVER = (MatchState.ENDED, MatchState.ABANDONED)


async def watch(
    store: Store, match_id: MatchId, game: AnyGame, after: int, heartbeat: float
) -> AsyncIterator[Event | None]:
    """Every event after a version, unredacted; ends with the match.

    Gives None after each ``heartbeat`` seconds of quiet.
    """
    version = after
    async with store.subscribe(match_id, game) as feed:
        # One event more than asked for: if it ended the match, nothing will ever follow it.
        events = await store.events(match_id, game, max(version - 1, 0))
        if any(event.version == version and event.state in OVER for event in events):
            return
        while True:
            for event in events:
                if event.version == version + 1:
                    version = event.version
                    yield event
                    if event.state in OVER:
                        return
            published, quiet = await _next(feed, heartbeat)
            if published is not None and published.version <= version + 1:
                events = [published]
                continue
            events = await store.events(match_id, game, version)
            if quiet and not events:
                yield None


async def _next(feed: Feed, heartbeat: float) -> tuple[Event | None, bool]:
    """The next published event, and whether the wait for it ran out."""
    try:
        async with asyncio.timeout(heartbeat):
            return await feed.get(), False
    except TimeoutError:
        return None, True

"""The match layer as one process has it, over a real Redis; and whole records without any Redis."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

from redis.asyncio import Redis

from referee.app import SystemClock, SystemEntropy
from referee.match import lifecycle
from referee.match.cache import MatchCache
from referee.match.claim import SeatClaim
from referee.match.commit import CommitPath, Outcome
from referee.match.creation import Creation
from referee.match.lifecycle import NewMatch
from referee.match.matches import Matches
from referee.match.model import (
    Event,
    Joined,
    Match,
    MatchId,
    Millis,
    Record,
    SeedOrigin,
    Visibility,
)
from referee.match.observe import record_for
from referee.match.ports import RequestKey
from referee.match.step import Step
from referee.match.timekeeper import Timekeeper
from referee.match.timeouts import Keeping
from referee.plugin import Termination
from referee.registry import GAMES
from referee.store.feed import FeedHub
from referee.store.index import MatchIndex
from referee.store.keys import Keys
from referee.store.match_store import RedisMatchStore
from referee.store.pulse import Pulse
from referee.store.schedule import RedisSchedule

MATCH_ID = MatchId("01ARZ3NDEKTSV4RRFFQ69G5FAV")
SEED = bytes(range(32))
NOW = Millis(1_700_000_000_000)
KEYS = Keys()


@dataclass
class Process:
    """What one referee process has: its own connections, cache and feeds."""

    redis: Redis
    hub: FeedHub
    index: MatchIndex
    store: RedisMatchStore
    path: CommitPath
    matches: Matches

    async def act(self, claim: SeatClaim, text: str, request_id: str = "") -> Event:
        """Commit an action in notation; the event unredacted, as the path gives it."""
        return (await self.act_outcome(claim, text, request_id)).event

    async def act_outcome(self, claim: SeatClaim, text: str, request_id: str = "") -> Outcome:
        """Commit an action in notation, with a plain request key."""
        match = await self.path.glance(claim.match_id)
        action = match.head.game.notation.parse_action(text)
        request = RequestKey(f"{claim.seat}:{request_id}", text.encode()) if request_id else None
        return await self.path.change(
            claim.match_id, request, lambda now: lifecycle.act(now, NOW, claim.seat, action)
        )

    async def legal(self, match_id: MatchId, seat: int) -> list[str]:
        """Legal actions of a seat in notation."""
        match = await self.path.load(match_id)
        game = match.head.game
        return [game.notation.format_action(one) for one in legal_of(match, seat)]


@asynccontextmanager
async def process(redis_url: str, *, cache_bytes: int = 2**24) -> AsyncIterator[Process]:
    """One process over a Redis."""
    redis: Redis = Redis.from_url(redis_url)
    listener: Redis = Redis.from_url(redis_url)
    hub = FeedHub(listener, KEYS)
    hub.start()
    index = MatchIndex(redis, KEYS)
    store = RedisMatchStore(redis, KEYS, Keeping(), index, hub)
    path = CommitPath(store, MatchCache(cache_bytes))
    clock = SystemClock()
    pulse, schedule = Pulse(redis, KEYS, clock), RedisSchedule(redis, KEYS)
    timekeeper = Timekeeper(path, clock, pulse, schedule, Keeping())
    matches = Matches(store, path, timekeeper, SystemEntropy())
    yield Process(redis, hub, index, store, path, matches)
    await store.close()
    await hub.close()
    await listener.aclose()
    await redis.aclose()


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something holds that others bring about."""
    async with asyncio.timeout(10):
        while not await condition():  # noqa: ASYNC110 - other processes have no event to wait for
            await asyncio.sleep(0.01)


async def open_match(
    owner: Process, game_id: str, seats: int = 0, visibility: Visibility = Visibility.PUBLIC
) -> MatchId:
    """A match in which nobody sits."""
    game = GAMES[game_id]
    match = await owner.matches.create(Creation(game, game.default_settings, seats, visibility))
    return match.match_id


async def start_match(owner: Process, game_id: str, seats: int = 0) -> list[SeatClaim]:
    """A match with all its seats taken; the claims by seat."""
    match_id = await open_match(owner, game_id, seats)
    count = seats or GAMES[game_id].info.min_seats
    nobody = Joined("", "", b"")
    joined = [
        await owner.matches.join(match_id, None, nobody, "", invited=False) for _ in range(count)
    ]
    return [one.claim for one in joined]


# --- without any Redis ------------------------------------------------------------


def legal_of(match: Match, seat: int) -> Sequence[Any]:
    """Legal actions of a seat."""
    legal: Sequence[Any] = match.head.game.rules.legal_actions(match.game_state, seat)
    return legal


def new_match(game_id: str, seats: int = 0, settings: Any = None) -> Step:
    """A match in which nobody sits, from a known seed."""
    game = GAMES[game_id]
    new = NewMatch(
        MATCH_ID,
        game,
        settings or game.default_settings,
        seats or game.info.min_seats,
        Visibility.PUBLIC,
        SeedOrigin.SYSTEM,
        SEED,
    )
    return lifecycle.create(new, NOW)


class Story:
    """A match that is played without a store: the match as it is, and all events so far."""

    def __init__(self, first: Step) -> None:
        self.match = first.match
        self.events = [first.event]

    def go(self, step: Callable[..., Step], *arguments: Any) -> Event:
        """Take one step of the lifecycle, a second after the one before."""
        result = step(self.match, Millis(self.events[-1].time + 1000), *arguments)
        self.match = result.match
        self.events.append(result.event)
        return result.event

    def seat_all(self, *nonces: bytes) -> None:
        """Take all seats, with their shares of the salt."""
        for seat in range(len(self.match.head.seats)):
            nonce = nonces[seat] if seat < len(nonces) else b""
            self.go(lifecycle.join, seat, Joined("", "", nonce))

    def play(self, plies: int, random: Random) -> None:
        """Play legal actions; stops with the match."""
        for _ in range(plies):
            if not self.match.to_move:
                return
            seat = self.match.to_move[0]
            self.go(lifecycle.act, seat, random.choice(legal_of(self.match, seat)))

    def record(self, seat: int | None = None) -> Record:
        """The record as it stands."""
        return record_for(self.match, self.events, seat)


def story(game_id: str, seats: int = 0, settings: Any = None) -> Story:
    """A started match, from a known seed and nonces."""
    told = Story(new_match(game_id, seats, settings))
    told.seat_all(b"first", b"second")
    return told


def resigned_story(game_id: str, plies: int, seats: int = 0) -> Story:
    """A match that all but one seat gave up after some actions."""
    told = story(game_id, seats)
    told.play(plies, Random(plies))
    for seat in range(1, len(told.match.head.seats)):
        told.go(lifecycle.resign, seat)
    assert told.match.head.result is not None
    assert Termination.RESIGNATION is told.match.head.result.termination
    return told

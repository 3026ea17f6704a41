"""Following a match: every event once and in order, whatever becomes of what is published."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from random import Random
from typing import Any

import pytest

from referee.match.claim import SeatClaim
from referee.match.model import Event, MatchId
from referee.match.watch import MAX_WAITING, Watches, _Waiting
from referee.registry import GAMES
from referee.store.codec import event_to_bytes
from tests.match.layer import KEYS, Process, process, start_match, story

pytestmark = pytest.mark.usefixtures("redis")
GAME = GAMES["xisk"]


@pytest.fixture
async def one(redis_server) -> AsyncIterator[Process]:
    """One process over the shared Redis."""
    async with process(redis_server.url) as found:
        yield found


@pytest.fixture
async def other(redis_server) -> AsyncIterator[Process]:
    """Another process over the same Redis."""
    async with process(redis_server.url) as found:
        yield found


async def play(owner: Process, claims: list[SeatClaim], plies: int) -> None:
    """Play legal actions."""
    match_id = claims[0].match_id
    random = Random(plies)
    for _ in range(plies):
        match = await owner.path.load(match_id)
        seat = match.to_move[0]
        await owner.act(claims[seat], random.choice(await owner.legal(match_id, seat)))


def watching(
    owner: Process, claims: list[SeatClaim], after: int = 0, heartbeat: float = 5.0
) -> Any:
    """A watcher of a match."""
    return events_of(Watches(owner.store, owner.path), claims[0].match_id, after, heartbeat)


async def events_of(
    watches: Watches, match_id: MatchId, after: int, heartbeat: float
) -> AsyncGenerator[Event | None, None]:
    """A watcher's events, without the game that each is of."""
    async with aclosing(watches.watch(match_id, None, after, heartbeat)) as found:
        async for _, event in found:
            yield event


async def say(owner: Process, command: str, claims: list[SeatClaim]) -> None:
    """Make a process deaf to a match, or let it hear again."""
    channel = KEYS.published(claims[0].match_id)
    await owner.hub._connection.send_command(command, channel, check_health=False)


async def some(watcher: Any, count: int) -> list[int]:
    """Versions of the next events."""
    found: list[int] = []
    async with asyncio.timeout(10):
        while len(found) < count:
            event = await anext(watcher)
            if event is not None:
                found.append(event.version)
    return found


async def all_of(watcher: Any) -> list[int]:
    """Versions of all events to the end."""
    async with asyncio.timeout(20):
        return [event.version async for event in watcher if event is not None]


async def test_a_watcher_in_one_process_sees_what_another_commits(one, other):
    claims = await start_match(one, "xisk")
    async with aclosing(watching(other, claims)) as watcher:
        assert [1, 2, 3] == await some(watcher, 3)
        await play(one, claims, 10)
        assert list(range(4, 14)) == await some(watcher, 10)


async def test_events_that_were_never_published_are_read_from_the_log(one, other):
    claims = await start_match(one, "xisk")
    async with aclosing(watching(one, claims, 3)) as watcher:
        waiting = asyncio.ensure_future(some(watcher, 12))
        await asyncio.sleep(0.05)
        # Deaf for a while: what is committed now is published to nobody.
        await say(one, "SUNSUBSCRIBE", claims)
        await play(other, claims, 11)
        await asyncio.sleep(0.1)
        assert not waiting.done()
        await say(one, "SSUBSCRIBE", claims)
        await play(one, claims, 1)
        assert list(range(4, 16)) == await waiting


async def test_a_published_event_that_skips_some_sends_the_watcher_to_the_log(one, other):
    claims = await start_match(one, "xisk")
    async with aclosing(watching(one, claims, 3)) as watcher:
        waiting = asyncio.ensure_future(some(watcher, 3))
        await asyncio.sleep(0.05)
        await say(one, "SUNSUBSCRIBE", claims)
        await play(other, claims, 2)
        await say(one, "SSUBSCRIBE", claims)
        await play(other, claims, 1)
        assert [4, 5, 6] == await waiting


async def test_events_that_come_again_or_late_are_not_given_twice(one, redis):
    claims = await start_match(one, "xisk")
    async with aclosing(watching(one, claims)) as watcher:
        assert [1, 2, 3] == await some(watcher, 3)
        events = await one.store.events(claims[0].match_id, GAME, 0)
        channel = KEYS.published(claims[0].match_id)
        for event in (*events, *events[::-1]):
            data = b"%d:%s" % (event.version, event_to_bytes(GAME, event))
            await redis.spublish(channel, data)
        await play(one, claims, 1)
        assert [4] == await some(watcher, 1)


async def test_a_quiet_match_gives_a_heartbeat_and_a_lost_event_no_later(one, other):
    claims = await start_match(one, "xisk")
    async with aclosing(watching(one, claims, 3, 0.1)) as watcher:
        async with asyncio.timeout(5):
            assert await anext(watcher) is None
        await say(one, "SUNSUBSCRIBE", claims)
        await play(other, claims, 2)
        assert [4, 5] == await some(watcher, 2)


async def test_a_watcher_that_is_far_too_slow_misses_nothing(one):
    claims = await start_match(one, "xisk")
    async with aclosing(watching(one, claims, 3)) as watcher:
        waiting = asyncio.ensure_future(some(watcher, 1))
        await asyncio.sleep(0.05)
        await play(one, claims, MAX_WAITING + 40)
        assert [4] == await waiting
        assert list(range(5, MAX_WAITING + 44)) == await some(watcher, MAX_WAITING + 39)


async def test_a_watcher_takes_no_more_than_it_has_space_for_until_half_was_taken():
    waiting = _Waiting()
    event = story("xisk").events[0]
    assert all(waiting.take(event) for _ in range(MAX_WAITING))
    assert not waiting.take(event)
    space = asyncio.ensure_future(waiting.space())
    for _ in range(MAX_WAITING // 2):
        assert not space.done()
        assert event == await waiting.next(1.0)
    await space
    assert waiting.take(event)


async def test_the_stream_ends_with_the_match(one):
    claims = await start_match(one, "xisk")
    task = asyncio.ensure_future(all_of(watching(one, claims)))
    await play(one, claims, 3)
    await one.matches.resign(claims[0], "")
    assert list(range(1, 8)) == await task


@pytest.mark.parametrize("after", [0, 1, 3, 6])
async def test_an_ended_match_is_told_to_its_end_from_anywhere(one, after):
    claims = await start_match(one, "xisk")
    await play(one, claims, 3)
    await one.matches.resign(claims[0], "")
    assert list(range(after + 1, 8)) == await all_of(watching(one, claims, after))


async def test_a_watcher_that_knows_the_end_gets_nothing_more(one):
    claims = await start_match(one, "xisk")
    await one.matches.resign(claims[0], "")
    assert [] == await all_of(watching(one, claims, 4))


async def test_many_watchers_share_one_subscription_and_all_see_all(one, other):
    claims = await start_match(one, "xisk")
    tasks = [
        asyncio.ensure_future(all_of(watching(owner, claims)))
        for owner in (one, other)
        for _ in range(20)
    ]
    await asyncio.sleep(0.05)
    await play(other, claims, 30)
    assert 1 == len(one.hub._channels) == len(other.hub._channels)
    await one.matches.resign(claims[1], "")
    expected = list(range(1, 35))
    assert all(expected == versions for versions in await asyncio.gather(*tasks))
    assert {} == one.hub._channels == other.hub._channels


async def test_watchers_that_come_and_go_while_it_is_played_see_a_row_without_gap(one, other):
    claims = await start_match(one, "xisk")
    random = Random(5)

    async def visit(owner: Process) -> None:
        after = random.randrange(0, 4)
        async with aclosing(watching(owner, claims, after)) as watcher:
            count = random.randrange(1, 12)
            assert list(range(after + 1, after + 1 + count)) == await some(watcher, count)

    visits = [asyncio.ensure_future(visit((one, other)[n % 2])) for n in range(60)]
    for _ in range(20):
        await play(one, claims, 1)
        await asyncio.sleep(0.002)
    await asyncio.gather(*visits)

"""Published events: shared by a process, and open about what may have been missed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from redis.asyncio import Redis

from referee.errors import StoreUnavailableError
from referee.match.model import Event, MatchId
from referee.registry import GAMES, AnyGame
from referee.store.codec import event_from_bytes, event_to_bytes
from referee.store.connect import redis_client
from referee.store.feed import CONFIRM_SECONDS, FeedHub
from tests.match.layer import KEYS, MATCH_ID, story, until
from tests.support.processes import RedisProcess

pytestmark = pytest.mark.usefixtures("redis")
GAME = GAMES["xisk"]
EVENTS = story("xisk").events
OTHER = MatchId("2" * 26)


@pytest.fixture
async def hub(redis_server) -> AsyncIterator[FeedHub]:
    """A hub on a connection of its own."""
    listener = redis_client(redis_server.url, None)
    found = FeedHub(listener, KEYS)
    found.start()
    yield found
    await found.close()
    await listener.aclose()


async def publish(redis: Redis, event: Event, match_id: MatchId = MATCH_ID) -> None:
    """Publish an event as a commit does."""
    data = b"%d:%s" % (event.version, event_to_bytes(GAME, event))
    await redis.spublish(KEYS.published(match_id), data)


class Feed:
    """A sink that keeps what it is told."""

    def __init__(self) -> None:
        self.told: asyncio.Queue[Event | None] = asyncio.Queue()

    def put(self, event: Event | None) -> None:
        """Keep it."""
        self.told.put_nowait(event)


async def next_of(feed: Feed) -> Event | None:
    """What the feed gives next."""
    async with asyncio.timeout(5):
        return await feed.told.get()


async def next_event(feed: Feed) -> Event:
    """The next event, past any None."""
    while True:
        event = await next_of(feed)
        if event is not None:
            return event


@asynccontextmanager
async def subscribe(hub: FeedHub, match_id: MatchId = MATCH_ID) -> AsyncIterator[Feed]:
    """A feed of a match."""
    feed = Feed()
    await hub.subscribe(match_id, GAME, feed)
    yield feed
    hub.unsubscribe(match_id, feed)


async def test_what_is_published_after_entering_is_never_missed(hub, redis):
    for _ in range(20):
        async with subscribe(hub) as feed:
            await publish(redis, EVENTS[0])
            assert EVENTS[0] == await next_event(feed)


async def test_a_feed_is_of_one_match(hub, redis):
    async with subscribe(hub) as ours, subscribe(hub, OTHER) as theirs:
        await publish(redis, EVENTS[0])
        await publish(redis, EVENTS[1], OTHER)
        assert EVENTS[0] == await next_event(ours)
        assert EVENTS[1] == await next_event(theirs)


async def test_all_feeds_of_a_match_get_the_event_and_share_one_subscription(hub, redis):
    async with subscribe(hub) as first, subscribe(hub) as second:
        await publish(redis, EVENTS[0])
        assert EVENTS[0] == await next_event(first) == await next_event(second)
        counts = dict(await redis.pubsub_shardnumsub(KEYS.published(MATCH_ID)))
        assert [1] == list(counts.values())


async def test_the_subscription_ends_with_the_last_feed(hub, redis):
    async with subscribe(hub):
        async with subscribe(hub):
            assert [KEYS.published(MATCH_ID).encode()] == [
                name for name in await redis.pubsub_shardchannels() if b"published" in name
            ]
        assert 1 == len(hub._channels)

    async def unsubscribed() -> bool:
        return KEYS.published(MATCH_ID).encode() not in await redis.pubsub_shardchannels()

    await until(unsubscribed)
    assert {} == hub._channels


async def test_a_connection_that_was_killed_gives_none_and_the_feed_goes_on(hub, redis):
    async with subscribe(hub) as feed:
        await publish(redis, EVENTS[0])
        assert EVENTS[0] == await next_event(feed)
        for event in EVENTS[1:]:
            assert 1 == await redis.client_kill_filter(_type="pubsub")
            # Something may have been missed from here on: the watcher has to look in the log.
            assert await next_of(feed) is None
            await publish(redis, event)
            assert event == await next_event(feed)


async def test_who_comes_while_the_connection_is_lost_is_served_by_the_next(hub, redis):
    async with subscribe(hub):
        await redis.client_kill_filter(_type="pubsub")
        async with subscribe(hub, OTHER) as feed:
            await publish(redis, EVENTS[0], OTHER)
            assert EVENTS[0] == await next_event(feed)


async def test_who_comes_before_the_first_connection_is_served_by_it(redis, redis_server):
    listener = redis_client(redis_server.url, None)
    for delay in range(12):
        hub = FeedHub(listener, KEYS)
        hub.start()
        for _ in range(delay):
            await asyncio.sleep(0)
        async with subscribe(hub) as feed:
            await publish(redis, EVENTS[0])
            assert EVENTS[0] == await next_event(feed)
        await hub.close()
    await listener.aclose()


async def test_without_redis_a_subscription_is_refused_in_time(tmp_path):
    server = RedisProcess(tmp_path).start()
    listener = redis_client(server.url, None)
    hub = FeedHub(listener, KEYS)
    hub.start()
    async with subscribe(hub):
        server.kill()
        start = asyncio.get_running_loop().time()
        with pytest.raises(StoreUnavailableError):
            async with subscribe(hub, OTHER):
                raise AssertionError
        assert CONFIRM_SECONDS + 1 > asyncio.get_running_loop().time() - start
    assert {} == hub._channels
    server.start()
    async with subscribe(hub) as feed, Redis.from_url(server.url) as redis:
        await publish(redis, EVENTS[0])
        assert EVENTS[0] == await next_event(feed)
    await hub.close()
    await listener.aclose()
    server.stop()


async def test_what_can_not_be_read_is_a_gap_and_no_end(hub, redis, caplog):
    async with subscribe(hub) as feed:
        await publish(redis, EVENTS[0])
        assert EVENTS[0] == await next_event(feed)
        await redis.spublish(KEYS.published(MATCH_ID), b"99:\xff\xff")
        await redis.spublish(KEYS.published(MATCH_ID), b"")
        assert [None, None] == [await next_of(feed), await next_of(feed)]
        await publish(redis, EVENTS[1])
        assert EVENTS[1] == await next_event(feed)
    assert 2 == len(caplog.records)


async def test_a_hub_that_is_closed_leaves_no_subscription(redis, redis_server):
    listener = redis_client(redis_server.url, None)
    hub = FeedHub(listener, KEYS)
    hub.start()
    async with subscribe(hub):
        await hub.close()
        await listener.aclose()

    async def unsubscribed() -> bool:
        return KEYS.control.encode() not in await redis.pubsub_shardchannels()

    await until(unsubscribed)


async def test_what_was_committed_here_is_handed_over_and_not_decoded_when_it_comes_back(
    hub, redis, monkeypatch
):
    async with subscribe(hub) as feed:
        assert await next_of(feed) is None
        hub.committed(MATCH_ID, EVENTS[0])
        assert EVENTS[0] is await next_of(feed)
        decoded: list[bytes] = []

        def decode(game: AnyGame, data: bytes) -> Event:
            decoded.append(data)
            return event_from_bytes(game, data)

        monkeypatch.setattr("referee.store.feed.event_from_bytes", decode)
        await publish(redis, EVENTS[0])
        await publish(redis, EVENTS[1])
        assert EVENTS[1] == await next_of(feed)
        assert [event_to_bytes(GAME, EVENTS[1])] == decoded


async def test_what_is_being_committed_here_is_known_by_its_bytes(hub, redis):
    async with subscribe(hub) as feed:
        assert await next_of(feed) is None
        hub.committing(MATCH_ID, EVENTS[0], event_to_bytes(GAME, EVENTS[0]))
        await publish(redis, EVENTS[0])
        assert EVENTS[0] is await next_of(feed)
        hub.committed(MATCH_ID, EVENTS[0])
        hub.committing(MATCH_ID, EVENTS[2], event_to_bytes(GAME, EVENTS[2]))
        await publish(redis, EVENTS[1])
        assert EVENTS[1] == await next_of(feed)


async def test_what_was_committed_here_waits_for_what_another_process_committed_before(hub, redis):
    async with subscribe(hub) as feed:
        assert await next_of(feed) is None
        hub.committed(MATCH_ID, EVENTS[0])
        hub.committed(MATCH_ID, EVENTS[2])
        assert EVENTS[0] is await next_of(feed)
        for event in EVENTS[:3]:
            await publish(redis, event)
        assert [EVENTS[1], EVENTS[2]] == [await next_of(feed), await next_of(feed)]

"""The composition root: builds a referee from a Config, starts it, takes it down in order.

The only place that knows both the store and the service.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError

from referee.chance.seed import new_server_seed
from referee.config import Config
from referee.match.cache import MatchCache
from referee.match.commit import CommitPath
from referee.match.matches import Matches
from referee.match.model import MatchId, Millis
from referee.match.timekeeper import Timekeeper
from referee.match.timeouts import HOUR_MS, Keeping
from referee.service.auth import Auth
from referee.service.match_servicer import MatchServicer
from referee.service.server import RefereeServer
from referee.service.tokens import KEY_BYTES, Tokens
from referee.store.connect import (
    REDIS_SECONDS,
    redis_client,
    require_redis,
    without_password,
)
from referee.store.durability import barrier_for
from referee.store.embedded import EmbeddedRedis
from referee.store.faults import store_faults
from referee.store.feed import FeedHub
from referee.store.index import MatchIndex
from referee.store.keys import Keys
from referee.store.match_store import RedisMatchStore
from referee.store.pulse import Pulse
from referee.store.schedule import RedisSchedule
from referee.tasks import end

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass(frozen=True, slots=True)
class Running:
    """A referee that is up.

    Attributes:
        address: Where it listens, as host:port.
        redis: What it keeps its matches in, for people: never holds a password.
    """

    address: str
    redis: str


class SystemClock:
    """The machine's time; fulfils ``match.ports.Clock``."""

    def now(self) -> Millis:
        """Milliseconds since the Unix epoch."""
        return Millis(time.time_ns() // 1_000_000)


class SystemEntropy:
    """The system's random number generator; fulfils ``match.ports.Entropy``."""

    def server_seed(self) -> bytes:
        """32 bytes."""
        return new_server_seed()

    def match_id(self, now: Millis) -> MatchId:
        """A ULID: 48 bits of time, then 80 of luck, as 26 characters of Crockford's base32."""
        number = (now << 80) | secrets.randbits(80)
        return MatchId("".join(_CROCKFORD[(number >> shift) & 31] for shift in range(125, -1, -5)))


@asynccontextmanager
async def running(config: Config) -> AsyncIterator[Running]:
    """A referee that serves until the block is left.

    Raises:
        ConfigError: The Redis URL can't be read, or this Redis can't be as durable as asked for.
        EmbeddedRedisError: A private Redis can't be had.
        StoreUnavailableError: The outside Redis does not answer.
        ListenError: The address can't be listened on.
    """
    async with contextlib.AsyncExitStack() as stack:
        url, shown = await stack.enter_async_context(redis_of(config))
        redis = redis_client(url, REDIS_SECONDS)
        stack.push_async_callback(redis.aclose)
        await require_redis(redis, shown)
        # Without the types of RESP3, for which redis-py looks at each published event once more.
        listener = redis_client(url, None, protocol=2)
        stack.push_async_callback(listener.aclose)
        server, pulse, timekeeper = await _build(config, redis, listener, stack)
        stack.push_async_callback(server.stop)
        # Stopped first: from the moment that calls are turned away, this process does not serve,
        # and no flag falls by its hand.
        for task in (pulse.beat_for_ever(), timekeeper.look_for_ever()):
            stack.push_async_callback(end, asyncio.create_task(task))
        _settle_garbage_collector()
        yield Running(await server.start(), shown)


@asynccontextmanager
async def redis_of(config: Config) -> AsyncIterator[tuple[str, str]]:
    """The URL of the Redis to use, and how to name it to people; a private one is run meanwhile.

    Raises:
        EmbeddedRedisError: A private Redis can't be had.
    """
    if config.redis_url:
        yield config.redis_url, without_password(config.redis_url)
        return
    embedded = EmbeddedRedis(config.data_dir, config.durability)
    try:
        await embedded.start()
        yield (
            embedded.url,
            f"a private redis-server (process {embedded.pid}), data in {config.data_dir.resolve()}",
        )
    finally:
        await embedded.stop()


async def _build(
    config: Config, redis: Redis, listener: Redis, stack: contextlib.AsyncExitStack
) -> tuple[RefereeServer, Pulse, Timekeeper]:
    keys = Keys(config.namespace)
    tokens = Tokens(config.token_key or await _shared_token_key(redis, keys))
    hub = FeedHub(listener, keys)
    hub.start()
    stack.push_async_callback(hub.close)
    index = MatchIndex(redis, keys)
    sweep = asyncio.create_task(index.sweep_for_ever(), name="sweep")
    stack.push_async_callback(end, sweep)
    with store_faults():
        barrier = await barrier_for(redis, config.durability, keys.barrier)
    keeping = _keeping(config)
    store = RedisMatchStore(redis, keys, keeping, index, hub, barrier)
    stack.push_async_callback(store.close)
    path = CommitPath(store, MatchCache(config.cache_bytes))
    clock = SystemClock()
    pulse = Pulse(redis, keys, clock)
    await pulse.beat(clock.now())
    timekeeper = Timekeeper(path, clock, pulse, RedisSchedule(redis, keys), keeping)
    matches = Matches(store, path, timekeeper, SystemEntropy())
    servicer = MatchServicer(matches, tokens, Auth(tokens, config.operator_token), config)

    async def store_answers() -> bool:
        try:
            return bool(await redis.ping())
        except (RedisError, OSError):
            return False

    return RefereeServer(config, servicer, store_answers), pulse, timekeeper


def _keeping(config: Config) -> Keeping:
    return Keeping(
        round(config.keep_open * HOUR_MS),
        round(config.keep_idle * HOUR_MS),
        round(config.keep_records * HOUR_MS),
    )


def _settle_garbage_collector() -> None:
    """Let the collector look less often: what a call leaves behind has no cycles.

    With the defaults it walks the whole cache of matches again and again; measured at a sixth of a
    call's processor time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)


async def _shared_token_key(redis: Redis, keys: Keys) -> bytes:
    """The key that signs seat tokens, kept in Redis so that all processes of a deployment share it.

    Whoever can read it there can read the seeds and hands beside it as well, so it adds no new
    risk.
    """
    with store_faults():
        await redis.set(keys.token_key, secrets.token_bytes(KEY_BYTES), nx=True)
        key: Any = await redis.get(keys.token_key)
    return bytes(key)

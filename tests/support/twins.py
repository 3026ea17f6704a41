"""Two referees that are told different secrets, and what each of them says on the wire.

Both serve the same matches, with the same ids and tokens, from one Redis under two namespaces. A
test puts a story into the first and a variant of it into the second, asks both the same things, and
compares the bytes of the answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import grpc
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from redis.asyncio import Redis

from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.match.claim import SeatClaim
from referee.match.model import MatchId
from referee.match.ports import Committed
from referee.match.timeouts import Keeping
from referee.service.tokens import KEY_BYTES, Tokens
from referee.store.codec import event_to_bytes, mark_of
from referee.store.feed import FeedHub
from referee.store.index import MatchIndex
from referee.store.keys import Keys
from referee.store.match_store import RedisMatchStore
from tests.support.api import bearer
from tests.support.processes import RedisProcess, RefereeProcess
from tests.support.stories import Story

TOKEN_KEY = bytes(range(KEY_BYTES))
NAMESPACES = ("one", "other")
AT_ONCE = 16
Question = tuple[str, Message, str | None]
"""A method, its request, and the token that is sent along."""
_SERVICE = pb.DESCRIPTOR.services_by_name["MatchService"]
_TOKENS = Tokens(TOKEN_KEY)


class Heard(NamedTuple):
    """An answer as it came over the wire: its bytes, or all that an error consists of."""

    good: bool
    data: bytes


class Ear:
    """Asks one referee, and hears the bytes of its answers, right or wrong."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._channel = channel

    async def ask(self, method: str, request: Message, token: str | None) -> Heard:
        """The answer to a request."""
        call: Any = self._channel.unary_unary(self._path(method), type(request).SerializeToString)
        try:
            return Heard(True, await call(request, metadata=_metadata(token), timeout=10))
        except grpc.aio.AioRpcError as error:
            trailing = sorted(error.trailing_metadata() or ())
            return Heard(False, repr((error.code(), error.details(), trailing)).encode())

    async def watch(self, match_id: str, token: str | None, after: int, count: int) -> list[bytes]:
        """The bytes of the next messages of a watch."""
        request = pb.WatchMatchRequest(match_id=match_id, after_version=after)
        call: Any = self._channel.unary_stream(
            self._path("WatchMatch"), type(request).SerializeToString
        )
        stream = call(request, metadata=_metadata(token), timeout=10)
        messages = [await stream.read() for _ in range(count)]
        stream.cancel()
        return messages

    @staticmethod
    def _path(method: str) -> str:
        return f"/{_SERVICE.full_name}/{_SERVICE.methods_by_name[method].name}"


@dataclass(frozen=True)
class Twins:
    """Both referees: the Redis that they share, and their ears."""

    redis: Redis
    ears: tuple[Ear, ...]

    async def stage(self, *stories: Story) -> None:
        """Put a story into each referee's store, as that referee would have put it there."""
        for namespace, steps in zip(NAMESPACES, stories, strict=True):
            keys = Keys(namespace)
            index, hub = MatchIndex(self.redis, keys), FeedHub(self.redis, keys)
            store = RedisMatchStore(self.redis, keys, Keeping(), index, hub)
            await _put(self.redis, keys, store, steps)
            await store.close()

    async def ask(self, method: str, request: Message, token: str | None) -> list[Heard]:
        """What each of them answers."""
        return await asyncio.gather(*(ear.ask(method, request, token) for ear in self.ears))

    async def ask_all(self, questions: Sequence[Question]) -> list[list[Heard]]:
        """What each of them answers to each question, of which none may change anything."""
        found: list[list[Heard]] = []
        for start in range(0, len(questions), AT_ONCE):
            batch = questions[start : start + AT_ONCE]
            found += await asyncio.gather(*(self.ask(*question) for question in batch))
        return found

    async def watch(
        self, match_id: str, token: str | None, after: int, count: int
    ) -> list[list[bytes]]:
        """What each of them tells a watcher next."""
        return await asyncio.gather(
            *(ear.watch(match_id, token, after, count) for ear in self.ears)
        )


async def _put(redis: Redis, keys: Keys, store: RedisMatchStore, steps: Story) -> None:
    """The first and the last commit go the usual way; the log in between is put there at once."""
    await store.create(*steps[0])
    *_, before, (match, event) = steps
    match_id, version = match.head.match_id, before.match.version
    past = [event_to_bytes(match.head.game, step.event) for step in steps[1:-1]]
    await redis.rpush(keys.events(match_id), *past)
    await redis.hset(keys.match(match_id), "version", str(version))
    await redis.hset(keys.match(match_id), "mark", mark_of(before.match))
    assert Committed() == await store.commit(before.match, match, event, None)


def token_of(steps: Story, seat: int | None) -> str | None:
    """A seat's token; None for the public."""
    if seat is None:
        return None
    head = steps[-1].match.head
    return _TOKENS.seat_token(SeatClaim(head.match_id, seat, head.seats[seat].joined_version))


def blanked(method: str, heard: Heard, *names: str) -> bytes:
    """An answer without the fields of these names, wherever they are in it."""
    if not heard.good:
        return heard.data
    message = GetMessageClass(_SERVICE.methods_by_name[method].output_type).FromString(heard.data)
    _blank(message, names)
    return message.SerializeToString(deterministic=True)


def _blank(message: Message, names: Sequence[str]) -> None:
    for field, value in message.ListFields():
        if field.name in names:
            message.ClearField(field.name)
        elif field.message_type is not None:
            for one in [value] if isinstance(value, Message) else value:
                _blank(one, names)


def join_code_of(match_id: str, seat: int) -> str:
    """The join code of a seat."""
    return _TOKENS.join_code(MatchId(match_id), seat)


def start_twins(folder: Path, redis: RedisProcess) -> list[RefereeProcess]:
    """Start both referees on one Redis."""
    found = []
    for namespace in NAMESPACES:
        arguments = ("--namespace", namespace, "--log-level", "debug")
        found.append(RefereeProcess(folder / namespace, *arguments, redis_url=redis.url).start())
    return found


async def share_token_key(url: str) -> None:
    """Give both namespaces one key for tokens, before the referees make one each."""
    async with Redis.from_url(url) as redis:
        for namespace in NAMESPACES:
            await redis.set(Keys(namespace).token_key, TOKEN_KEY)


@asynccontextmanager
async def connected_twins(
    redis_url: str, referees: Sequence[RefereeProcess]
) -> AsyncIterator[Twins]:
    """Both referees, connected."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    async with AsyncExitStack() as stack:
        redis: Redis = await stack.enter_async_context(Redis.from_url(redis_url))
        channels = [
            await stack.enter_async_context(grpc.aio.insecure_channel(one.address, options=options))
            for one in referees
        ]
        yield Twins(redis, tuple(map(Ear, channels)))


def _metadata(token: str | None) -> Any:
    return bearer(token) if token is not None else None

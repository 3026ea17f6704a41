"""Clients that play both games the way bad networks make clients play: late, twice, on old news.

What lives here: hands (which act) and watchers, each a task of its own, all writing into one
history. What must not live here: any judgement.

A *hand* acts for all seats of one match. It keeps what it knows of the match and does not always
look again before it acts; where two hands are in one match, one of them is always behind. A request
is sent until its answer says that it was done or was not, with the same request id; now and then it
is sent twice at once, or is not waited for, or its answer is treated as lost, or the hand gives up
as if it had died.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

import grpc

from referee._gen.referee.v1 import games_pb2, match_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee._gen.referee.v1.match_service_pb2_grpc import MatchServiceStub
from referee.registry import GAMES
from referee.wire.games import action_to
from tests.history.checker import UNDESERVED_REASON
from tests.history.history import Call, History, Kind, Outcome, Request, Stream, Watch
from tests.support.api import bearer, settings, unpack

ENDED = match_pb2.MATCH_STATE_ENDED
CALL_SECONDS = 3.0
NOT_KNOWN = {
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.INTERNAL,
}
OPTIONS = [
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 400),
]


@dataclass(frozen=True)
class Habits:
    """How often a hand does what; shares of all its requests.

    Attributes:
        twice: Sends it twice at once.
        hurry: Gives it a deadline that can hardly be met, first.
        lost: Treats the answer as lost.
        abandon: Gives up when the first answer does not tell.
        again: Sends an old one again.
        reuse: Uses an old id for another action.
        stale: Acts on what it knew, without looking.
        rivals: Shares of matches with two hands.
        pause: Mean pause between requests, in seconds.
        plies: Actions after which a match is resigned.
    """

    twice: float = 0.03
    hurry: float = 0.02
    lost: float = 0.05
    abandon: float = 0.3
    again: float = 0.04
    reuse: float = 0.01
    stale: float = 0.15
    rivals: float = 0.3
    pause: float = 0.002
    plies: int = 70


@dataclass
class Board:
    """One match as its clients share it: who sits there, and whether it is over."""

    match_id: str
    game_id: str
    tokens: dict[int, str]
    over: bool = False
    version: int = 0
    done: list[Request] = field(default_factory=list)


class World:
    """The connections of all clients, and the history they write."""

    def __init__(self, stubs: list[MatchServiceStub], random: Random, habits: Habits) -> None:
        self.history = History()
        self.random = random
        self.habits = habits
        self.acknowledged = 0
        self.stopping = False
        self._progress = asyncio.Event()
        self._stubs = stubs

    @property
    def stub(self) -> MatchServiceStub:
        """Any connection: it leads to any worker."""
        return self.random.choice(self._stubs)

    async def backoff(self) -> None:
        """A pause before the next try."""
        await asyncio.sleep(self.random.uniform(0.01, 0.2))

    async def reached(self, actions: int) -> None:
        """Wait until so many requests were acknowledged."""
        while self.acknowledged < actions:
            self._progress.clear()
            await self._progress.wait()

    def count(self) -> None:
        """One more request was acknowledged."""
        self.acknowledged += 1
        self._progress.set()

    async def insist(self, method: str, request: Any, metadata: Any = None) -> Any:
        """Call until there is an answer; for what is not a seat's request."""
        while True:
            try:
                return await getattr(self.stub, method)(
                    request, metadata=metadata, timeout=CALL_SECONDS
                )
            except grpc.aio.AioRpcError as error:
                if error.code() not in NOT_KNOWN:
                    raise
                await self.backoff()

    async def act(self, board: Board, request: Request, seconds: float = CALL_SECONDS) -> Call:
        """Try a seat's request once, and take it down."""
        return await self._try(Kind.ACT, board, request, seconds)

    async def reuse(self, board: Board, request: Request) -> Call:
        """Try a request whose id stood for another one."""
        return await self._try(Kind.REUSE, board, request, CALL_SECONDS)

    async def read(self, board: Board, method: str, request: Any, seat: int) -> Any:
        """Read something that has a version; gives None when there was no answer."""
        start = time.monotonic()
        try:
            answer = await getattr(self.stub, method)(
                request, metadata=bearer(board.tokens[seat]), timeout=CALL_SECONDS
            )
        except grpc.aio.AioRpcError as error:
            outcome, reason, version = _judge(error)
            self._note(Kind.READ, board, start, outcome, version=version, reason=reason)
            return None
        version = answer.match.version if method == "GetMatch" else answer.version
        self._note(Kind.READ, board, start, Outcome.OK, version=version)
        return answer

    async def _try(self, kind: Kind, board: Board, request: Request, seconds: float) -> Call:
        start = time.monotonic()
        try:
            receipt = await self._send(board, request, seconds)
        except grpc.aio.AioRpcError as error:
            outcome, reason, version = _judge(error)
            return self._note(
                kind, board, start, outcome, version=version, request=request, reason=reason
            )
        event = receipt.event
        board.over |= event.state == ENDED
        board.version = max(board.version, event.version)
        return self._note(
            kind,
            board,
            start,
            Outcome.OK,
            version=event.version,
            request=request,
            receipt=receipt.SerializeToString(deterministic=True),
        )

    async def _send(self, board: Board, request: Request, seconds: float) -> match_pb2.Receipt:
        metadata = bearer(board.tokens[request.seat])
        if not request.action:
            resign = pb.ResignRequest(match_id=board.match_id, request_id=request.request_id)
            return (await self.stub.Resign(resign, metadata=metadata, timeout=seconds)).receipt
        submit = pb.SubmitActionRequest(
            match_id=board.match_id,
            request_id=request.request_id,
            expected_version=request.expected,
            action=games_pb2.GameAction.FromString(request.action),
        )
        return (await self.stub.SubmitAction(submit, metadata=metadata, timeout=seconds)).receipt

    def _note(self, kind: Kind, board: Board, start: float, outcome: Outcome, **more: Any) -> Call:
        call = Call(kind, board.match_id, start, time.monotonic(), outcome, **more)
        self.history.calls.append(call)
        return call


class Hand:
    """Acts for all seats of a match, on what it knows of it."""

    def __init__(self, world: World, board: Board) -> None:
        self._world = world
        self._board = board
        self._random = Random(world.random.random())
        self._version = 0
        self._seat = 0
        self._to_move: list[int] = []
        self._legal: list[bytes] = []

    async def play(self) -> None:
        """Play until the match is over or old enough, or the world stops."""
        world, board, habits = self._world, self._board, self._world.habits
        while not (board.over or world.stopping or board.version > habits.plies):
            if not self._legal or self._random.random() >= habits.stale:
                await self._look()
            if self._legal:
                await self._insist(self._request(), patient=self._random.random() >= habits.abandon)
            if board.done and self._random.random() < habits.again:
                await world.act(board, self._random.choice(board.done))
            if board.done and self._random.random() < habits.reuse:
                await self._reuse(self._random.choice(board.done))
            await asyncio.sleep(self._random.expovariate(1 / habits.pause))

    async def finish(self) -> None:
        """End the match: seats resign until nobody is left to play on."""
        for seat in sorted(self._board.tokens):
            while not self._board.over:
                request = Request(self._board.match_id, seat, _new_id(), b"", 0)
                call = await self._insist(request, patient=True)
                if call.reason == "MATCH_OVER":
                    self._board.over = True
                if call.outcome is not Outcome.UNKNOWN:
                    break

    async def _look(self) -> None:
        """See who is to move, and what that seat may do."""
        world, board = self._world, self._board
        self._legal = []
        if not self._to_move:
            request = pb.GetMatchRequest(match_id=board.match_id)
            found = await world.read(board, "GetMatch", request, self._seat)
            if found is None:
                return await world.backoff()
            self._to_move = list(found.match.to_move)
            board.over |= found.match.state == ENDED
        if board.over or not self._to_move:
            return None
        self._seat = self._random.choice(self._to_move)
        asked = pb.ListLegalActionsRequest(match_id=board.match_id)
        answer = await world.read(board, "ListLegalActions", asked, self._seat)
        self._to_move = []
        if answer is not None and answer.count:
            game = GAMES[board.game_id]
            message = getattr(answer.legal_actions, board.game_id)
            legal = game.wire.legal_actions_from_message(message)
            picked = self._random.sample(legal, min(2, len(legal)))
            self._version = answer.version
            self._legal = [
                action_to(game, one).SerializeToString(deterministic=True) for one in picked
            ]
        return None

    def _request(self) -> Request:
        expected = self._random.choice((0, self._version, self._version, self._version))
        return Request(self._board.match_id, self._seat, _new_id(), self._legal[0], expected)

    async def _insist(self, request: Request, *, patient: bool) -> Call:
        """Send a request until its answer tells."""
        world, board, habits = self._world, self._board, self._world.habits
        dice = self._random.random()
        if dice < habits.twice:
            await asyncio.gather(world.act(board, request), world.act(board, request))
        elif dice < habits.twice + habits.hurry:
            await world.act(board, request, seconds=self._random.uniform(0.0005, 0.006))
        elif dice < habits.twice + habits.hurry + habits.lost:
            await world.act(board, request)
        while True:
            call = await world.act(board, request)
            if call.outcome is Outcome.OK:
                world.count()
                board.done.append(request)
                event = match_pb2.Receipt.FromString(call.receipt).event
                self._to_move = list(event.to_move)
                # What is known now is enough to act on, and with a rival in the match often wrong.
                self._legal = self._legal[1:]
            if call.outcome is not Outcome.UNKNOWN or not patient:
                return call
            await world.backoff()

    async def _reuse(self, done: Request) -> None:
        if not (self._legal and done.action and self._legal[0] != done.action):
            return
        other = Request(done.match_id, done.seat, done.request_id, self._legal[0], 0)
        await self._world.reuse(self._board, other)


class Watcher:
    """Follows a match to its end, over as many streams as it takes; cuts some itself."""

    def __init__(self, world: World, board: Board, seat: int | None) -> None:
        self._world = world
        self._board = board
        self._watch = Watch(board.match_id, seat)
        self._random = Random(world.random.random())
        world.history.watches.append(self._watch)

    async def follow(self) -> None:
        """Watch until the event that ended the match has come."""
        version, over = 0, False
        while not over:
            stream = Stream(version)
            self._watch.streams.append(stream)
            version, over = await self._one(stream)
            if not over:
                await self._world.backoff()

    async def _one(self, stream: Stream) -> tuple[int, bool]:
        seat, version = self._watch.seat, stream.after
        request = pb.WatchMatchRequest(match_id=self._board.match_id, after_version=version)
        metadata = None if seat is None else bearer(self._board.tokens[seat])
        call = self._world.stub.WatchMatch(request, metadata=metadata)
        left = self._random.randrange(5, 120)
        try:
            async with asyncio.timeout(8):
                async for message in call:
                    if message.HasField("heartbeat"):
                        stream.beats.append((message.heartbeat.version, version))
                        continue
                    stream.events.append(message.event.SerializeToString(deterministic=True))
                    version = message.event.version
                    if message.event.state == ENDED:
                        return version, True
                    left -= 1
                    if left == 0:
                        break
        except grpc.aio.AioRpcError as error:
            hint = unpack(error).metadata.get("last_version")
            stream.hint = None if hint is None else int(hint)
        except TimeoutError:
            return version, False
        finally:
            call.cancel()
        return version, False


async def sit_down(world: World, game_id: str, seats: int) -> Board:
    """Create a match and take all its seats, however often that has to be tried."""
    create = pb.CreateMatchRequest(settings=settings(game_id), seats=seats, request_id=_new_id())
    created = await world.insist("CreateMatch", create)
    board = Board(created.match.match_id, game_id, {})
    for code in created.join_codes:
        join = pb.JoinMatchRequest(join_code=code.code, request_id=_new_id())
        joined = await world.insist("JoinMatch", join)
        board.tokens[joined.seat] = joined.seat_token
    return board


@asynccontextmanager
async def connections(addresses: list[str], count: int) -> AsyncIterator[list[MatchServiceStub]]:
    """Connections of their own, so that the system spreads them over the workers."""
    channels = [
        grpc.aio.insecure_channel(addresses[number % len(addresses)], options=OPTIONS)
        for number in range(count)
    ]
    try:
        yield [MatchServiceStub(channel) for channel in channels]
    finally:
        await asyncio.gather(*[channel.close() for channel in channels])


def _judge(error: grpc.aio.AioRpcError) -> tuple[Outcome, str, int]:
    fault = unpack(error)
    if "incident" in fault.message:
        return Outcome.UNKNOWN, UNDESERVED_REASON, 0
    if fault.code in NOT_KNOWN:
        return Outcome.UNKNOWN, fault.reason or fault.code.name, 0
    version = int(fault.metadata.get("current_version", 0))
    return Outcome.REFUSED, fault.reason or fault.code.name, version


def _new_id() -> str:
    return uuid.uuid4().hex

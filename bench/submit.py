"""SubmitAction against a bare echo of the same sizes.

Closed loops from one process, one call in flight per match. The actions are drawn beforehand, so
that the load generator does nothing but calls.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import grpc

from bench.processes import Server, cpu_seconds
from referee._gen.referee.v1 import games_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee._gen.referee.v1.match_service_pb2_grpc import MatchServiceStub
from referee.chance.draws import SeededChance
from referee.registry import AnyGame

CHANNELS = 4
WARM_UP_CALLS = 1_500

Metadata = tuple[tuple[str, str], ...]
Table = tuple[str, list[str]]


@dataclass(frozen=True)
class Reading:
    """What one load came to.

    Attributes:
        calls_per_second: Calls that were answered.
        server_us: Microseconds of the server's processor per call.
        redis_us: Microseconds of Redis' processor per call.
        p50_ms: Half of the calls took at most this long.
        p99_ms: All but one in a hundred took at most this long.
        request_bytes: Bytes of an average request.
        response_bytes: Bytes of an average response.
    """

    calls_per_second: float
    server_us: float
    redis_us: float
    p50_ms: float
    p99_ms: float
    request_bytes: int = 0
    response_bytes: int = 0


class Meter:
    """Counts calls once the warm-up is over, for a time, or until a loop has run dry."""

    def __init__(self, server: Server, seconds: float | None) -> None:
        self._server = server
        self._redis = server.redis_pid()
        self._seconds = seconds
        self._ended = asyncio.Event()
        self._counting = False
        # So many calls, not so many seconds: a fast machine must not play all matches warming up.
        self._warming = WARM_UP_CALLS
        self._warm = asyncio.Event()
        self._times: list[float] = []
        self._sizes = [0, 0]

    async def run(self, loops: Sequence[Awaitable[None]]) -> Reading:
        """Run the loops side by side through warm-up and measurement."""
        tasks = [asyncio.ensure_future(loop) for loop in loops]
        await self._warm.wait()
        before, redis_before, began = self._cpu(), self._redis_cpu(), time.perf_counter()
        self._counting = True
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), self._seconds)
        self._counting = False
        wall = time.perf_counter() - began
        cpu, redis = self._cpu() - before, self._redis_cpu() - redis_before
        self.end()
        await asyncio.gather(*tasks)
        count = len(self._times)
        self._times.sort()
        return Reading(
            count / wall,
            cpu / count * 1e6,
            redis / count * 1e6,
            self._times[count // 2] * 1e3,
            self._times[count * 99 // 100] * 1e3,
            self._sizes[0] // count,
            self._sizes[1] // count,
        )

    def add(self, seconds: float, request_bytes: int, response_bytes: int) -> None:
        """Count one call."""
        self._warming -= 1
        if not self._warming:
            self._warm.set()
        if self._counting:
            self._times.append(seconds)
            self._sizes[0] += request_bytes
            self._sizes[1] += response_bytes

    def end(self) -> None:
        """End the measurement."""
        self._ended.set()

    def is_over(self) -> bool:
        """True once the measurement has ended."""
        return self._ended.is_set()

    def _cpu(self) -> float:
        return self._server.cpu_seconds()

    def _redis_cpu(self) -> float:
        return cpu_seconds(self._redis) if self._redis else 0.0


async def measure_echo(
    server: Server, flight: int, seconds: float, request: int, response: int
) -> Reading:
    """The ceiling, with so many bytes each way."""
    async with Channels(server.address) as channels:
        meter = Meter(server, seconds)
        payload = response.to_bytes(4, "big") + b"\x00" * max(0, request - 4)

        async def loop(channel: grpc.aio.Channel) -> None:
            call: Any = channel.unary_unary("/bench.Echo/Echo")
            while not meter.is_over():
                began = time.perf_counter()
                await call(payload)
                meter.add(time.perf_counter() - began, request, response)

        return await meter.run([loop(channels(number)) for number in range(flight)])


async def measure_submit(server: Server, game: AnyGame, flight: int, matches: int) -> Reading:
    """SubmitAction, the legal actions of one match after another, ``flight`` matches at a time.

    All matches are opened beforehand. Measuring ends when the last one has been begun, while all
    loops are still busy.
    """
    scripts = scripts_of(game)
    async with Channels(server.address) as channels:
        stubs = [MatchServiceStub(channels(number)) for number in range(CHANNELS)]
        tables = await open_tables(channels, game, matches)
        meter = Meter(server, None)
        loops = [
            _submit_loop(stubs[number % CHANNELS], tables, scripts, meter)
            for number in range(flight)
        ]
        return await meter.run(loops)


async def _submit_loop(
    stub: MatchServiceStub,
    tables: list[Table],
    scripts: list[list[games_pb2.GameAction]],
    meter: Meter,
) -> None:
    while tables:
        match_id, tokens = tables.pop()
        bearers: list[Metadata] = [(("authorization", f"Bearer {token}"),) for token in tokens]
        for ply, action in enumerate(scripts[len(tables) % len(scripts)]):
            request = pb.SubmitActionRequest(
                match_id=match_id, request_id=f"{match_id}-{ply}", action=action
            )
            began = time.perf_counter()
            response = await stub.SubmitAction(request, metadata=bearers[ply % len(tokens)])
            meter.add(time.perf_counter() - began, request.ByteSize(), response.ByteSize())
    meter.end()


async def open_tables(
    channels: Callable[[int], grpc.aio.Channel], game: AnyGame, matches: int
) -> list[Table]:
    """Matches with all their seats taken."""
    stub = MatchServiceStub(channels(0))
    return [await _open(stub, game) for _ in range(matches)]


def scripts_of(game: AnyGame) -> list[list[games_pb2.GameAction]]:
    """Whole random matches."""
    return [_script(game, number) for number in range(64)]


async def _open(stub: MatchServiceStub, game: AnyGame) -> Table:
    settings = games_pb2.GameSettings()
    getattr(settings, game.info.id).SetInParent()
    created = await stub.CreateMatch(pb.CreateMatchRequest(settings=settings))
    tokens: list[str] = []
    for code in created.join_codes:
        joined = await stub.JoinMatch(pb.JoinMatchRequest(join_code=code.code))
        tokens.append(joined.seat_token)
    return created.match.match_id, tokens


def _script(game: AnyGame, seed: int) -> list[games_pb2.GameAction]:
    """A whole random match without luck, in which the seats take turns."""
    choose = random.Random(seed)
    chance = SeededChance(bytes(32))
    rules = game.rules
    state = rules.initial(game.default_settings, game.info.min_seats, chance).state
    actions = []
    while to_move := rules.to_move(state):
        action = choose.choice(rules.legal_actions(state, to_move[0]))
        actions.append(games_pb2.GameAction(**{game.info.id: game.wire.action_to_message(action)}))
        state = rules.apply(state, to_move[0], action, chance).state
    return actions


class Channels:
    """Several connections, handed out in turn."""

    def __init__(self, address: str) -> None:
        options = [("grpc.use_local_subchannel_pool", 1)]
        self._channels = [
            grpc.aio.insecure_channel(address, options=options) for _ in range(CHANNELS)
        ]

    async def __aenter__(self) -> Callable[[int], grpc.aio.Channel]:
        for channel in self._channels:
            await channel.channel_ready()
        return self.__getitem__

    async def __aexit__(self, *_: object) -> None:
        for channel in self._channels:
            await channel.close()

    def __getitem__(self, number: int) -> grpc.aio.Channel:
        return self._channels[number % CHANNELS]

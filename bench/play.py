"""Play against a bare stream echo of the same sizes, and what one commit costs at the least.

Closed loops from one process: some streams, on each some matches, of each match one submit on its
way. The actions are drawn beforehand. With single frames every submit is a message of its own; with
full frames whatever a message brought is answered with one message.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from redis.asyncio import Redis

from bench.processes import Server, cpu_seconds
from bench.submit import Channels, Meter, Reading, open_tables, scripts_of
from referee._gen.referee.v1 import games_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.registry import AnyGame
from referee.store.embedded import EmbeddedRedis
from referee.store.pipeline import ScriptPipeline
from referee.store.scripts import load_script

STREAMS = 4
STATE_BYTES = 40
COMMIT_BATCH = 64


class _Game:
    """One match that is being played to its script, seat after seat."""

    def __init__(
        self, match_id: str, tokens: list[str], script: list[games_pb2.GameAction], *, events: bool
    ) -> None:
        self.match_id = match_id
        self._tokens = tokens
        self._script = script
        self._events = events
        self._ply = 0
        self.began = 0.0
        self.size = 0

    def subscribes(self) -> Iterator[pb.PlayCommand]:
        for seat, token in enumerate(self._tokens):
            yield pb.PlayCommand(
                subscribe=pb.Subscribe(
                    match_id=self.match_id,
                    seat_token=token,
                    after_version=3,
                    without_events=seat > 0 or not self._events,
                )
            )

    def submit(self) -> pb.PlayCommand | None:
        """The next submit; None once the script is over."""
        if self._ply == len(self._script):
            return None
        ply = self._ply
        self._ply += 1
        self.began = time.perf_counter()
        return pb.PlayCommand(
            submit=pb.Submit(
                match_id=self.match_id,
                request_id=f"{self.match_id}-{ply}",
                action=self._script[ply],
                seat=ply % len(self._tokens),
            )
        )


class _Stream:
    """One Play stream with its matches."""

    def __init__(self, channel: grpc.aio.Channel, meter: Meter, *, full: bool) -> None:
        method: Any = channel.stream_stream(
            "/referee.v1.MatchService/Play",
            request_serializer=pb.PlayRequest.SerializeToString,
            response_deserializer=pb.PlayResponse.FromString,
        )
        self._call = method()
        self._meter = meter
        self._full = full

    async def play(self, waiting: list[_Game], flight: int) -> None:
        """Play matches, ``flight`` at a time, until none waits any more."""
        games: dict[str, _Game] = {}
        commands: list[pb.PlayCommand] = []
        for _ in range(flight):
            commands += self._begin(games, waiting)
        await self._send(commands)
        while not self._meter.is_over():
            frame = await self._call.read()
            commands = []
            for update in frame.updates:
                if update.HasField("submit_result"):
                    result = update.submit_result
                    if not result.HasField("receipt"):
                        raise RuntimeError(str(result))
                    game = games[result.match_id]
                    took = time.perf_counter() - game.began
                    self._meter.add(took, game.size, update.ByteSize())
                    command = game.submit()
                    if command is None:
                        del games[game.match_id]
                        commands += self._begin(games, waiting)
                    else:
                        game.size = command.ByteSize()
                        commands.append(command)
            await self._send(commands)
        self._call.cancel()

    def _begin(self, games: dict[str, _Game], waiting: list[_Game]) -> list[pb.PlayCommand]:
        if not waiting:
            self._meter.end()
            return []
        game = waiting.pop()
        games[game.match_id] = game
        submit = game.submit()
        assert submit is not None  # noqa: S101 - no script is empty
        return [*game.subscribes(), submit]

    async def _send(self, commands: list[pb.PlayCommand]) -> None:
        if self._full:
            if commands:
                await self._call.write(pb.PlayRequest(commands=commands))
            return
        for command in commands:
            await self._call.write(pb.PlayRequest(commands=[command]))


async def measure_play(
    server: Server, game: AnyGame, flight: int, matches: int, *, full: bool, events: bool = False
) -> Reading:
    """Play's whole path, ``flight`` matches at a time on a few streams."""
    scripts = scripts_of(game)
    async with Channels(server.address) as channels:
        tables = await open_tables(channels, game, matches)
        waiting = [
            _Game(match_id, tokens, scripts[number % len(scripts)], events=events)
            for number, (match_id, tokens) in enumerate(tables)
        ]
        meter = Meter(server, None)
        streams = [_Stream(channels(number), meter, full=full) for number in range(STREAMS)]
        return await meter.run([stream.play(waiting, flight // STREAMS) for stream in streams])


async def measure_stream_echo(
    server: Server, flight: int, seconds: float, request: int, response: int
) -> Reading:
    """The ceiling: one message answers one message, so many of them on their way."""
    async with Channels(server.address) as channels:
        meter = Meter(server, seconds)
        payload = response.to_bytes(4, "big") + b"\x00" * max(0, request - 4)

        async def loop(channel: grpc.aio.Channel) -> None:
            call: Any = channel.stream_stream("/bench.Echo/Stream")()
            window = flight // STREAMS
            for _ in range(window):
                await call.write(payload)
            began = [time.perf_counter()] * window
            at = 0
            while not meter.is_over():
                await call.read()
                now = time.perf_counter()
                meter.add(now - began[at], request, response)
                began[at] = now
                at = (at + 1) % window
                await call.write(payload)
            call.cancel()

        return await meter.run([loop(channels(number)) for number in range(STREAMS)])


@dataclass(frozen=True)
class CommitReading:
    """What a bare commit costs: the script, batched, and nothing around it.

    Attributes:
        commits_per_second: Commits that were answered.
        client_us: Microseconds of this process' processor per commit.
        redis_us: Microseconds of Redis' processor per commit.
    """

    commits_per_second: float
    client_us: float
    redis_us: float


async def measure_commit(commits: int, event_bytes: int) -> CommitReading:
    """The commit script in batches, on matches that are nothing but versions."""
    with tempfile.TemporaryDirectory() as folder:
        embedded = EmbeddedRedis(Path(folder))
        await embedded.start()
        redis = Redis(unix_socket_path=str(embedded.socket))
        pipeline = ScriptPipeline(redis)
        script = load_script("commit")
        state, event, mark = b"s" * STATE_BYTES, b"e" * event_bytes, b"m" * 8
        redis_began = cpu_seconds(embedded.pid)
        wall_began, cpu_began = time.perf_counter(), time.process_time()
        for version in range(commits // COMMIT_BATCH):
            request = (f"0:{version}", b"f" * 16)
            marks = (mark if version else b"", mark)
            commands = [
                pipeline.run(
                    script,
                    (f"{{{at}}}:m", f"{{{at}}}:e", f"{{{at}}}:r", f"{{{at}}}:p"),
                    (version, version + 1, state, b"", event, 60_000, *request, *marks),
                    durable=True,
                )
                for at in range(COMMIT_BATCH)
            ]
            replies = await asyncio.gather(*commands)
            assert replies == [[b"ok"]] * COMMIT_BATCH  # noqa: S101 - or it would measure errors
        wall, cpu = time.perf_counter() - wall_began, time.process_time() - cpu_began
        redis_cpu = cpu_seconds(embedded.pid) - redis_began
        await pipeline.close()
        await redis.aclose()
        await embedded.stop()
    count = commits // COMMIT_BATCH * COMMIT_BATCH
    return CommitReading(count / wall, cpu / count * 1e6, redis_cpu / count * 1e6)

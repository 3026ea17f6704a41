"""A whole run: tables played side by side, trouble meanwhile, and the history in the end."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Awaitable, Callable
from random import Random

import grpc

from referee._gen.referee.v1 import match_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee._gen.referee.v1.match_service_pb2_grpc import MatchServiceStub
from tests.history.clients import Board, Habits, Hand, Watcher, World, sit_down
from tests.history.history import History
from tests.support.api import bearer

TABLES = 20
FINISH_SECONDS = 60.0
# Which game the next table plays, and with how many seats.
PROGRAMME = (("yoxii", 2), ("xisk", 2), ("yoxii", 2), ("xisk", 3))

Trouble = Callable[[World], Awaitable[None]]


async def quiet(_world: World) -> None:
    """No trouble at all."""


async def run(
    stubs: list[MatchServiceStub],
    actions: int,
    *,
    seed: int = 1,
    habits: Habits | None = None,
    tables: int = TABLES,
    trouble: Trouble = quiet,
    finish_seconds: float = FINISH_SECONDS,
) -> History:
    """Play until so many requests were acknowledged and the trouble is over; gives the history."""
    world = World(stubs, Random(seed), habits or Habits())
    programme = itertools.cycle(PROGRAMME)
    troubles = asyncio.create_task(_then_stop(world, actions, trouble))
    followers: list[asyncio.Task[None]] = []
    boards: list[Board] = []

    async def table() -> None:
        while not world.stopping:
            board = await sit_down(world, *next(programme))
            boards.append(board)
            for seat in (None, world.random.choice(sorted(board.tokens))):
                watcher = Watcher(world, board, seat)
                followers.append(asyncio.create_task(watcher.follow()))
            hands = [Hand(world, board)]
            if world.random.random() < world.habits.rivals:
                hands.append(Hand(world, board))
            await asyncio.gather(*[hand.play() for hand in hands])
            # A match that can't be ended is for the checker to report.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(finish_seconds):
                    await hands[0].finish()

    try:
        await asyncio.gather(troubles, *[table() for _ in range(tables)])
        await _last_retries(world, boards)
        await asyncio.wait(followers, timeout=finish_seconds)
    finally:
        for task in (troubles, *followers):
            task.cancel()
        await asyncio.gather(troubles, *followers, return_exceptions=True)
    for board in boards:
        world.history.records[board.match_id] = await _record(world, board)
    return world.history


async def _then_stop(world: World, actions: int, trouble: Trouble) -> None:
    """Let the trouble have its way; the play ends when it is over and enough was played."""
    try:
        await trouble(world)
        await world.reached(actions)
    finally:
        world.stopping = True


async def _last_retries(world: World, boards: list[Board]) -> None:
    """When all is over, some requests of every match are sent once more."""
    for board in boards:
        for request in world.random.sample(board.done, min(3, len(board.done))):
            await world.act(board, request)


async def _record(world: World, board: Board) -> match_pb2.Record | None:
    request = pb.GetRecordRequest(match_id=board.match_id)
    try:
        answer = await world.insist("GetRecord", request, bearer(board.tokens[0]))
        record: match_pb2.Record = answer.record
        return record
    except grpc.aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.NOT_FOUND:
            return None
        raise

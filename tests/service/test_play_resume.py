"""Play through lost streams: every event once and in order, every action once, through any process.

The Python client does what a client has to do, so it is tested here as well.
"""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from referee.match.verify import verify
from referee.registry import GAMES
from referee.wire.record import record_from_file
from referee_client import (
    Event,
    GameSettings,
    IllegalActionError,
    MatchNotFoundError,
    PlayStream,
    RefereeClient,
    SeatClient,
    parse_action,
    xisk,
)
from referee_client.bots import RandomBot, play
from tests.support.api import connected, events_of, open_table
from tests.support.play import Line, follow, submit
from tests.support.processes import RedisProcess, RefereeProcess, free_port

every_game = pytest.mark.parametrize("game_id", sorted(GAMES))
OPENING = "d5/1@d6"


@pytest.fixture
def two_processes(tmp_path, redis_server):
    """Two referees on one Redis."""
    folders = (tmp_path / "one", tmp_path / "two")
    started = [RefereeProcess(folder, redis_url=redis_server.url).start() for folder in folders]
    yield started
    assert [0, 0] == [process.stop() for process in started]


# --- two processes, one Redis ------------------------------------------------------------------


async def test_a_stream_that_comes_back_through_another_process_misses_nothing(two_processes):
    first, second = (process.address for process in two_processes)
    async with connected(first) as one, connected(second) as two:
        table = await open_table(one, "yoxii")
        line = Line(one)
        await line.send(follow(table, 0))
        await line.get("subscribed")
        await table.play(5, Random(1))
        seen = [(await line.get("played")).event for _ in range(8)]
        line.call.cancel()
        await table.play(4, Random(2))
        line = Line(two)
        await line.send(follow(table, 0, after=8))
        seen += [(await line.until("played")).event for _ in range(4)]
        await table.play(1, Random(3))
        seen.append((await line.get("played")).event)
        line.call.cancel()
        await table.resign(1)
        assert (await events_of(table.watch(0)))[:13] == seen


async def test_events_of_both_processes_come_in_order_to_followers_of_both(two_processes):
    first, second = (process.address for process in two_processes)
    async with connected(first) as one, connected(second) as two:
        tables = [await open_table(one, "yoxii") for _ in range(8)]
        lines = [Line(one), Line(two)]
        for line in lines:
            await line.send(*[follow(table, seat) for table in tables for seat in (0, 1)])
        random = Random(5)

        async def play_on(table) -> None:
            # Each action goes through the other process than the one before.
            for ply in range(12):
                seat = await table.to_move()
                command = submit(table, seat, random.choice(await table.legal(seat)))
                line = Line((one, two)[ply % 2])
                await line.send(follow(table, seat, without_events=True), command)
                assert (await line.until("submit_result")).HasField("receipt")
                line.call.cancel()

        await asyncio.gather(*map(play_on, tables))
        for line in lines:
            seen: dict[tuple[str, int], list[int]] = {}
            for _ in range(8 * 2 * 15):
                played = await line.until("played")
                seen.setdefault((played.match_id, played.seat), []).append(played.event.version)
            assert [list(range(1, 16))] * 16 == list(seen.values())
            line.call.cancel()


async def test_a_receipt_is_the_same_through_a_stream_of_another_process(two_processes):
    first, second = (process.address for process in two_processes)
    async with connected(first) as one, connected(second) as two:
        table = await open_table(one, "yoxii")
        answer = await table.submit(0, OPENING, request_id="one")
        line = Line(two)
        await line.send(
            follow(table, 0, without_events=True), submit(table, 0, OPENING, request_id="one")
        )
        assert answer.receipt == (await line.until("submit_result")).receipt
        line.call.cancel()


# --- the Python client ---------------------------------------------------------------------------


async def seats_of(client: RefereeClient, game: str | GameSettings) -> list[SeatClient]:
    """All seats of a new match."""
    created = await client.create_match(game)
    return [await client.join_match(join_code=code) for code in created.join_codes.values()]


async def test_the_client_follows_submits_and_tells_failures_as_errors(referee_process):
    async with RefereeClient(referee_process.address) as client, client.play() as stream:
        white, red = await seats_of(client, "yoxii")
        at_white = await stream.subscribe(white)
        heard: list[Event] = []
        await stream.subscribe(white.match_id, after_version=3, on_event=heard.append)
        done = await at_white.submit(
            parse_action("yoxii", OPENING), include_observation=True, include_legal_actions=True
        )
        assert done.observation is not None
        assert (4, 1) == (done.receipt.event.version, done.observation.yoxii.ply)
        assert done.legal_actions is not None
        assert 0 == len(done.legal_actions)
        at_red = await stream.subscribe(red, after_version=4)
        with pytest.raises(IllegalActionError):
            await at_red.submit(parse_action("yoxii", OPENING))
        with pytest.raises(MatchNotFoundError):
            await stream.subscribe("0" * 26)
        await white.resign()
        assert [5] == [event.version async for event in at_red]
        assert [1, 2, 3, 4, 5] == [event.version async for event in at_white]
        assert 4 == heard[0].version


async def test_a_stream_that_was_closed_says_so(referee_process):
    async with RefereeClient(referee_process.address) as client:
        white, _ = await seats_of(client, "yoxii")
        async with client.play() as stream:
            following = await stream.subscribe(white)
        with pytest.raises(RuntimeError):
            await following.submit(parse_action("yoxii", OPENING))
        with pytest.raises(RuntimeError):
            await client.play().subscribe(white)


async def play_all(client: RefereeClient, stream: PlayStream, matches: int) -> list[str]:
    """Play matches of both games over one stream; each bot checks that it gets every event once."""
    short = GameSettings(xisk=xisk.Settings(round_limit=1))
    tables = [await seats_of(client, short if number % 2 else "yoxii") for number in range(matches)]

    async def one(seat: SeatClient, number: int) -> None:
        versions: list[int] = []
        known = (await seat.match()).version
        match = await play(
            seat,
            RandomBot(number),
            on_event=lambda event: versions.append(event.version),
            stream=stream,
        )
        assert list(range(known + 1, match.version + 1)) == versions

    seats = [seat for table in tables for seat in table]
    await asyncio.gather(*[one(seat, number) for number, seat in enumerate(seats)])
    return [table[0].match_id for table in tables]


async def check_records(client: RefereeClient, match_ids: list[str]) -> None:
    """Every record proves itself."""
    for match_id in match_ids:
        record = await client.record(match_id)
        found = verify(record_from_file(record.SerializeToString()))
        assert found.difference is None
        assert len(record.events) == found.events


async def test_bots_play_whole_matches_of_both_games_over_one_stream(referee_process):
    async with RefereeClient(referee_process.address) as client:
        async with client.play() as stream:
            match_ids = await play_all(client, stream, 6)
        await check_records(client, match_ids)


async def test_nothing_is_lost_or_doubled_when_the_referee_is_killed_in_midstream(tmp_path):
    redis = RedisProcess(tmp_path / "redis")
    redis.folder.mkdir()
    redis.start()
    port = free_port()
    process = RefereeProcess(tmp_path / "referee", redis_url=redis.url, port=port).start()
    try:
        async with RefereeClient(process.address, timeout=60.0) as client:
            async with client.play() as stream:
                playing = asyncio.create_task(play_all(client, stream, 8))
                for _ in range(3):
                    await asyncio.sleep(0.7)
                    await asyncio.to_thread(process.kill)
                    await asyncio.to_thread(process.start)
                match_ids = await playing
            await check_records(client, match_ids)
    finally:
        process.stop()
        redis.stop()

"""Acknowledged means stored: referees are killed with -9 while bots play, and nothing is lost."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from random import Random

from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.match.verify import verify
from referee.wire.record import record_from_file
from referee_client import GameSettings, Match, MatchState, RefereeClient, SeatClient
from referee_client.bots import RandomBot, play
from referee_client.xisk import Settings
from tests.support.api import Table, connected, open_table
from tests.support.ledger import Ledger
from tests.support.processes import RedisProcess, RefereeProcess, free_port

PATIENCE = 30.0
"""Seconds that a client waits for a referee that is away."""
SHORT = GameSettings(xisk=Settings(round_limit=8))
MATCHES = [("xisk", 6), ("yoxii", 2), ("yoxii", 2)]
"""The first one lasts: six seats that play by luck are at it for thousands of actions."""


def alive(pid: int) -> bool:
    """True while a process runs; one that ended and was not collected yet runs no more."""
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except FileNotFoundError:
        return False


def gone_soon(pid: int) -> bool:
    end = time.monotonic() + 10
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


async def seats_of(
    client: RefereeClient, game: str | GameSettings, seats: int
) -> tuple[str, list[SeatClient]]:
    """A new match with all its seats taken."""
    created = await client.create_match(game, seats=seats)
    codes = created.join_codes.values()
    return created.match.match_id, [await client.join_match(join_code=code) for code in codes]


async def check_record(client: RefereeClient, match_id: str) -> None:
    """The record of an ended match has to prove itself."""
    record = await client.record(match_id)
    verification = verify(record_from_file(record.SerializeToString()))
    assert verification.good, verification.difference


async def test_nothing_acknowledged_is_lost_when_the_referee_is_killed_again_and_again(
    start, tmp_path
):
    process = start(RefereeProcess(tmp_path, port=free_port()))
    ledgers: dict[str, Ledger] = {}
    bots: list[asyncio.Task[Match]] = []
    async with RefereeClient(process.address, timeout=PATIENCE) as client:
        tables = [await seats_of(client, game, seats) for game, seats in MATCHES]
        for number, (match_id, taken) in enumerate(tables):
            ledger = ledgers[match_id] = Ledger()
            for seat in taken:
                bot = RandomBot(number)
                bots.append(asyncio.create_task(play(ledger.seat(seat), bot)))
        (longest, seats), *_ = tables
        for _ in range(5):
            await ledgers[longest].grown_by(30)
            await asyncio.to_thread(process.kill)
            await asyncio.to_thread(process.start)
            for ledger in ledgers.values():
                await ledger.check_stored()
                await ledger.check_retries(last=5)
        for seat in seats[1:]:
            await seat.resign()
        for match in await asyncio.gather(*bots):
            assert MatchState.MATCH_STATE_ENDED == match.state
        for match_id, ledger in ledgers.items():
            await ledger.check_stored()
            await ledger.check_retries()
            await check_record(client, match_id)
    assert 0 == process.stop()


async def test_a_referee_starts_at_once_after_kill_9_ten_times_in_a_row(start, tmp_path):
    process = start(RefereeProcess(tmp_path, port=free_port()))
    async with connected(process.address) as stub:
        table = await open_table(stub, "xisk", 3)
    pids = []
    for life in range(10):
        pids.append(int((tmp_path / "data" / "redis.pid").read_text()))
        async with connected(process.address) as stub:
            table.stub = stub
            version = table.match.version + life
            assert version == (await table.now()).version
            seat = await table.to_move()
            done = await table.submit(seat, (await table.legal(seat))[0], expected_version=version)
            assert version + 1 == done.receipt.event.version
        process.kill()
        process.start()
    assert 0 == process.stop()
    assert len(set(pids)) == len(pids)
    assert not any(map(alive, pids))


def test_the_private_redis_goes_with_a_referee_that_is_killed(start, tmp_path):
    process = start(RefereeProcess(tmp_path))
    pid = int((tmp_path / "data" / "redis.pid").read_text())
    assert alive(pid)
    process.kill()
    assert gone_soon(pid)


async def watched(client: RefereeClient, match_id: str) -> list[bytes]:
    """Every event of a match, to its end."""
    return [event.SerializeToString() async for event in client.watch(match_id)]


async def test_two_referees_on_one_redis_keep_one_order_and_one_of_them_is_enough(start, tmp_path):
    redis = start(RedisProcess(tmp_path / "redis"))
    one, two = (
        start(RefereeProcess(tmp_path / name, redis_url=redis.url)) for name in ("one", "two")
    )
    targets = (f"ipv4:{one.address},{two.address}", f"ipv4:{two.address},{one.address}")
    ledger = Ledger()
    async with (
        RefereeClient(targets[0], timeout=PATIENCE) as left,
        RefereeClient(targets[1], timeout=PATIENCE) as right,
    ):
        match_id, seats = await seats_of(left, SHORT, 4)
        watchers = [asyncio.create_task(watched(client, match_id)) for client in (left, right)]
        bots = []
        for number, seat in enumerate(seats):
            client = (left, right)[number % 2]
            mine = ledger.seat(client.seat(match_id, seat.seat, seat.token))
            bots.append(asyncio.create_task(play(mine, RandomBot(number))))
        await ledger.grown_by(80)
        await asyncio.to_thread(one.kill)
        await asyncio.gather(*bots)
        await ledger.check_stored()
        await ledger.check_retries()
        await check_record(right, match_id)
        last = (await right.get_match(match_id)).version
        seen = await asyncio.gather(*watchers)
    assert seen[0] == seen[1]
    assert last == len(seen[0])
    assert 0 == two.stop()


async def test_one_request_sent_through_two_referees_at_once_is_played_once(start, tmp_path):
    redis = start(RedisProcess(tmp_path / "redis"))
    processes = [
        start(RefereeProcess(tmp_path / name, redis_url=redis.url)) for name in ("one", "two")
    ]
    async with connected(processes[0].address) as one, connected(processes[1].address) as two:
        table = await open_table(one, "xisk", 2)
        mirror = Table(two, "xisk", table.match, table.tokens)
        random = Random(1)
        for version in range(table.match.version, table.match.version + 60):
            seat = await table.to_move()
            text = random.choice(await mirror.legal(seat))
            answers: list[pb.SubmitActionResponse] = await asyncio.gather(
                *(each.submit(seat, text, request_id=f"r{version}") for each in (mirror, table))
            )
            first, second = (answer.receipt.SerializeToString() for answer in answers)
            assert first == second
            assert version + 1 == answers[0].receipt.event.version
    for process in processes:
        assert 0 == process.stop()


async def test_nothing_acknowledged_is_lost_when_redis_is_killed(start, tmp_path):
    redis = start(RedisProcess(tmp_path / "redis"))
    process = start(RefereeProcess(tmp_path / "referee", redis_url=redis.url))
    ledger = Ledger()
    async with RefereeClient(process.address, timeout=PATIENCE) as client:
        match_id, seats = await seats_of(client, *MATCHES[0])
        bots = [asyncio.create_task(play(ledger.seat(s), RandomBot(s.seat))) for s in seats]
        for _ in range(2):
            await ledger.grown_by(50)
            await asyncio.to_thread(redis.kill)
            await asyncio.sleep(0.2)
            await asyncio.to_thread(redis.start)
            await ledger.check_stored()
            await ledger.check_retries(last=5)
        for seat in seats[1:]:
            await seat.resign()
        await asyncio.gather(*bots)
        await ledger.check_stored()
        await ledger.check_retries()
        await check_record(client, match_id)
    assert 0 == process.stop()

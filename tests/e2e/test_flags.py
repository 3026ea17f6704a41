"""Clocks in real time, over real processes: flags fall, once each, whatever dies meanwhile."""

from __future__ import annotations

import asyncio
import time

import pytest

from referee.match.verify import verify
from referee.wire.record import record_from_file
from referee_client import (
    Event,
    MatchOverError,
    MatchState,
    RefereeClient,
    SeatClient,
    Termination,
    TimeControl,
    parse_action,
    per_turn,
)
from tests.support.processes import RedisProcess, RefereeProcess, free_port

ACTION = parse_action("yoxii", "d5/1@d6")
FORFEIT = Termination.TERMINATION_TIME_FORFEIT


async def seated(
    client: RefereeClient, control: TimeControl, game: str = "yoxii"
) -> list[SeatClient]:
    """Both seats of a new match, whose first clock runs from now."""
    created = await client.create_match(game, time_control=control)
    return [await client.join_match(join_code=code) for code in created.join_codes.values()]


async def watched(client: RefereeClient, match_id: str) -> list[Event]:
    """Every event of a match, to its end."""
    return [event async for event in client.watch(match_id)]


async def check_record(client: RefereeClient, match_id: str) -> None:
    record = await client.record(match_id)
    verification = verify(record_from_file(record.SerializeToString()))
    assert verification.good, verification.difference


def causes(events: list[Event]) -> list[str | None]:
    return [event.WhichOneof("cause") for event in events]


async def test_a_seat_that_never_acts_is_forfeited_by_a_commit_that_watchers_see(
    start, tmp_path, redis_server
):
    process = start(RefereeProcess(tmp_path, redis_url=redis_server.url))
    async with RefereeClient(process.address) as client:
        first, _ = await seated(client, per_turn(1))
        began = time.monotonic()
        events = await watched(client, first.match_id)
        took = time.monotonic() - began
        assert ["created", "joined", "joined", "flagged"] == causes(events)
        flag, start_event = events[-1], events[-2]
        assert (0, [1], FORFEIT) == (flag.seat, list(flag.result.winners), flag.result.termination)
        lag = flag.time.ToMilliseconds() - start_event.time.ToMilliseconds() - 1_000
        assert 0 <= lag < 1_500
        assert took < 3
        assert (await first.match()).result == flag.result
        await check_record(client, first.match_id)


async def test_a_strike_finishes_the_turn_and_the_next_one_is_forfeited(
    start, tmp_path, redis_server
):
    process = start(RefereeProcess(tmp_path, redis_url=redis_server.url))
    async with RefereeClient(process.address) as client:
        first, _ = await seated(client, per_turn(1, strikes=1), "xisk")
        events = await watched(client, first.match_id)
        struck = [event for event in events if event.WhichOneof("cause") == "struck"]
        assert {1} == {event.struck.strikes for event in struck}
        assert len({event.seat for event in struck}) == len(struck)
        assert ["flagged"] == causes(events)[3 + len(struck) :]
        await check_record(client, first.match_id)


async def test_the_flags_of_a_killed_process_fall_once_each_through_another(
    start, tmp_path, redis_server
):
    dies, lives = (
        start(RefereeProcess(tmp_path / name, redis_url=redis_server.url))
        for name in ("dies", "lives")
    )
    async with RefereeClient(dies.address) as one, RefereeClient(lives.address) as two:
        tables = [await seated(one, per_turn(2)) for _ in range(20)]
        dies.kill()
        all_events = await asyncio.gather(*[watched(two, seats[0].match_id) for seats in tables])
        for events in all_events:
            assert ["created", "joined", "joined", "flagged"] == causes(events)
            lag = events[-1].time.ToMilliseconds() - events[-2].time.ToMilliseconds() - 2_000
            assert 0 <= lag < 5_000


async def test_two_processes_that_look_side_by_side_flag_once_each(start, tmp_path, redis_server):
    processes = [
        start(RefereeProcess(tmp_path / str(n), redis_url=redis_server.url)) for n in range(2)
    ]
    async with RefereeClient(processes[0].address) as client:
        tables = [await seated(client, per_turn(1)) for _ in range(50)]
        all_events = await asyncio.gather(*[watched(client, seats[0].match_id) for seats in tables])
        for events in all_events:
            assert ["created", "joined", "joined", "flagged"] == causes(events)
    assert [] == [process for process in processes if "incident" in process.printed()]


@pytest.mark.parametrize("end", [RefereeProcess.kill, RefereeProcess.stop])
async def test_time_that_every_process_was_down_is_not_charged(start, tmp_path, redis_server, end):
    process = RefereeProcess(tmp_path, redis_url=redis_server.url, port=free_port())
    start(process)
    async with RefereeClient(process.address) as client:
        first, second = await seated(client, per_turn(2))
        end(process)
        await asyncio.sleep(3)
        process.start()
        receipt = await first.submit(ACTION)
        assert 2_500 < receipt.receipt.event.downtime.ToMilliseconds() < 8_000
        events = await watched(client, first.match_id)
        assert ["created", "joined", "joined", "action", "flagged"] == causes(events)
        assert 1 == events[-1].seat
        await check_record(client, second.match_id)


async def test_time_that_redis_was_away_and_calls_were_turned_away_is_not_charged(start, tmp_path):
    redis = start(RedisProcess(tmp_path / "redis"))
    process = start(RefereeProcess(tmp_path, redis_url=redis.url))
    async with RefereeClient(process.address, timeout=30) as client:
        first, _ = await seated(client, per_turn(2))
        redis.pause()
        submitting = asyncio.create_task(first.submit(ACTION))
        await asyncio.sleep(5)
        redis.resume()
        receipt = (await submitting).receipt
        assert MatchState.MATCH_STATE_ACTIVE == receipt.event.state
        events = await watched(client, first.match_id)
        assert ["created", "joined", "joined", "action", "flagged"] == causes(events)
        with pytest.raises(MatchOverError):
            await first.submit(ACTION)
        await check_record(client, first.match_id)


async def test_matches_that_are_left_end_and_are_removed_as_the_command_line_says(
    start, tmp_path, redis_server
):
    second = str(1 / 3600)
    keep = ["--keep-open", second, "--keep-idle", second, "--keep-records", "1"]
    process = start(RefereeProcess(tmp_path, *keep, redis_url=redis_server.url))
    async with RefereeClient(process.address) as client:
        opened = await client.create_match("xisk", seats=4)
        untimed = TimeControl()
        first, _ = await seated(client, untimed)
        never_filled = await watched(client, opened.match.match_id)
        left = await watched(client, first.match_id)
        assert ["created", "abandoned"] == causes(never_filled)
        assert MatchState.MATCH_STATE_ABANDONED == never_filled[-1].state
        assert ["created", "joined", "joined", "abandoned"] == causes(left)
        assert Termination.TERMINATION_ABANDONED == left[-1].result.termination
        assert [] == list(left[-1].result.winners)
        await check_record(client, first.match_id)

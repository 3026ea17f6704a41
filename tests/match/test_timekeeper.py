"""Clocks and abandonment over a real Redis, on a clock that the test moves."""

from __future__ import annotations

import asyncio

import pytest

from referee.errors import FlagFellError, MatchNotFoundError, MatchOverError, RequestIdReusedError
from referee.match.clock import Fischer, PerTurn, TimeControl
from referee.match.model import Abandoned, Acted, Flagged, MatchState, Struck
from referee.match.timeouts import Keeping
from referee.match.verify import verify
from referee.plugin import Result, Termination
from tests.support.desk import Desk, HandClock

MINUTE = TimeControl(PerTurn(60_000))


@pytest.fixture
def clock():
    return HandClock()


@pytest.fixture(autouse=True)
async def closed_desks():
    yield
    await Desk.close_all()


@pytest.fixture
async def desk(redis, clock):
    found = Desk(redis, clock)
    await found.pulse.beat(clock.now())
    return found


async def test_a_flag_falls_by_a_commit_though_nobody_calls(desk):
    table = await desk.table("yoxii", MINUTE)
    await desk.serve(59_999)
    await desk.timekeeper.look()
    assert MatchState.ACTIVE is (await table.now()).state
    await desk.serve(201)
    assert 1 == await desk.timekeeper.look()
    match = await table.now()
    assert Result((1,), Termination.TIME_FORFEIT) == match.result
    event = (await table.events())[-1]
    assert (match.version, 0, Flagged()) == (event.version, event.seat, event.cause)
    assert verify(await desk.matches.record(table.match_id, None)).good


async def test_an_action_in_time_is_charged_and_one_too_late_is_refused_and_flags(desk):
    table = await desk.table("yoxii", TimeControl(Fischer(60_000, 1_000)))
    await desk.serve(20_000)
    receipt = await table.submit(0)
    assert 41_000 == dict(receipt.event.clocks)[0].remaining
    await desk.serve(60_000)
    with pytest.raises(FlagFellError) as refused:
        await table.submit(1)
    assert 1 == refused.value.seat
    # Nobody has looked; the call itself had the flag committed.
    assert Result((0,), Termination.TIME_FORFEIT) == (await table.now()).result
    with pytest.raises(MatchOverError):
        await table.submit(1, "d5/1@d6")


async def test_a_flag_comes_before_the_resignation_of_another_seat(desk):
    table = await desk.table("yoxii", MINUTE)
    await desk.serve(60_000)
    with pytest.raises(MatchOverError):
        await desk.matches.resign(table.claims[1], "")
    assert (1,) == ((await table.now()).result or Result((), Termination.ABANDONED)).winners


async def test_a_retry_after_the_flag_fell_gets_the_first_receipt(desk):
    table = await desk.table("yoxii", MINUTE)
    first = await table.submit(0, "d5/1@d6", request_id="one")
    await desk.serve(60_000)
    await desk.timekeeper.look()
    matches, claim = desk.matches, table.claims[0]
    action = first.event.cause
    assert isinstance(action, Acted)
    again, _ = await matches.submit(claim, action.action, 0, "one")
    assert first == again
    with pytest.raises(RequestIdReusedError):
        await matches.resign(claim, "one")


async def test_a_call_counts_from_when_it_came_however_long_its_commit_takes(desk, clock):
    table = await desk.table("yoxii", MINUTE)
    await desk.serve(59_000)
    store = desk.store
    commit = store.commit

    async def slow(*words):
        clock.move(5_000)
        return await commit(*words)

    store.commit = slow
    receipt = await table.submit(0)
    assert clock.time - 5_000 == receipt.event.time


@pytest.mark.parametrize("desks", [2, 4])
async def test_processes_that_look_at_once_never_flag_or_strike_twice(redis, clock, desks):
    control = TimeControl(PerTurn(60_000), strikes=1)
    all_desks = [Desk(redis, clock) for _ in range(desks)]
    await all_desks[0].pulse.beat(clock.now())
    tables = [await all_desks[n % desks].table("xisk", control) for n in range(10)]
    await all_desks[0].serve(60_000)
    ids = [table.match_id for table in tables]
    for _ in range(3):
        # Not by the schedule, which hands each match to one process: all of them, at the same time.
        await asyncio.gather(*[desk.timekeeper.settle(one) for one in ids for desk in all_desks])
        await all_desks[0].serve(60_000)
        for table in tables:
            causes = [event.cause for event in await table.events()][3:]
            versions = [event.version for event in await table.events()]
            assert list(range(1, len(versions) + 1)) == versions
            assert len(causes) == len([one for one in causes if isinstance(one, Struck | Flagged)])
    for table in tables:
        events = await table.events()
        fallen = [(event.seat, event.cause) for event in events[3:]]
        assert len(set(fallen)) == len(fallen)
        seats = [seat for seat, cause in fallen if cause == Struck(1)]
        assert len(set(seats)) == len(seats)


async def test_a_match_is_given_to_one_process_at_a_time_until_the_hold_is_over(redis, clock):
    one, two = Desk(redis, clock), Desk(redis, clock)
    table = await one.table("yoxii", MINUTE)
    await one.serve(60_000)
    assert [table.match_id] == await one.schedule.take(clock.now(), 3_000)
    # The first process dies with it.
    assert [] == await two.schedule.take(clock.now(), 3_000)
    await two.serve(3_000)
    assert 1 == await two.timekeeper.look()
    assert MatchState.ENDED is (await table.now()).state


# --- Downtime ----------------------------------------------------------------------------------


async def test_time_in_which_no_process_was_up_is_not_charged(redis, desk, clock):
    table = await desk.table("yoxii", TimeControl(Fischer(60_000, 0)))
    await desk.serve(10_000)
    clock.move(3_600_000)
    back = Desk(redis, clock)
    await back.pulse.beat(clock.now())
    await back.timekeeper.look()
    shown = await back.matches.get(table.match_id)
    assert clock.time + 50_000 == shown.clocks[0].deadline
    await back.serve(10_000)
    receipt = await table.submit(0, desk=back)
    assert (3_600_000, 40_000) == (
        receipt.event.downtime,
        dict(receipt.event.clocks)[0].remaining,
    )
    await back.serve(60_000)
    await back.timekeeper.look()
    assert (0,) == ((await back.matches.get(table.match_id)).result or NO_RESULT).winners
    assert verify(await back.matches.record(table.match_id, None)).good


NO_RESULT = Result((), Termination.ABANDONED)


async def test_the_first_call_after_an_outage_knows_of_it(redis, desk, clock):
    # Nothing has beaten yet: the call itself asks before it counts.
    table = await desk.table("yoxii", MINUTE)
    clock.move(3_600_000)
    receipt = await table.submit(0, desk=Desk(redis, clock))
    assert 3_600_000 == receipt.event.downtime


async def test_a_flag_that_fell_while_nobody_was_up_falls_when_the_time_is_really_over(
    redis, desk, clock
):
    table = await desk.table("yoxii", MINUTE)
    clock.move(3_600_000)
    back = Desk(redis, clock)
    await back.serve(59_000)
    await back.timekeeper.look()
    assert MatchState.ACTIVE is (await table.now()).state
    await back.serve(1_500)
    await back.timekeeper.look()
    assert MatchState.ENDED is (await table.now()).state


async def test_while_any_process_is_up_there_is_no_downtime(redis, desk, clock):
    table = await desk.table("yoxii", TimeControl(Fischer(60_000, 0)))
    other = Desk(redis, clock)
    await other.serve(20_000)
    receipt = await table.submit(0)
    assert (0, 40_000) == (receipt.event.downtime, dict(receipt.event.clocks)[0].remaining)


async def test_outages_that_overlap_count_each_moment_once(redis, desk, clock):
    start = clock.time
    clock.move(10_000)
    await desk.pulse.beat(clock.now())
    # Redis forgets its last seconds, as it may when it is killed.
    await redis.set(desk.keys.pulse, start - 1_000)
    clock.move(10_000)
    await desk.pulse.beat(clock.now())
    assert 20_000 == desk.pulse.between(start, clock.time)
    assert 5_000 == desk.pulse.between(start + 7_000, start + 12_000)
    assert 0 == desk.pulse.between(clock.time, clock.time + 5_000)


# --- Abandonment -------------------------------------------------------------------------------

SHORT = Keeping(open_ms=2_000, idle_ms=4_000, records_ms=400, slack_ms=400)


async def match_keys(redis, match_id):
    return [key async for key in redis.scan_iter(match=f"*{match_id}*")]


async def test_an_open_match_that_was_never_filled_ends_and_is_removed(redis, clock):
    desk = Desk(redis, clock, SHORT)
    opened = await desk.open("xisk")
    await desk.serve(2_000)
    await desk.timekeeper.look()
    ended = await desk.matches.get(opened.match_id)
    assert (MatchState.ABANDONED, None) == (ended.state, ended.result)
    events = await desk.store.events(opened.match_id, ended.game, 0)
    assert Abandoned(2_000) == events[-1].cause
    await asyncio.sleep(0.6)
    with pytest.raises(MatchNotFoundError):
        await desk.matches.get(opened.match_id)


async def test_a_match_that_all_seats_left_ends_with_a_record_and_is_removed_with_it(redis, clock):
    desk = Desk(redis, clock, SHORT)
    table = await desk.table("yoxii")
    await table.submit(0)
    await desk.serve(3_999)
    await desk.timekeeper.look()
    assert MatchState.ACTIVE is (await table.now()).state
    await desk.serve(201)
    await desk.timekeeper.look()
    ended = await table.now()
    assert Result((), Termination.ABANDONED) == ended.result
    assert verify(await desk.matches.record(table.match_id, None)).good
    await asyncio.sleep(0.6)
    with pytest.raises(MatchNotFoundError):
        await table.now()


async def test_a_seat_that_acts_keeps_its_match(redis, clock):
    desk = Desk(redis, clock, SHORT)
    table = await desk.table("yoxii")
    for ply in range(4):
        await desk.serve(3_000)
        await desk.timekeeper.look()
        await table.submit(ply % 2)
    assert MatchState.ACTIVE is (await table.now()).state


async def test_no_key_of_any_match_outlives_its_policy(redis, clock):
    desk = Desk(redis, clock, SHORT)
    before = {key async for key in redis.scan_iter()}
    never_filled = await desk.open("yoxii")
    half_filled = await desk.open("xisk", seats=3)
    tables = [await desk.table("yoxii", control) for control in (None, MINUTE)]
    tables.append(await desk.table("xisk", TimeControl(PerTurn(1_000), strikes=2)))
    for table in tables:
        await table.submit((await table.now()).to_move[0], request_id="r")
    ids = [never_filled.match_id, half_filled.match_id, *[one.match_id for one in tables]]
    for match_id in ids:
        keys = await match_keys(redis, match_id)
        assert 2 <= len(keys)
        assert all([await redis.pttl(key) > 0 for key in keys])
        assert await redis.zscore(desk.keys.due, match_id) is not None
    for _ in range(30):
        await desk.serve(3_000, step=700)
        await desk.timekeeper.look()
    await asyncio.sleep(0.6)
    assert [] == [key for match_id in ids for key in await match_keys(redis, match_id)]
    await desk.index.sweep()
    left = {key async for key in redis.scan_iter()} - before
    assert {desk.keys.pulse.encode()} == left - {desk.keys.outages.encode()}


async def test_a_match_that_fell_out_of_the_schedule_is_put_back_by_the_sweep(redis, desk):
    table = await desk.table("yoxii", MINUTE)
    await redis.delete(desk.keys.due)
    await desk.serve(60_000)
    assert 0 == await desk.timekeeper.look()
    await desk.index.sweep()
    assert 1 == await desk.timekeeper.look()
    assert MatchState.ENDED is (await table.now()).state


async def test_a_match_that_is_gone_is_taken_out_of_the_schedule(redis, desk):
    table = await desk.table("yoxii", MINUTE)
    await redis.delete(*await match_keys(redis, table.match_id))
    await desk.serve(60_000)
    assert 1 == await desk.timekeeper.look()
    assert 0 == await redis.zcard(desk.keys.due)

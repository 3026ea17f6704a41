"""Following a match and reading its record, over real gRPC and a real Redis."""

from __future__ import annotations

import asyncio
import time
from random import Random

import grpc
import pytest

from referee._gen.referee.v1 import match_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee._gen.xisk.v1 import xisk_pb2
from referee.match.verify import verify
from referee.registry import GAMES
from referee.wire.record import record_from
from tests.service.inside import referee_inside
from tests.support.api import Table, bearer, events_of, fault_of, next_event, open_table, settings

every_game = pytest.mark.parametrize("game_id", sorted(GAMES))


async def ended_table(stub, game_id: str) -> Table:
    """A match with some actions that seat 1 gave up."""
    table = await open_table(stub, game_id)
    await table.play(10, Random(1))
    await table.resign(1)
    return table


# --- WatchMatch ------------------------------------------------------------------------------


@every_game
async def test_a_watcher_from_the_start_gets_every_version_once_and_the_end(stub, game_id):
    table = await ended_table(stub, game_id)
    events = await events_of(table.watch())
    assert list(range(1, (await table.now()).version + 1)) == [event.version for event in events]
    assert ["created", "joined", "joined", *["action"] * 10, "resigned"] == [
        event.WhichOneof("cause") for event in events
    ]
    assert not events[0].HasField("seat")
    assert match_pb2.MATCH_STATE_ENDED == events[-1].state
    assert (await table.now()).result == events[-1].result


async def test_a_watcher_goes_on_after_the_version_it_knows(stub):
    table = await ended_table(stub, "yoxii")
    whole = await events_of(table.watch(0))
    for after in (1, 5, len(whole) - 1):
        assert whole[after:] == await events_of(table.watch(0, after))


async def test_a_watcher_that_knows_the_end_is_told_nothing_and_not_kept(stub):
    table = await ended_table(stub, "yoxii")
    assert [] == await events_of(table.watch(after=(await table.now()).version))


async def test_a_watch_ends_when_its_seat_is_given_up_and_shows_nothing_of_who_comes_next(stub):
    """The seat's next owner gets other cards; a watch that outlived its seat would show them."""
    created = await stub.CreateMatch(pb.CreateMatchRequest(settings=settings("xisk"), seats=2))
    first, second = (code.code for code in created.join_codes)
    left = await stub.JoinMatch(pb.JoinMatchRequest(join_code=first))
    match_id = created.match.match_id
    watch = stub.WatchMatch(
        pb.WatchMatchRequest(match_id=match_id), metadata=bearer(left.seat_token)
    )
    assert ["created", "joined"] == [
        (await next_event(watch)).WhichOneof("cause") for _ in range(2)
    ]
    await stub.LeaveMatch(pb.LeaveMatchRequest(match_id=match_id), metadata=bearer(left.seat_token))
    await stub.JoinMatch(pb.JoinMatchRequest(join_code=first))
    await stub.JoinMatch(pb.JoinMatchRequest(join_code=second))
    fault = await fault_of(next_event(watch))
    assert (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID") == (fault.code, fault.reason)


async def test_a_version_that_the_match_has_not_come_to_is_refused(stub):
    table = await open_table(stub, "yoxii")
    for after in (table.match.version + 1, 2**63, 2**64 - 1):
        fault = await fault_of(events_of(table.watch(after=after)))
        assert ("INVALID_REQUEST", ("after_version",)) == (fault.reason, fault.fields)


@every_game
async def test_a_watcher_gets_what_happens_as_the_receipt_tells_it(stub, game_id):
    table = await open_table(stub, game_id)
    mover = await table.to_move()
    stream = table.watch(mover, after=table.match.version)
    random = Random(3)
    for _ in range(8):
        if mover != await table.to_move():
            await table.play(1, random)
            assert mover != (await next_event(stream)).seat
            continue
        (answer,) = await table.play(1, random)
        assert answer.receipt.event == await next_event(stream)
    await table.resign(0)
    assert "resigned" == (await next_event(stream)).WhichOneof("cause")
    assert grpc.aio.EOF is await stream.read()


async def test_a_watcher_of_an_open_match_sees_seats_taken_left_and_the_start(stub):
    created = await stub.CreateMatch(pb.CreateMatchRequest(settings=settings("yoxii")))
    match_id = created.match.match_id
    stream = stub.WatchMatch(pb.WatchMatchRequest(match_id=match_id, after_version=1))
    codes = [code.code for code in created.join_codes]
    joined = await stub.JoinMatch(pb.JoinMatchRequest(join_code=codes[1], display_name="Ann"))
    event = await next_event(stream)
    assert (2, 1, "Ann") == (event.version, event.seat, event.joined.display_name)
    leave = pb.LeaveMatchRequest(match_id=match_id)
    await stub.LeaveMatch(leave, metadata=bearer(joined.seat_token))
    assert "left" == (await next_event(stream)).WhichOneof("cause")
    for code in codes:
        await stub.JoinMatch(pb.JoinMatchRequest(join_code=code))
    assert 4 == (await next_event(stream)).version
    start = await next_event(stream)
    assert (match_pb2.MATCH_STATE_ACTIVE, [0]) == (start.state, list(start.to_move))
    assert "match_set_up" == start.game_events[0].yoxii.WhichOneof("kind")
    stream.cancel()


async def test_two_watchers_get_the_same_events(stub):
    table = await open_table(stub, "xisk")
    streams = [table.watch(0), table.watch(0, after=2)]
    tasks = [asyncio.create_task(events_of(stream)) for stream in streams]
    await table.play(30, Random(6))
    await table.resign(1)
    whole, rest = await asyncio.gather(*tasks)
    assert whole[2:] == rest
    assert 34 == whole[-1].version


async def test_only_its_owner_is_dealt_a_hand_that_can_be_read(stub):
    table = await open_table(stub, "xisk", 3)

    async def hands(seat: int | None) -> list[int]:
        events = table.watch(seat, after=3)
        start = await next_event(events)
        events.cancel()
        (dealt,) = [one.xisk.dealt for one in start.game_events if one.xisk.HasField("dealt")]
        return [len(hand.cards) for hand in dealt.hands]

    sizes = list((await table.observation()).observation.xisk.hand_sizes)
    assert [0, 0, 0] == await hands(None)
    for seat in range(3):
        assert [sizes[seat] if one == seat else 0 for one in range(3)] == await hands(seat)


async def test_a_quiet_stream_gives_heartbeats_with_the_version_it_is_at(redis_server):
    async with referee_inside(redis_server.url, heartbeat=0.1) as stub:
        table = await open_table(stub, "yoxii")
        stream = table.watch(after=2)
        assert 3 == (await stream.read()).event.version
        beats = [(await stream.read()).heartbeat for _ in range(2)]
        assert [3, 3] == [beat.version for beat in beats]
        assert abs(beats[0].time.ToMilliseconds() - time.time() * 1000) < 5000
        assert beats[0].time.ToMilliseconds() < beats[1].time.ToMilliseconds()
        await table.play(1, Random(1))
        assert 4 == (await next_event(stream)).version
        while not (beat := await stream.read()).HasField("heartbeat"):
            raise AssertionError(beat)
        assert 4 == beat.heartbeat.version
        late = table.watch(after=4)
        assert 4 == (await late.read()).heartbeat.version
        stream.cancel()
        late.cancel()


async def test_a_watcher_that_goes_away_leaves_the_others_alone(stub):
    table = await open_table(stub, "yoxii")
    gone, stays = table.watch(after=3), table.watch(after=3)
    await table.play(1, Random(1))
    assert await next_event(gone) == await next_event(stays)
    gone.cancel()
    await table.play(1, Random(1))
    assert 5 == (await next_event(stays)).version
    stays.cancel()


# --- GetRecord ---------------------------------------------------------------------------------


@every_game
async def test_a_record_before_the_end_has_no_seed_no_luck_and_no_digest(stub, game_id):
    table = await open_table(stub, game_id)
    await table.play(10, Random(1))
    for seat in (None, 0, 1):
        record = await table.record(seat)
        assert (1, b"", await table.now()) == (record.format, record.server_seed, record.match)
        assert list(range(1, 14)) == [event.version for event in record.events]
        assert not any(event.chance_events or event.state_digest for event in record.events)
        assert list(record.events) == [
            await next_event(table.watch(seat, after=version)) for version in range(13)
        ]


@every_game
async def test_the_record_of_an_ended_match_is_whole_for_everybody_and_proves_itself(stub, game_id):
    table = await ended_table(stub, game_id)
    record = await table.record()
    assert record == await table.record(0) == await table.record(1)
    assert 32 == len(record.server_seed)
    assert all(event.state_digest for event in record.events[2:])
    verified = verify(record_from(record))
    assert verified.difference is None
    assert len(record.events) == verified.events


async def test_a_match_of_xisk_that_came_to_its_own_end_proves_itself(stub):
    table = await open_table(stub, "xisk", 3, game_settings=xisk_pb2.Settings(round_limit=1))
    await table.play(1000, Random(9))
    record = await table.record()
    assert match_pb2.TERMINATION_LIMIT == record.match.result.termination
    assert sum(len(event.chance_events) for event in record.events) > 2
    assert verify(record_from(record)).good


async def test_a_record_of_an_open_match_tells_who_sits_there(stub):
    created = await stub.CreateMatch(pb.CreateMatchRequest(settings=settings("yoxii")))
    code = created.join_codes[0].code
    joined = await stub.JoinMatch(pb.JoinMatchRequest(join_code=code))
    table = Table(stub, "yoxii", joined.match, {0: joined.seat_token})
    record = await table.record()
    assert joined.match == record.match
    assert ["created", "joined"] == [event.WhichOneof("cause") for event in record.events]
    assert b"" == record.server_seed

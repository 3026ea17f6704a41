"""Time controls and clocks as the wire tells them."""

from __future__ import annotations

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from referee._gen.referee.v1 import match_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.registry import GAMES
from tests.support.api import Fault, fault_of, next_event, open_table, settings

THOUSAND_YEARS = 1_000 * 365 * 86_400


def span(seconds: float) -> Duration:
    whole = Duration()
    whole.FromNanoseconds(round(seconds * 1e9))
    return whole


def per_turn(limit: float, **fields) -> match_pb2.TimeControl:
    return match_pb2.TimeControl(per_turn=match_pb2.PerTurn(limit=span(limit)), **fields)


def fischer(base: float, increment: float, **fields) -> match_pb2.TimeControl:
    pace = match_pb2.Fischer(base=span(base), increment=span(increment))
    return match_pb2.TimeControl(fischer=pace, **fields)


async def refused(stub, control: match_pb2.TimeControl, game_id: str = "xisk") -> Fault:
    request = pb.CreateMatchRequest(settings=settings(game_id), time_control=control)
    return await fault_of(stub.CreateMatch(request))


UNLIMITED = match_pb2.TimeControl(per_turn=match_pb2.PerTurn())
LONGEST = Duration(seconds=315_576_000_000)


@pytest.mark.parametrize(
    ("control", "field"),
    [
        (UNLIMITED, "per_turn.limit"),
        (per_turn(0), "per_turn.limit"),
        (per_turn(-5), "per_turn.limit"),
        (per_turn(THOUSAND_YEARS / 4), "per_turn.limit"),
        (per_turn(1.0005), "per_turn.limit"),
        (match_pb2.TimeControl(per_turn=match_pb2.PerTurn(limit=LONGEST)), "per_turn.limit"),
        (fischer(0, 5), "fischer.base"),
        (fischer(60, -1), "fischer.increment"),
        (fischer(60, 0, bank=LONGEST), "bank"),
        (per_turn(60, bank=span(-1)), "bank"),
        (per_turn(60, strikes=4_000_000_000), "strikes"),
        (fischer(60, 0, strikes=1), "strikes"),
        (match_pb2.TimeControl(bank=span(5)), "pace"),
        (match_pb2.TimeControl(untimed=match_pb2.Untimed(), strikes=1), "pace"),
    ],
    ids=str,
)
async def test_a_time_control_that_makes_no_sense_is_refused_by_field(stub, control, field):
    fault = await refused(stub, control)
    assert (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_SETTINGS") == (fault.code, fault.reason)
    assert (f"time_control.{field}",) == fault.fields


async def test_strikes_are_taken_exactly_where_list_games_says_so(stub):
    games = (await stub.ListGames(pb.ListGamesRequest())).games
    assert {name: game.turns is not None for name, game in GAMES.items()} == {
        one.game: one.strikes_offered for one in games
    }
    for one in games:
        request = pb.CreateMatchRequest(
            settings=settings(one.game), time_control=per_turn(60, strikes=1)
        )
        if one.strikes_offered:
            assert 1 == (await stub.CreateMatch(request)).match.time_control.strikes
        else:
            fault = await fault_of(stub.CreateMatch(request))
            assert ("time_control.strikes",) == fault.fields


async def test_a_match_without_clocks_shows_none(stub):
    for control in (
        None,
        match_pb2.TimeControl(),
        match_pb2.TimeControl(untimed=match_pb2.Untimed()),
    ):
        table = await open_table(stub, "yoxii", time_control=control)
        assert not table.match.HasField("time_control")
        assert [] == list(table.match.clocks)


async def test_a_match_shows_its_time_control_and_once_started_its_clocks(stub):
    control = fischer(300, 2.5, bank=span(60))
    request = pb.CreateMatchRequest(settings=settings("yoxii"), time_control=control)
    created = await stub.CreateMatch(request)
    assert control == created.match.time_control
    assert [] == list(created.match.clocks)
    for code in created.join_codes:
        joined = await stub.JoinMatch(pb.JoinMatchRequest(join_code=code.code))
    first, second = joined.match.clocks
    assert (0, 300, 60, 0) == (
        first.seat,
        first.remaining.seconds,
        first.bank.seconds,
        first.strikes,
    )
    assert joined.match.start_time == first.running_since
    assert 360_000 == first.deadline.ToMilliseconds() - first.running_since.ToMilliseconds()
    assert (1, False, False) == (
        second.seat,
        second.HasField("running_since"),
        second.HasField("deadline"),
    )


async def test_receipts_and_events_tell_the_clocks_that_changed(stub):
    table = await open_table(stub, "yoxii", time_control=fischer(300, 2))
    receipt = (await table.submit(0, "d5/1@d6")).receipt
    mine, theirs = receipt.event.clocks
    assert (0, 1) == (mine.seat, theirs.seat)
    assert 300 < mine.remaining.ToMilliseconds() / 1000 <= 302
    assert not mine.HasField("deadline")
    assert receipt.event.time == theirs.running_since
    stream = table.watch(after=3)
    assert receipt.event == await next_event(stream)
    assert receipt.event.clocks[1] == (await table.now()).clocks[1]


async def test_the_same_request_id_with_another_time_control_is_refused(stub):
    request = pb.CreateMatchRequest(
        settings=settings("yoxii"), time_control=per_turn(60), request_id="clocks-of-a-request"
    )
    first = await stub.CreateMatch(request)
    assert first.match == (await stub.CreateMatch(request)).match
    request.time_control.CopyFrom(per_turn(61))
    assert "REQUEST_ID_REUSED" == (await fault_of(stub.CreateMatch(request))).reason

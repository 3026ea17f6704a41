"""Bad input gets a clear error and changes nothing: after each refusal the match is as it was."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import grpc
import pytest

from referee._gen.referee.v1 import games_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee._gen.xisk.v1 import xisk_pb2
from referee._gen.yoxii.v1 import yoxii_pb2
from tests.service.inside import referee_inside
from tests.support.api import (
    Table,
    bearer,
    fault_of,
    open_table,
    raw_call,
    settings,
)
from tests.support.processes import RedisProcess

HUGE = 2**32 - 1
INVALID = grpc.StatusCode.INVALID_ARGUMENT
UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED


@asynccontextmanager
async def nothing_changes(table: Table) -> AsyncIterator[None]:
    """Says that every view of the match is afterwards, byte for byte, what it was before."""

    async def views() -> list[bytes]:
        seen = [await table.observation(seat) for seat in (None, *table.tokens)]
        return [view.SerializeToString(deterministic=True) for view in seen]

    before = await views()
    yield
    assert before == await views()


async def submit_message(table: Table, action: Any, seat: int | None = None) -> Any:
    """Submit an action as a message, for the seat to move unless said."""
    mover = await table.to_move() if seat is None else seat
    wrapped = games_pb2.GameAction()
    if isinstance(action, xisk_pb2.Action):
        wrapped.xisk.CopyFrom(action)
    elif isinstance(action, yoxii_pb2.Action):
        wrapped.yoxii.CopyFrom(action)
    request = pb.SubmitActionRequest(match_id=table.match_id, action=wrapped)
    return await table.stub.SubmitAction(request, metadata=table.auth(mover))


def yoxii(totem: str = "d5", value: int = 1, square: str = "d6") -> yoxii_pb2.Action:
    """An action of Yoxii that is legal at the start, unless a part is spoilt."""
    return yoxii_pb2.Action(totem=totem, value=value, square=square)


# --- actions ---------------------------------------------------------------------------------

UNREADABLE = {
    "no oneof": None,
    "another game": xisk_pb2.Action(end_turn=xisk_pb2.EndTurn()),
    "no totem": yoxii(totem=""),
    "a square off the board": yoxii(square="a1"),
    "a square in capitals": yoxii(totem="D5"),
    "a square of a thousand characters": yoxii(square="d" * 1000),
    "a square with a bidi override": yoxii(square="\u202ed6"),
    "value zero": yoxii(value=0),
    "value five": yoxii(value=5),
    "a huge value": yoxii(value=HUGE),
}
UNREADABLE_XISK = {
    "no oneof": None,
    "another game": yoxii(),
    "no kind": xisk_pb2.Action(),
    "no country": xisk_pb2.Action(claim=xisk_pb2.Claim()),
    "an unknown country": xisk_pb2.Action(claim=xisk_pb2.Claim(country="atlantis")),
    "a country of a thousand characters": xisk_pb2.Action(
        attack=xisk_pb2.Attack(source="alaska", target="x" * 1000)
    ),
    "a country with a line break": xisk_pb2.Action(place=xisk_pb2.Place(country="alaska\n")),
    "an unknown card": xisk_pb2.Action(redeem=xisk_pb2.Redeem(cards=["1X", "2C", "3C"])),
    "an empty card": xisk_pb2.Action(redeem=xisk_pb2.Redeem(cards=[""])),
}
ILLEGAL_XISK = {
    "out of phase": xisk_pb2.Action(end_turn=xisk_pb2.EndTurn()),
    "zero chips": xisk_pb2.Action(place=xisk_pb2.Place(country="alaska")),
    "huge chips": xisk_pb2.Action(place=xisk_pb2.Place(country="alaska", chips=HUGE)),
    "a huge invasion": xisk_pb2.Action(invade=xisk_pb2.Invade(chips=HUGE)),
    "no cards": xisk_pb2.Action(redeem=xisk_pb2.Redeem()),
    "a thousand cards": xisk_pb2.Action(redeem=xisk_pb2.Redeem(cards=["2C"] * 1000)),
    "itself": xisk_pb2.Action(adjust=xisk_pb2.Adjust(source="alaska", target="alaska", chips=1)),
}


@pytest.mark.parametrize("what", UNREADABLE)
async def test_an_unreadable_action_of_yoxii_is_invalid(stub, what):
    table = await open_table(stub, "yoxii")
    async with nothing_changes(table):
        fault = await fault_of(submit_message(table, UNREADABLE[what]))
    assert (INVALID, "INVALID_ACTION") == (fault.code, fault.reason)
    assert 1 == len(fault.fields)
    assert len(fault.message) < 300
    assert fault.message.isprintable()


@pytest.mark.parametrize("what", UNREADABLE_XISK)
async def test_an_unreadable_action_of_xisk_is_invalid(stub, what):
    table = await open_table(stub, "xisk")
    async with nothing_changes(table):
        fault = await fault_of(submit_message(table, UNREADABLE_XISK[what]))
    assert (INVALID, "INVALID_ACTION") == (fault.code, fault.reason)
    assert 1 == len(fault.fields)
    assert len(fault.message) < 400
    assert fault.message.isprintable()


@pytest.mark.parametrize("what", ILLEGAL_XISK)
@pytest.mark.parametrize("plies", [0, 60])
async def test_a_readable_action_that_breaks_a_rule_names_the_rule(stub, what, plies):
    table = await open_table(stub, "xisk")
    await table.play(plies, Random(1))
    async with nothing_changes(table):
        fault = await fault_of(submit_message(table, ILLEGAL_XISK[what]))
    assert (grpc.StatusCode.FAILED_PRECONDITION, "ILLEGAL_ACTION") == (fault.code, fault.reason)
    assert "xisk" == fault.metadata["rule"].split("/")[0]
    assert len(fault.message) < 400


def field(number: int, content: bytes) -> bytes:
    """A length-delimited field on the wire."""
    assert len(content) < 128
    return bytes([number << 3 | 2, len(content)]) + content


@pytest.mark.parametrize("bits", [32, 64])
async def test_a_negative_count_is_some_huge_count_and_refused(stub, referee_process, bits):
    table = await open_table(stub, "yoxii")
    minus_one = b"\xff" * (bits // 7) + bytes([2 ** (bits % 7) - 1])
    action = field(1, b"d5") + bytes([2 << 3]) + minus_one + field(3, b"d6")
    request = field(1, table.match_id.encode()) + field(4, field(2, action))
    async with nothing_changes(table):
        call = raw_call(referee_process.address, "SubmitAction", request, table.auth(0))
        fault = await fault_of(call)
    assert (INVALID, ("value",)) == (fault.code, fault.fields)


async def test_a_seat_acts_in_its_own_name_and_turn_only(stub):
    table = await open_table(stub, "yoxii")
    async with nothing_changes(table):
        fault = await fault_of(submit_message(table, yoxii(), seat=1))
        assert ("NOT_YOUR_TURN", "0") == (fault.reason, fault.metadata["to_move"])
        fault = await fault_of(table.submit(0, "d5/1@d6", expected_version=99))
        assert ("STALE_VERSION", "3") == (fault.reason, fault.metadata["current_version"])


# --- requests ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("match_id", "code"),
    [
        ("", INVALID),
        ("x", INVALID),
        ("0" * 25 + "é", INVALID),
        ("0" * 27, INVALID),
        ("{" * 26, INVALID),
        ("\x00" * 26, INVALID),
        ("0" * 26, grpc.StatusCode.NOT_FOUND),
    ],
)
async def test_a_match_that_does_not_exist_is_found_by_no_method(stub, match_id, code):
    calls = [
        stub.GetMatch(pb.GetMatchRequest(match_id=match_id)),
        stub.GetObservation(pb.GetObservationRequest(match_id=match_id)),
        stub.GetRecord(pb.GetRecordRequest(match_id=match_id)),
        stub.WatchMatch(pb.WatchMatchRequest(match_id=match_id)).read(),
        stub.JoinMatch(pb.JoinMatchRequest(open_seat=pb.OpenSeat(match_id=match_id))),
    ]
    assert {code} == {(await fault_of(call)).code for call in calls}


BAD_CREATIONS: dict[str, dict[str, Any]] = {
    "settings.game": {"settings": games_pb2.GameSettings()},
    "map_id": {"settings": settings("xisk", xisk_pb2.Settings(map_id="x" * 5000))},
    "seats": {"settings": settings("xisk"), "seats": HUGE},
    "visibility": {"settings": settings("xisk"), "visibility": 99},
    "request_id": {"settings": settings("xisk"), "request_id": "a b"},
    "server_seed": {"settings": settings("xisk"), "server_seed": b"short"},
}


@pytest.mark.parametrize("named", BAD_CREATIONS)
async def test_a_match_that_can_not_be_is_not_created(stub, named):
    newest = pb.ListMatchesRequest(page_size=1)
    before = await stub.ListMatches(newest)
    fault = await fault_of(stub.CreateMatch(pb.CreateMatchRequest(**BAD_CREATIONS[named])))
    assert (INVALID, (named,)) == (fault.code, fault.fields)
    assert len(fault.message) < 300
    assert before == await stub.ListMatches(newest)


BAD_NAMES = {
    "a line break": "Ann\nBob",
    "a null": "Ann\x00",
    "an escape": "\x1b[31mAnn",
    "a bidi override": "Ann\u202egnp.exe",
    "a zero-width space": "A\u200bnn",
    "a byte order mark": "\ufeffAnn",
    "a line separator": "Ann\u2028",
    "a private character": "\ue000",
    "a thousand characters": "n" * 1000,
    "forty-one characters": "n" * 41,
    "blanks": "   ",
    "wide blanks": "\u3000\u2003",
}


@pytest.mark.parametrize("what", BAD_NAMES)
async def test_a_name_that_is_not_safe_to_show_takes_no_seat(stub, what):
    created = await stub.CreateMatch(pb.CreateMatchRequest(settings=settings("yoxii")))
    code = created.join_codes[0].code
    request = pb.JoinMatchRequest(join_code=code, display_name=BAD_NAMES[what])
    fault = await fault_of(stub.JoinMatch(request))
    assert (INVALID, "INVALID_REQUEST", ("display_name",)) == (
        fault.code,
        fault.reason,
        fault.fields,
    )
    after = await stub.GetMatch(pb.GetMatchRequest(match_id=created.match.match_id))
    assert created.match == after.match


BAD_JOINS: dict[str, dict[str, Any]] = {
    "target": {},
    "join_code": {"join_code": "no code"},
    "colour": {"colour": 77},
    "client_nonce": {"client_nonce": b"n" * 65},
    "request_id": {"request_id": "r" * 65},
}


@pytest.mark.parametrize("named", BAD_JOINS)
async def test_a_join_that_can_not_be_read_takes_no_seat(stub, named):
    created = await stub.CreateMatch(pb.CreateMatchRequest(settings=settings("xisk")))
    target = {} if named == "target" else {"join_code": created.join_codes[0].code}
    request = pb.JoinMatchRequest(**(target | BAD_JOINS[named]))
    fault = await fault_of(stub.JoinMatch(request))
    assert (INVALID, (named,)) == (fault.code, fault.fields)
    after = await stub.GetMatch(pb.GetMatchRequest(match_id=created.match.match_id))
    assert created.match == after.match


@pytest.mark.parametrize(
    ("named", "wrong"),
    [
        ("state", {"state": 77}),
        ("order", {"order": 77}),
        ("page_size", {"page_size": 101}),
        ("page_size", {"page_size": HUGE}),
        ("page_token", {"page_token": "nonsense"}),
    ],
)
async def test_a_list_that_can_not_be_is_refused(stub, named, wrong):
    fault = await fault_of(stub.ListMatches(pb.ListMatchesRequest(**wrong)))
    assert (INVALID, "INVALID_REQUEST", (named,)) == (fault.code, fault.reason, fault.fields)


# --- tokens -----------------------------------------------------------------------------------


async def test_a_token_that_proves_nothing_opens_nothing(stub):
    table = await open_table(stub, "yoxii")
    good = table.tokens[0]
    facts, mac = good.rsplit(".", 1)
    other_seat = facts.replace(".0.", ".1.", 1)
    broken = [
        "",
        "x",
        good[:-1],
        good.lower(),
        f"{good}A",
        f"{facts}.{'A' * len(mac)}",
        f"{other_seat}.{mac}",
        f"{facts[:-1]}9.{mac}",
        "x" * 4000,
    ]
    request = pb.SubmitActionRequest(
        match_id=table.match_id, action=games_pb2.GameAction(yoxii=yoxii())
    )
    async with nothing_changes(table):
        for token in broken:
            fault = await fault_of(stub.SubmitAction(request, metadata=bearer(token)))
            assert (UNAUTHENTICATED, "TOKEN_INVALID") == (fault.code, fault.reason)
            assert mac not in fault.message
        for scheme in ("Basic", "bearer", "BEARER", "Token"):
            metadata = (("authorization", f"{scheme} {good}x"),)
            fault = await fault_of(stub.SubmitAction(request, metadata=metadata))
            assert (UNAUTHENTICATED, "TOKEN_INVALID") == (fault.code, fault.reason)
        fault = await fault_of(stub.SubmitAction(request))
        assert (UNAUTHENTICATED, "TOKEN_MISSING") == (fault.code, fault.reason)


async def test_a_broken_token_is_refused_also_where_none_is_needed(stub):
    table = await open_table(stub, "yoxii")
    request = pb.GetObservationRequest(match_id=table.match_id)
    fault = await fault_of(stub.GetObservation(request, metadata=bearer("x")))
    assert "TOKEN_INVALID" == fault.reason


async def test_the_token_of_another_match_is_of_no_use(stub):
    table, other = await open_table(stub, "yoxii"), await open_table(stub, "yoxii")
    request = pb.SubmitActionRequest(
        match_id=table.match_id, action=games_pb2.GameAction(yoxii=yoxii())
    )
    async with nothing_changes(table), nothing_changes(other):
        fault = await fault_of(stub.SubmitAction(request, metadata=other.auth(0)))
        assert (grpc.StatusCode.PERMISSION_DENIED, "PERMISSION_DENIED") == (
            fault.code,
            fault.reason,
        )


async def test_nobody_but_an_operator_names_a_seed(stub):
    table = await open_table(stub, "yoxii")
    request = pb.CreateMatchRequest(settings=settings("yoxii"), server_seed=bytes(32))
    for metadata, reason in (
        (None, "TOKEN_MISSING"),
        (bearer("guess"), "TOKEN_INVALID"),
        (table.auth(0), "PERMISSION_DENIED"),
    ):
        assert reason == (await fault_of(stub.CreateMatch(request, metadata=metadata))).reason


# --- bytes that are no request -------------------------------------------------------------------

METHODS = [method.name for method in pb.DESCRIPTOR.services_by_name["MatchService"].methods]
GARBAGE = {
    "a truncated field": b"\x0a\xff",
    "an unfinished varint": b"\xff\xff\xff",
    "an unknown wire type": b"\x0f",
    "an end without a group": b"\x0c",
    "field number zero": b"\x02\x00",
}


@pytest.mark.parametrize("method", METHODS)
async def test_bytes_that_are_no_message_are_invalid_and_not_our_fault(
    stub, referee_process, method
):
    table = await open_table(stub, "yoxii")
    async with nothing_changes(table):
        for garbage in GARBAGE.values():
            call = raw_call(referee_process.address, method, garbage, table.auth(0))
            fault = await fault_of(call)
            assert (INVALID, "INVALID_REQUEST") == (fault.code, fault.reason)


@pytest.mark.parametrize("method", [one for one in METHODS if one != "ListGames"])
async def test_text_that_is_not_utf_8_is_invalid_and_not_our_fault(referee_process, method):
    call = raw_call(referee_process.address, method, b"\x0a\x02\xc3\x28")
    fault = await fault_of(call)
    assert (INVALID, "INVALID_REQUEST") == (fault.code, fault.reason)


async def test_a_message_beyond_the_limit_is_refused_by_the_transport(stub):
    table = await open_table(stub, "yoxii")
    request = pb.GetMatchRequest(match_id="0" * 64 * 1024)
    async with nothing_changes(table):
        fault = await fault_of(stub.GetMatch(request))
        assert grpc.StatusCode.RESOURCE_EXHAUSTED == fault.code


async def test_a_message_just_within_the_limit_is_read(stub):
    request = pb.GetMatchRequest(match_id="0" * 60 * 1024)
    fault = await fault_of(stub.GetMatch(request))
    assert (INVALID, "INVALID_REQUEST") == (fault.code, fault.reason)


# --- what goes wrong on the way ------------------------------------------------------------


async def test_a_call_whose_deadline_is_over_does_nothing(stub):
    table = await open_table(stub, "yoxii")
    request = pb.SubmitActionRequest(
        match_id=table.match_id, action=games_pb2.GameAction(yoxii=yoxii())
    )
    async with nothing_changes(table):
        call = stub.SubmitAction(request, metadata=table.auth(0), timeout=-1)
        assert grpc.StatusCode.DEADLINE_EXCEEDED == (await fault_of(call)).code


async def test_a_submit_that_redis_dies_under_is_not_half_done(tmp_path):
    redis = RedisProcess(tmp_path).start()
    async with referee_inside(redis.url) as stub:
        table = await open_table(stub, "yoxii")
        async with nothing_changes(table):
            redis.pause()
            call = asyncio.ensure_future(table.submit(0, "d5/1@d6", request_id="a"))
            await asyncio.sleep(0.1)
            redis.kill()
            fault = await fault_of(call)
            assert ("STORE_UNAVAILABLE", 0.5) == (fault.reason, fault.retry_after)
            redis.start()
        response = await table.submit(0, "d5/1@d6", request_id="a")
        assert 4 == response.receipt.event.version
    redis.stop()


async def test_a_submit_that_redis_is_too_slow_for_happens_once_however_often_it_is_tried(tmp_path):
    redis = RedisProcess(tmp_path).start()
    async with referee_inside(redis.url) as stub:
        table = await open_table(stub, "yoxii")
        redis.pause()
        fault = await fault_of(table.submit(0, "d5/1@d6", request_id="a"))
        assert "STORE_UNAVAILABLE" == fault.reason
        redis.resume()
        first = await table.submit(0, "d5/1@d6", request_id="a")
        again = await table.submit(0, "d5/1@d6", request_id="a")
        assert first.SerializeToString() == again.SerializeToString()
        assert 4 == (await table.now()).version
    redis.stop()

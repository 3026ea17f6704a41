"""Every reason of the catalogue as a caller gets it: code, reason, facts, details, a sentence."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from typing import NamedTuple

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2

from referee import errors
from referee._gen.referee.v1 import games_pb2, match_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee._gen.xisk.v1 import xisk_pb2
from referee.errors import Reason
from referee.service.status import status_of
from tests.service.inside import referee_inside
from tests.support.api import (
    Fault,
    bearer,
    connected,
    events_of,
    fault_of,
    next_event,
    open_table,
    settings,
)
from tests.support.processes import RedisProcess, RefereeProcess

Provoke = Callable[..., Awaitable[Fault]]
NO_SUCH_MATCH = "0" * 26
PRECONDITION = grpc.StatusCode.FAILED_PRECONDITION
INVALID = grpc.StatusCode.INVALID_ARGUMENT


class Case(NamedTuple):
    """One reason: how to get it, and what comes with it."""

    provoke: Provoke
    code: grpc.StatusCode
    metadata: dict[str, str]
    fields: tuple[str, ...] = ()


async def open_match(stub, game_id: str = "xisk", seats: int = 0) -> pb.CreateMatchResponse:
    """A match in which nobody sits."""
    request = pb.CreateMatchRequest(settings=settings(game_id), seats=seats)
    created: pb.CreateMatchResponse = await stub.CreateMatch(request)
    return created


async def invalid_request(stub) -> Fault:
    return await fault_of(open_match(stub, "xisk", 7))


async def invalid_action(stub) -> Fault:
    table = await open_table(stub, "xisk")
    claim = xisk_pb2.Action(claim=xisk_pb2.Claim(country="atlantis"))
    request = pb.SubmitActionRequest(
        match_id=table.match_id, action=games_pb2.GameAction(xisk=claim)
    )
    return await fault_of(stub.SubmitAction(request, metadata=table.auth(0)))


async def invalid_settings(stub) -> Fault:
    wanted = settings("xisk", xisk_pb2.Settings(map_id="mars"))
    return await fault_of(stub.CreateMatch(pb.CreateMatchRequest(settings=wanted)))


async def illegal_action(stub) -> Fault:
    return await fault_of((await open_table(stub, "yoxii")).submit(0, "d4/1@d5"))


async def not_your_turn(stub) -> Fault:
    return await fault_of((await open_table(stub, "yoxii")).submit(1, "d5/1@d6"))


async def match_over(stub) -> Fault:
    table = await open_table(stub, "yoxii")
    await table.resign(0)
    return await fault_of(table.submit(1, "d5/1@d6"))


async def match_not_started(stub) -> Fault:
    created = await open_match(stub)
    target = pb.JoinMatchRequest(join_code=created.join_codes[0].code)
    joined = await stub.JoinMatch(target)
    request = pb.ResignRequest(match_id=created.match.match_id)
    return await fault_of(stub.Resign(request, metadata=bearer(joined.seat_token)))


async def match_already_started(stub) -> Fault:
    table = await open_table(stub, "xisk")
    request = pb.JoinMatchRequest(open_seat=pb.OpenSeat(match_id=table.match_id))
    return await fault_of(stub.JoinMatch(request))


async def seat_taken(stub) -> Fault:
    request = pb.JoinMatchRequest(join_code=(await open_match(stub)).join_codes[1].code)
    await stub.JoinMatch(request)
    return await fault_of(stub.JoinMatch(request))


async def colour_taken(stub) -> Fault:
    created = await open_match(stub, seats=3)
    for code in created.join_codes[:2]:
        request = pb.JoinMatchRequest(join_code=code.code, colour=match_pb2.COLOUR_RED)
        call = stub.JoinMatch(request)
        if code.seat == 0:
            await call
    return await fault_of(call)


async def stale_version(stub) -> Fault:
    table = await open_table(stub, "yoxii")
    return await fault_of(table.submit(0, "d5/1@d6", expected_version=2))


async def request_id_reused(stub) -> Fault:
    table = await open_table(stub, "yoxii")
    await table.submit(0, "d5/1@d6", request_id="a")
    return await fault_of(table.submit(0, "d5/2@d6", request_id="a"))


async def match_not_found(stub) -> Fault:
    return await fault_of(stub.GetMatch(pb.GetMatchRequest(match_id=NO_SUCH_MATCH)))


async def unknown_game(stub) -> Fault:
    return await fault_of(stub.ListMatches(pb.ListMatchesRequest(game="chess")))


async def token_missing(stub) -> Fault:
    table = await open_table(stub, "yoxii")
    request = pb.ListLegalActionsRequest(match_id=table.match_id)
    return await fault_of(stub.ListLegalActions(request))


async def token_invalid(stub) -> Fault:
    table = await open_table(stub, "yoxii")
    table.tokens[0] = table.tokens[0][:-1]
    return await fault_of(table.observation(0))


async def permission_denied(stub) -> Fault:
    ours, theirs = await open_table(stub, "yoxii"), await open_table(stub, "yoxii")
    ours.tokens = theirs.tokens
    return await fault_of(ours.observation(0))


CASES: dict[Reason, Case] = {
    Reason.INVALID_REQUEST: Case(invalid_request, INVALID, {"field": "seats"}, ("seats",)),
    Reason.INVALID_ACTION: Case(
        invalid_action, INVALID, {"field": "claim.country"}, ("claim.country",)
    ),
    Reason.INVALID_SETTINGS: Case(invalid_settings, INVALID, {"field": "map_id"}, ("map_id",)),
    Reason.ILLEGAL_ACTION: Case(illegal_action, PRECONDITION, {"rule": "yoxii/3"}),
    Reason.NOT_YOUR_TURN: Case(not_your_turn, PRECONDITION, {"to_move": "0"}),
    Reason.MATCH_OVER: Case(match_over, PRECONDITION, {}),
    Reason.MATCH_NOT_STARTED: Case(match_not_started, PRECONDITION, {}),
    Reason.MATCH_ALREADY_STARTED: Case(match_already_started, PRECONDITION, {}),
    Reason.SEAT_TAKEN: Case(seat_taken, PRECONDITION, {"seat": "1"}),
    Reason.COLOUR_TAKEN: Case(colour_taken, PRECONDITION, {"rule": "xisk/1"}),
    Reason.STALE_VERSION: Case(
        stale_version,
        grpc.StatusCode.ABORTED,
        {"expected_version": "2", "current_version": "3"},
    ),
    Reason.REQUEST_ID_REUSED: Case(
        request_id_reused, grpc.StatusCode.ALREADY_EXISTS, {"version": "4"}
    ),
    Reason.MATCH_NOT_FOUND: Case(match_not_found, grpc.StatusCode.NOT_FOUND, {}),
    Reason.UNKNOWN_GAME: Case(unknown_game, grpc.StatusCode.NOT_FOUND, {"games": "xisk, yoxii"}),
    Reason.TOKEN_MISSING: Case(token_missing, grpc.StatusCode.UNAUTHENTICATED, {}),
    Reason.TOKEN_INVALID: Case(token_invalid, grpc.StatusCode.UNAUTHENTICATED, {}),
    Reason.PERMISSION_DENIED: Case(permission_denied, grpc.StatusCode.PERMISSION_DENIED, {}),
}


def is_a_sentence(text: str) -> bool:
    """True for what a person can read: it begins somewhere and ends with a full stop."""
    return len(text) > 20 and text.endswith(".") and text.isprintable()


@pytest.mark.parametrize("reason", CASES, ids=str)
async def test_a_reason_comes_with_its_code_its_facts_and_a_sentence(stub, reason):
    case = CASES[reason]
    fault = await case.provoke(stub)
    assert (case.code, reason.value, "referee") == (fault.code, fault.reason, fault.domain)
    assert case.metadata == fault.metadata
    assert case.fields == fault.fields
    assert fault.retry_after is None
    assert is_a_sentence(fault.message)


async def test_store_unavailable_when_redis_is_killed(tmp_path):
    redis = RedisProcess(tmp_path).start()
    async with referee_inside(redis.url) as stub:
        table = await open_table(stub, "yoxii")
        redis.kill()
        for call in (
            table.submit(0, "d5/1@d6"),
            table.now(),
            table.observation(),
            table.record(),
            open_match(stub),
            stub.ListMatches(pb.ListMatchesRequest()),
            events_of(table.watch()),
        ):
            fault = await fault_of(call)
            assert (grpc.StatusCode.UNAVAILABLE, Reason.STORE_UNAVAILABLE, "referee") == (
                fault.code,
                fault.reason,
                fault.domain,
            )
            assert 0.5 == fault.retry_after
            assert is_a_sentence(fault.message)


async def test_draining_when_the_process_is_told_to_stop_with_a_stream_open(tmp_path, redis_server):
    process = RefereeProcess(tmp_path, redis_url=redis_server.url).start()
    async with connected(process.address) as stub:
        table = await open_table(stub, "yoxii")
        stream = table.watch()
        assert [1, 2, 3] == [(await next_event(stream)).version for _ in range(3)]
        process.signal(signal.SIGTERM)
        fault = await fault_of(next_event(stream))
    assert (grpc.StatusCode.UNAVAILABLE, Reason.DRAINING) == (fault.code, fault.reason)
    assert (0.5, "referee") == (fault.retry_after, fault.domain)
    assert is_a_sentence(fault.message)
    assert 0 == process.wait()


async def test_contended_when_others_are_always_ahead(redis_server, redis):
    async with referee_inside(redis_server.url) as stub:
        table = await open_table(stub, "yoxii")
        # Whoever commits finds that the match has moved on, every time.
        await redis.hset(f"referee:{{{table.match_id}}}:match", "version", 1000)
        fault = await fault_of(table.submit(0, "d5/1@d6"))
    assert (grpc.StatusCode.UNAVAILABLE, Reason.CONTENDED) == (fault.code, fault.reason)
    assert 0.5 == fault.retry_after
    assert is_a_sentence(fault.message)


async def test_flag_fell_when_the_time_was_over_and_nobody_has_looked(redis_server, redis):
    control = match_pb2.TimeControl(per_turn=match_pb2.PerTurn(limit=Duration(seconds=1)))
    async with referee_inside(redis_server.url) as stub:
        table = await open_table(stub, "yoxii", time_control=control)
        deadline = table.match.clocks[0].deadline.ToMilliseconds()
        await redis.delete("referee:due")
        await asyncio.sleep(1.1)
        fault = await fault_of(table.submit(0, "d5/1@d6"))
        assert match_pb2.TERMINATION_TIME_FORFEIT == (await table.now()).result.termination
    assert (PRECONDITION, Reason.FLAG_FELL, "referee") == (fault.code, fault.reason, fault.domain)
    assert {"seat": "0", "deadline_ms": str(deadline)} == fault.metadata
    assert is_a_sentence(fault.message)


def test_deadline_exceeded_names_its_reason():
    status = status_of(errors.DeadlineError("The deadline passed before the answer was ready."))
    assert grpc.StatusCode.DEADLINE_EXCEEDED == status.code
    assert Reason.DEADLINE_EXCEEDED.value.encode() in dict(status.trailing_metadata).popitem()[1]


async def test_a_deadline_that_is_over_at_once_is_told_as_such(stub):
    request = pb.CreateMatchRequest(settings=settings("yoxii"))
    assert (
        grpc.StatusCode.DEADLINE_EXCEEDED
        == (await fault_of(stub.CreateMatch(request, timeout=-1))).code
    )


def test_limit_exceeded_says_when_to_try_again():
    # No limit of this release is told this way yet; the status is.
    error = errors.LimitExceededError("Too many of them.", retry_after=2.5, limit="matches")
    status = status_of(error)
    assert grpc.StatusCode.RESOURCE_EXHAUSTED == status.code
    ((_, details),) = status.trailing_metadata
    assert Reason.LIMIT_EXCEEDED.value.encode() in details
    assert error_details_pb2.RetryInfo.DESCRIPTOR.full_name.encode() in details


def test_slow_reader_says_when_to_come_back():
    # test_play_ends has a stream that is really not read.
    status = status_of(errors.SlowReaderError("The stream was not read."))
    assert grpc.StatusCode.UNAVAILABLE == status.code
    ((_, details),) = status.trailing_metadata
    assert Reason.SLOW_READER.value.encode() in details
    assert error_details_pb2.RetryInfo.DESCRIPTOR.full_name.encode() in details


ON_THEIR_OWN = {
    Reason.SLOW_READER: test_slow_reader_says_when_to_come_back,
    Reason.STORE_UNAVAILABLE: test_store_unavailable_when_redis_is_killed,
    Reason.DRAINING: test_draining_when_the_process_is_told_to_stop_with_a_stream_open,
    Reason.FLAG_FELL: test_flag_fell_when_the_time_was_over_and_nobody_has_looked,
    Reason.CONTENDED: test_contended_when_others_are_always_ahead,
    Reason.DEADLINE_EXCEEDED: test_deadline_exceeded_names_its_reason,
    Reason.LIMIT_EXCEEDED: test_limit_exceeded_says_when_to_try_again,
}


def test_every_reason_of_the_catalogue_is_provoked_here():
    assert set(Reason) == set(CASES) | set(ON_THEIR_OWN)

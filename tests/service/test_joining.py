"""Taking seats and giving them up, over real gRPC and a real Redis."""

from __future__ import annotations

import grpc
import pytest

from referee._gen.referee.v1 import match_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.registry import GAMES
from tests.support.api import bearer, fault_of, open_table, settings

OPEN, ACTIVE = match_pb2.MATCH_STATE_OPEN, match_pb2.MATCH_STATE_ACTIVE


async def created(stub, game_id: str = "xisk", seats: int = 0, **fields) -> pb.CreateMatchResponse:
    """A new match."""
    request = pb.CreateMatchRequest(settings=settings(game_id), seats=seats, **fields)
    answer: pb.CreateMatchResponse = await stub.CreateMatch(request)
    return answer


def at(match: match_pb2.Match, seat: int | None = None) -> pb.OpenSeat:
    """An open seat of a match."""
    return pb.OpenSeat(match_id=match.match_id, seat=seat)


async def join(stub, target: str | pb.OpenSeat, **fields) -> pb.JoinMatchResponse:
    """Take a seat by its code, or an open one."""
    request = pb.JoinMatchRequest(**fields)
    if isinstance(target, str):
        request.join_code = target
    else:
        request.open_seat.CopyFrom(target)
    answer: pb.JoinMatchResponse = await stub.JoinMatch(request)
    return answer


@pytest.mark.parametrize("game_id", sorted(GAMES))
async def test_the_last_seat_taken_starts_the_match(stub, game_id):
    new = await created(stub, game_id)
    states = []
    for code in new.join_codes:
        joined = await join(stub, code.code, display_name=f"No {code.seat}")
        assert code.seat == joined.seat
        states.append(joined.match.state)
    assert [OPEN, ACTIVE] == states[-2:]
    assert new.match.commitment == joined.match.commitment
    assert 1 + len(new.join_codes) == joined.match.version
    assert 1 == len(joined.match.to_move)
    assert [f"No {seat}" for seat in range(len(states))] == [
        seat.display_name for seat in joined.match.seats
    ]


@pytest.mark.parametrize("game_id", sorted(GAMES))
async def test_a_match_with_the_most_seats_starts_too(stub, game_id):
    info = GAMES[game_id].info
    table = await open_table(stub, game_id, info.max_seats)
    assert ACTIVE == table.match.state
    assert list(range(info.max_seats)) == sorted(table.tokens)
    assert list(info.colours[: info.max_seats]) == [
        match_pb2.Colour.Name(seat.colour).removeprefix("COLOUR_").lower()
        for seat in table.match.seats
    ]


async def test_a_join_code_takes_its_own_seat_in_any_order(stub):
    new = await created(stub, seats=3)
    for code in reversed(new.join_codes):
        assert code.seat == (await join(stub, code.code)).seat


async def test_a_join_code_may_be_typed_in_small_letters_with_space_around(stub):
    new = await created(stub)
    assert 1 == (await join(stub, f"  {new.join_codes[1].code.lower()} ")).seat


async def test_an_open_seat_without_index_is_the_first_open_one(stub):
    match = (await created(stub, seats=4)).match
    await join(stub, at(match, 1))
    assert [0, 2, 3] == [(await join(stub, at(match))).seat for _ in range(3)]


async def test_an_open_seat_can_be_named(stub):
    match = (await created(stub, seats=4)).match
    assert [3, 0] == [(await join(stub, at(match, seat))).seat for seat in (3, 0)]


async def test_seats_get_the_first_free_colours_and_wishes_are_granted(stub):
    match = (await created(stub, seats=4)).match
    first, second, *_ = [
        match_pb2.Colour.Value(f"COLOUR_{word.upper()}") for word in GAMES["xisk"].info.colours
    ]
    wished = await join(stub, at(match), colour=second)
    free = await join(stub, at(match))
    assert [second, first] == [wished.match.seats[0].colour, free.match.seats[1].colour]
    fault = await fault_of(join(stub, at(match), colour=first))
    assert (grpc.StatusCode.FAILED_PRECONDITION, "COLOUR_TAKEN") == (fault.code, fault.reason)


async def test_where_the_seat_fixes_the_colour_its_own_may_be_wished_and_no_other(stub):
    match = (await created(stub, "yoxii")).match
    fault = await fault_of(join(stub, at(match, 0), colour=match_pb2.COLOUR_RED))
    assert ("COLOUR_TAKEN", "yoxii") == (fault.reason, fault.metadata["rule"].split("/")[0])
    await join(stub, at(match, 0), colour=match_pb2.COLOUR_WHITE)
    joined = await join(stub, at(match, 1), colour=match_pb2.COLOUR_RED)
    assert [match_pb2.COLOUR_WHITE, match_pb2.COLOUR_RED] == [
        seat.colour for seat in joined.match.seats
    ]


async def test_who_gives_no_name_gets_one_and_a_name_loses_its_outer_space(stub):
    match = (await created(stub)).match
    await join(stub, at(match))
    joined = await join(stub, at(match), display_name="  Zoë 李 ")
    assert ["Seat 0", "Zoë 李"] == [seat.display_name for seat in joined.match.seats]


async def test_everybody_sees_the_nonce_that_a_seat_mixed_in(stub):
    match = (await created(stub)).match
    await join(stub, at(match), client_nonce=b"n" * 64)
    joined = await join(stub, at(match))
    assert [b"n" * 64, b""] == [seat.client_nonce for seat in joined.match.seats]


async def test_a_join_that_is_retried_gives_the_same_seat_and_token(stub):
    match = (await created(stub, seats=3)).match
    wish = {"display_name": "Ann", "client_nonce": b"x", "request_id": "join-1"}
    first = await join(stub, at(match), **wish)
    other = await join(stub, at(match))
    again = await join(stub, at(match), **wish)
    assert (first.seat, first.seat_token) == (again.seat, again.seat_token)
    assert other.seat_token != first.seat_token
    assert other.match == again.match
    await join(stub, at(match))
    started = await join(stub, at(match), **wish)
    assert (first.seat_token, ACTIVE) == (started.seat_token, started.match.state)


async def test_a_join_that_filled_the_match_can_be_retried(stub):
    match = (await created(stub, "yoxii")).match
    await join(stub, at(match))
    last = await join(stub, at(match), request_id="last")
    again = await join(stub, at(match), request_id="last")
    assert last == again


async def test_the_request_id_of_a_join_stands_for_one_wish(stub):
    match = (await created(stub, seats=3)).match
    await join(stub, at(match), display_name="Ann", request_id="join-1")
    fault = await fault_of(join(stub, at(match), display_name="Bob", request_id="join-1"))
    assert (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED") == (fault.code, fault.reason)


async def test_a_private_match_is_joined_by_code_and_not_by_open_seat(stub):
    new = await created(stub, visibility=match_pb2.VISIBILITY_PRIVATE)
    fault = await fault_of(join(stub, at(new.match)))
    assert (grpc.StatusCode.PERMISSION_DENIED, "PERMISSION_DENIED") == (fault.code, fault.reason)
    assert 0 == (await join(stub, new.join_codes[0].code)).seat


async def test_the_seat_of_a_join_that_was_refused_stays_open(stub):
    new = await created(stub)
    await fault_of(join(stub, at(new.match, 0), colour=match_pb2.Colour.ValueType(77)))
    await fault_of(join(stub, at(new.match, 0), client_nonce=b"n" * 65))
    await fault_of(join(stub, at(new.match, 9)))
    after = await stub.GetMatch(pb.GetMatchRequest(match_id=new.match.match_id))
    assert new.match == after.match


# --- LeaveMatch ------------------------------------------------------------------------


async def test_leaving_opens_the_seat_and_its_token_dies(stub):
    match = (await created(stub, seats=3)).match
    joined = await join(stub, at(match), display_name="Ann", client_nonce=b"x")
    auth = bearer(joined.seat_token)
    request = pb.LeaveMatchRequest(match_id=match.match_id)
    left = (await stub.LeaveMatch(request, metadata=auth)).match
    assert (3, match.seats[0]) == (left.version, left.seats[0])
    for call in (
        stub.LeaveMatch(request, metadata=auth),
        stub.GetObservation(pb.GetObservationRequest(match_id=match.match_id), metadata=auth),
        stub.Resign(pb.ResignRequest(match_id=match.match_id), metadata=auth),
    ):
        fault = await fault_of(call)
        assert (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID") == (fault.code, fault.reason)


async def test_a_seat_that_was_left_can_be_taken_again_and_versions_go_on(stub):
    new = await created(stub, "yoxii")
    code = new.join_codes[0].code
    old = await join(stub, code)
    request = pb.LeaveMatchRequest(match_id=new.match.match_id)
    await stub.LeaveMatch(request, metadata=bearer(old.seat_token))
    again = await join(stub, code)
    assert (4, 0) == (again.match.version, again.seat)
    assert old.seat_token != again.seat_token
    started = await join(stub, new.join_codes[1].code)
    assert (5, ACTIVE) == (started.match.version, started.match.state)
    submit = pb.ListLegalActionsRequest(match_id=new.match.match_id)
    fault = await fault_of(stub.ListLegalActions(submit, metadata=bearer(old.seat_token)))
    assert "TOKEN_INVALID" == fault.reason
    assert 0 < (await stub.ListLegalActions(submit, metadata=bearer(again.seat_token))).count


async def test_the_colour_of_a_seat_that_was_left_is_free_again(stub):
    match = (await created(stub)).match
    red = match_pb2.COLOUR_RED
    joined = await join(stub, at(match), colour=red)
    request = pb.LeaveMatchRequest(match_id=match.match_id)
    await stub.LeaveMatch(request, metadata=bearer(joined.seat_token))
    assert red == (await join(stub, at(match, 1), colour=red)).match.seats[1].colour


async def test_nobody_leaves_once_the_match_has_started(stub):
    table = await open_table(stub, "yoxii")
    request = pb.LeaveMatchRequest(match_id=table.match_id)
    fault = await fault_of(stub.LeaveMatch(request, metadata=table.auth(0)))
    assert (grpc.StatusCode.FAILED_PRECONDITION, "MATCH_ALREADY_STARTED") == (
        fault.code,
        fault.reason,
    )


async def test_a_request_id_alone_is_not_enough_to_get_a_seat_s_token(stub):
    created = await stub.CreateMatch(
        pb.CreateMatchRequest(settings=settings("yoxii"), visibility=match_pb2.VISIBILITY_PRIVATE)
    )
    code = created.join_codes[0].code
    await stub.JoinMatch(pb.JoinMatchRequest(join_code=code, request_id="1"))
    seat = pb.OpenSeat(match_id=created.match.match_id, seat=0)
    fault = await fault_of(stub.JoinMatch(pb.JoinMatchRequest(open_seat=seat, request_id="1")))
    assert "REQUEST_ID_REUSED" == fault.reason


async def test_a_join_that_is_retried_when_its_seat_was_left_gives_no_dead_token(stub):
    created = await stub.CreateMatch(pb.CreateMatchRequest(settings=settings("yoxii")))
    request = pb.JoinMatchRequest(join_code=created.join_codes[0].code, request_id="1")
    joined = await stub.JoinMatch(request)
    leave = pb.LeaveMatchRequest(match_id=created.match.match_id)
    await stub.LeaveMatch(leave, metadata=bearer(joined.seat_token))
    fault = await fault_of(stub.JoinMatch(request))
    assert "TOKEN_INVALID" == fault.reason

"""Looking at a match, acting in it and resigning from it, over real gRPC and a real Redis."""

from __future__ import annotations

from random import Random

import grpc
import pytest

from referee._gen.referee.v1 import match_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.registry import GAMES
from tests.support.api import Table, action, fault_of, open_table, settings

ENDED = match_pb2.MATCH_STATE_ENDED
every_game = pytest.mark.parametrize("game_id", sorted(GAMES))


async def legal_actions(table: Table, seat: int) -> pb.ListLegalActionsResponse:
    """What ListLegalActions says."""
    request = pb.ListLegalActionsRequest(match_id=table.match_id)
    answer: pb.ListLegalActionsResponse = await table.stub.ListLegalActions(
        request, metadata=table.auth(seat)
    )
    return answer


async def first_legal(table: Table, seat: int) -> str:
    """One legal action of a seat."""
    return (await table.legal(seat))[0]


# --- GetObservation and ListLegalActions -----------------------------------------------------


@every_game
async def test_an_open_match_has_nothing_to_see_yet(stub, game_id):
    created = await stub.CreateMatch(pb.CreateMatchRequest(settings=settings(game_id)))
    request = pb.GetObservationRequest(match_id=created.match.match_id)
    seen = await stub.GetObservation(request)
    assert created.match == seen.match
    assert not seen.HasField("observation")
    assert not seen.HasField("seat")


@every_game
async def test_a_seat_and_the_public_see_the_same_match_each_with_its_own_view(stub, game_id):
    table = await open_table(stub, game_id)
    public = await table.observation()
    seats = [await table.observation(seat) for seat in sorted(table.tokens)]
    assert not public.HasField("seat")
    assert sorted(table.tokens) == [seen.seat for seen in seats]
    assert all(public.match == seen.match == table.match for seen in seats)
    assert all(seen.observation.WhichOneof("game") == game_id for seen in [public, *seats])


async def test_a_hand_is_shown_to_its_owner_and_to_nobody_else(stub):
    table = await open_table(stub, "xisk", 3)
    hands = [set((await table.observation(seat)).observation.xisk.hand) for seat in range(3)]
    sizes = list((await table.observation()).observation.xisk.hand_sizes)
    assert sizes == [len(hand) for hand in hands]
    assert sum(sizes) == len(set().union(*hands))
    assert [] == list((await table.observation()).observation.xisk.hand)


@every_game
async def test_legal_actions_come_with_the_observation_when_asked_for(stub, game_id):
    table = await open_table(stub, game_id)
    mover = await table.to_move()
    asked = await table.observation(mover, legal=True)
    assert (await legal_actions(table, mover)).legal_actions == asked.legal_actions
    assert not (await table.observation(mover)).HasField("legal_actions")


@every_game
async def test_a_seat_that_waits_has_no_legal_actions(stub, game_id):
    table = await open_table(stub, game_id)
    waiting = 1 - await table.to_move()
    found = await legal_actions(table, waiting)
    assert (table.match.version, 0) == (found.version, found.count)
    assert not found.HasField("legal_actions")
    assert not (await table.observation(waiting, legal=True)).HasField("legal_actions")


async def test_nobody_has_legal_actions_before_the_start_or_after_the_end(stub):
    created = await stub.CreateMatch(pb.CreateMatchRequest(settings=settings("yoxii")))
    code = created.join_codes[0].code
    joined = await stub.JoinMatch(pb.JoinMatchRequest(join_code=code))
    table = Table(stub, "yoxii", joined.match, {0: joined.seat_token})
    assert 0 == (await legal_actions(table, 0)).count
    assert not (await table.observation(0, legal=True)).HasField("legal_actions")
    over = await open_table(stub, "yoxii")
    await over.resign(1)
    assert [0, 0] == [(await legal_actions(over, seat)).count for seat in (0, 1)]


@every_game
async def test_the_count_is_that_of_the_full_list_and_the_first_and_last_are_accepted(
    stub, game_id
):
    table = await open_table(stub, game_id)
    random = Random(7)
    for turn in range(3):
        mover = await table.to_move()
        found = await legal_actions(table, mover)
        texts = await table.legal(mover)
        assert found.count == len(texts) == len(set(texts)) > 0
        await table.submit(mover, texts[0] if turn % 2 else texts[-1])
        await table.play(3, random)


# --- SubmitAction ------------------------------------------------------------------------------


@every_game
async def test_submit_returns_a_receipt_and_on_request_what_the_seat_sees(stub, game_id):
    table = await open_table(stub, game_id)
    mover = await table.to_move()
    text = await first_legal(table, mover)
    response = await table.submit(
        mover,
        text,
        expected_version=table.match.version,
        request_id="a",
        include_observation=True,
        include_legal_actions=True,
    )
    event, after = response.receipt.event, await table.observation(mover, legal=True)
    assert (table.match_id, "a") == (response.receipt.match_id, response.receipt.request_id)
    assert (table.match.version + 1, 1, mover) == (event.version, event.ply, event.seat)
    assert action(game_id, text) == event.action.action
    assert after.match.to_move == event.to_move
    assert after.observation == response.observation
    assert after.legal_actions == response.legal_actions


async def test_a_receipt_holds_neither_luck_nor_digest(stub):
    table = await open_table(stub, "xisk")
    for response in await table.play(60, Random(3)):
        event = response.receipt.event
        assert ([], b"") == (list(event.chance_events), event.state_digest)
        assert not response.HasField("observation")
        assert not response.HasField("legal_actions")


@every_game
async def test_a_retry_gets_the_first_receipt_byte_for_byte_also_when_the_turn_has_passed(
    stub, game_id
):
    table = await open_table(stub, game_id)
    mover = await table.to_move()
    text = await first_legal(table, mover)
    first = await table.submit(mover, text, request_id="r1")
    again = await table.submit(mover, text, request_id="r1")
    assert first.SerializeToString() == again.SerializeToString()
    await table.play(5, Random(2))
    version = (await table.now()).version
    later = await table.submit(mover, text, request_id="r1", expected_version=table.match.version)
    assert first.receipt.SerializeToString() == later.receipt.SerializeToString()
    assert version == (await table.now()).version


@every_game
async def test_a_retry_gets_the_first_receipt_also_after_the_end(stub, game_id):
    table = await open_table(stub, game_id)
    mover = await table.to_move()
    text = await first_legal(table, mover)
    first = await table.submit(mover, text, request_id="r1")
    await table.resign(0)
    again = await table.submit(mover, text, request_id="r1", include_observation=True)
    assert first.receipt.SerializeToString() == again.receipt.SerializeToString()
    assert (await table.observation(mover)).observation == again.observation


async def test_the_action_that_ended_the_match_can_be_retried(stub):
    table = await open_table(stub, "yoxii")
    random = Random(5)
    while True:
        mover = await table.to_move()
        text = random.choice(await table.legal(mover))
        last = await table.submit(mover, text, request_id=f"r{table.match.version}")
        table.match = await table.now()
        if table.match.state == ENDED:
            break
    assert table.match.result == last.receipt.event.result
    again = await table.submit(mover, text, request_id=last.receipt.request_id)
    assert last.SerializeToString() == again.SerializeToString()


async def test_both_seats_may_use_the_same_request_id(stub):
    table = await open_table(stub, "yoxii")
    for seat in (0, 1):
        response = await table.submit(seat, await first_legal(table, seat), request_id="1")
        assert seat == response.receipt.event.seat


async def test_a_request_id_that_stood_for_another_action_is_refused(stub):
    table = await open_table(stub, "yoxii")
    texts = await table.legal(0)
    await table.submit(0, texts[0], request_id="r1")
    before = await table.observation()
    for call in (table.submit(0, texts[1], request_id="r1"), table.resign(0, "r1")):
        fault = await fault_of(call)
        assert (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED") == (fault.code, fault.reason)
    assert before == await table.observation()


async def test_a_request_id_whose_action_was_refused_may_be_used_again(stub):
    table = await open_table(stub, "yoxii")
    await fault_of(table.submit(0, "d4/1@d5", request_id="r1"))
    response = await table.submit(0, await first_legal(table, 0), request_id="r1")
    assert "r1" == response.receipt.request_id


async def test_without_a_request_id_the_same_action_counts_twice(stub):
    table = await open_table(stub, "yoxii")
    text = await first_legal(table, 0)
    await table.submit(0, text)
    assert "NOT_YOUR_TURN" == (await fault_of(table.submit(0, text))).reason


@every_game
async def test_an_action_is_taken_at_the_expected_version_only(stub, game_id):
    table = await open_table(stub, game_id)
    mover = await table.to_move()
    text = await first_legal(table, mover)
    current = table.match.version
    for wrong in (1, current - 1, current + 1, 2**64 - 1):
        fault = await fault_of(table.submit(mover, text, expected_version=wrong))
        assert (grpc.StatusCode.ABORTED, "STALE_VERSION") == (fault.code, fault.reason)
        assert str(current) == fault.metadata["current_version"]
    assert (await table.submit(mover, text, expected_version=current)).HasField("receipt")


# --- Resign ------------------------------------------------------------------------------


@every_game
@pytest.mark.parametrize("on_turn", [True, False])
async def test_a_seat_may_resign_on_its_turn_and_off_it(stub, game_id, on_turn):
    table = await open_table(stub, game_id)
    mover = await table.to_move()
    seat = mover if on_turn else 1 - mover
    receipt = (await table.resign(seat, "bye")).receipt
    assert (table.match_id, "bye", seat) == (
        receipt.match_id,
        receipt.request_id,
        receipt.event.seat,
    )
    assert "resigned" == receipt.event.WhichOneof("cause")
    assert ENDED == receipt.event.state
    assert [1 - seat] == list(receipt.event.result.winners)
    assert match_pb2.TERMINATION_RESIGNATION == receipt.event.result.termination
    assert 0 == receipt.event.ply


async def test_after_one_of_three_resigned_the_others_play_on(stub):
    table = await open_table(stub, "xisk", 3)
    event = (await table.resign(1)).receipt.event
    assert match_pb2.MATCH_STATE_ACTIVE == event.state
    assert 1 not in event.to_move
    answers = await table.play(20, Random(4))
    assert {0, 2} == {answer.receipt.event.seat for answer in answers}
    fault = await fault_of(table.resign(1))
    assert ("ILLEGAL_ACTION", "xisk/25") == (fault.reason, fault.metadata["rule"])


@every_game
async def test_a_resignation_that_is_retried_gets_the_first_receipt(stub, game_id):
    table = await open_table(stub, game_id)
    first = await table.resign(0, "bye")
    again = await table.resign(0, "bye")
    assert first.SerializeToString() == again.SerializeToString()
    assert "MATCH_OVER" == (await fault_of(table.resign(0, "bye-bye"))).reason

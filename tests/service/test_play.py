"""The Play stream, command by command, over real gRPC and a real Redis."""

from __future__ import annotations

import asyncio
from random import Random

import grpc
import pytest

from referee._gen.referee.v1 import error_reason_pb2, match_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.config import Limits
from referee.match.watch import Watches
from referee.registry import GAMES
from tests.service.inside import referee_inside
from tests.support.api import bearer, events_of, open_table, settings
from tests.support.play import Line, follow, leave, submit

every_game = pytest.mark.parametrize("game_id", sorted(GAMES))
OPENING = "d5/1@d6"
REPLY = "d6/1@d5"


def told(failure: pb.Failure) -> tuple[grpc.StatusCode, str]:
    """A failure's code and reason."""
    code = next(one for one in grpc.StatusCode if one.value[0] == failure.code)
    name = error_reason_pb2.ErrorReason.Name(failure.reason)
    return code, name.removeprefix("ERROR_REASON_")


# --- following -------------------------------------------------------------------------------


@every_game
async def test_a_follower_gets_what_a_watcher_gets_and_is_told_the_end(stub, game_id):
    table = await open_table(stub, game_id)
    line = Line(stub)
    await line.send(follow(table, 0), follow(table))
    for seat in (0, None):
        subscribed = await line.until("subscribed")
        assert (table.match_id, 3, seat) == (
            subscribed.match_id,
            subscribed.version,
            subscribed.seat if subscribed.HasField("seat") else None,
        )
    await table.play(12, Random(1))
    await table.resign(1)
    await line.call.done_writing()
    seen: dict[int | None, list[match_pb2.Event]] = {0: [], None: []}
    line = Line(stub)
    await line.send(follow(table, 0), follow(table))
    ended: list[int | None] = []
    while len(ended) < 2:
        update = await line.next()
        kind = update.WhichOneof("update") or ""
        one = getattr(update, kind)
        seat = one.seat if one.HasField("seat") else None
        if kind == "played":
            seen[seat].append(one.event)
        elif kind == "unsubscribed":
            assert not one.HasField("failure")
            ended.append(seat)
    for seat in (0, None):
        assert await events_of(table.watch(seat)) == seen[seat]
    line.call.cancel()


async def test_a_follower_goes_on_after_the_version_it_knows(stub):
    table = await open_table(stub, "yoxii")
    await table.play(5, Random(1))
    line = Line(stub)
    await line.send(follow(table, 0, after=6))
    assert 8 == (await line.get("subscribed")).version
    assert [7, 8] == [(await line.get("played")).event.version for _ in range(2)]
    await table.play(1, Random(1))
    assert 9 == (await line.get("played")).event.version
    line.call.cancel()


async def test_following_again_begins_again_and_unfollowing_says_nothing_more(stub):
    table = await open_table(stub, "yoxii")
    line = Line(stub)
    await line.send(follow(table, 0, after=3))
    await line.get("subscribed")
    await line.send(follow(table, 0, after=2))
    await line.get("subscribed")
    assert 3 == (await line.get("played")).event.version
    await line.send(leave(table))
    assert (0, False) == (
        (gone := await line.get("unsubscribed")).seat,
        gone.HasField("failure"),
    )
    await table.play(1, Random(1))
    await line.send(leave(table))
    assert not (await line.get("unsubscribed")).HasField("seat")
    line.call.cancel()


async def test_one_of_two_seats_can_be_unfollowed(stub):
    table = await open_table(stub, "yoxii")
    line = Line(stub)
    await line.send(follow(table, 0, after=3), follow(table, 1, after=3), leave(table, 0))
    assert [0, 1] == [(await line.get("subscribed")).seat for _ in range(2)]
    assert 0 == (await line.get("unsubscribed")).seat
    await line.send(submit(table, 0, OPENING))
    assert "TOKEN_MISSING" == told((await line.get("submit_result")).failure)[1]
    await table.submit(0, OPENING)
    assert (1, 4) == ((played := await line.get("played")).seat, played.event.version)
    line.call.cancel()


async def test_those_who_want_no_events_get_receipts_and_the_end_of_their_following(stub):
    table = await open_table(stub, "yoxii")
    line = Line(stub)
    await line.send(*[follow(table, seat, without_events=True) for seat in (0, 1)])
    for _ in range(2):
        await line.get("subscribed")
    random, state = Random(4), match_pb2.MATCH_STATE_ACTIVE
    seat = 0
    while state == match_pb2.MATCH_STATE_ACTIVE:
        await line.send(submit(table, seat, random.choice(await table.legal(seat))))
        event = (await line.get("submit_result")).receipt.event
        state, seat = event.state, event.to_move[0] if event.to_move else 0
    assert {0, 1} == {(await line.get("unsubscribed")).seat for _ in range(2)}
    await line.send(submit(table, 0, OPENING))
    assert "TOKEN_MISSING" == told((await line.get("submit_result")).failure)[1]
    line.call.cancel()


async def test_a_following_ends_when_its_seat_is_given_up_and_shows_nothing_of_who_comes_next(stub):
    created = await stub.CreateMatch(pb.CreateMatchRequest(settings=settings("xisk"), seats=2))
    first, second = (code.code for code in created.join_codes)
    match_id = created.match.match_id
    left = await stub.JoinMatch(pb.JoinMatchRequest(join_code=first))
    line = Line(stub)
    subscribe = pb.Subscribe(match_id=match_id, seat_token=left.seat_token)
    await line.send(pb.PlayCommand(subscribe=subscribe))
    await line.get("subscribed")
    assert [1, 2] == [(await line.get("played")).event.version for _ in range(2)]
    await stub.LeaveMatch(pb.LeaveMatchRequest(match_id=match_id), metadata=bearer(left.seat_token))
    for code in (first, second):
        await stub.JoinMatch(pb.JoinMatchRequest(join_code=code))
    gone = await line.get("unsubscribed")
    assert (0, "TOKEN_INVALID") == (gone.seat, told(gone.failure)[1])
    await line.call.done_writing()
    assert [] == await line.rest()


# --- submitting ------------------------------------------------------------------------------


@every_game
async def test_a_receipt_is_that_of_the_unary_call_and_holds_what_was_asked_for(stub, game_id):
    table = await open_table(stub, game_id)
    seat = await table.to_move()
    text = (await table.legal(seat))[0]
    line = Line(stub)
    wanted = {"include_observation": True, "include_legal_actions": True}
    await line.send(
        follow(table, seat, without_events=True),
        submit(table, None, text, request_id="one", expected_version=3, **wanted),
    )
    await line.get("subscribed")
    result = await line.get("submit_result")
    again = await table.submit(seat, text, request_id="one", **wanted)
    assert ("one", again.receipt) == (result.request_id, result.receipt)
    assert (again.observation, again.legal_actions) == (result.observation, result.legal_actions)
    await line.send(submit(table, seat, text, request_id="one"))
    retried = await line.get("submit_result")
    assert again.receipt == retried.receipt
    assert not retried.HasField("observation")
    line.call.cancel()


async def test_every_failure_of_a_command_is_told_and_the_stream_goes_on(stub):
    table, other = await open_table(stub, "yoxii"), await open_table(stub, "yoxii")
    line = Line(stub)
    none = "0" * 26
    broken = pb.Subscribe(match_id=table.match_id, seat_token="rs1.nonsense")  # noqa: S106 - no secret
    strange = pb.Subscribe(match_id=table.match_id, seat_token=other.tokens[0])
    for wrong, code, reason in (
        (pb.Subscribe(match_id="nonsense"), "INVALID_ARGUMENT", "INVALID_REQUEST"),
        (pb.Subscribe(match_id=none), "NOT_FOUND", "MATCH_NOT_FOUND"),
        (broken, "UNAUTHENTICATED", "TOKEN_INVALID"),
        (strange, "PERMISSION_DENIED", "PERMISSION_DENIED"),
        (
            pb.Subscribe(match_id=table.match_id, after_version=2**64 - 1),
            "INVALID_ARGUMENT",
            "INVALID_REQUEST",
        ),
    ):
        await line.send(pb.PlayCommand(subscribe=wrong))
        failed = await line.get("unsubscribed")
        assert wrong.match_id == failed.match_id
        assert (grpc.StatusCode[code], reason) == told(failed.failure)
        assert failed.failure.message.endswith(".")
    await line.send(submit(table, 0, OPENING))
    assert "TOKEN_MISSING" == told((await line.get("submit_result")).failure)[1]
    await line.send(follow(table, 0, after=3), follow(table, 1, after=3))
    await line.get("subscribed")
    await line.get("subscribed")
    good = submit(table, 0, OPENING).submit
    empty = pb.PlayCommand(submit=pb.Submit(match_id=table.match_id, seat=0, request_id="empty"))
    for command, code, reason in (
        (submit(table, None, OPENING), "UNAUTHENTICATED", "TOKEN_MISSING"),
        (submit(table, 7, OPENING), "UNAUTHENTICATED", "TOKEN_MISSING"),
        (submit(table, 0, "d4/1@d5"), "FAILED_PRECONDITION", "ILLEGAL_ACTION"),
        (submit(table, 1, OPENING), "FAILED_PRECONDITION", "NOT_YOUR_TURN"),
        (submit(table, 0, OPENING, expected_version=2), "ABORTED", "STALE_VERSION"),
        (submit(table, 0, OPENING, request_id="x" * 65), "INVALID_ARGUMENT", "INVALID_REQUEST"),
        (empty, "INVALID_ARGUMENT", "INVALID_ACTION"),
    ):
        await line.send(command)
        result = await line.get("submit_result")
        assert command.submit.request_id == result.request_id
        assert (grpc.StatusCode[code], reason) == told(result.failure)
    illegal = submit(table, 0, "d4/1@d5")
    await line.send(illegal)
    assert "yoxii/3" == (await line.get("submit_result")).failure.metadata["rule"]
    await line.send(pb.PlayCommand())
    assert "INVALID_REQUEST" == told(await line.get("failure"))[1]
    await line.send(pb.PlayCommand(submit=good))
    assert (await line.until("submit_result")).HasField("receipt")
    line.call.cancel()


async def test_a_request_id_that_stood_for_another_action_is_refused(stub):
    table = await open_table(stub, "yoxii")
    line = Line(stub)
    await line.send(
        follow(table, 0, without_events=True),
        submit(table, 0, OPENING, request_id="one"),
        submit(table, 0, "d5/2@d6", request_id="one"),
    )
    await line.get("subscribed")
    assert (await line.get("submit_result")).HasField("receipt")
    failure = (await line.get("submit_result")).failure
    assert (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED") == told(failure)
    line.call.cancel()


async def test_the_same_request_on_two_streams_at_once_counts_once(stub):
    table = await open_table(stub, "yoxii")
    lines = [Line(stub) for _ in range(4)]
    for line in lines:
        await line.send(follow(table, 0, without_events=True))
        await line.get("subscribed")
    for line in lines:
        await line.send(*[submit(table, 0, OPENING, request_id="one")] * 5)
    receipts = [(await line.get("submit_result")).receipt for line in lines for _ in range(5)]
    assert [4] * 20 == [receipt.event.version for receipt in receipts]
    assert 4 == (await table.now()).version
    for line in lines:
        line.call.cancel()


# --- order, batches, limits ------------------------------------------------------------------


async def test_commands_for_one_match_are_taken_in_order(stub):
    table = await open_table(stub, "yoxii")
    line = Line(stub)
    texts = []
    for _ in range(8):
        seat = await table.to_move()
        texts.append((seat, (await table.legal(seat))[-1]))
        await table.submit(*texts[-1])
    table = await open_table(stub, "yoxii")
    await line.send(
        *[follow(table, seat, without_events=True) for seat in (0, 1)],
        *[
            submit(table, seat, text, request_id=str(number))
            for number, (seat, text) in enumerate(texts)
        ],
        leave(table),
    )
    await line.get("subscribed")
    await line.get("subscribed")
    results = [await line.get("submit_result") for _ in texts]
    assert [str(number) for number in range(8)] == [result.request_id for result in results]
    assert list(range(4, 12)) == [result.receipt.event.version for result in results]
    assert {0, 1} == {(await line.get("unsubscribed")).seat for _ in range(2)}
    line.call.cancel()


async def test_a_match_that_takes_long_does_not_hold_up_the_others(redis_server, monkeypatch):
    held = asyncio.Event()
    outlook = Watches.outlook

    async def slow(self, match_id, claim, after):
        if match_id == first.match_id:
            await held.wait()
        return await outlook(self, match_id, claim, after)

    async with referee_inside(redis_server.url) as stub:
        first, second = await open_table(stub, "yoxii"), await open_table(stub, "yoxii")
        monkeypatch.setattr(Watches, "outlook", slow)
        line = Line(stub)
        for table in (first, second):
            await line.send(follow(table, 0, without_events=True), submit(table, 0, OPENING))
        for kind in ("subscribed", "submit_result"):
            assert second.match_id == (await line.get(kind)).match_id
        held.set()
        for kind in ("subscribed", "submit_result"):
            assert first.match_id == (await line.get(kind)).match_id
        line.call.cancel()


async def test_what_is_ready_leaves_in_one_frame(stub):
    tables = [await open_table(stub, "yoxii") for _ in range(20)]
    line = Line(stub)
    await line.send(*[follow(table, 0, without_events=True) for table in tables])
    for _ in tables:
        await line.get("subscribed")
    line.frames.clear()
    await line.send(*[submit(table, 0, OPENING) for table in tables])
    for _ in tables:
        assert (await line.get("submit_result")).HasField("receipt")
    assert 20 == sum(line.frames)
    assert len(line.frames) < 10
    line.call.cancel()


async def test_a_stream_follows_so_many_matches_and_no_more(redis_server):
    limits = Limits(followed_matches=2)
    async with referee_inside(redis_server.url, limits=limits) as stub:
        tables = [await open_table(stub, "yoxii") for _ in range(2)]
        line = Line(stub)
        await line.send(follow(tables[0], 0, after=3), follow(tables[0], 1, after=3))
        await line.get("subscribed")
        await line.get("subscribed")
        await line.send(follow(tables[1], 0, after=3))
        failure = (await line.get("unsubscribed")).failure
        assert (grpc.StatusCode.RESOURCE_EXHAUSTED, "LIMIT_EXCEEDED") == told(failure)
        assert "2" == failure.metadata["limit"]
        assert failure.retry_delay_ms > 0
        await line.send(follow(tables[0], 1, after=3), leave(tables[0], 1))
        for kind in ("subscribed", "unsubscribed"):
            await line.get(kind)
        await line.send(follow(tables[1], 0, after=3))
        await line.get("subscribed")
        line.call.cancel()


async def test_a_quiet_stream_gives_heartbeats(redis_server):
    async with referee_inside(redis_server.url, heartbeat=0.1) as stub:
        line = Line(stub)
        beats = [await line.call.read() for _ in range(2)]
        assert ["heartbeat", "heartbeat"] == [
            update.WhichOneof("update") for beat in beats for update in beat.updates
        ]
        line.call.cancel()

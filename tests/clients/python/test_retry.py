"""Calls are tried again where that is safe, with the same bytes, and never beyond the timeout."""

from __future__ import annotations

import time
from random import Random

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2
from hypothesis import given
from hypothesis import strategies as st

from referee_client import (
    DeadlineExceededError,
    DrainingError,
    GameAction,
    InvalidRequestError,
    PermissionDeniedError,
    RefereeClient,
    RetryPolicy,
    StaleVersionError,
    UnauthenticatedError,
    UnavailableError,
    parse_action,
)
from referee_client._gen.referee.v1 import match_pb2
from referee_client._gen.referee.v1 import match_service_pb2 as pb
from tests.support.scripted_server import Fail, Silence

TOKEN = "of-nobody"  # noqa: S105 - proves nothing anywhere
LOST = Fail(grpc.StatusCode.UNAVAILABLE)
ACTION = parse_action("yoxii", "e5/3@e6")
ACCEPTED = pb.SubmitActionResponse(
    receipt=match_pb2.Receipt(match_id="01M", event=match_pb2.Event(version=8))
)


def refusal(code: grpc.StatusCode, reason: str, retry_after: float | None = None) -> Fail:
    details = [error_details_pb2.ErrorInfo(reason=reason, domain="referee")]
    if retry_after is None:
        return Fail(code, details=details)
    delay = Duration()
    delay.FromMilliseconds(round(retry_after * 1000))
    return Fail(code, details=[*details, error_details_pb2.RetryInfo(retry_delay=delay)])


def requests(server, method: str) -> list[bytes]:
    return [call.request.SerializeToString() for call in server.calls(method)]


@given(
    failures=st.integers(1, 10_000),
    asked=st.none() | st.floats(0, 60),
    seed=st.integers(),
)
def test_a_wait_is_what_was_asked_for_and_jitter_up_to_the_ceiling(failures, asked, seed):
    policy = RetryPolicy(initial_backoff=0.1, max_backoff=3.0, multiplier=2.0)
    delay = policy.delay(failures, asked, Random(seed))
    assert (asked or 0) <= delay <= (asked or 0) + policy.ceiling(failures)


def test_the_ceiling_doubles_up_to_the_longest_wait():
    policy = RetryPolicy(initial_backoff=0.1, max_backoff=0.5, multiplier=2.0)
    assert [0.1, 0.2, 0.4, 0.5, 0.5] == [policy.ceiling(failures) for failures in range(1, 6)]


def test_waits_spread_over_the_whole_range():
    policy = RetryPolicy(initial_backoff=1.0, max_backoff=1.0)
    rng = Random(1)
    waits = [policy.delay(1, None, rng) for _ in range(200)]
    assert min(waits) < 0.1
    assert max(waits) > 0.9


@pytest.mark.parametrize(
    "wrong",
    [{"initial_backoff": 0.0}, {"max_backoff": 0.01}, {"multiplier": 0.5}, {"stall_after": -1}],
)
def test_a_policy_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match="more than 0"):
        RetryPolicy(**wrong)


@pytest.mark.parametrize(
    "failure",
    [LOST, Fail(grpc.StatusCode.CANCELLED), Silence(), Fail(grpc.StatusCode.DEADLINE_EXCEEDED)],
    ids=["unavailable", "cancelled", "silence", "deadline"],
)
async def test_a_submit_is_tried_again_with_the_same_bytes(server, client, failure):
    server.on("SubmitAction", failure)
    server.on("SubmitAction", failure)
    server.on("SubmitAction", ACCEPTED)
    done = await client.seat("01M", 1, "secret").submit(ACTION, expected_version=7)
    assert 8 == done.receipt.event.version
    sent = requests(server, "SubmitAction")
    assert [sent[0]] * 3 == sent
    assert 32 == len(server.calls("SubmitAction")[0].request.request_id)


async def test_two_submits_have_two_request_ids(server, client):
    seat = client.seat("01M", 1, "secret")
    for _ in range(2):
        server.on("SubmitAction", ACCEPTED)
        await seat.submit(ACTION)
    first, second = (call.request for call in server.calls("SubmitAction"))
    assert first.request_id != second.request_id
    assert 0 == first.expected_version


async def test_a_stale_version_is_not_tried_again(server, client):
    server.on("SubmitAction", refusal(grpc.StatusCode.ABORTED, "STALE_VERSION"))
    with pytest.raises(StaleVersionError):
        await client.seat("01M", 1, "secret").submit(ACTION, expected_version=7)
    assert 1 == len(server.calls("SubmitAction"))


async def test_the_wait_that_the_referee_asks_for_is_kept(server, client):
    server.on("GetMatch", refusal(grpc.StatusCode.UNAVAILABLE, "DRAINING", retry_after=0.3))
    server.on("GetMatch", pb.GetMatchResponse(match=match_pb2.Match(match_id="01M")))
    start = time.monotonic()
    assert "01M" == (await client.get_match("01M")).match_id
    assert 0.3 <= time.monotonic() - start < 1.0


async def test_a_wait_beyond_the_timeout_is_not_begun(server, client):
    server.on("GetMatch", refusal(grpc.StatusCode.UNAVAILABLE, "DRAINING", retry_after=30))
    start = time.monotonic()
    with pytest.raises(DrainingError) as caught:
        await client.get_match("01M")
    assert time.monotonic() - start < 1.0
    assert (30.0, 1) == (caught.value.retry_after, caught.value.tries)


async def test_tries_end_with_the_timeout(server):
    for _ in range(300):
        server.on("ListGames", LOST)
    policy = RetryPolicy(initial_backoff=0.01, max_backoff=0.05)
    start = time.monotonic()
    async with RefereeClient(server.address, timeout=0.4, retry=policy) as client:
        with pytest.raises(UnavailableError) as caught:
            await client.list_games()
    assert time.monotonic() - start < 1.0
    assert caught.value.tries == len(server.calls("ListGames")) > 2


async def test_silence_ends_with_the_timeout(server):
    for _ in range(20):
        server.on("ListGames", Silence())
    policy = RetryPolicy(attempt_timeout=0.15)
    start = time.monotonic()
    async with RefereeClient(server.address, timeout=0.4, retry=policy) as client:
        with pytest.raises(DeadlineExceededError):
            await client.list_games()
    assert 0.3 < time.monotonic() - start < 1.0


async def test_where_nobody_listens_the_referee_is_unavailable():
    async with RefereeClient("127.0.0.1:1", timeout=0.3) as client:
        with pytest.raises(UnavailableError) as caught:
            await client.list_games()
    message = caught.value.message
    assert message.startswith("No referee answers at 127.0.0.1:1 (failed to connect")
    assert message.endswith("). Is it running? Start one with `referee serve`.")


@pytest.mark.parametrize("scheme", ["http", "https", "HTTP"])
def test_the_url_of_a_web_page_is_no_target(scheme):
    with pytest.raises(InvalidRequestError) as caught:
        RefereeClient(f"{scheme}://localhost:50051/")
    assert "target" == caught.value.field
    assert f"leave out {scheme}://, as in localhost:50051" in caught.value.message


async def test_creating_and_joining_are_tried_again_with_the_same_bytes(server, client):
    match = match_pb2.Match(match_id="01M")
    for method, answer in (
        ("CreateMatch", pb.CreateMatchResponse(match=match, join_codes=[pb.JoinCode(code="c")])),
        ("JoinMatch", pb.JoinMatchResponse(seat_token=TOKEN, seat=1, match=match)),
    ):
        server.on(method, LOST)
        server.on(method, answer)
    created = await client.create_match("yoxii")
    seat = await client.join_match(join_code=created.join_codes[0])
    assert ("01M", 1, TOKEN) == (seat.match_id, seat.seat, seat.token)
    for method in ("CreateMatch", "JoinMatch"):
        first, second = requests(server, method)
        assert first == second
        assert server.calls(method)[0].request.request_id
    assert 16 == len(server.calls("JoinMatch")[0].request.client_nonce)


async def test_a_resignation_is_tried_again_with_the_same_bytes(server, client):
    server.on("Resign", LOST)
    server.on("Resign", pb.ResignResponse(receipt=match_pb2.Receipt(match_id="01M")))
    assert "01M" == (await client.seat("01M", 0, "secret").resign()).match_id
    first, second = requests(server, "Resign")
    assert first == second


async def test_leaving_succeeds_when_only_the_answer_was_lost(server, client):
    server.on("LeaveMatch", LOST)
    server.on("LeaveMatch", refusal(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID"))
    server.on("GetMatch", pb.GetMatchResponse(match=match_pb2.Match(match_id="01M")))
    assert "01M" == (await client.seat("01M", 0, "secret").leave()).match_id


async def test_leaving_with_a_worthless_token_is_refused(server, client):
    server.on("LeaveMatch", refusal(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID"))
    with pytest.raises(UnauthenticatedError):
        await client.seat("01M", 0, "secret").leave()


async def test_a_seat_sends_its_token_and_a_client_without_one_sends_none(server, client):
    answer = pb.GetObservationResponse(match=match_pb2.Match(match_id="01M"), seat=1)
    server.on("GetObservation", answer)
    server.on("GetObservation", answer)
    await client.seat("01M", 1, "secret").observation()
    await client.get_observation("01M")
    sent = [call.metadata.get("authorization") for call in server.calls("GetObservation")]
    assert ["Bearer secret", None] == sent


async def test_a_client_with_a_token_sends_it(server):
    server.on("CreateMatch", pb.CreateMatchResponse())
    async with RefereeClient(server.address, token=TOKEN) as client:
        await client.create_match("xisk", server_seed=bytes(32))
    assert f"Bearer {TOKEN}" == server.calls("CreateMatch")[0].metadata["authorization"]


async def test_resuming_with_a_token_of_no_seat_is_refused(server, client):
    server.on("GetObservation", pb.GetObservationResponse(match=match_pb2.Match(match_id="01M")))
    with pytest.raises(PermissionDeniedError):
        await client.resume("01M", "operator")


async def test_no_token_shows_in_what_a_seat_prints(client):
    assert "secret" not in repr(client.seat("01M", 1, "secret"))


async def test_a_client_works_only_between_entering_and_leaving():
    closed = RefereeClient("127.0.0.1:1")
    with pytest.raises(RuntimeError, match="closed"):
        await closed.list_games()
    async with closed:
        with pytest.raises(RuntimeError, match="open already"):
            await closed.__aenter__()
    with pytest.raises(RuntimeError, match="closed"):
        closed.watch("01M")


@pytest.mark.parametrize(
    "way_in", [{}, {"join_code": "c", "match_id": "01M"}, {"join_code": "c", "seat": 1}]
)
async def test_joining_takes_one_way_in(client, way_in):
    with pytest.raises(ValueError, match="join_code"):
        await client.join_match(**way_in)


async def test_matches_are_listed_page_after_page(server, client):
    for ids, following in ((("a", "b"), "more"), (("c",), "")):
        matches = [match_pb2.Match(match_id=match_id) for match_id in ids]
        server.on("ListMatches", pb.ListMatchesResponse(matches=matches, next_page_token=following))
    listed = [match.match_id async for match in client.list_matches(game="xisk", page_size=2)]
    assert ["a", "b", "c"] == listed
    sent = [call.request.page_token for call in server.calls("ListMatches")]
    assert ["", "more"] == sent


async def test_legal_actions_hold_both_forms_and_their_version(server, client):
    answer = pb.ListLegalActionsResponse(version=7, count=4)
    answer.legal_actions.yoxii.totems.add(totem="e5", squares=["e6", "d5"])
    answer.legal_actions.yoxii.values.extend([1, 4])
    server.on("ListLegalActions", answer)
    legal = await client.seat("01M", 0, "secret").legal_actions()
    assert (7, 4, answer.legal_actions) == (legal.version, len(legal), legal.compact)
    assert isinstance(legal[0], GameAction)
    assert legal[1:] == list(legal)[1:]

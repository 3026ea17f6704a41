"""A watch gives every event once and in order, whatever happens to its streams."""

from __future__ import annotations

import asyncio
from random import Random

import grpc
import pytest
from google.rpc import error_details_pb2

from referee_client import GapError, MatchNotFoundError, UnavailableError
from referee_client._gen.referee.v1 import match_pb2
from referee_client._gen.referee.v1 import match_service_pb2 as pb
from tests.support.scripted_server import Fail, Pause, Silence, Step

ACTIVE, ENDED = match_pb2.MATCH_STATE_ACTIVE, match_pb2.MATCH_STATE_ENDED
LOST = Fail(grpc.StatusCode.UNAVAILABLE)


def event(version: int, state: match_pb2.MatchState.ValueType = ACTIVE) -> pb.WatchMatchResponse:
    return pb.WatchMatchResponse(event=match_pb2.Event(version=version, state=state))


def heartbeat(version: int) -> pb.WatchMatchResponse:
    return pb.WatchMatchResponse(heartbeat=pb.Heartbeat(version=version))


def match(version: int, state: match_pb2.MatchState.ValueType) -> pb.GetMatchResponse:
    return pb.GetMatchResponse(match=match_pb2.Match(match_id="01M", version=version, state=state))


async def watched(client, after_version: int = 0) -> list[int]:
    return [seen.version async for seen in client.watch("01M", after_version=after_version)]


def asked(server) -> list[int]:
    """Versions that streams were asked to go on from."""
    return [call.request.after_version for call in server.calls("WatchMatch")]


async def test_a_whole_match_is_one_stream(server, client):
    server.on("WatchMatch", event(1), event(2), heartbeat(2), event(3, ENDED))
    assert [1, 2, 3] == await watched(client)
    assert [0] == asked(server)


@pytest.mark.parametrize(
    "code",
    [
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
    ],
)
async def test_a_lost_stream_goes_on_from_the_last_version(server, client, code):
    server.on("WatchMatch", event(4), event(5), Fail(code))
    server.on("WatchMatch", Fail(code))
    server.on("WatchMatch", event(6), event(7, ENDED))
    assert [4, 5, 6, 7] == await watched(client, after_version=3)
    assert [3, 5, 5] == asked(server)


async def test_an_event_that_comes_again_is_not_given_again(server, client):
    server.on("WatchMatch", event(1), event(1), event(2), event(1), LOST)
    server.on("WatchMatch", event(1), event(2), event(3, ENDED))
    assert [1, 2, 3] == await watched(client)


async def test_a_version_left_out_is_an_error(server, client):
    server.on("WatchMatch", event(1), event(3))
    watch = client.watch("01M")
    assert 1 == (await anext(watch)).version
    with pytest.raises(GapError) as caught:
        await anext(watch)
    assert (2, 3) == (caught.value.expected, caught.value.received)


async def test_a_heartbeat_ahead_of_what_came_is_an_error(server, client):
    server.on("WatchMatch", event(1), heartbeat(2))
    watch = client.watch("01M")
    assert 1 == (await anext(watch)).version
    with pytest.raises(GapError):
        await anext(watch)


async def test_after_a_gap_the_same_watch_can_go_on(server, client):
    server.on("WatchMatch", event(1), event(3))
    server.on("WatchMatch", event(2), event(3, ENDED))
    watch = client.watch("01M")
    assert 1 == (await anext(watch)).version
    with pytest.raises(GapError):
        await anext(watch)
    assert [2, 3] == [seen.version async for seen in watch]


async def test_a_silent_stream_is_opened_anew(server, client):
    server.on("WatchMatch", event(1), Silence())
    server.on("WatchMatch", event(2, ENDED))
    assert [1, 2] == await watched(client)
    assert [0, 1] == asked(server)


async def test_heartbeats_keep_a_quiet_stream_alive(server, client):
    # Quiet for twice as long as a silent stream is borne.
    beats: list[Step] = [Pause(0.1), heartbeat(0)] * 5
    server.on("WatchMatch", *beats, event(1, ENDED))
    assert [1] == await watched(client)
    assert [0] == asked(server)


async def test_a_stream_that_ends_before_the_match_goes_on(server, client):
    server.on("WatchMatch", event(1))
    server.on("GetMatch", match(1, ACTIVE))
    server.on("WatchMatch")
    server.on("GetMatch", match(2, ENDED))
    server.on("WatchMatch", event(2, ENDED))
    assert [1, 2] == await watched(client)
    assert [0, 1, 1] == asked(server)


async def test_a_watch_from_the_end_of_a_match_ends_at_once(server, client):
    server.on("WatchMatch")
    server.on("GetMatch", match(9, ENDED))
    assert [] == await watched(client, after_version=9)


async def test_an_abandoned_match_ends_the_watch(server, client):
    server.on("WatchMatch", event(1, match_pb2.MATCH_STATE_ABANDONED), event(2))
    assert [1] == await watched(client)


async def test_an_error_that_reading_again_does_not_mend_is_raised(server, client):
    details = [error_details_pb2.ErrorInfo(reason="MATCH_NOT_FOUND", domain="referee")]
    server.on("WatchMatch", Fail(grpc.StatusCode.NOT_FOUND, details=details))
    with pytest.raises(MatchNotFoundError):
        await watched(client)
    assert [0] == asked(server)


async def test_a_watch_gives_up_when_nobody_answers_and_can_be_taken_up_again(server, client):
    for _ in range(200):
        server.on("WatchMatch", LOST)
    watch = client.watch("01M")
    clock = asyncio.get_running_loop().time
    start = clock()
    with pytest.raises(UnavailableError):
        await anext(watch)
    assert 0.5 < clock() - start < 3.0
    failed = len(asked(server))
    with pytest.raises(UnavailableError):
        await anext(watch)
    assert failed < len(asked(server))


async def test_streams_that_are_lost_often_but_bring_events_are_never_given_up(server, client):
    # All in all longer than a watch bears hearing nothing.
    for version in range(1, 10):
        server.on("WatchMatch", Pause(0.1), event(version), LOST)
    server.on("WatchMatch", event(10, ENDED))
    assert list(range(1, 11)) == await watched(client)


async def test_a_step_that_is_cancelled_loses_nothing(server, client):
    server.on("WatchMatch", event(1), Silence())
    server.on("WatchMatch", event(2, ENDED))
    watch = client.watch("01M")
    assert 1 == (await anext(watch)).version
    step = asyncio.ensure_future(anext(watch))
    await asyncio.sleep(0.05)
    step.cancel()
    with pytest.raises(asyncio.CancelledError):
        await step
    assert [2] == [seen.version async for seen in watch]


async def test_a_closed_watch_ends_and_closing_twice_is_fine(server, client):
    server.on("WatchMatch", event(1), Silence())
    async with client.watch("01M") as watch:
        assert 1 == (await anext(watch)).version
    await watch.aclose()
    assert [] == [seen.version async for seen in watch]


async def test_a_seat_watches_with_its_token(server, client):
    server.on("WatchMatch", event(1, ENDED))
    seat = client.seat("01M", 0, "secret")
    assert [1] == [seen.version async for seen in seat.watch()]
    assert "Bearer secret" == server.calls("WatchMatch")[0].metadata["authorization"]


@pytest.mark.parametrize("seed", range(8))
async def test_however_streams_are_cut_every_event_comes_once_and_in_order(server, client, seed):
    rng = Random(seed)
    last, reached = 30, 0
    while reached < last:
        # A stream may start with repeats, then goes on for a while; heartbeats come in between.
        steps: list[Step] = [
            event(rng.randint(1, reached)) for _ in range(rng.randrange(3) if reached else 0)
        ]
        for _ in range(rng.randrange(6)):
            if reached == last:
                break
            reached += 1
            steps.append(event(reached, ENDED if reached == last else ACTIVE))
            steps += [heartbeat(reached)] * rng.randrange(2)
        server.on("WatchMatch", *steps, LOST)
    assert list(range(1, last + 1)) == await watched(client)

"""Frames made of bytes read as the messages that they stand for, and the queue is bounded."""

from __future__ import annotations

import asyncio

import pytest

from referee._gen.referee.v1 import games_pb2, match_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee._gen.yoxii.v1 import yoxii_pb2
from referee.match import lifecycle
from referee.match.lifecycle import NewMatch
from referee.match.model import Joined, MatchId, Millis, SeedOrigin, Visibility
from referee.match.observe import event_for
from referee.registry import GAMES
from referee.service.play import frames, outbox
from referee.service.play.outbox import Outbox
from referee.wire.event import event_bytes, event_to, whole_event_bytes

ID = "0" * 26
FAILURE = pb.Failure(code=9, message="No.", metadata={"rule": "yoxii/3"})


def event(size: int) -> match_pb2.Event:
    """An event of about so many bytes."""
    return match_pb2.Event(version=7, state_digest=b"x" * size)


def read(*updates: bytes) -> list[pb.PlayUpdate]:
    return list(pb.PlayResponse.FromString(b"".join(updates)).updates)


@pytest.mark.parametrize("size", [0, 50, 100, 127, 128, 300, 16_000, 16_383, 16_384, 3_000_000])
def test_events_and_receipts_of_every_size_read_as_messages(size):
    one = event(size)
    played = pb.Played(match_id=ID, event=one, seat=5)
    receipt = match_pb2.Receipt(match_id=ID, request_id="r", event=one)
    seen = games_pb2.GameObservation(yoxii=yoxii_pb2.Observation(totem="d4"))
    legal = games_pb2.GameLegalActions(yoxii=yoxii_pb2.LegalActions(values=[1]))
    result = pb.SubmitResult(
        match_id=ID, request_id="r", receipt=receipt, observation=seen, legal_actions=legal
    )
    data = one.SerializeToString()
    assert [pb.PlayUpdate(played=played), pb.PlayUpdate(submit_result=result)] == read(
        frames.played(ID, 5, data), frames.accepted(ID, "r", data, seen, legal)
    )


def test_what_is_absent_stays_absent():
    data = event(1).SerializeToString()
    played, result = read(frames.played(ID, None, data), frames.accepted(ID, "", data, None, None))
    assert not played.played.HasField("seat")
    receipt = match_pb2.Receipt(match_id=ID, event=event(1))
    assert pb.SubmitResult(match_id=ID, receipt=receipt) == result.submit_result


def test_the_other_updates_read_as_messages():
    wanted = [
        pb.PlayUpdate(subscribed=pb.Subscribed(match_id=ID, version=3, seat=0)),
        pb.PlayUpdate(unsubscribed=pb.Unsubscribed(match_id=ID)),
        pb.PlayUpdate(unsubscribed=pb.Unsubscribed(match_id=ID, seat=0, failure=FAILURE)),
        pb.PlayUpdate(submit_result=pb.SubmitResult(match_id=ID, request_id="r", failure=FAILURE)),
        pb.PlayUpdate(failure=FAILURE),
    ]
    assert wanted == read(
        frames.subscribed(ID, 3, 0),
        frames.unsubscribed(ID, None),
        frames.unsubscribed(ID, 0, FAILURE),
        frames.refused(ID, "r", FAILURE),
        frames.failed(FAILURE),
    )
    assert read(frames.heartbeat())[0].heartbeat.HasField("time")


@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_an_events_bytes_are_those_of_its_message_for_everybody_and_for_the_store(game_id):
    game = GAMES[game_id]
    seats = game.info.max_seats
    new = NewMatch(
        MatchId(ID),
        game,
        game.default_settings,
        seats,
        Visibility.PUBLIC,
        SeedOrigin.SYSTEM,
        bytes(32),
    )
    steps = [lifecycle.create(new, Millis(1))]
    for seat in range(seats):
        steps.append(lifecycle.join(steps[-1].match, Millis(1_500), seat, Joined("", "", b"")))
    for ply in range(300):
        match = steps[-1].match
        if not match.to_move:
            break
        actions = game.rules.legal_actions(match.game_state, match.to_move[0])
        action = actions[ply * 7 % len(actions)]
        steps.append(lifecycle.act(match, Millis(2_000 + ply), match.to_move[0], action))
    for _, one in steps:
        for viewer in (None, *range(seats)):
            shown = event_for(game, one, viewer)
            assert event_to(game, shown) == match_pb2.Event.FromString(event_bytes(game, shown))
        assert event_to(game, one) == match_pb2.Event.FromString(whole_event_bytes(game, one))


# --- the outbox ----------------------------------------------------------------------------------


async def test_all_that_waits_is_one_frame_and_the_end_comes_after_it():
    box = Outbox(10, 1000)
    box.put(b"a")
    box.put(b"b")
    box.close()
    assert b"ab" == await box.frame()
    assert await box.frame() is None


async def test_a_frame_ends_before_it_is_too_long(monkeypatch):
    monkeypatch.setattr(outbox, "MAX_FRAME_BYTES", 10)
    box = Outbox(100, 1000)
    for update in (b"x" * 30, b"a" * 6, b"b" * 4, b"c"):
        box.put(update)
    assert [b"x" * 30, b"a" * 6 + b"b" * 4, b"c"] == [await box.frame() for _ in range(3)]
    assert box.empty


async def test_who_waits_for_space_gets_it_when_half_was_taken():
    box = Outbox(4, 1000)
    spaces = []
    for update in (b"a", b"b"):
        box.put(update)
        spaces.append(box.has_space)
    assert [True, False] == spaces
    waiting = asyncio.create_task(box.space())
    await asyncio.sleep(0)
    assert not waiting.done()
    await box.frame()
    await waiting


@pytest.mark.parametrize(("updates", "size"), [(5, 1), (1, 1001)])
async def test_more_than_may_wait_is_noticed(updates, size):
    box = Outbox(4, 1000)
    for _ in range(updates):
        box.put(b"x" * size)
    assert box.overflown.is_set()

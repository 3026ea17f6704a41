"""Records as messages and as files: both forms lead back, and nonsense is told clearly."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee._gen.referee.v1 import match_pb2 as pb
from referee.errors import RefereeError
from referee.match.verify import verify
from referee.wire.record import record_from, record_from_file, record_to, record_to_json
from tests.match.layer import resigned_story, story

XISK = resigned_story("xisk", 100).record()
YOXII = resigned_story("yoxii", 9).record()
MESSAGE = record_to(XISK)
JSON = record_to_json(MESSAGE)
every_record = pytest.mark.parametrize("record", [XISK, YOXII], ids=["xisk", "yoxii"])


@every_record
def test_a_record_leads_back_as_message_as_json_and_as_bytes(record):
    message = record_to(record)
    assert record == record_from(message)
    assert record == record_from_file(record_to_json(message).encode())
    assert record == record_from_file(message.SerializeToString())
    assert verify(record_from_file(record_to_json(message).encode())).good


def test_a_record_before_the_end_leads_back_too():
    record = story("xisk").record(1)
    assert record == record_from_file(record_to_json(record_to(record)).encode())


def test_json_may_begin_with_blank_lines_and_be_laid_out_otherwise():
    text = json.dumps(json.loads(JSON), separators=(",", ":"))
    assert XISK == record_from_file(b"\n  \n" + text.encode())


def test_json_names_fields_as_the_contract_does_and_ends_with_a_line():
    found = json.loads(JSON)
    assert {"format", "match", "events", "server_seed"} == set(found)
    assert "game_events" in found["events"][2]
    assert JSON.endswith("}\n")


def test_bytes_are_much_shorter_than_json():
    assert len(MESSAGE.SerializeToString()) * 3 < len(JSON)


NONSENSE: dict[str, bytes] = {
    "nothing": b"",
    "text": b"hello",
    "a brace": b"{",
    "another json": b'{"a": 1}',
    "json with a wrong type": b'{"format": "one"}',
    "json that is not UTF-8": b'{"format": "\xff"}',
    "deep json": b'{"match":' * 5000,
    "a list": b"[1]",
    "half a record": MESSAGE.SerializeToString()[:-7],
    "half a json": JSON.encode()[: len(JSON) // 2],
    "an executable": b"\x7fELF\x02\x01\x01\x00",
    "zeros": bytes(1000),
}


@pytest.mark.parametrize("what", NONSENSE)
def test_a_file_that_is_no_record_gives_an_error_that_says_so(what):
    with pytest.raises(RefereeError) as caught:
        record_from_file(NONSENSE[what])
    assert caught.value.message


def set_seat(message: pb.Record) -> None:
    message.events[4].seat = 99


def cut_seats(message: pb.Record) -> None:
    del message.match.seats[1:]


def long_nonce(message: pb.Record) -> None:
    message.events[1].joined.client_nonce = b"n" * 65


def no_kind(message: pb.Record) -> None:
    message.events[2].game_events[0].Clear()


def another_game(message: pb.Record) -> None:
    message.events[2].game_events[0].yoxii.SetInParent()


def unknown_country(message: pb.Record) -> None:
    message.events[4].action.action.xisk.claim.country = "atlantis"


def no_action(message: pb.Record) -> None:
    message.events[4].action.Clear()


def unknown_card(message: pb.Record) -> None:
    for one in message.events[2].game_events:
        if one.xisk.HasField("dealt"):
            one.xisk.dealt.hands[0].cards[0] = "1X"


SPOILERS: list[Callable[[pb.Record], Any]] = [
    lambda message: message.ClearField("format"),
    lambda message: setattr(message, "format", 2),
    lambda message: message.ClearField("match"),
    lambda message: setattr(message.match, "game", "yoxii"),
    lambda message: setattr(message.match, "state", 99),
    lambda message: setattr(message.match, "visibility", 0),
    lambda message: setattr(message.match, "seed_origin", 7),
    lambda message: message.match.ClearField("settings"),
    lambda message: setattr(message.match.settings.xisk, "map_id", "mars"),
    lambda message: message.events[4].ClearField("cause"),
    lambda message: message.events[4].ClearField("state"),
    lambda message: setattr(message.events[2].chance_events[0], "kind", 0),
    set_seat,
    cut_seats,
    long_nonce,
    no_kind,
    another_game,
    unknown_country,
    no_action,
    unknown_card,
]


@pytest.mark.parametrize("spoil", SPOILERS)
def test_a_record_that_no_match_can_have_is_refused_when_read(spoil):
    message = pb.Record()
    message.CopyFrom(MESSAGE)
    spoil(message)
    with pytest.raises(RefereeError):
        record_from(message)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.binary(max_size=3)), min_size=1, max_size=3))
def test_a_file_that_was_spoilt_anywhere_is_refused_or_verified_without_a_fault_of_ours(changes):
    data = MESSAGE.SerializeToString()
    for position, new in changes:
        at = position % len(data)
        data = data[:at] + new + data[at + len(new) :]
    try:
        record = record_from_file(data)
    except RefereeError:
        return
    found = verify(record)
    assert found.good or str(found.difference)

"""``referee record``: a record as a file, on standard output, and where there is none."""

from __future__ import annotations

import asyncio

import pytest
from google.protobuf import json_format

from referee._gen.referee.v1.match_pb2 import MATCH_STATE_ACTIVE, Record
from tests.cli.conftest import Ended
from tests.support.api import connected, open_table
from tests.support.cli import run


def test_a_json_file_holds_the_whole_record(ended: Ended, tmp_path):
    path = tmp_path / "record.json"
    done = run("record", ended.match_id, "--target", ended.address, "-o", path)
    assert (0, "") == (done.returncode, done.stdout)
    assert f"{len(ended.record.events)} events written to {path}" in done.stderr
    assert ended.record == json_format.Parse(path.read_text(), Record())


def test_a_pb_file_holds_the_same_as_bytes(ended: Ended, tmp_path):
    path = tmp_path / "record.pb"
    assert 0 == run("record", ended.match_id, "--target", ended.address, "-o", path).returncode
    assert ended.record == Record.FromString(path.read_bytes())


def test_without_a_file_the_record_goes_to_standard_output_and_nothing_else(ended: Ended):
    done = run("record", ended.match_id, env={"REFEREE_TARGET": ended.address})
    assert (0, "") == (done.returncode, done.stderr)
    assert ended.record == json_format.Parse(done.stdout, Record())


def test_of_a_running_match_a_seat_gets_its_own_hand_and_no_seed(referee_process, tmp_path):
    async def begin():
        async with connected(referee_process.address) as stub:
            return await open_table(stub, "xisk")

    table = asyncio.run(begin())
    path = tmp_path / "record.pb"
    arguments = ("record", table.match_id, "--target", referee_process.address, "-o", path)
    for token, hands in (("", [0, 0]), (table.tokens[1], [0, 21])):
        assert 0 == run(*arguments, env={"REFEREE_TOKEN": token}).returncode
        record = Record.FromString(path.read_bytes())
        assert (b"", MATCH_STATE_ACTIVE) == (record.server_seed, record.match.state)
        (dealt,) = [
            event.xisk.dealt
            for event in record.events[-1].game_events
            if event.xisk.HasField("dealt")
        ]
        assert hands == [len(hand.cards) for hand in dealt.hands]


@pytest.mark.parametrize(
    ("match_id", "words"),
    [("0" * 26, "There is no match with this id"), ("nonsense", "is not a match id")],
)
def test_a_match_that_is_not_there_gets_a_helpful_error(referee_process, match_id, words):
    done = run("record", match_id, "--target", referee_process.address)
    assert (1, "") == (done.returncode, done.stdout)
    assert words in done.stderr
    assert f"(asked {referee_process.address})" in done.stderr


def test_a_referee_that_does_not_answer_gets_a_helpful_error():
    done = run("record", "0" * 26, "--target", "127.0.0.1:1")
    assert (1, "") == (done.returncode, done.stdout)
    assert "No referee answers at 127.0.0.1:1" in done.stderr
    assert "referee serve" in done.stderr


def test_the_url_of_a_web_page_as_target_gets_a_helpful_error():
    done = run("record", "0" * 26, "--target", "http://127.0.0.1:1")
    assert (1, "") == (done.returncode, done.stdout)
    assert done.stderr.startswith("Error: A target is host:port: leave out http://")
    assert 1 == done.stderr.count("\n")


def test_a_file_that_can_not_be_written_gets_a_helpful_error(ended: Ended, tmp_path):
    path = tmp_path / "nowhere" / "record.json"
    done = run("record", ended.match_id, "--target", ended.address, "-o", path)
    assert 1 == done.returncode
    assert f"Error: {path} can't be written: No such file or directory\n" == done.stderr

"""``referee verify``: good records, bad ones, and what is no record at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from referee._gen.referee.v1.match_pb2 import Record
from referee.wire.record import record_to_json
from tests.cli.conftest import Ended
from tests.support.cli import run, run_here


def saved(path: Path, record: Record) -> Path:
    if path.suffix == ".pb":
        path.write_bytes(record.SerializeToString())
    else:
        path.write_text(record_to_json(record))
    return path


def changed(record: Record, change: Callable[[Record], None]) -> Record:
    copy = Record()
    copy.CopyFrom(record)
    change(copy)
    return copy


def another_face(record: Record) -> None:
    event = next(one for one in record.events if one.ply and one.chance_events)
    dice = event.chance_events[-1].values
    dice[0] = dice[0] % 6 + 1


def another_action(record: Record) -> None:
    event = next(one for one in record.events if one.HasField("action"))
    event.action.action.xisk.claim.country = "peru"


def another_seed(record: Record) -> None:
    record.server_seed = bytes(32)


def another_winner(record: Record) -> None:
    record.match.result.winners[0] = (record.match.result.winners[0] + 1) % 3


def a_missing_event(record: Record) -> None:
    del record.events[20]


@pytest.mark.parametrize("form", ["json", "pb"])
def test_a_good_record_is_good_in_both_forms(ended: Ended, tmp_path, form):
    path = saved(tmp_path / f"[good].{form}", ended.record)
    done = run("verify", path)
    assert (0, "") == (done.returncode, done.stderr)
    assert f"good  {path}: {len(ended.record.events)} events and " in done.stdout


@pytest.mark.parametrize(
    ("change", "point"),
    [
        (another_face, "chance_events"),
        (another_action, "version"),
        (another_seed, "commitment"),
        (another_winner, "result"),
        (a_missing_event, "version 21"),
    ],
)
def test_a_record_that_was_tampered_with_is_bad_and_the_point_is_named(
    ended: Ended, tmp_path, change, point
):
    path = saved(tmp_path / "bad.json", changed(ended.record, change))
    done = run_here("verify", path)
    assert (1, "") == (done.returncode, done.stderr)
    assert done.stdout.startswith(f"BAD   {path}: ")
    assert point in done.stdout
    assert "the record says" in done.stdout
    assert "good" not in done.stdout


def test_of_several_records_each_gets_its_line_and_one_bad_one_fails_the_command(ended, tmp_path):
    good = saved(tmp_path / "good.pb", ended.record)
    bad = saved(tmp_path / "bad.pb", changed(ended.record, another_seed))
    both = run_here("verify", good, bad)
    assert 1 == both.returncode
    assert ["good", "BAD"] == [line.split()[0] for line in both.stdout.splitlines()]
    assert 0 == run_here("verify", good, good).returncode


@pytest.mark.parametrize(
    "data", [b"", b"{", b'{"events": 7}', b'{"moves": []}', b"\xff\xfe\x00", b"{\xff}", b"[]"]
)
def test_what_is_no_record_is_bad_and_told_in_one_line(tmp_path, data):
    path = tmp_path / "record"
    path.write_bytes(data)
    done = run_here("verify", path)
    assert (1, "") == (done.returncode, done.stderr)
    assert done.stdout.startswith(f"BAD   {path}: ")
    assert 1 == done.stdout.count("\n")


def test_a_file_that_can_not_be_read_is_told_so_in_plain_words(tmp_path):
    path = tmp_path / "record.json"
    path.write_text("{")
    assert run_here("verify", path).stdout.startswith(f"BAD   {path}: can't be read: ")


def test_an_event_that_can_not_be_read_is_named_by_its_version(ended: Ended, tmp_path):
    def to_atlantis(record: Record) -> None:
        event = next(one for one in record.events if one.version == 9)
        event.action.action.xisk.claim.country = "atlantis"

    path = saved(tmp_path / "bad.json", changed(ended.record, to_atlantis))
    done = run_here("verify", path)
    words = f"BAD   {path}: version 9 can't be read: claim.country: there is no country 'atlantis'"
    assert done.stdout.startswith(words)


def test_a_file_that_does_not_exist_is_named(tmp_path):
    done = run_here("verify", tmp_path / "nowhere")
    assert 2 == done.returncode
    assert str(tmp_path / "nowhere") in done.stderr


def test_as_json_each_record_is_one_object_a_line(ended: Ended, tmp_path):
    good = saved(tmp_path / "good.pb", ended.record)
    bad = saved(tmp_path / "bad.pb", changed(ended.record, another_seed))
    (tmp_path / "none").touch()
    done = run("verify", "--json", good, bad, tmp_path / "none")
    assert (1, "") == (done.returncode, done.stderr)
    first, second, third = map(json.loads, done.stdout.splitlines())
    events = len(ended.record.events)
    assert (str(good), True, events) == (first["record"], first["good"], first["events"])
    assert (False, "commitment") == (second["good"], second["difference"]["what"])
    assert bytes(32).hex() not in second["difference"]["recorded"]
    assert not third["good"]
    assert "error" in third

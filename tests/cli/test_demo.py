"""``referee demo``: bots play, boards are drawn, records are verified."""

from __future__ import annotations

import json

import pytest

from referee.registry import GAMES
from tests.support.cli import run, run_here, run_on_terminal

HELD = "All held: every match came to its end and every record was verified."


def test_it_plays_a_match_of_every_game_and_says_that_all_held():
    done = run("demo", "--seed", 1)
    assert (0, "") == (done.returncode, done.stderr)
    for game in GAMES.values():
        assert f"{game.info.title}: match " in done.stdout
    assert len(GAMES) == done.stdout.count("commitment to the seed:\n  ")
    assert len(GAMES) == done.stdout.count("verified: ")
    assert HELD == done.stdout.splitlines()[-1]
    assert "\x1b" not in done.stdout
    assert "|" in done.stdout


def test_no_line_is_too_long_for_a_narrow_terminal():
    done = run("demo", "--seed", 1, "--game", "yoxii", env={"COLUMNS": "80"})
    assert [] == [line for line in done.stdout.splitlines() if len(line) > 80]


def test_seats_that_a_game_can_not_have_are_told():
    done = run("demo", "--seats", 9, "--game", "yoxii")
    assert 0 == done.returncode
    assert "Yoxii has 2 seats: 2 play, not 9." in done.stdout


def test_a_pace_slows_the_match_down():
    done = run("demo", "--json", "--seed", 1, "--game", "yoxii", "--pace", 0.05)
    (told,) = map(json.loads, done.stdout.splitlines())
    assert told["seconds"] >= 0.05 * told["actions"]


def test_records_that_it_saves_can_be_verified_and_json_is_for_scripts(tmp_path):
    done = run("demo", "--json", "--save", tmp_path / "records", "--game", "yoxii")
    assert (0, "") == (done.returncode, done.stderr)
    (told,) = map(json.loads, done.stdout.splitlines())
    assert ("yoxii", True) == (told["game"], told["verified"])
    (path,) = (tmp_path / "records").iterdir()
    assert f"yoxii-{told['match_id']}.json" == path.name
    verified = run("verify", "--json", path)
    assert 0 == verified.returncode
    assert told["events"] == json.loads(verified.stdout)["events"]


def test_it_plays_on_a_running_referee(referee_process, tmp_path):
    arguments = ("--target", referee_process.address, "--game", "yoxii", "--json")
    done = run("demo", *arguments)
    assert (0, "") == (done.returncode, done.stderr)
    match_id = json.loads(done.stdout)["match_id"]
    path = tmp_path / "record.pb"
    assert 0 == run("record", match_id, "--target", referee_process.address, "-o", path).returncode
    assert 0 == run("verify", path).returncode


def test_a_referee_that_does_not_answer_gets_a_helpful_error():
    done = run("demo", "--target", "127.0.0.1:1")
    assert (1, "") == (done.returncode, done.stdout)
    assert "No referee answers at 127.0.0.1:1" in done.stderr
    assert "referee serve" in done.stderr


def test_a_folder_that_can_not_be_made_is_told_before_anything_is_played(tmp_path):
    (tmp_path / "file").touch()
    done = run("demo", "--save", tmp_path / "file" / "records")
    assert (1, "") == (done.returncode, done.stdout)
    assert "can't be used: Not a directory" in done.stderr


@pytest.mark.parametrize("arguments", [("--game", "chess"), ("--seats", "0"), ("--seed", "x")])
def test_what_it_can_not_play_is_refused(arguments):
    done = run_here("demo", *arguments)
    assert 2 == done.returncode
    assert arguments[0] in done.stderr


def test_on_a_terminal_it_draws_in_colour_and_live():
    code, written = run_on_terminal("demo", "--game", "yoxii")
    assert 0 == code
    assert "\x1b[" in written
    assert "\x1b[1;32m" in written  # bold green: what held
    assert "\x1b[1A" in written  # up a line: a board over the board before
    assert "All held:" in written

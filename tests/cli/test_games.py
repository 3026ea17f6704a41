"""``referee games``: what can be played, for people and for scripts."""

from __future__ import annotations

import json

from referee.registry import GAMES
from tests.support.cli import run


def test_the_table_has_a_line_for_every_game():
    done = run("games", env={"COLUMNS": "200"})
    assert (0, "") == (done.returncode, done.stderr)
    heading, *lines = done.stdout.splitlines()
    assert ["game", "title", "seats", "settings", "(default)", "about"] == heading.split()
    assert sorted(GAMES) == [line.split()[0] for line in lines]
    assert "\x1b" not in done.stdout
    for line, game_id in zip(lines, sorted(GAMES), strict=True):
        assert GAMES[game_id].info.title in line
        assert GAMES[game_id].info.summary in line


def test_as_json_it_holds_all_that_a_lobby_needs():
    done = run("games", "--json")
    assert (0, "") == (done.returncode, done.stderr)
    listed = {entry["game"]: entry for entry in json.loads(done.stdout)}
    assert GAMES.keys() == listed.keys()
    for game_id, game in GAMES.items():
        entry, info = listed[game_id], game.info
        assert (info.title, info.rules_version) == (entry["title"], entry["rules_version"])
        assert (info.min_seats, info.max_seats) == (entry["min_seats"], entry["max_seats"])
        assert list(info.colours) == entry["colours"]
    assert {"map_id": "classic", "round_limit": 0} == listed["xisk"]["default_settings"]

"""Whole golden games: every count of legal actions, every action, and the end.

Another implementation of the same rules played them, slow and obvious. Action ``i`` of a game is
the legal action whose index, in order of notation, is SHA-256 of ``"<seed>:i"`` modulo their
number; so a list that differs in one action or in its order gives another game at once.
"""

import hashlib
import json
from pathlib import Path

import pytest

from referee.games.yoxii.rules.board import NAMES
from referee.games.yoxii.rules.observation import observe
from referee.games.yoxii.rules.state import INITIAL
from referee.plugin import Result, Termination
from tests.games.yoxii.builders import NOTATION, RULES, play

FILES = sorted((Path(__file__).parent / "data/golden").glob("*.json"))


@pytest.fixture(params=FILES, ids=lambda file: file.stem)
def golden(request):
    return json.loads(request.param.read_text())


def test_a_golden_game_is_played_as_it_was(golden):
    state = INITIAL
    for number, ply in enumerate(golden["plies"]):
        legal = [NOTATION.format_action(each) for each in RULES.legal_actions(state, state.mover)]
        assert sorted(legal) == legal
        assert (number, ply["legal"]) == (number, len(legal))
        draw = hashlib.sha256(f"{golden['seed']}:{number}".encode()).digest()
        assert ply["action"] == legal[int.from_bytes(draw, "big") % len(legal)]
        state = play(state, ply["action"]).state
    seen = observe(state)
    assert Result(tuple(golden["winners"]), Termination.COMPLETED) == state.result
    assert golden["totem"] == NAMES[state.totem]
    assert golden["points"] == [score.points for score in seen.scores]
    assert golden["pieces_around"] == [score.pieces for score in seen.scores]


def test_each_golden_game_is_named_after_its_file_and_pins_its_rules():
    assert 11 == len(FILES)
    for file in FILES:
        game = json.loads(file.read_text())
        assert game["name"] == file.stem
        assert 1 == game["rules_version"]


def test_the_golden_games_show_jumps_ties_draws_and_forced_placements():
    shown = {topic for file in FILES for topic in json.loads(file.read_text())["shows"]}
    topics = "jump2 jump3 jump4 jump5 jump6 long other_side_could_move place_anywhere"
    ties = "place_on_left_square tie_points_count_decides tie_points_draw"
    assert {*topics.split(), *ties.split()} == shown

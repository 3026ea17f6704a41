"""Numbers of legal action sequences, against counts that another implementation found.

The last ply of a sequence is counted and not played, so depth 3 from the start plays some 51,000
actions for 8.5 million sequences, within seconds.
"""

from pathlib import Path

import pytest

from referee.games.yoxii.rules import YoxiiRules, legal_squares
from referee.games.yoxii.rules.notation import parse_position
from referee.games.yoxii.rules.placement import values_in_stock
from referee.games.yoxii.rules.state import INITIAL, State
from tests.games.yoxii.builders import NO_CHANCE, RULES

FILE = Path(__file__).parent / "data/yoxii.perft"


def read_perft():
    """Cases as (id, position, depth, count)."""
    name = position = ""
    for line in FILE.read_text().splitlines():
        word, _, rest = line.partition(" ")
        if word == "id":
            name = rest
        elif word == "epd":
            position = rest
        elif word == "perft":
            depth, count = map(int, rest.split())
            marks = [pytest.mark.slow] if count > 1_000_000 else []
            yield pytest.param(position, depth, count, id=f"{name}-{depth}", marks=marks)


def perft(rules: YoxiiRules, state: State, depth: int) -> int:
    seat = state.mover
    if depth == 1:
        placements = sum(len(squares) for _, squares in legal_squares(state, seat))
        return placements * len(values_in_stock(state, seat))
    return sum(
        perft(rules, rules.apply(state, seat, action, NO_CHANCE).state, depth - 1)
        for action in rules.legal_actions(state, seat)
    )


@pytest.mark.parametrize(("position", "depth", "count"), list(read_perft()))
def test_perft(position, depth, count):
    assert count == perft(RULES, parse_position(position), depth)


def test_the_shortcut_of_the_last_ply_counts_what_is_listed():
    assert perft(RULES, INITIAL, 1) == len(RULES.legal_actions(INITIAL, 0))

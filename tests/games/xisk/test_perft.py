"""Counted trees: how many lines of legal actions there are from a position.

``data/xisk.perft`` is in the format that chess programs use: ``id`` names a position, ``position``
says which one (a golden game and the number of steps played), ``perft <depth> <count>`` is the
number of lines of that length. Each line of play draws from the golden game's own seed, from the
chance event that it has come to.
"""

from pathlib import Path

import pytest

from referee.games.xisk.plugin import GAME
from referee.games.xisk.rules.state import Settings
from tests.games.xisk.builders import RULES
from tests.games.xisk.golden import load

FILE = Path(__file__).parent / "data" / "xisk.perft"


def entries():
    """Id, golden game, steps, depth and count of every line to check."""
    name = position = ""
    for line in FILE.read_text().splitlines():
        word, _, rest = line.partition(" ")
        match word:
            case "id":
                name = rest
            case "position":
                position = rest
            case "perft":
                depth, count = map(int, rest.split())
                game, steps = position.split()
                yield pytest.param(game, int(steps), depth, count, id=f"{name}-{depth}")


def position(game, steps):
    """The state of a golden game after some steps, and the number of its next chance event."""
    golden = load(game)
    chance = golden.chance()
    state = RULES.initial(Settings(), golden.seats, chance).state
    for step in golden.steps[:steps]:
        action = GAME.notation.parse_action(step["action"])
        state = RULES.apply(state, state.mover, action, chance).state
    return golden, state, chance.next_event


def perft(golden, state, event, depth) -> int:
    """Number of lines of ``depth`` actions."""
    actions = RULES.legal_actions(state, state.mover) if state.result is None else ()
    if depth == 1:
        return len(actions)
    total = 0
    for action in actions:
        chance = golden.chance(event)
        after = RULES.apply(state, state.mover, action, chance).state
        total += perft(golden, after, chance.next_event, depth - 1)
    return total


@pytest.mark.parametrize(("game", "steps", "depth", "count"), [*entries()])
def test_the_tree_has_the_counted_number_of_lines(game, steps, depth, count):
    golden, state, event = position(game, steps)
    assert count == perft(golden, state, event, depth)


def test_xisk_5_claims_from_the_start_are_falling_factorials():
    counts = {
        each.values[2]: each.values[3]
        for each in entries()
        if str(each.id).startswith("claims-at-the-start")
    }
    assert {1: 42, 2: 42 * 41, 3: 42 * 41 * 40} == counts

"""The manual and the code speak of the same rules."""

import re
from pathlib import Path

from tests.games.xisk.manual import rules_of_the_manual

REPO = Path(__file__).parents[3]
EVERY_RULE = {f"xisk/{number}" for number in (*range(1, 29), 30, 31)}


def cited_in(folder):
    texts = [path.read_text() for path in (REPO / folder).rglob("*.py")]
    return set(re.findall(r"xisk/\d+", "\n".join(texts)))


def named_by_tests_in(folder):
    """Rules named by tests, as a citation or in the name of a test."""
    texts = [path.read_text() for path in (REPO / folder).rglob("test_*.py")]
    names = re.findall(r"xisk_(\d+)(?:_and_(\d+))?_", "\n".join(texts))
    numbers = {number for pair in names for number in pair if number}
    return cited_in(folder) | {f"xisk/{number}" for number in numbers}


def test_the_manual_has_every_rule():
    assert EVERY_RULE == set(rules_of_the_manual())


def test_every_rule_is_cited_in_the_code_and_in_the_tests():
    assert EVERY_RULE == cited_in("referee/games/xisk")
    assert EVERY_RULE == named_by_tests_in("tests/games/xisk")

"""Games are known by the registry alone, and each brings all that a game has to bring."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from referee._gen.referee.v1 import games_pb2
from referee.registry import GAMES
from tests.house.source import REPO, files, name_of, strings, text_of, tree_of

REGISTRY = "referee/registry.py"
RULE = re.compile(r"\b([a-z]+)/(\d+)((?:, ?\d+)*)\b")


def rules_cited(game: str, text: str) -> set[int]:
    """Rule numbers of a game in a text: ``xisk/14``, and ``yoxii/3, 5`` for several."""
    found: set[int] = set()
    for name, first, more in RULE.findall(text):
        if name == game:
            found.update(int(number) for number in [first, *re.findall(r"\d+", more)])
    return found


def rules_in_tests(game: str, text: str) -> set[int]:
    """Rule numbers in the names of tests: ``test_xisk_14_...``."""
    return {int(number) for number in re.findall(rf"\btest_{game}_(\d+)_", text)}


def manual_of(game: str) -> str:
    return text_of(REPO / f"docs/games/{game}.md")


def entries_of_manual(game: str) -> list[int]:
    """Numbers of the rules that have an entry, which begins with the rule: ``**xisk/14** ...``."""
    entry = re.compile(rf"^\*\*{game}/(\d+)\*\*", re.MULTILINE)
    return [int(number) for number in entry.findall(manual_of(game))]


def rules_of_manual(game: str) -> set[int]:
    return set(entries_of_manual(game))


def game_literals() -> Iterator[str]:
    """Strings outside a game's folder that are a game's id, or cite its rules."""
    for path in files("*.py", "referee"):
        name = name_of(path)
        for line, value in strings(tree_of(path)):
            for game in GAMES:
                cited = value == game or value.startswith(f"{game}/")
                if cited and not name.startswith(f"referee/games/{game}/"):
                    yield f"{name}:{line}: {value!r}"


def test_every_oneof_of_the_contract_has_exactly_the_registered_games():
    oneofs = {
        name: sorted(field.name for field in message.oneofs_by_name["game"].fields)
        for name, message in games_pb2.DESCRIPTOR.message_types_by_name.items()
    }
    assert oneofs
    assert dict.fromkeys(oneofs, sorted(GAMES)) == oneofs


def test_no_code_outside_a_games_folder_names_the_game():
    assert [] == list(game_literals())


def test_only_the_registry_imports_a_game():
    inward = re.compile(r"^\s*(?:from|import) referee\.games", re.MULTILINE)
    outside = [
        path for path in files("*.py", "referee") if not name_of(path).startswith("referee/games/")
    ]
    assert [REGISTRY] == [name_of(path) for path in outside if inward.search(text_of(path))]


def test_every_folder_of_a_game_is_registered():
    folders = [
        path.name for path in (REPO / "referee/games").iterdir() if (path / "plugin.py").exists()
    ]
    assert sorted(folders) == sorted(GAMES)


@pytest.mark.parametrize("game", GAMES)
def test_a_games_package_is_empty_so_that_its_rules_load_alone(game):
    assert "" == text_of(REPO / f"referee/games/{game}/__init__.py")


@pytest.mark.parametrize("game", GAMES)
def test_a_game_has_golden_matches(game):
    assert list((REPO / f"tests/games/{game}/data").rglob("golden/*.json"))


@pytest.mark.parametrize("game", GAMES)
def test_a_game_has_counts_of_its_legal_actions(game):
    assert list((REPO / f"tests/games/{game}").rglob("*.perft"))


@pytest.mark.parametrize("game", GAMES)
def test_a_manual_numbers_its_rules_once_each_and_in_order(game):
    numbers = entries_of_manual(game)
    assert numbers
    assert sorted(set(numbers)) == numbers


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_that_the_code_cites_is_in_the_manual(game):
    cited = {
        f"{name_of(path)}: {game}/{number}"
        for path in files("*.py", "referee", "tests/games")
        for number in rules_cited(game, text_of(path)) - rules_of_manual(game)
    }
    assert set() == cited


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_of_the_manual_is_cited_in_the_games_code_or_tests(game):
    cited: set[int] = set()
    for path in files("*.py", f"referee/games/{game}", f"tests/games/{game}"):
        cited |= rules_cited(game, text_of(path)) | rules_in_tests(game, text_of(path))
    assert set() == rules_of_manual(game) - cited


@pytest.mark.parametrize("game", GAMES)
def test_the_rule_about_colours_is_in_the_manual(game):
    assert GAMES[game].info.colour_rule in {f"{game}/{number}" for number in rules_of_manual(game)}

"""Words and habits that this code base does without."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.house.source import (
    REPO,
    code_files,
    documents,
    files,
    files_of_tests,
    name_of,
    text_of,
    tree_of,
)

# One word for one thing; docs/glossary.md says which. No name that code defines has one of these.
WORDS = {
    "color": "colour",
    "colors": "colours",
    "player": "seat, or account for a person",
    "players": "seats",
    "room": "match",
    "session": "match",
    "revision": "version",
    "randomness": "chance",
}
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK|WIP|NotImplementedError|NotImplemented)\b")
# A folder of one machine; pages may say /home/you.
MACHINE_PATH = re.compile(r"(?<![\w.}*-])/(work|home|root|Users)/(?!you/)")
MOCK = re.compile(r"unittest\.mock|from unittest import mock|\bfakeredis\b|\bpytest_mock\b")
BARE_EXCEPTION = re.compile(r"# (noqa(: ?[A-Z0-9, ]+)?|type: ignore(\[[a-z, -]+\])?)\s*$")
SUSPENDED = re.compile(r"^# (ruff: noqa|mypy: ignore-errors|type: ignore)")
SKIPPED = {"skip", "skipif", "xfail", "importorskip"}
THIS = Path(__file__).resolve()

PYTHON = [path for path in (*code_files(), *files_of_tests()) if path != THIS]
WRITTEN = [
    *PYTHON,
    *documents(),
    *files("*.proto", "protos"),
    *files("*.lua", "referee"),
    *files("*.sh", "scripts"),
    *[REPO / name for name in ("Makefile", ".ci/run", "pyproject.toml", ".importlinter")],
]


def names_defined(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every name that code gives to something, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


def words_of(name: str) -> set[str]:
    """``SeatTakenError`` and ``seat_taken`` as lower-case words."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def swallows(handler: ast.ExceptHandler) -> bool:
    """True for a handler that does nothing at all."""
    return all(isinstance(node, ast.Pass) or _is_ellipsis(node) for node in handler.body)


def _is_ellipsis(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and node.value.value is ...
    )


def lines_with(pattern: re.Pattern[str], paths: Iterable[Path]) -> list[str]:
    """Every line that has the pattern, with its place."""
    return [
        f"{name_of(path)}:{number}: {line.strip()}"
        for path in paths
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if pattern.search(line)
    ]


def test_nothing_is_left_for_later():
    assert [] == lines_with(UNFINISHED, WRITTEN)


def test_nothing_names_a_folder_of_one_machine():
    assert [] == lines_with(MACHINE_PATH, WRITTEN)


def test_names_keep_to_the_glossary():
    wrong = [
        f"{name_of(path)}:{line}: {name}: say {WORDS[word]}"
        for path in PYTHON
        for line, name in names_defined(tree_of(path))
        for word in words_of(name) & WORDS.keys()
    ]
    assert [] == wrong


def test_no_error_is_swallowed():
    swallowed = [
        f"{name_of(path)}:{node.lineno}"
        for path in PYTHON
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ExceptHandler) and swallows(node)
    ]
    assert [] == swallowed


def test_no_test_is_skipped_or_expected_to_fail():
    skipped = [
        f"{name_of(path)}:{node.lineno}"
        for path in files_of_tests()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute) and node.attr in SKIPPED
    ]
    assert [] == skipped


def test_nothing_is_mocked():
    assert [] == lines_with(MOCK, PYTHON)


def test_every_lint_exception_says_why():
    assert [] == lines_with(BARE_EXCEPTION, code_files())


def test_no_file_suspends_a_check_as_a_whole():
    assert [] == lines_with(SUSPENDED, PYTHON)

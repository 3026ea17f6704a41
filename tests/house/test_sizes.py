"""Files and functions stay short enough to be read in one go.

An exception is a line below with its reason. One that is no longer needed fails a test, so that the
list can't only grow.
"""

from __future__ import annotations

from pathlib import Path

from tests.house.source import (
    Function,
    code_files,
    docstring_of,
    files_of_tests,
    functions,
    name_of,
    text_of,
    tree_of,
)

FILE_LINES = 300
TEST_FILE_LINES = 500
FUNCTION_LINES = 40

LONG_FILES: dict[str, str] = {}
LONG_FUNCTIONS: dict[str, str] = {}


def lines_of(path: Path) -> int:
    return len(text_of(path).splitlines())


def length_of(function: Function) -> int:
    """Lines of a function from ``def`` on, its docstring left out."""
    length = (function.end_lineno or function.lineno) - function.lineno + 1
    doc = docstring_of(function)
    return length - ((doc.end_lineno or doc.lineno) - doc.lineno + 1) if doc else length


def long_files() -> dict[str, int]:
    limits = [(path, FILE_LINES) for path in code_files()]
    limits += [(path, TEST_FILE_LINES) for path in files_of_tests()]
    return {name_of(path): lines_of(path) for path, limit in limits if lines_of(path) > limit}


def long_functions() -> dict[str, int]:
    return {
        f"{name_of(path)}::{name}": length_of(function)
        for path in code_files()
        for name, function in functions(tree_of(path))
        if length_of(function) > FUNCTION_LINES
    }


def test_no_file_is_longer_than_its_limit():
    assert {} == {name: lines for name, lines in long_files().items() if name not in LONG_FILES}


def test_no_function_is_longer_than_40_lines():
    assert {} == {
        name: lines for name, lines in long_functions().items() if name not in LONG_FUNCTIONS
    }


def test_every_exception_is_still_needed():
    assert set() == LONG_FILES.keys() - long_files().keys()
    assert set() == LONG_FUNCTIONS.keys() - long_functions().keys()


def test_every_exception_has_a_reason():
    assert all(len(reason) > 20 for reason in [*LONG_FILES.values(), *LONG_FUNCTIONS.values()])

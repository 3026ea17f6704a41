"""What the house tests read: the files of the repository, parsed once."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parents[2]
BIN = REPO / ".venv/bin"
CODE = ("referee", "clients/python", "scripts", "bench")
UNREAD = {"_gen", "__pycache__", "node_modules", "build", "dist"}

_FENCED = re.compile(
    r"^```(?P<language>[\w-]*)[^\n]*\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(path: Path) -> str:
    """A path as the repository writes it."""
    return path.relative_to(REPO).as_posix()


@cache
def files(pattern: str, *folders: str) -> tuple[Path, ...]:
    """Files under the folders that match the pattern, without generated ones and dot folders."""
    found = [path for folder in folders for path in (REPO / folder).rglob(pattern)]
    return tuple(sorted(path for path in found if not _unread(path.relative_to(REPO))))


def _unread(path: Path) -> bool:
    return any(part in UNREAD or part.startswith(".") for part in path.parts)


def code_files() -> tuple[Path, ...]:
    """Every Python file written by hand, tests left out."""
    return files("*.py", *CODE)


def files_of_tests() -> tuple[Path, ...]:
    """Every Python file of the tests."""
    return files("*.py", "tests")


def documents() -> tuple[Path, ...]:
    """Every page of documentation."""
    return files("*.md", "docs", "clients", "deploy", "bench") + tuple(sorted(REPO.glob("*.md")))


@cache
def text_of(path: Path) -> str:
    """A file's text."""
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    """A Python file, parsed."""
    return ast.parse(text_of(path), filename=str(path))


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Every function with its dotted name, such as ``MatchStore.commit``."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield f"{prefix}{node.name}", node
            yield from functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{prefix}{node.name}.")
        else:
            yield from functions(node, prefix)


def docstring_of(node: ast.AST) -> ast.Expr | None:
    """The docstring's own node, if there is one."""
    body: list[ast.stmt] = getattr(node, "body", [])
    first = body[0] if body else None
    return first if isinstance(first, ast.Expr) and _is_string(first.value) else None


def _is_string(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every string that the code means, with its line: no docstrings, no strings under a field."""
    prose = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and _is_string(node.value)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.lineno, node.value


def code_blocks(path: Path, *languages: str) -> Iterator[tuple[int, str]]:
    """Fenced blocks of a page in one of the languages, with the line of their first row."""
    text = text_of(path)
    for block in _FENCED.finditer(text):
        if block["language"] in languages:
            yield text.count("\n", 0, block.start("code")) + 1, block["code"]


def prose_of(path: Path) -> str:
    """A page without its fenced blocks."""
    return _FENCED.sub("", text_of(path))


def project() -> dict[str, Any]:
    """``pyproject.toml``."""
    return tomllib.loads(text_of(REPO / "pyproject.toml"))

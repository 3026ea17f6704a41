"""The package stands alone: what it imports, what it declares, and its examples."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import referee_client

CLIENT = Path(__file__).resolve().parents[3] / "clients/python"
EXAMPLES = sorted((CLIENT / "examples").glob("*.py"))


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=60
    )


def imported() -> set[str]:
    """Modules that the package's files import, generated ones too."""
    found: set[str] = set()
    for path in (CLIENT / "referee_client").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add(node.module or "")
    return found


def distribution_of(module: str) -> str:
    """The distribution that a module comes from; ``google`` is shared by several."""
    shared = {"google.protobuf": "protobuf", "google.rpc": "googleapis-common-protos"}
    for prefix, name in shared.items():
        if module.startswith(prefix):
            return name
    (name,) = set(packages_distributions()[module.partition(".")[0]])
    return name


def test_the_names_are_sorted_and_each_is_there():
    names = referee_client.__all__
    assert sorted(names) == names
    assert [] == [name for name in names if not hasattr(referee_client, name)]
    assert len(names) == len(set(names))


def test_nothing_of_the_server_is_loaded():
    program = (
        "import sys, referee_client, referee_client.bots, referee_client.xisk; "
        "print([name for name in sys.modules if name.split('.')[0] in ('referee', 'redis')])"
    )
    done = run("-W", "error", "-c", program)
    assert ("[]\n", "") == (done.stdout, done.stderr)


def test_what_is_imported_is_declared_and_nothing_else_is():
    project = tomllib.loads((CLIENT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {Requirement(text).name for text in project["dependencies"]}
    foreign = {
        module
        for module in imported()
        if module.partition(".")[0] not in sys.stdlib_module_names | {"referee_client"}
    }
    assert declared == {distribution_of(module) for module in foreign}


def test_the_package_says_that_it_is_typed():
    assert (CLIENT / "referee_client/py.typed").exists()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_short_and_explains_itself(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) < 80
    done = run(str(path), "--help")
    assert (0, "") == (done.returncode, done.stderr)
    assert "--join" in done.stdout

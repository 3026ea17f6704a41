"""What a package offers is written down once, sorted, and true."""

from __future__ import annotations

import ast
import importlib
import re
from types import ModuleType

import pytest

import referee
from tests.house.source import REPO, files, name_of, text_of, tree_of

LISTED = [path for path in files("*.py", "referee", "clients/python") if "__all__" in text_of(path)]


def module_of(name: str) -> ModuleType:
    dotted = name.removeprefix("clients/python/").removesuffix(".py").removesuffix("/__init__")
    return importlib.import_module(dotted.replace("/", "."))


def public_names(module: ModuleType) -> set[str]:
    """Names without an underscore that are no modules."""
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    } - {"annotations"}


def rank(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as the linter sorts them."""
    return 0 if name.isupper() else 1 if name[0].isupper() else 2, name


def test_the_client_lists_its_names():
    assert "clients/python/referee_client/__init__.py" in map(name_of, LISTED)


@pytest.mark.parametrize("name", [name_of(path) for path in LISTED])
def test_a_list_of_names_is_sorted_and_every_name_is_there(name):
    module = module_of(name)
    assert sorted(module.__all__, key=rank) == list(module.__all__)
    assert [] == [listed for listed in module.__all__ if not hasattr(module, listed)]


def test_the_client_offers_what_it_lists_and_nothing_else():
    listed = set(module_of("referee_client").__all__)
    assert public_names(module_of("referee_client")) == listed - {"__version__"}


def test_a_module_of_the_client_is_private_or_lists_its_names():
    root = REPO / "clients/python/referee_client"
    public = [
        path
        for path in files("*.py", "clients/python/referee_client")
        if not any(part.startswith("_") for part in path.relative_to(root).with_suffix("").parts)
    ]
    assert [] == [name_of(path) for path in public if path not in LISTED]


def test_both_packages_say_the_version_that_the_changelog_says():
    heading = re.search(r"^## \[(\d\S*)\]", text_of(REPO / "CHANGELOG.md"), re.MULTILINE)
    assert heading
    client = module_of("referee_client").__version__
    assert [heading.group(1)] * 2 == [referee.__version__, client]


def test_the_package_itself_holds_its_version_and_nothing_else():
    tree = tree_of(REPO / "referee/__init__.py")
    assigned = [node for node in tree.body if not isinstance(node, ast.Expr)]
    assert [f"__version__ = '{referee.__version__}'"] == [ast.unparse(node) for node in assigned]

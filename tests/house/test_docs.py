"""The pages say what is so: links lead somewhere, commands exist, examples compile."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from referee.cli import main
from tests.house.source import REPO, code_blocks, documents, name_of, prose_of, text_of

PAGES = list(map(name_of, documents()))
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SPAN = re.compile(r"`([^`\n]+)`")
TARGET = re.compile(r"^([a-z-]+):.*?## ", re.MULTILINE)
MAKE = re.compile(r"(?:^|[\s`(&;])make ([a-z][a-z-]*)")
REFEREE = re.compile(r"(?:^|[\s`(&;/])referee ([a-z][a-z-]*)")


def commands_in(page: str) -> Iterator[str]:
    """What a page gives to be typed: code spans, and the lines of its blocks for a shell."""
    path = REPO / page
    yield from SPAN.findall(prose_of(path))
    for _, block in code_blocks(path, "sh", "shell", "bash", "console", ""):
        yield from block.splitlines()


def anchors_of(path: Path) -> set[str]:
    """Anchors of a page's headings, as the forges make them."""
    headings = re.findall(r"^#+ (.+)$", prose_of(path), re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {heading.strip().replace(" ", "-") for heading in plain}


def leads_somewhere(path: Path, link: str) -> bool:
    target, _, anchor = link.partition("#")
    there = (path.parent / target).resolve() if target else path
    if not there.exists() or REPO not in [there, *there.parents]:
        return False
    return not anchor or there.suffix != ".md" or anchor in anchors_of(there)


def broken_links(page: str) -> list[str]:
    path = REPO / page
    prose = prose_of(path)
    inside = [link for link in LINK.findall(prose) if not re.match(r"[a-z]+:", link)]
    return [link for link in inside if not leads_somewhere(path, link)]


def test_there_is_a_page_for_each_question_of_a_newcomer():
    wanted = {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs/architecture.md"}
    assert set() == wanted - set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file_of_the_repository(page):
    assert [] == broken_links(page)


@pytest.mark.parametrize("page", PAGES)
def test_every_make_target_that_a_page_names_exists(page):
    targets = set(TARGET.findall(text_of(REPO / "Makefile")))
    named = {target for line in commands_in(page) for target in MAKE.findall(line)}
    assert set() == named - targets


@pytest.mark.parametrize("page", PAGES)
def test_every_subcommand_that_a_page_names_exists(page):
    assert isinstance(main, click.Group)
    named = {command for line in commands_in(page) for command in REFEREE.findall(line)}
    assert set() == named - set(main.commands)


@pytest.mark.parametrize("page", PAGES)
def test_every_python_example_compiles(page):
    for line, block in code_blocks(REPO / page, "python"):
        compile(block, f"{page}:{line}", "exec", dont_inherit=True)


def test_every_subcommand_is_on_a_page():
    text = "\n".join(text_of(REPO / page) for page in PAGES)
    assert [] == [command for command in main.commands if f"referee {command}" not in text]


def test_every_make_target_has_its_line_of_help():
    phony = re.search(r"^\.PHONY: (.+)$", text_of(REPO / "Makefile"), re.MULTILINE)
    assert phony
    assert sorted(phony.group(1).split()) == sorted(TARGET.findall(text_of(REPO / "Makefile")))


def test_decisions_are_numbered_without_gaps():
    numbers = sorted(int(path.name[:4]) for path in (REPO / "docs/decisions").glob("*.md"))
    assert list(range(1, len(numbers) + 1)) == numbers

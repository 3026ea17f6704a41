"""Every command says what it is for."""

from __future__ import annotations

import click
import pytest

from referee import __version__
from referee.cli import main
from tests.support.cli import run, run_here

COMMANDS = sorted(main.commands)


def test_the_version_is_that_of_the_package():
    done = run("--version")
    assert (0, f"referee, version {__version__}\n") == (done.returncode, done.stdout)


def test_the_help_lists_every_command_and_how_to_begin():
    done = run("--help")
    assert 0 == done.returncode
    assert ["demo", "games", "record", "serve", "verify"] == COMMANDS
    for name in COMMANDS:
        assert f"\n  {name} " in done.stdout
    assert "referee demo" in done.stdout
    assert "referee serve" in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_explains_itself_and_each_of_its_options(name):
    command = main.commands[name]
    assert command.help
    shown = run_here(name, "--help")
    assert 0 == shown.returncode
    assert command.help.split()[:9] == shown.stdout.partition("\n\n")[2].split()[:9]
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, option.name
            assert option.opts[-1] in shown.stdout


def test_an_unknown_command_is_answered_with_advice():
    done = run_here("sevre")
    assert 2 == done.returncode
    assert "No such command 'sevre'" in done.stderr
    assert "--help" in done.stderr

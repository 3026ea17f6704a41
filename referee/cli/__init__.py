"""The command line: one command a file, gathered here."""

from __future__ import annotations

import click

from referee import __version__
from referee.cli.demo import demo
from referee.cli.games import games
from referee.cli.record import record
from referee.cli.serve import serve
from referee.cli.verify import verify

EPILOG = """\b
Begin with:
  referee demo      watch bots play a match of each game
  referee serve     start a referee of your own
"""


@click.group(
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="referee")
def main() -> None:
    """Referee turn-based games over gRPC.

    The referee owns the rules, rolls the dice and shuffles the cards from a seed that it commits to
    before the first action, keeps every match in Redis, and can prove afterwards that it was fair.
    """


for _command in (serve, demo, record, verify, games):
    main.add_command(_command)

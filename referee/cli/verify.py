"""``referee verify``: prove records, offline."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click
from rich.markup import escape
from rich.progress import track

from referee.cli.output import console
from referee.errors import InvalidRequestError, RefereeError
from referee.match.verify import Verification
from referee.match.verify import verify as verify_record
from referee.wire.record import record_from_file


@click.command()
@click.argument(
    "records", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object per record, for scripts."
)
def verify(records: tuple[Path, ...], as_json: bool) -> None:  # noqa: FBT001 - a flag
    """Verify records: compute every die, card and state again from the published seed.

    RECORDS are files that `referee record` wrote. For each one the commitment, the key, every
    chance event, every event on the board and every state is computed again and compared; the first
    point that differs is named. Needs no referee and no network. Exits with 1 if any record is not
    good.
    """
    results = {}
    quiet = len(records) == 1 or not sys.stderr.isatty()
    for path in track(
        records, "verifying", console=console(stderr=True), disable=quiet, transient=True
    ):
        results[path] = _verify_file(path)
    for path, result in results.items():
        if as_json:
            click.echo(json.dumps(_described(path, result)))
        else:
            _print(path, result)
    if not all(isinstance(result, Verification) and result.good for result in results.values()):
        raise click.exceptions.Exit(1)


def _verify_file(path: Path) -> Verification | str:
    """What verifying a file came to, or why it can't be read as a record."""
    try:
        return verify_record(record_from_file(path.read_bytes()))
    except InvalidRequestError as error:
        # The whole file, or an event that is named by its version: the field would say it twice.
        return error.description if error.field in {"record", "events"} else error.message
    except RefereeError as error:
        return error.message
    except OSError as error:
        return f"can't be read: {error.strerror}"


def _described(path: Path, result: Verification | str) -> dict[str, object]:
    if isinstance(result, str):
        return {"record": str(path), "good": False, "error": result}
    return {"record": str(path), "good": result.good, **asdict(result)}


def _print(path: Path, result: Verification | str) -> None:
    out = console()
    if isinstance(result, Verification) and result.good:
        out.print(
            f"[bold green]good[/]  {escape(str(path))}: {result.events} events and "
            f"{result.chance_events} chance events computed again, all equal"
        )
    else:
        out.print(f"[bold red]BAD[/]   {escape(str(path))}: ", end="")
        text = result if isinstance(result, str) else str(result.difference)
        out.print(text, markup=False)

"""``referee record``: fetch the record of a match from a running referee."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from referee.cli.output import console, fail
from referee.cli.reach import require_referee
from referee.config import DEFAULT_PORT
from referee.wire.record import record_to_json
from referee_client import Record, RefereeClient
from referee_client import RefereeError as ClientError


@click.command()
@click.argument("match_id", metavar="MATCH")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write; protobuf bytes if it ends in .pb, else JSON. Default: standard output.",
)
@click.option(
    "--target",
    default=f"127.0.0.1:{DEFAULT_PORT}",
    show_default=True,
    envvar="REFEREE_TARGET",
    show_envvar=True,
    metavar="HOST:PORT",
    help="The referee to ask.",
)
@click.option(
    "--token",
    default="",
    envvar="REFEREE_TOKEN",
    show_envvar=True,
    help="A seat token, to see what that seat may see of a match that goes on.",
)
def record(match_id: str, output: Path | None, target: str, token: str) -> None:
    """Write the record of a match: settings, every action, every outcome, and the result.

    Once the match has ended the record holds the server seed, and `referee verify` can prove it.
    Before that it holds what the public may see, or with a seat's token what that seat may see.
    """
    try:
        found = asyncio.run(_fetch(target, match_id, token))
    except ClientError as error:
        fail(f"{error} (asked {target})")
    if output is None:
        click.echo(record_to_json(found), nl=False)
        return
    try:
        if output.suffix == ".pb":
            output.write_bytes(found.SerializeToString())
        else:
            output.write_text(record_to_json(found))
    except OSError as error:
        fail(f"{output} can't be written: {error.strerror}")
    console(stderr=True).print(f"{len(found.events)} events written to {output}", markup=False)


async def _fetch(target: str, match_id: str, token: str) -> Record:
    await require_referee(target)
    async with RefereeClient(target, token=token or None) as client:
        return await client.record(match_id)

"""``referee games``: what can be played."""

from __future__ import annotations

import json

import click
from google.protobuf import json_format
from rich.table import Table

from referee.cli.output import console
from referee.registry import GAMES, AnyGame


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
def games(as_json: bool) -> None:  # noqa: FBT001 - a flag
    """List the games that this referee knows, their seats and their settings."""
    found = [GAMES[game_id] for game_id in sorted(GAMES)]
    if as_json:
        click.echo(json.dumps([_described(game) for game in found], indent=2))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("game", "title", "seats", "settings (default)", "about"):
        table.add_column(column)
    for game in found:
        info = game.info
        seats = str(info.min_seats)
        if info.max_seats > info.min_seats:
            seats = f"{info.min_seats}-{info.max_seats}"
        settings = ", ".join(f"{name}={value}" for name, value in _settings(game).items()) or "none"
        table.add_row(info.id, info.title, seats, settings, info.summary)
    console().print(table)


def _settings(game: AnyGame) -> dict[str, object]:
    message = game.wire.settings_to_message(game.default_settings)
    found: dict[str, object] = json_format.MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return found


def _described(game: AnyGame) -> dict[str, object]:
    info = game.info
    return {
        "game": info.id,
        "title": info.title,
        "summary": info.summary,
        "rules_version": info.rules_version,
        "min_seats": info.min_seats,
        "max_seats": info.max_seats,
        "colours": list(info.colours),
        "default_settings": _settings(game),
    }

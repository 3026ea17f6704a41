"""``referee demo``: bots play a match of each game, and the records are verified.

Everything goes the way that users' programs go: gRPC, the Python client, a Redis behind it. Without
``--target`` the demo starts a referee of its own, with a private Redis in a folder that is thrown
away afterwards.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from referee.app import running
from referee.cli.output import console, drawn, fail
from referee.cli.reach import require_referee
from referee.config import Config
from referee.errors import RefereeError
from referee.match.verify import Verification
from referee.match.verify import verify as verify_record
from referee.plugin import GameInfo
from referee.registry import GAMES, AnyGame
from referee.store.redis_server import EmbeddedRedisError
from referee.wire.record import record_from_file, record_to_json
from referee_client import Colour, Event, Match, RefereeClient
from referee_client import RefereeError as ClientError
from referee_client.bots import Bot, GreedyBot, RandomBot, play

# A plain page shows the board at the start, at the end, and so many times in between.
BOARDS_IN_BETWEEN = 2
FRAMES_A_SECOND = 12


@dataclass(frozen=True)
class Wanted:
    """How to play: seats, the seed of the bots' choices, seconds before each action."""

    seats: int
    seed: int | None
    pace: float


@dataclass(frozen=True)
class Played:
    """A match that the demo played.

    Attributes:
        game: The game.
        match: The match at its end.
        seconds: How long it took.
        record: Its record, as JSON.
        verification: What verifying the record came to.
    """

    game: AnyGame
    match: Match
    seconds: float
    record: str
    verification: Verification


@click.command()
@click.option(
    "--target",
    default="",
    metavar="HOST:PORT",
    help="A running referee; without one the demo starts its own.",
)
@click.option(
    "--game",
    "game_ids",
    multiple=True,
    type=click.Choice(sorted(GAMES)),
    help="Only this game; may be repeated.",
)
@click.option(
    "--seats",
    default=2,
    show_default=True,
    type=click.IntRange(1),
    help="Seats; a game that can't have so many says how many play.",
)
@click.option(
    "--seed",
    default=None,
    type=int,
    help="Make the bots' choices repeatable; the referee's luck is not.",
)
@click.option(
    "--pace",
    default=0.0,
    show_default=True,
    type=click.FloatRange(0),
    metavar="SECONDS",
    help="Pause before each action, to look on.",
)
@click.option(
    "--save",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the records to this folder.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object per match and no boards."
)
def demo(
    target: str,
    game_ids: tuple[str, ...],
    seats: int,
    seed: int | None,
    pace: float,
    save: Path | None,
    *,
    as_json: bool,
) -> None:
    """Watch bots play a match of each game, then verify the records.

    A greedy bot sits in seat 0 and random ones in the others. Exits with 0 only if every match came
    to its end and every record was verified.
    """
    logging.getLogger().setLevel(logging.WARNING)
    games = [GAMES[game_id] for game_id in (game_ids or sorted(GAMES, reverse=True))]
    show = Console(quiet=True) if as_json else console()
    if save is not None:
        _make(save)
    try:
        played = asyncio.run(_demo(target, games, Wanted(seats, seed, pace), show))
    except (ClientError, EmbeddedRedisError, RefereeError) as error:
        fail(str(error))
    for one in played:
        if save is not None:
            (save / f"{one.game.info.id}-{one.match.match_id}.json").write_text(one.record)
        if as_json:
            click.echo(json.dumps(_summary(one)))
    bad = [one.game.info.title for one in played if not one.verification.good]
    if bad:
        fail(f"The record does not hold: {', '.join(bad)}")
    show.print(
        "[bold green]All held:[/] every match came to its end and every record was verified."
    )


def _make(folder: Path) -> None:
    """Make a folder before anything is played for it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"{folder} can't be used: {error.strerror}")


async def _demo(target: str, games: list[AnyGame], wanted: Wanted, show: Console) -> list[Played]:
    async with _referee(target, show) as address, RefereeClient(address) as client:
        return [await _play(client, game, wanted, show) for game in games]


@asynccontextmanager
async def _referee(target: str, show: Console) -> AsyncIterator[str]:
    """Address of the referee to play on."""
    if target:
        await require_referee(target)
        yield target
        return
    with tempfile.TemporaryDirectory(prefix="referee-demo-") as folder:
        async with running(Config(port=0, data_dir=Path(folder))) as up:
            show.print(
                f"A referee listens on {up.address}, with a redis-server of its own.", markup=False
            )
            yield up.address


async def _play(client: RefereeClient, game: AnyGame, wanted: Wanted, show: Console) -> Played:
    """Play one match to its end, show it, and verify its record."""
    info = game.info
    seats = min(max(wanted.seats, info.min_seats), info.max_seats)
    created = await client.create_match(info.id, seats=seats)
    match_id = created.match.match_id
    show.rule(f"[bold]{info.title}[/]: match {match_id}")
    if seats != wanted.seats:
        show.print(f"{info.title} has {_range_of(info)} seats: {seats} play, not {wanted.seats}.")
    show.print(f"commitment to the seed:\n  {created.match.commitment.hex()}")
    bots: list[tuple[str, Bot]] = [("Greedy", GreedyBot(wanted.seed))]
    bots += [(f"Random {number}", RandomBot(wanted.seed)) for number in range(1, seats)]
    began = time.perf_counter()
    tasks: list[asyncio.Task[object]] = []
    for (name, bot), code in zip(bots, created.join_codes.values(), strict=True):
        seat = await client.join_match(join_code=code, display_name=name)
        tasks.append(asyncio.create_task(play(seat, bot, pause=wanted.pace), name=name))
    try:
        await _show(client, game, match_id, show)
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
    seconds = time.perf_counter() - began
    text = record_to_json(await client.record(match_id))
    verification = verify_record(record_from_file(text.encode()))
    played = Played(game, await client.get_match(match_id), seconds, text, verification)
    _tell(played, show)
    return played


def _range_of(info: GameInfo) -> str:
    """How many seats a game may have, for people."""
    if info.min_seats == info.max_seats:
        return str(info.min_seats)
    return f"{info.min_seats} to {info.max_seats}"


async def _show(client: RefereeClient, game: AnyGame, match_id: str, show: Console) -> None:
    """Show the match while it is played: live on a terminal, a few boards elsewhere."""
    if show.is_terminal:
        with Live(console=show, refresh_per_second=FRAMES_A_SECOND, transient=True) as live:
            await _follow(
                client, game, match_id, lambda board, event: live.update(Group(board, _line(event)))
            )
        show.print(await _board(client, game, match_id))
        return
    boards: list[Text] = []
    await _follow(client, game, match_id, lambda board, _: boards.append(board))
    step = max(1, (len(boards) - 1) // (BOARDS_IN_BETWEEN + 1))
    for board in [*boards[:-1:step][: BOARDS_IN_BETWEEN + 1], boards[-1]]:
        show.print(board)
        show.print()


async def _follow(
    client: RefereeClient, game: AnyGame, match_id: str, frame: Callable[[Text, Event], None]
) -> None:
    """Give ``frame`` a board at most so many times a second, and the last one for certain."""
    next_frame = 0.0
    async for event in client.watch(match_id):
        now = time.perf_counter()
        if now >= next_frame or event.HasField("result"):
            next_frame = now + 1 / FRAMES_A_SECOND
            with contextlib.suppress(LookupError):
                frame(await _board(client, game, match_id), event)


async def _board(client: RefereeClient, game: AnyGame, match_id: str) -> Text:
    """The board as the public may see it.

    Raises:
        LookupError: The match is still open.
    """
    view = await client.get_observation(match_id)
    if view.observation is None:
        raise LookupError(match_id)
    observation = game.wire.observation_from_message(getattr(view.observation, game.info.id))
    seats = view.match.seats
    names = [seat.display_name for seat in seats]
    colours = [Colour.Name(seat.colour).removeprefix("COLOUR_").lower() for seat in seats]
    return drawn(game.draw.board(observation, names, colours))


def _line(event: Event) -> Text:
    return Text(f"version {event.version}, action {event.ply}", style="dim")


def _tell(played: Played, show: Console) -> None:
    """Say how the match ended and what verifying it came to."""
    result, verification = played.match.result, played.verification
    names = " and ".join(played.match.seats[seat].display_name for seat in result.winners)
    ended = f"{names} won" if len(result.winners) == 1 else f"draw between {names}"
    pace = played.match.ply / played.seconds
    show.print(
        f"{ended} after {played.match.ply} actions in {played.seconds:.1f} s ({pace:.0f} actions/s)"
    )
    if verification.good:
        show.print(
            f"[bold green]verified[/]: {verification.events} events and "
            f"{verification.chance_events} chance events\n"
            "  computed again from the published seed, all equal"
        )
    else:
        show.print(f"NOT VERIFIED: {verification.difference}", style="bold red", markup=False)
    show.print()


def _summary(played: Played) -> dict[str, object]:
    return {
        "game": played.game.info.id,
        "match_id": played.match.match_id,
        "winners": list(played.match.result.winners),
        "actions": played.match.ply,
        "seconds": round(played.seconds, 3),
        "verified": played.verification.good,
        "events": played.verification.events,
        "chance_events": played.verification.chance_events,
    }

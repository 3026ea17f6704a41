"""``referee serve``: run a referee."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from pathlib import Path

import click

from referee.app import Running, running
from referee.cli.output import console, fail
from referee.config import DEFAULT_PORT, Config, ConfigError, Durability
from referee.errors import RefereeError
from referee.service.address import ListenError
from referee.service.tokens import KEY_BYTES
from referee.store.redis_server import EmbeddedRedisError
from referee.telemetry import set_up_logging
from referee.workers.supervisor import supervised
from referee.workers.worker import WorkerError

OPERATOR_TOKEN = "REFEREE_OPERATOR_TOKEN"  # noqa: S105 - the variable's name
TOKEN_KEY = "REFEREE_TOKEN_KEY"  # noqa: S105 - the variable's name
LEVELS = ["debug", "info", "warning", "error"]

EPILOG = f"""\b
Secrets come from the environment, which the process list does not show:
  {OPERATOR_TOKEN}   what an operator's calls carry; unset: nobody is an operator
  {TOKEN_KEY}        64 hex digits that sign seat tokens; unset: a key kept in Redis
"""


@click.command(epilog=EPILOG)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    envvar="REFEREE_HOST",
    show_envvar=True,
    help="Address to listen on.",
)
@click.option(
    "--port",
    default=DEFAULT_PORT,
    show_default=True,
    envvar="REFEREE_PORT",
    show_envvar=True,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 takes a free one.",
)
@click.option(
    "--redis-url",
    default="",
    envvar="REFEREE_REDIS_URL",
    show_envvar=True,
    metavar="URL",
    help="Redis 7.0 or newer, such as redis://localhost:6379/0. Without one, the referee starts "
    "a private redis-server that keeps an append-only file.",
)
@click.option(
    "--data",
    "data_dir",
    default=Path("data"),
    show_default=True,
    envvar="REFEREE_DATA",
    show_envvar=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the private Redis.",
)
@click.option(
    "--namespace",
    default="referee",
    show_default=True,
    envvar="REFEREE_NAMESPACE",
    show_envvar=True,
    help="Prefix of all keys, so that several referees can share a Redis.",
)
@click.option(
    "--workers",
    default=1,
    show_default=True,
    envvar="REFEREE_WORKERS",
    show_envvar=True,
    type=click.IntRange(1, 256),
    help="Processes that share the port. With more than one, a dead one comes back, and SIGHUP "
    "restarts them one after another.",
)
@click.option(
    "--durability",
    default=Durability.MEMORY.value,
    show_default=True,
    envvar="REFEREE_DURABILITY",
    show_envvar=True,
    type=click.Choice([one.value for one in Durability]),
    help="How safe a commit must be before its receipt leaves: accepted by Redis, on Redis' disk, "
    "or received by a replica besides.",
)
@click.option(
    "--grace",
    default=10.0,
    show_default=True,
    type=click.FloatRange(0),
    metavar="SECONDS",
    help="How long calls in flight may take when the referee stops.",
)
@click.option(
    "--keep-open",
    default=24.0,
    show_default=True,
    envvar="REFEREE_KEEP_OPEN",
    show_envvar=True,
    metavar="HOURS",
    help="Silence after which a match that was never filled is abandoned.",
)
@click.option(
    "--keep-idle",
    default=168.0,
    show_default=True,
    envvar="REFEREE_KEEP_IDLE",
    show_envvar=True,
    metavar="HOURS",
    help="Silence after which a match without clocks is abandoned.",
)
@click.option(
    "--keep-records",
    default=2160.0,
    show_default=True,
    envvar="REFEREE_KEEP_RECORDS",
    show_envvar=True,
    metavar="HOURS",
    help="How long the record of an ended match can be read.",
)
@click.option(
    "--log-level", default="info", show_default=True, type=click.Choice(LEVELS), help="What to log."
)
def serve(
    host: str,
    port: int,
    redis_url: str,
    data_dir: Path,
    namespace: str,
    workers: int,
    durability: str,
    grace: float,
    keep_open: float,
    keep_idle: float,
    keep_records: float,
    log_level: str,
) -> None:
    """Run a referee until Ctrl-C or SIGTERM.

    Every match is kept in Redis: stop the referee, or kill it, start it again on the same data, and
    every match goes on where it was.
    """
    set_up_logging(log_level)
    try:
        config = Config(
            host=host,
            port=port,
            redis_url=redis_url,
            data_dir=data_dir,
            namespace=namespace,
            durability=Durability(durability),
            grace=grace,
            keep_open=keep_open,
            keep_idle=keep_idle,
            keep_records=keep_records,
            operator_token=os.environ.get(OPERATOR_TOKEN, ""),
            token_key=_token_key(os.environ.get(TOKEN_KEY, "")),
        )
        asyncio.run(_serve(config, workers, log_level))
    except (ConfigError, EmbeddedRedisError, ListenError, WorkerError, RefereeError) as error:
        fail(str(error))


async def _serve(config: Config, workers: int, log_level: str) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for one in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(one, stop.set)
    async with contextlib.AsyncExitStack() as stack:
        pids: tuple[int, ...] = ()
        if workers == 1:
            up = await stack.enter_async_context(running(config))
        else:
            start = supervised(config, workers, log_level)
            up, team = await stack.enter_async_context(start)
            pids = team.pids
            loop.add_signal_handler(signal.SIGHUP, team.restart)
        _welcome(up, pids)
        await stop.wait()
        console().print("Stopping: no new calls, those in flight may finish.")


def _welcome(up: Running, pids: tuple[int, ...]) -> None:
    """Say where it listens, what Redis it uses, and how to try it.

    Scripts can wait for the first line.
    """
    out = console()
    out.print(f"The referee listens on [bold]{up.address}[/]")
    out.print(f"Matches are kept in {up.redis}", markup=False)
    if pids:
        out.print(f"{len(pids)} workers share the port (processes {', '.join(map(str, pids))})")
        out.print(f"Restart them one after another with: kill -HUP {os.getpid()}")
    out.print("Try it:")
    out.print(f"  {found_as('referee') or 'referee'} demo --target {up.address}", style="cyan")
    buf = found_as("buf")
    if buf:
        url = f"http://{up.address}/referee.v1.MatchService/ListGames"
        out.print(f"  {buf} curl --protocol grpc --http2-prior-knowledge {url}", style="cyan")
    out.print("Stop it with Ctrl-C.")
    out.file.flush()


def found_as(program: str) -> str:
    """What to type here to run a program: its name if PATH has it, else its path; empty if none.

    A virtual environment that is not active has its programs beside its interpreter.
    """
    if shutil.which(program):
        return program
    beside = Path(sys.executable).parent / program
    if not beside.exists():
        return ""
    with contextlib.suppress(ValueError):
        return str(beside.relative_to(Path.cwd()))
    return str(beside)


def _token_key(text: str) -> bytes:
    if not text:
        return b""
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        fail(
            f"{TOKEN_KEY} must be {2 * KEY_BYTES} hex digits. Make one with: openssl rand "
            f"-hex {KEY_BYTES}"
        )
    return key

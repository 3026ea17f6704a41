"""`make bench`: what the referee costs, as ratios against a ceiling measured in the same run.

One server process is pinned to one core; the load and Redis have the other cores. Absolute figures
depend on the machine, ratios hardly do.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import pstats
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

import grpc
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.engines import EngineReading, measure
from bench.processes import Server, server, spread_over_cores
from bench.submit import Reading, measure_echo, measure_submit
from referee.registry import GAMES

# SubmitAction is measured on the game without luck: its matches can be drawn beforehand.
SUBMIT_GAME = "yoxii"
ENGINE_SEATS = 4  # or as near as the game allows
ENGINE_GOAL_US = 60
RATIO_GOAL = 0.5
PROFILE_ROWS = 25


def main() -> int:
    """Measure, print, and with ``--json`` write the figures."""
    options = parse_options()
    apart = spread_over_cores()
    if options.profile:
        profile(options.flight, options.matches)
        return 0
    engines = {
        game_id: measure(game, min(ENGINE_SEATS, game.info.max_seats), options.playouts)
        for game_id, game in sorted(GAMES.items())
    }
    with tempfile.TemporaryDirectory() as folder, server(*_referee(folder)) as up:
        submit = _measure_submit(up, options.flight, options.matches)
    with server("bench/echo_server.py") as up:
        sizes = submit.request_bytes, submit.response_bytes
        echo = asyncio.run(measure_echo(up, options.flight, options.seconds, *sizes))
    print_report(engines, submit, echo, apart=apart)
    if options.json:
        options.json.write_text(json.dumps(as_json(engines, submit, echo), indent=2) + "\n")
    return 0


def parse_options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=5.0, help="how long to measure the echo (default 5)"
    )
    parser.add_argument("--matches", type=int, default=500, help="matches to play (default 500)")
    parser.add_argument("--flight", type=int, default=64, help="calls in flight (default 64)")
    parser.add_argument("--playouts", type=int, default=20, help="playouts per engine (default 20)")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument(
        "--profile", action="store_true", help="print where the server's time goes, nothing else"
    )
    return parser.parse_args()


def as_json(engines: dict[str, EngineReading], submit: Reading, echo: Reading) -> dict[str, object]:
    """The figures for programs."""
    return {
        "python": platform.python_version(),
        "grpcio": grpc.__version__,
        "echo": asdict(echo),
        "submit": asdict(submit),
        "ratio_throughput": submit.calls_per_second / echo.calls_per_second,
        "ratio_cpu": echo.server_us / submit.server_us,
        "engines": {game_id: asdict(reading) for game_id, reading in engines.items()},
    }


def _referee(folder: str) -> list[str]:
    return ["-m", "referee", "serve", "--port", "0", "--data", folder, "--log-level", "warning"]


def print_report(
    engines: dict[str, EngineReading], submit: Reading, echo: Reading, *, apart: bool
) -> None:
    """The figures as two small tables."""
    show = Console(highlight=False, soft_wrap=True)
    show.print(f"Python {platform.python_version()}, grpcio {grpc.__version__}, one server core")
    if not apart:
        show.print("There is only one core: the load shares it, and the figures are too low.")
    goal = f"goal: legal + apply under {ENGINE_GOAL_US} us"
    table = Table(title=f"Engines, us per action ({goal})", title_justify="left", box=None)
    for column in ("game", "legal", "apply", "sum", "encode", "state bytes", "actions"):
        table.add_column(column, justify="right")
    for game_id, engine in engines.items():
        both = engine.legal_us + engine.apply_us
        figures = (engine.legal_us, engine.apply_us, both, engine.encode_us)
        cells = [f"{figure:.1f}" for figure in figures]
        table.add_row(game_id, *cells, f"{engine.state_bytes:.0f}", str(engine.actions))
    show.print(table)
    sizes = f"{submit.request_bytes} bytes up, {submit.response_bytes} down"
    table = Table(title=f"Calls, {sizes}", title_justify="left", box=None)
    for column in ("", "calls/s", "server us", "redis us", "p50 ms", "p99 ms"):
        table.add_column(column, justify="right")
    for name, call in (("bare echo", echo), ("SubmitAction", submit)):
        whole = (call.calls_per_second, call.server_us, call.redis_us)
        cells = [f"{figure:.0f}" for figure in whole]
        table.add_row(name, *cells, f"{call.p50_ms:.1f}", f"{call.p99_ms:.1f}")
    show.print(table)
    throughput = submit.calls_per_second / echo.calls_per_second
    processor = echo.server_us / submit.server_us
    show.print(f"SubmitAction to bare echo (goal: {RATIO_GOAL}):")
    show.print(f"  throughput {throughput:.2f}, server time per call {processor:.2f}")


def profile(flight: int, matches: int) -> None:
    """Run SubmitAction under cProfile and print where the server's own time goes."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "profile"
        with server("-m", "cProfile", "-o", str(out), *_referee(folder)) as up:
            _measure_submit(up, flight, matches)
        pstats.Stats(str(out)).strip_dirs().sort_stats("tottime").print_stats(PROFILE_ROWS)


def _measure_submit(up: Server, flight: int, matches: int) -> Reading:
    return asyncio.run(measure_submit(up, GAMES[SUBMIT_GAME], flight, matches))


if __name__ == "__main__":
    sys.exit(main())

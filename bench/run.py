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
from bench.play import CommitReading, measure_commit, measure_play, measure_stream_echo
from bench.processes import Server, server, spread_over_cores
from bench.submit import Reading, measure_echo, measure_submit
from referee.registry import GAMES

# SubmitAction is measured on the game without luck: its matches can be drawn beforehand.
SUBMIT_GAME = "yoxii"
ENGINE_SEATS = 4  # or as near as the game allows
ENGINE_GOAL_US = 60
COMMITS = 12_800
# Name, full frames, events besides receipts.
PLAY_LOADS = (
    ("Play, single frames", False, False),
    ("Play, full frames", True, False),
    ("Play, full frames, events", True, True),
)
CEILINGS = {
    "SubmitAction": "bare echo",
    "Play, single frames": "bare stream echo",
    "Play, full frames": "bare stream echo",
    "Play, full frames, events": "bare stream echo",
}
GOALS = {
    "SubmitAction": 0.5,
    "Play, single frames": 0.32,
    "Play, full frames": 0.6,
    "Play, full frames, events": 0.4,
}
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
    calls = measure_calls(options.flight, options.matches, options.seconds)
    commit = asyncio.run(measure_commit(COMMITS, calls["Play, single frames"].response_bytes))
    print_report(engines, calls, commit, apart=apart)
    if options.json:
        figures = as_json(engines, calls, commit)
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


def measure_calls(flight: int, matches: int, seconds: float) -> dict[str, Reading]:
    """Every kind of load, each on a fresh referee, and then the bare echoes of the same sizes."""
    game = GAMES[SUBMIT_GAME]
    calls: dict[str, Reading] = {}
    with tempfile.TemporaryDirectory() as folder, server(*_referee(folder)) as up:
        calls["SubmitAction"] = _measure_submit(up, flight, matches)
    for name, full, events in PLAY_LOADS:
        with tempfile.TemporaryDirectory() as folder, server(*_referee(folder)) as up:
            load = measure_play(up, game, flight, matches, full=full, events=events)
            calls[name] = asyncio.run(load)
    with server("bench/echo_server.py") as up:
        one, many = calls["SubmitAction"], calls["Play, single frames"]
        sizes = one.request_bytes, one.response_bytes
        calls["bare echo"] = asyncio.run(measure_echo(up, flight, seconds, *sizes))
        sizes = many.request_bytes, many.response_bytes
        calls["bare stream echo"] = asyncio.run(measure_stream_echo(up, flight, seconds, *sizes))
    return calls


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


def ratios(calls: dict[str, Reading]) -> dict[str, tuple[float, float]]:
    """What each load reaches of its ceiling: of its calls a second, and of its server time."""
    found = {}
    for name, call in calls.items():
        ceiling = CEILINGS.get(name)
        if ceiling is not None:
            bare = calls[ceiling]
            throughput = call.calls_per_second / bare.calls_per_second
            found[name] = (throughput, bare.server_us / call.server_us)
    return found


def as_json(
    engines: dict[str, EngineReading], calls: dict[str, Reading], commit: CommitReading
) -> dict[str, object]:
    """The figures for programs."""
    return {
        "python": platform.python_version(),
        "grpcio": grpc.__version__,
        "calls": {name: asdict(call) for name, call in calls.items()},
        "commit": asdict(commit),
        "ratios": {
            name: {"ceiling": CEILINGS[name], "throughput": throughput, "server_time": processor}
            for name, (throughput, processor) in ratios(calls).items()
        },
        "engines": {game_id: asdict(reading) for game_id, reading in engines.items()},
    }


def _referee(folder: str) -> list[str]:
    return ["-m", "referee", "serve", "--port", "0", "--data", folder, "--log-level", "warning"]


def print_report(
    engines: dict[str, EngineReading],
    calls: dict[str, Reading],
    commit: CommitReading,
    *,
    apart: bool,
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
    table = Table(title="Calls, or submits", title_justify="left", box=None)
    for column in ("", "per s", "server us", "redis us", "p50 ms", "p99 ms", "up", "down"):
        table.add_column(column, justify="right")
    for name, call in calls.items():
        whole = (call.calls_per_second, call.server_us, call.redis_us)
        cells = [f"{figure:.0f}" for figure in whole]
        cells += [f"{call.p50_ms:.1f}", f"{call.p99_ms:.1f}"]
        table.add_row(name, *cells, str(call.request_bytes), str(call.response_bytes))
    show.print(table)
    for name, (throughput, processor) in ratios(calls).items():
        show.print(
            f"{name} to {CEILINGS[name]} (goal: {GOALS[name]}): "
            f"throughput {throughput:.2f}, server time {processor:.2f}"
        )
    show.print(
        f"One commit and nothing else: {commit.commits_per_second:.0f}/s, "
        f"{commit.client_us:.0f} us to pack and read, {commit.redis_us:.0f} us of Redis"
    )


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

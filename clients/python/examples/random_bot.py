"""A bot that plays any legal action, in any game the referee knows.

Sit down with a join code, or open a match of your own and hand out the codes it prints::

    python random_bot.py localhost:50051 --create yoxii
    python random_bot.py localhost:50051 --join CODE
"""

from __future__ import annotations

import argparse
import asyncio
import sys

from referee_client import Match, RefereeClient, RefereeError, SeatClient
from referee_client.bots import RandomBot, play


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Play any legal action until the match is over.")
    parser.add_argument("target", help="address of the referee, such as localhost:50051")
    way_in = parser.add_mutually_exclusive_group(required=True)
    way_in.add_argument("--join", metavar="CODE", help="take the seat of this join code")
    way_in.add_argument("--create", metavar="GAME", help="open a match, such as xisk or yoxii")
    parser.add_argument("--seats", type=int, default=0, help="seats of a new match (fewest)")
    parser.add_argument("--name", default="Random bot", help="name to show")
    parser.add_argument("--seed", type=int, help="play the same way each time")
    return parser.parse_args()


async def sit_down(client: RefereeClient, options: argparse.Namespace) -> SeatClient:
    """Take the seat that the command line asks for; print the codes of the others."""
    code = options.join
    if options.create:
        created = await client.create_match(options.create, seats=options.seats)
        code = created.join_codes[0]
        for seat, other in sorted(created.join_codes.items())[1:]:
            print(f"join code of seat {seat}: {other}", flush=True)
    return await client.join_match(join_code=code, display_name=options.name)


def summary(match: Match, seat: int) -> str:
    """How the match ended, in a line."""
    if not match.HasField("result"):
        return f"match {match.match_id} never started"
    winners = list(match.result.winners)
    outcome = "lost" if seat not in winners else "won" if len(winners) == 1 else "drew"
    return f"seat {seat} {outcome} match {match.match_id} after {match.ply} actions"


async def main() -> int:
    """Play one match; gives the exit code."""
    options = arguments()
    try:
        async with RefereeClient(options.target) as client:
            seat = await sit_down(client, options)
            match = await play(seat, RandomBot(options.seed))
            print(summary(match, seat.seat))
    except RefereeError as error:
        print(error.message, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

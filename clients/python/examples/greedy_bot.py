"""A bot that plays what looks best right now, in any game, and tells what happens.

It shows how to follow a match while playing it. Sit down with a join code, in a public match, or in
one of your own::

    python greedy_bot.py localhost:50051 --create xisk --seats 3
    python greedy_bot.py localhost:50051 --join CODE
"""

from __future__ import annotations

import argparse
import asyncio
import sys

from referee_client import Event, RefereeClient, RefereeError, SeatClient, format_action
from referee_client.bots import GreedyBot, play


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Play what looks best until the match is over.")
    parser.add_argument("target", help="address of the referee, such as localhost:50051")
    way_in = parser.add_mutually_exclusive_group(required=True)
    way_in.add_argument("--join", metavar="CODE", help="take the seat of this join code")
    way_in.add_argument("--match", metavar="ID", help="take an open seat of this public match")
    way_in.add_argument("--create", metavar="GAME", help="open a match, such as xisk or yoxii")
    parser.add_argument("--seats", type=int, default=0, help="seats of a new match (fewest)")
    parser.add_argument("--name", default="Greedy bot", help="name to show")
    parser.add_argument("--seed", type=int, help="break ties the same way each time")
    parser.add_argument("--quiet", action="store_true", help="don't print actions")
    return parser.parse_args()


async def sit_down(client: RefereeClient, options: argparse.Namespace) -> SeatClient:
    """Take the seat that the command line asks for; print the codes of the others."""
    if options.match:
        return await client.join_match(match_id=options.match, display_name=options.name)
    code = options.join
    if options.create:
        created = await client.create_match(options.create, seats=options.seats)
        code = created.join_codes[0]
        for seat, other in sorted(created.join_codes.items())[1:]:
            print(f"join code of seat {seat}: {other}", flush=True)
    return await client.join_match(join_code=code, display_name=options.name)


def tell(event: Event) -> None:
    """Print an action."""
    if event.HasField("action"):
        print(f"{event.ply:5} seat {event.seat}: {format_action(event.action.action)}")


async def main() -> int:
    """Play one match; gives the exit code."""
    options = arguments()
    try:
        async with RefereeClient(options.target) as client:
            seat = await sit_down(client, options)
            on_event = None if options.quiet else tell
            match = await play(seat, GreedyBot(options.seed), on_event=on_event)
            print(f"you are seat {seat.seat}; winners: {list(match.result.winners)}")
    except RefereeError as error:
        print(error.message, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

"""Bots to play against and to start from: a protocol, two samples, and the loop that plays a seat.

What lives here: the public names. A bot of your own needs one method, ``choose``.

::

    async with RefereeClient("localhost:50051") as client:
        seat = await client.join_match(match_id=match_id)
        match = await play(seat, GreedyBot(seed=1))
"""

from __future__ import annotations

from referee_client.bots._bot import Bot, GreedyBot, RandomBot
from referee_client.bots._play import play

__all__ = ["Bot", "GreedyBot", "RandomBot", "play"]

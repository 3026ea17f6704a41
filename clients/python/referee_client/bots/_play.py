"""Playing a seat to the end of its match.

What lives here: the loop between a seat and a bot. What must not live here: what a bot chooses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from referee_client._errors import (
    FlagFellError,
    MatchOverError,
    NotYourTurnError,
    StaleVersionError,
)
from referee_client._following import Following
from referee_client._gen.referee.v1.match_pb2 import Event, Match
from referee_client._play import PlayStream
from referee_client._seat import SeatClient
from referee_client._watch import Watch, is_over
from referee_client.bots._bot import Bot

_BEHIND = 0.05
"""Seconds to wait where a referee does not know yet what another one has told."""


async def play(
    seat: SeatClient,
    bot: Bot,
    *,
    on_event: Callable[[Event], None] | None = None,
    stream: PlayStream | None = None,
    pause: float = 0.0,
) -> Match:
    """Play a seat until the match is over: watch, and act whenever it is its turn.

    Waits for the start when seats are still open, and carries on in a match that is on its way.
    Lost connections are bridged as long as the client's retry policy lasts.

    Args:
        seat: The seat.
        bot: Chooses its actions.
        on_event: Called with every event from now on, each once and in order.
        stream: A stream to play over, which many seats may share; None takes calls of their own.
        pause: Seconds to wait before each action, for people who look on.

    Returns:
        The match at its end, with its result; without one if it was abandoned before the start.

    Raises:
        RefereeError: The seat can't be played, or no referee answers any more.
    """
    view = await seat.observation(include_legal_actions=True)
    if is_over(view.match):
        return view.match
    seen = version = view.match.version
    events: Watch | Following
    if stream is None:
        table: SeatClient | Following = seat
        events = seat.watch(after_version=version)
    else:
        table = events = await stream.subscribe(seat, after_version=version)
    async with events:
        if seat.seat in view.match.to_move:
            seen = await _act(seat, table, bot, seen, pause)
        async for event in events:
            if on_event is not None:
                on_event(event)
            # Events of own actions arrive after their receipts did: those turns are played already.
            if event.version > seen and seat.seat in event.to_move:
                seen = await _act(seat, table, bot, event.version, pause)
    return await seat.match()


async def _act(
    seat: SeatClient, table: SeatClient | Following, bot: Bot, known: int, pause: float
) -> int:
    """Act until the seat is not to move any more; gives the version up to which that is settled.

    Looks through the seat and submits to the table, which is the seat or its place on a stream.
    ``known`` is a version that the match has reached: what is older says nothing about whose turn
    it is.
    """
    while True:
        view = await seat.observation(include_legal_actions=True)
        version, observation, legal = view.match.version, view.observation, view.legal_actions
        if version < known:
            await asyncio.sleep(_BEHIND)
            continue
        try:
            while legal and observation is not None:
                if pause:
                    await asyncio.sleep(pause)
                done = await table.submit(
                    bot.choose(observation, legal),
                    expected_version=version,
                    include_observation=True,
                    include_legal_actions=True,
                )
                version = done.receipt.event.version
                observation, legal = done.observation, done.legal_actions
        except (StaleVersionError, NotYourTurnError, FlagFellError):
            continue  # somebody resigned, time ran out, or another one plays this seat: look again
        except MatchOverError:
            return version  # the watch tells the rest
        return version

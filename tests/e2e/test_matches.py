"""Whole matches through the Python client, watched from several places, their records proven."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from referee_client import (
    Event,
    GameSettings,
    Match,
    MatchState,
    RefereeClient,
    SeatClient,
    Termination,
    Watch,
)
from referee_client.bots import Bot, GreedyBot, RandomBot, play
from referee_client.xisk import Settings
from tests.support.cli import run

ROUNDS = 5
BRIEF = GameSettings(xisk=Settings(round_limit=ROUNDS))
MATCHES: list[tuple[str | GameSettings, int]] = [
    ("yoxii", 2),
    ("xisk", 2),
    *[(BRIEF, seats) for seats in range(2, 7)],
]


@pytest.fixture
async def client(referee_process):
    async with RefereeClient(referee_process.address) as found:
        yield found


async def seated(
    client: RefereeClient, game: str | GameSettings, seats: int
) -> tuple[str, list[SeatClient]]:
    """A match that waits for its last seat to be taken, and its seats; the last one by request."""
    created = await client.create_match(game, seats=seats)
    codes = created.join_codes.values()
    return created.match.match_id, [await client.join_match(join_code=code) for code in codes]


async def watched(watch: Watch, until: int = 0) -> list[Event]:
    """Every event of a watch, to the end of the match or up to a version."""
    found: list[Event] = []
    async with watch:
        async for event in watch:
            found.append(event)
            if event.version == until:
                break
    return found


def versions(events: list[Event]) -> list[int]:
    return [event.version for event in events]


def save(record, folder: Path) -> Path:
    path = folder / f"{record.match.match_id}.pb"
    path.write_bytes(record.SerializeToString())
    return path


@pytest.mark.parametrize(("game", "seats"), MATCHES)
async def test_every_watcher_sees_every_event_of_a_whole_match_once(client, tmp_path, game, seats):
    match_id, taken = await seated(client, game, seats)
    everything = asyncio.create_task(watched(client.watch(match_id)))
    as_a_seat = asyncio.create_task(watched(taken[-1].watch()))
    first_part = asyncio.create_task(watched(client.watch(match_id), until=seats + 6))
    bots: list[Bot] = [GreedyBot(0), *(RandomBot(number) for number in range(1, seats))]
    playing = [asyncio.create_task(play(*pair)) for pair in zip(taken, bots, strict=True)]
    begun = await first_part
    rest = asyncio.create_task(watched(client.watch(match_id, after_version=begun[-1].version)))
    matches: list[Match] = await asyncio.gather(*playing)

    seen = await everything
    last = matches[0].version
    assert list(range(1, last + 1)) == versions(seen)
    assert seen == begun + await rest
    assert versions(seen) == versions(await as_a_seat)
    assert all(matches[0] == match for match in matches)
    assert MatchState.MATCH_STATE_ENDED == matches[0].state == seen[-1].state
    assert matches[0].result == seen[-1].result
    assert await watched(client.watch(match_id)) == seen

    record = await client.record(match_id)
    assert versions(seen) == versions(list(record.events))
    assert 32 == len(record.server_seed)
    verified = run("verify", save(record, tmp_path))
    assert (0, "") == (verified.returncode, verified.stderr)


async def test_every_event_tells_all_watchers_the_same_where_nothing_is_hidden(client):
    match_id, taken = await seated(client, "yoxii", 2)
    watches = [client.watch(match_id), *(seat.watch() for seat in taken)]
    watchers = [asyncio.create_task(watched(watch)) for watch in watches]
    await asyncio.gather(*(play(seat, RandomBot(seat.seat)) for seat in taken))
    public, *own = await asyncio.gather(*watchers)
    assert [public, public] == own


@pytest.mark.parametrize("seats", [3, 6])
async def test_seats_resign_in_the_middle_and_the_others_play_on(client, tmp_path, seats):
    match_id, taken = await seated(client, BRIEF, seats)
    watching = asyncio.create_task(watched(client.watch(match_id)))
    playing = [asyncio.create_task(play(seat, RandomBot(seat.seat))) for seat in taken]
    await watched(client.watch(match_id), until=25)  # while countries are claimed
    await taken[0].resign()
    await watched(client.watch(match_id), until=seats + 60)  # while turns are played
    receipt = await taken[1].resign(request_id="my-resignation")
    assert receipt == await taken[1].resign(request_id="my-resignation")
    matches = await asyncio.gather(*playing)

    seen = await watching
    causes = Counter(event.WhichOneof("cause") for event in seen)
    assert 2 == causes["resigned"]
    assert list(range(1, matches[0].version + 1)) == versions(seen)
    winners = set(matches[0].result.winners)
    assert winners
    assert winners <= set(range(2, seats))
    by_resignation = Termination.TERMINATION_RESIGNATION
    assert (seats == 3) == (matches[0].result.termination == by_resignation)
    verified = run("verify", save(await client.record(match_id), tmp_path))
    assert (0, "") == (verified.returncode, verified.stderr)


async def test_a_seat_is_resumed_from_its_token_by_another_client(client, referee_process):
    match_id, taken = await seated(client, "yoxii", 2)
    async with RefereeClient(referee_process.address) as elsewhere:
        resumed = await elsewhere.resume(match_id, taken[1].token)
        assert taken[1].seat == resumed.seat
        first, second = await asyncio.gather(
            play(taken[0], RandomBot(1)), play(resumed, RandomBot(2))
        )
    assert first == second


async def test_many_matches_are_played_side_by_side(client, tmp_path):
    seated_all = [await seated(client, "yoxii", 2) for _ in range(12)]
    await asyncio.gather(
        *(
            play(seat, RandomBot(number))
            for number, (_, taken) in enumerate(seated_all)
            for seat in taken
        )
    )
    paths = [save(await client.record(match_id), tmp_path) for match_id, _ in seated_all]
    verified = run("verify", *paths)
    assert (0, "") == (verified.returncode, verified.stderr)
    assert 12 == verified.stdout.count("good")

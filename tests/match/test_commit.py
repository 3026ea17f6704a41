"""The path of every change: one order, retries known again, refusals only on a current match."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from random import Random

import pytest
from redis import Redis as BlockingRedis

from referee._gen.referee.store.v1.store_pb2 import StoredHead
from referee.errors import (
    ContendedError,
    MatchNotFoundError,
    NewerFormatError,
    NotYourTurnError,
    RefereeError,
    RequestIdReusedError,
)
from referee.match import lifecycle
from referee.match.model import Acted, Event, Joined, Match, MatchId, MatchState
from referee.match.ports import RequestKey
from referee.match.step import Step
from referee.registry import GAMES
from tests.match.layer import KEYS, NOW, Process, open_match, process, start_match

pytestmark = pytest.mark.usefixtures("redis")
NOBODY = Joined("", "", b"")


@pytest.fixture
async def first(redis_server) -> AsyncIterator[Process]:
    """One process over the shared Redis."""
    async with process(redis_server.url) as one:
        yield one


@pytest.fixture
async def second(redis_server) -> AsyncIterator[Process]:
    """Another process over the same Redis, with a cache of its own."""
    async with process(redis_server.url) as one:
        yield one


async def log_of(owner: Process, match_id: MatchId) -> list[Event]:
    """All events of a match, from the log."""
    match = await owner.path.load(match_id)
    return await owner.store.events(match_id, match.head.game, 0)


@pytest.mark.parametrize("game_id", sorted(GAMES))
async def test_two_processes_write_one_order_without_gap(first, second, game_id):
    claims = await start_match(first, game_id)
    match_id = claims[0].match_id
    random = Random(1)
    for turn in range(20):
        owner = (first, second)[turn % 2]
        match = await owner.path.load(match_id)
        if not match.to_move:
            break
        seat = match.to_move[0]
        text = random.choice(await owner.legal(match_id, seat))
        event = await owner.act(claims[seat], text)
        assert match.version + 1 == event.version
    events = await log_of(first, match_id)
    assert list(range(1, len(events) + 1)) == [event.version for event in events]
    assert await first.path.load(match_id) == await second.path.load(match_id)


async def test_a_refusal_on_a_stale_cache_is_decided_again(first, second):
    claims = await start_match(first, "yoxii")
    await second.path.load(claims[0].match_id)
    await first.act(claims[0], "d5/1@d6")
    # In the second's cache it is still seat 0's turn, so seat 1 would be refused there.
    event = await second.act(claims[1], (await first.legal(claims[0].match_id, 1))[0])
    assert 5 == event.version


async def test_a_decision_on_a_stale_cache_is_made_again_before_anything_is_stored(first, second):
    claims = await start_match(first, "yoxii")
    await second.path.load(claims[0].match_id)
    await first.act(claims[0], "d5/1@d6")
    with pytest.raises(NotYourTurnError):
        await second.act(claims[0], "d5/1@d6")
    assert 4 == len(await log_of(first, claims[0].match_id))


async def test_a_retry_through_another_process_gives_the_same_event(first, second):
    claims = await start_match(first, "xisk")
    match = await first.path.load(claims[0].match_id)
    seat = match.to_move[0]
    await second.path.load(match.head.match_id)
    text = (await first.legal(match.head.match_id, seat))[0]
    event = await first.act(claims[seat], text, "r1")
    assert event == await second.act(claims[seat], text, "r1")
    assert event == await first.act(claims[seat], text, "r1")
    assert event.version == (await first.path.load(match.head.match_id)).version


async def test_the_outcome_of_a_retry_holds_the_match_of_the_moment(first, second):
    claims = await start_match(first, "yoxii")
    event = await first.act(claims[0], "d5/1@d6", "r1")
    await second.act(claims[1], (await second.legal(claims[0].match_id, 1))[0])
    outcome = await first.act_outcome(claims[0], "d5/1@d6", "r1")
    assert (event, 5) == (outcome.event, outcome.match.version)


async def test_a_retry_whose_first_try_is_still_on_its_way_is_stored_once(first, second):
    claims = await start_match(first, "yoxii")
    tries = [one.act(claims[0], "d5/1@d6", "r1") for one in (first, second) * 10]
    events = await asyncio.gather(*tries)
    assert 1 == len(set(map(repr, events)))
    assert 4 == len(await log_of(first, claims[0].match_id))


async def test_a_request_id_stands_for_one_request_in_every_process(first, second):
    claims = await start_match(first, "yoxii")
    await first.act(claims[0], "d5/1@d6", "r1")
    for owner in (first, second):
        with pytest.raises(RequestIdReusedError) as caught:
            await owner.act(claims[0], "d5/2@d6", "r1")
        assert "4" == caught.value.metadata["version"]
    assert 4 == len(await log_of(first, claims[0].match_id))


async def test_two_hundred_tasks_at_once_leave_versions_in_one_row(first, second):
    claims = await start_match(first, "yoxii")
    match_id = claims[0].match_id
    accepted: list[Event] = []
    refused: list[RefereeError] = []

    async def try_four_times(number: int) -> None:
        for attempt in range(4):
            await try_once(number, f"r{number}-{attempt}")

    async def try_once(number: int, request_id: str) -> None:
        owner = (first, second)[number % 2]
        claim = claims[number // 2 % 2]
        legal = await owner.legal(match_id, claim.seat)
        text = legal[number % len(legal)] if legal else "d5/1@d6"
        try:
            accepted.append(await owner.act(claim, text, request_id))
        except RefereeError as error:
            refused.append(error)

    await asyncio.gather(*[try_four_times(number) for number in range(200)])
    events = await log_of(first, match_id)
    assert 800 == len(accepted) + len(refused)
    assert list(range(1, len(events) + 1)) == [event.version for event in events]
    assert sorted(event.version for event in accepted) == [one.version for one in events[3:]]
    assert 1 < len(accepted)
    assert len(events) == (await second.path.load(match_id)).version


async def test_every_task_that_asks_for_a_seat_at_once_gets_its_own(first, second):
    match_id = await open_match(first, "xisk", 6)
    joins = [
        owner.matches.join(match_id, None, NOBODY, "", invited=False)
        for owner in (first, second) * 3
    ]
    seated = await asyncio.gather(*joins)
    assert list(range(6)) == sorted(one.claim.seat for one in seated)
    assert list(range(1, 8)) == [event.version for event in await log_of(first, match_id)]


async def test_who_is_overtaken_every_time_is_told_to_try_again(first, redis_server):
    claims = await start_match(first, "yoxii")
    match_id = claims[0].match_id
    tries = 0

    def overtaken(match: Match) -> Step:
        # Whatever this decides on, somebody else commits first.
        nonlocal tries
        tries += 1
        blocking.hincrby(KEYS.match(match_id), "version", 1)
        action = GAMES["yoxii"].notation.parse_action("d5/1@d6")
        return lifecycle.act(match, NOW, 0, action)

    with BlockingRedis.from_url(redis_server.url) as blocking, pytest.raises(ContendedError):
        await first.path.change(match_id, None, overtaken)
    assert 32 == tries
    assert 3 == len(await first.store.events(match_id, GAMES["yoxii"], 0))


async def test_a_match_that_is_gone_is_forgotten(first, redis):
    claims = await start_match(first, "yoxii")
    await redis.flushall()
    with pytest.raises(MatchNotFoundError):
        await first.act(claims[0], "d5/1@d6")
    with pytest.raises(MatchNotFoundError):
        await first.path.glance(claims[0].match_id)


async def test_a_refusal_of_a_request_that_was_accepted_before_is_its_event(first, second):
    claims = await start_match(first, "yoxii")
    event = await first.act(claims[0], "d5/1@d6", "r1")

    def refuse(match: Match) -> Step:
        message = f"Not at version {match.version}."
        raise NotYourTurnError(message)

    request = RequestKey("0:r1", b"d5/1@d6")
    outcome = await second.path.change(claims[0].match_id, request, refuse)
    assert event == outcome.event


async def test_a_redis_that_went_back_is_believed_over_the_cache(redis, redis_server):
    """After a loss of writes the same version comes again by another way; nothing may mix them."""
    async with process(redis_server.url) as one, process(redis_server.url) as other:
        claims = await start_match(one, "yoxii")
        match_id = claims[0].match_id
        keys = [KEYS.match(match_id), KEYS.events(match_id)]
        saved = [await redis.dump(key) for key in keys]
        legal = await one.legal(match_id, 0)
        await one.act(claims[0], legal[0])  # Redis will forget this, and `one` remembers it
        for key, value in zip(keys, saved, strict=True):
            await redis.restore(key, 0, value, replace=True)
        await other.act(claims[0], legal[-1])
        reply = (await other.legal(match_id, 1))[0]
        await one.act(claims[1], reply)
        seen = [(await at.path.load(match_id)).state_bytes for at in (one, other)]
        assert seen[0] == seen[1]
        record = await one.matches.record(match_id, None)
        played = [event.cause.action for event in record.events if isinstance(event.cause, Acted)]
        notation = record.match.game.notation
        assert [legal[-1], reply] == [notation.format_action(action) for action in played]


async def test_a_list_leaves_out_what_a_later_release_wrote(first, second, redis):
    """While releases are changed over, one match that it can't read must not hide the rest."""
    newer, readable = [await open_match(first, "yoxii") for _ in range(2)]
    head = StoredHead.FromString(await redis.hget(KEYS.match(newer), "head"))
    head.format += 1
    await redis.hset(KEYS.match(newer), "head", head.SerializeToString())
    found, _ = await second.matches.list_matches(
        MatchState.OPEN, "", newest_first=True, after=None, limit=10
    )
    assert [readable] == [match.match_id for match in found]
    with pytest.raises(NewerFormatError):
        await second.matches.get(newer)

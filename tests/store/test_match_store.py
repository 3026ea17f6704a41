"""Matches in Redis: what the scripts reply, how few round trips it takes, how long keys live."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from redis.asyncio import Redis

from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.errors import MatchNotFoundError, RequestIdReusedError
from referee.match import lifecycle
from referee.match.claim import SeatClaim
from referee.match.model import Joined, Match, MatchId, Millis
from referee.match.ports import Committed, Conflict, RequestKey, Seen
from referee.match.step import Step
from referee.match.timeouts import Keeping
from referee.registry import GAMES
from referee.store.codec import event_to_bytes
from referee.store.keys import DAY_MS
from tests.match.layer import KEYS, MATCH_ID, NOW, Process, legal_of, new_match, process, story
from tests.service.inside import referee_inside
from tests.support.api import open_table, settings

pytestmark = pytest.mark.usefixtures("redis")
YOXII = GAMES["yoxii"]


@pytest.fixture
async def one(redis_server) -> AsyncIterator[Process]:
    """One process over the shared Redis."""
    async with process(redis_server.url) as found:
        yield found


async def stored(owner: Process, game_id: str = "yoxii") -> Match:
    """A started match in the store."""
    told = story(game_id)
    step = new_match(game_id)
    before = await owner.store.create(*step)
    nonces = [b"first", b"second"]
    for seat, event in enumerate(told.events[1:]):
        after = lifecycle.join(before, event.time, seat, Joined("", "", nonces[seat]))
        assert Committed() == await owner.store.commit(before, *after, None)
        before = after.match
    return before


def first_step(match: Match, number: int = 0) -> Step:
    """A step that the seat to move may take."""
    seat = match.to_move[0]
    return lifecycle.act(match, Millis(NOW + 5000), seat, legal_of(match, seat)[number])


async def test_what_was_stored_is_loaded_whole(one):
    for game_id in GAMES:
        await one.redis.flushall()
        match = await stored(one, game_id)
        assert match == await one.store.load(MATCH_ID)
        assert match.head.server_seed == (await one.store.load(MATCH_ID)).head.server_seed


async def test_a_match_that_is_known_and_has_not_changed_is_not_read_again(one):
    match = await stored(one)
    assert match is await one.store.load(MATCH_ID, match)
    step = first_step(match)
    await one.store.commit(match, *step, None)
    assert step.match == await one.store.load(MATCH_ID, match)


async def test_a_match_that_is_not_there_is_not_found(one):
    with pytest.raises(MatchNotFoundError):
        await one.store.load(MATCH_ID)
    with pytest.raises(MatchNotFoundError):
        await one.store.recheck(MATCH_ID, new_match("yoxii").match, RequestKey("k", b"f"))
    assert [] == await one.store.events(MATCH_ID, YOXII, 0)


async def test_a_commit_on_another_version_is_a_conflict_and_stores_nothing(one, redis):
    match = await stored(one)
    first, late = first_step(match), first_step(match, 1)
    assert Committed() == await one.store.commit(match, *first, RequestKey("0:a", b"f"))
    before = {key: await redis.dump(key) for key in await redis.keys("*")}
    assert Conflict() == await one.store.commit(match, *late, RequestKey("0:b", b"g"))
    assert before == {key: await redis.dump(key) for key in await redis.keys("*")}
    assert first.match == await one.store.load(MATCH_ID)


async def test_a_request_that_was_committed_is_seen_before_its_version_is_looked_at(one):
    match = await stored(one)
    request = RequestKey("0:a", b"fingerprint:with\x00bytes")
    step = first_step(match)
    assert Committed() == await one.store.commit(match, *step, request)
    seen = Seen(request.fingerprint, step.event)
    assert seen == await one.store.commit(match, *step, request)
    assert seen == await one.store.commit(step.match, *first_step(step.match), request)
    other = RequestKey("0:a", b"another")
    assert seen == await one.store.commit(match, *step, other)
    assert seen == await one.store.recheck(MATCH_ID, match, request)
    assert seen == await one.store.recheck(MATCH_ID, step.match, other)


async def test_a_recheck_without_that_request_is_a_look(one):
    match = await stored(one)
    assert match is await one.store.recheck(MATCH_ID, match, RequestKey("0:a", b"f"))
    assert match is await one.store.recheck(MATCH_ID, match, None)
    step = first_step(match)
    await one.store.commit(match, *step, None)
    assert step.match == await one.store.recheck(MATCH_ID, match, RequestKey("0:a", b"f"))


async def test_creating_a_match_that_is_there_gives_the_one_that_is_there(one):
    first, again = new_match("yoxii"), new_match("xisk")
    assert first.match == await one.store.create(*first)
    assert first.match == await one.store.create(*again)
    assert [first.event] == await one.store.events(MATCH_ID, YOXII, 0)


async def test_a_request_for_a_match_is_tied_to_its_first_id_for_a_day(one, redis):
    request = RequestKey("create:a", b":\x00fingerprint")
    other = MatchId("2" * 26)
    assert MATCH_ID == await one.store.claim_match_id(request, MATCH_ID)
    assert MATCH_ID == await one.store.claim_match_id(request, other)
    with pytest.raises(RequestIdReusedError):
        await one.store.claim_match_id(RequestKey("create:a", b"another"), other)
    assert DAY_MS - 5000 < await redis.pttl(KEYS.request("create:a")) <= DAY_MS


async def test_events_are_read_after_a_version(one):
    match = await stored(one)
    events = story("yoxii").events
    assert events == await one.store.events(MATCH_ID, match.head.game, 0)
    assert events[1:] == await one.store.events(MATCH_ID, match.head.game, 1)
    assert [] == await one.store.events(MATCH_ID, match.head.game, 3)
    assert [] == await one.store.events(MATCH_ID, match.head.game, 2**31)


async def test_what_is_published_was_stored_and_is_the_event_itself(one, redis):
    match = await stored(one)
    step = first_step(match)
    pubsub = redis.pubsub()
    await pubsub.ssubscribe(KEYS.published(MATCH_ID))
    await one.store.commit(match, *step, RequestKey("0:a", b"f"))
    await one.store.commit(match, *step, RequestKey("0:a", b"f"))
    await one.store.commit(match, *step, None)
    messages = []
    while (message := await pubsub.get_message(timeout=0.2)) is not None:
        messages.append(message["data"])
    data = b"%d:%s" % (step.event.version, event_to_bytes(YOXII, step.event))
    assert [1, data] == messages
    await pubsub.aclose()


# --- round trips ------------------------------------------------------------------------------


async def commands_of(redis: Redis, work: Any) -> list[str]:
    """The commands that a piece of work sends to Redis, those inside scripts left out."""
    found: list[str] = []
    async with redis.monitor() as monitor:
        await redis.echo("begin")
        await work()
        await redis.echo("end")
        async for command in monitor.listen():
            words = command["command"].split()
            if words == ["ECHO", "begin"]:
                found.clear()
            elif words == ["ECHO", "end"]:
                return found
            elif command["client_type"] != "lua":
                found.append(words[0].upper())
    raise AssertionError


async def test_a_submit_on_a_warm_cache_is_one_round_trip(one, redis):
    match = await stored(one)
    claims = [claim_of(match, seat) for seat in range(2)]
    for turn in range(2):
        await submit_first(one, claims[turn])
    for turn in range(4):
        commands = await commands_of(redis, lambda seat=turn % 2: submit_first(one, claims[seat]))
        assert ["EVALSHA"] == commands


async def test_a_refusal_and_a_retry_are_one_or_two_round_trips(one, redis):
    match = await stored(one)
    claim = claim_of(match, 0)
    action = legal_of(match, 0)[0]
    await one.matches.submit(claim, action, 0, "a")

    async def retry() -> None:
        await one.matches.submit(claim, action, 0, "a")

    # One says what the request became, one that the match has not moved on since.
    assert ["EVALSHA"] * 2 == await commands_of(redis, retry)


async def test_a_look_at_a_match_is_one_round_trip(one, redis):
    await stored(one)
    await one.matches.get(MATCH_ID)

    async def look() -> None:
        await one.matches.get(MATCH_ID)

    assert ["EVALSHA"] == await commands_of(redis, look)


async def test_an_action_writes_the_state_and_not_the_head(one, redis):
    match = await stored(one)
    head = await redis.hget(KEYS.match(MATCH_ID), "head")
    arguments: list[str] = []
    step = first_step(match)
    async with redis.monitor() as monitor:
        await one.store.commit(match, *step, None)
        await redis.echo("done")
        async for command in monitor.listen():
            words = command["command"].split()
            if words[0] == "ECHO":
                break
            if words[0].upper() == "HSET":
                arguments += words[2::2]
    assert ["version", "mark", "state"] == arguments
    assert head == await redis.hget(KEYS.match(MATCH_ID), "head")


def claim_of(match: Match, seat: int) -> SeatClaim:
    """The claim of a seat."""
    return SeatClaim(match.head.match_id, seat, match.head.seats[seat].joined_version)


async def submit_first(owner: Process, claim: SeatClaim) -> None:
    """Submit a seat's first legal action as the service does."""
    match = await owner.path.glance(claim.match_id)
    await owner.matches.submit(claim, legal_of(match, claim.seat)[0], match.version, "")


# --- how long keys live ---------------------------------------------------------------------------

FOR_EVER = -1
LIVES = {
    r"referee:\{\w{26}\}:(match|events|requests)": None,
    r"referee:request:create:.+": DAY_MS,
    r"referee:index:(open|active|ended|abandoned):(\*|xisk|yoxii)": FOR_EVER,
    r"referee:index:sweep": 54_000,
    r"referee:due": FOR_EVER,
    r"referee:\{pulse\}:last": FOR_EVER,
    r"referee:token-key": FOR_EVER,
}


async def lives_of(redis: Redis, of_match: int) -> set[str]:
    """Check how long every key lives; gives the kinds of key that were found."""
    kinds = set()
    keys: Any = await redis.keys("*")
    for key in keys:
        (kind,) = [one for one in LIVES if re.fullmatch(one, bytes(key).decode())]
        kinds.add(kind)
        life = LIVES[kind]
        expected = of_match if life is None else life
        left = await redis.pttl(key)
        assert expected == left or expected - 10_000 < left <= expected, key
    return kinds


async def test_every_key_lives_as_long_as_its_kind_and_state_say(redis, redis_server):
    keep = Keeping()
    async with referee_inside(redis_server.url) as stub:
        request = pb.CreateMatchRequest(settings=settings("yoxii"), request_id="a")
        created = await stub.CreateMatch(request)
        for code in created.join_codes[:1]:
            await stub.JoinMatch(pb.JoinMatchRequest(join_code=code.code, request_id="j"))
        kinds = await lives_of(redis, keep.open_ms + keep.slack_ms)
        await redis.delete(*await redis.keys("*{*"))
        table = await open_table(stub, "yoxii")
        await table.submit(0, "d5/1@d6", request_id="s")
        kinds |= await lives_of(redis, keep.idle_ms + keep.slack_ms)
        await table.resign(1, "r")
        kinds |= await lives_of(redis, keep.records_ms)
    assert set(LIVES) == kinds


async def test_a_match_whose_time_is_over_is_not_found_and_leaves_nothing(one, redis):
    match = await stored(one)
    await one.path.load(MATCH_ID)
    for key in await redis.keys("referee:{*"):
        await redis.pexpire(key, 1)
    while await redis.keys("referee:{*"):
        await redis.ping()
    with pytest.raises(MatchNotFoundError):
        await one.path.load(MATCH_ID)
    with pytest.raises(MatchNotFoundError):
        await one.matches.submit(claim_of(match, 0), legal_of(match, 0)[0], 0, "")

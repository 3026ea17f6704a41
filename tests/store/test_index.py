"""Indexes over many matches: pages, and the sweep that puts right whatever is wrong in them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from redis.asyncio import Redis

from referee.match.model import Match, MatchHead, MatchId, MatchState, Visibility
from referee.match.ports import Page
from referee.store.codec import head_to_bytes
from referee.store.index import MatchIndex
from tests.match.layer import KEYS, Process, new_match, open_match, process, start_match, until
from tests.support.processes import RedisProcess

pytestmark = pytest.mark.usefixtures("redis")


@pytest.fixture
async def one(redis_server) -> AsyncIterator[Process]:
    """One process over the shared Redis."""
    async with process(redis_server.url) as found:
        yield found


async def ids(
    index: MatchIndex, state: MatchState = MatchState.OPEN, game: str = ""
) -> list[MatchId]:
    """All ids of an index, oldest first."""
    page = await index.page(state, game, newest_first=False, after=None, limit=1000)
    assert page.last is None
    return list(page.match_ids)


def numbered(number: int, **changes: object) -> MatchHead:
    """A head with an id of its own."""
    head: MatchHead = new_match("yoxii").match.head
    return replace(head, match_id=MatchId(f"{number:026}"), **changes)  # type: ignore[arg-type]


async def broken(redis: Redis) -> None:
    """Lose every index."""
    for key in await redis.keys("referee:index:*"):
        await redis.delete(key)


async def test_pages_go_either_way_and_say_where_the_next_begins(one):
    for number in range(5):
        await one.index.put(numbered(number))
    names = [MatchId(f"{number:026}") for number in range(5)]

    async def page(after: MatchId | None, *, newest_first: bool) -> Page:
        found: Page = await one.index.page(
            MatchState.OPEN, "yoxii", newest_first=newest_first, after=after, limit=2
        )
        return found

    assert Page(tuple(names[:2]), names[1]) == await page(None, newest_first=False)
    assert Page(tuple(names[2:4]), names[3]) == await page(names[1], newest_first=False)
    assert Page((names[4],), None) == await page(names[3], newest_first=False)
    assert Page((names[4], names[3]), names[3]) == await page(None, newest_first=True)
    assert Page((names[2], names[1]), names[1]) == await page(names[3], newest_first=True)
    assert Page((), None) == await page(names[4], newest_first=False)
    # A page goes on from where the id would be, if it is gone by now.
    await one.redis.zrem(KEYS.index(MatchState.OPEN, "yoxii"), names[1])
    assert Page(tuple(names[2:4]), names[3]) == await page(names[1], newest_first=False)


async def test_a_match_is_in_the_index_of_its_state_alone(one):
    for state in MatchState:
        await one.index.put(numbered(1, state=state))
        found = {other: await ids(one.index, other, "yoxii") for other in MatchState}
        assert [state] == [other for other, names in found.items() if names]
        assert await ids(one.index, state) == found[state]
        assert [] == await ids(one.index, state, "xisk")


async def test_a_private_match_is_in_no_index_but_is_looked_at_in_time(one):
    await one.index.put(numbered(1, visibility=Visibility.PRIVATE))
    assert [b"referee:due"] == await one.redis.keys("*")


async def test_the_sweep_puts_back_what_is_missing(one, redis):
    opened = await open_match(one, "xisk")
    private = await open_match(one, "xisk", visibility=Visibility.PRIVATE)
    active = (await start_match(one, "yoxii"))[0].match_id
    ended = (await start_match(one, "yoxii"))[0]
    await one.matches.resign(ended, "")
    before = {key: await redis.dump(key) for key in await redis.keys("referee:index:*")}
    await broken(redis)
    await one.index.sweep()
    assert before == {key: await redis.dump(key) for key in await redis.keys("referee:index:*")}
    assert [opened] == await ids(one.index)
    assert [active] == await ids(one.index, MatchState.ACTIVE)
    assert [ended.match_id] == await ids(one.index, MatchState.ENDED)
    assert private not in await ids(one.index, MatchState.OPEN, "xisk")


async def test_the_sweep_takes_out_what_is_gone_and_moves_what_is_misplaced(one, redis):
    opened = await open_match(one, "xisk")
    active = (await start_match(one, "xisk"))[0].match_id
    for state in MatchState:
        for game in ("", "xisk"):
            key = KEYS.index(state, game)
            await redis.zadd(key, {"9" * 26: 0, opened: 0, active: 0})
    await one.index.sweep()
    for game in ("", "xisk"):
        assert [opened] == await ids(one.index, MatchState.OPEN, game)
        assert [active] == await ids(one.index, MatchState.ACTIVE, game)
        assert [] == await ids(one.index, MatchState.ENDED, game)
        assert [] == await ids(one.index, MatchState.ABANDONED, game)


async def test_a_match_that_can_not_be_read_does_not_keep_the_others_from_being_swept(
    one, redis, caplog
):
    opened = [await open_match(one, "xisk") for _ in range(3)]
    for bad in (b"\xff", b"\x08\x07", b""):
        await redis.hset(KEYS.match(opened[1]), "head", bad)
        await broken(redis)
        await one.index.sweep()
        assert [opened[0], opened[2]] == await ids(one.index)
    assert 3 == len(caplog.records)


async def test_the_sweep_of_many_matches_misses_none(one, redis):
    names = []
    async with redis.pipeline(transaction=False) as pipeline:
        for number in range(600):
            head = numbered(number)
            names.append(head.match_id)
            pipeline.hset(KEYS.match(head.match_id), "head", head_to_bytes(head))
        await pipeline.execute()
    await one.index.sweep()
    page = await one.index.page(MatchState.OPEN, "", newest_first=False, after=None, limit=5000)
    assert tuple(names) == page.match_ids


async def test_one_process_at_a_time_sweeps(one, redis):
    await open_match(one, "xisk")
    await redis.set(KEYS.sweep_lock, 1)
    await broken(redis)
    await redis.set(KEYS.sweep_lock, 1)
    task = asyncio.create_task(one.index.sweep_for_ever(0.05))
    await asyncio.sleep(0.2)
    assert [] == await ids(one.index)
    await redis.delete(KEYS.sweep_lock)

    async def swept() -> bool:
        return bool(await ids(one.index))

    await until(swept)
    task.cancel()


async def test_the_sweep_outlives_a_redis_that_goes_and_comes_back(tmp_path):
    server = RedisProcess(tmp_path).start()
    async with process(server.url) as owner:
        opened = await open_match(owner, "xisk")
        task = asyncio.create_task(owner.index.sweep_for_ever(0.05))
        await asyncio.sleep(0.1)
        server.kill()
        await asyncio.sleep(0.2)
        assert not task.done()
        server.start()
        await broken(owner.redis)

        async def swept() -> bool:
            return [opened] == await ids(owner.index)

        await until(swept)
        task.cancel()
    server.stop()


async def test_an_index_that_can_not_be_written_is_no_error_of_the_commit(tmp_path, caplog):
    server = RedisProcess(tmp_path).start()
    async with process(server.url) as owner:
        match: Match = new_match("yoxii").match
        server.kill()
        await owner.index.put(match.head)
        assert "not indexed" in caplog.text

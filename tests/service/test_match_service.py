"""Creating, reading and listing matches, over real gRPC and a real Redis."""

from __future__ import annotations

import hashlib
import re
from random import Random
from typing import Any

import grpc
import pytest

from referee._gen.referee.v1 import match_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee._gen.xisk.v1 import xisk_pb2
from referee.registry import GAMES
from tests.support.api import bearer, fault_of, open_table, settings
from tests.support.processes import OPERATOR_TOKEN

Order = pb.ListMatchesRequest
OPEN, ACTIVE, ENDED = (
    match_pb2.MATCH_STATE_OPEN,
    match_pb2.MATCH_STATE_ACTIVE,
    match_pb2.MATCH_STATE_ENDED,
)
every_game = pytest.mark.parametrize("game_id", sorted(GAMES))


async def listed(stub, **fields) -> list[str]:
    """Ids of all matches of a list, page after page."""
    ids: list[str] = []
    request = pb.ListMatchesRequest(**fields)
    while True:
        page = await stub.ListMatches(request)
        assert 0 < len(page.matches) <= request.page_size or not ids
        ids += [match.match_id for match in page.matches]
        if not page.next_page_token:
            return ids
        request.page_token = page.next_page_token


# --- CreateMatch -----------------------------------------------------------------


@every_game
async def test_a_new_match_waits_with_the_fewest_seats_and_every_setting_spelled_out(stub, game_id):
    created = await stub.CreateMatch(pb.CreateMatchRequest(settings=settings(game_id)))
    match, info = created.match, GAMES[game_id].info
    games = (await stub.ListGames(pb.ListGamesRequest())).games
    defaults = next(game.default_settings for game in games if game.game == game_id)
    assert defaults == match.settings
    assert (game_id, info.rules_version, OPEN, 1, 0) == (
        match.game,
        match.rules_version,
        match.state,
        match.version,
        match.ply,
    )
    assert info.min_seats == len(match.seats)
    assert list(range(info.min_seats)) == [seat.index for seat in match.seats]
    assert not any(seat.taken or seat.display_name or seat.colour for seat in match.seats)
    assert [] == list(match.to_move)
    assert match_pb2.VISIBILITY_PUBLIC == match.visibility
    assert match_pb2.SEED_ORIGIN_SYSTEM == match.seed_origin
    assert re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{26}", match.match_id)
    assert match.HasField("create_time")
    assert not match.HasField("start_time")
    assert not match.HasField("end_time")
    assert not match.HasField("result")


async def test_the_commitment_is_the_sha256_of_the_seed_that_the_end_reveals(stub):
    table = await open_table(stub, "yoxii")
    await table.resign(0)
    record = await table.record()
    assert 32 == len(table.match.commitment) == len(record.server_seed)
    assert hashlib.sha256(record.server_seed).digest() == table.match.commitment


async def test_two_matches_never_share_a_seed(stub):
    request = pb.CreateMatchRequest(settings=settings("yoxii"))
    found = {(await stub.CreateMatch(request)).match.commitment for _ in range(20)}
    assert 20 == len(found)


async def test_every_open_seat_has_a_join_code_of_its_own(stub):
    request = pb.CreateMatchRequest(settings=settings("xisk"), seats=6)
    created = await stub.CreateMatch(request)
    assert list(range(6)) == [code.seat for code in created.join_codes]
    assert 6 == len({code.code for code in created.join_codes})


async def test_settings_of_the_match_are_those_that_were_asked_for(stub):
    wanted = xisk_pb2.Settings(round_limit=7)
    request = pb.CreateMatchRequest(settings=settings("xisk", wanted), seats=3)
    match = (await stub.CreateMatch(request)).match
    assert 7 == match.settings.xisk.round_limit
    assert "classic" == match.settings.xisk.map_id
    assert 3 == len(match.seats)


async def test_the_same_request_id_creates_one_match_with_the_same_codes(stub):
    request = pb.CreateMatchRequest(settings=settings("xisk"), request_id="once-7f3a")
    first, second = await stub.CreateMatch(request), await stub.CreateMatch(request)
    assert first.SerializeToString(deterministic=True) == second.SerializeToString(
        deterministic=True
    )


async def test_without_a_request_id_every_request_creates_another_match(stub):
    request = pb.CreateMatchRequest(settings=settings("xisk"))
    first, second = await stub.CreateMatch(request), await stub.CreateMatch(request)
    assert first.match.match_id != second.match.match_id


@pytest.mark.parametrize(
    "other",
    [
        {"seats": 3},
        {"visibility": match_pb2.VISIBILITY_PRIVATE},
        {"settings": settings("yoxii")},
        {"settings": settings("xisk", xisk_pb2.Settings(round_limit=3))},
    ],
)
async def test_the_same_request_id_for_a_different_match_is_refused(stub, other):
    request_id = f"twice-{sorted(other)}-{len(str(other))}".replace(" ", "")
    same: dict[str, Any] = {"settings": settings("xisk"), "seats": 2, "request_id": request_id}
    await stub.CreateMatch(pb.CreateMatchRequest(**same))
    fault = await fault_of(stub.CreateMatch(pb.CreateMatchRequest(**(same | other))))
    assert (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED") == (fault.code, fault.reason)


async def test_an_operator_may_name_the_seed_and_the_match_says_so(stub):
    seed = bytes(range(32))
    table = await open_table(stub, "yoxii", server_seed=seed, metadata=bearer(OPERATOR_TOKEN))
    assert match_pb2.SEED_ORIGIN_OPERATOR == table.match.seed_origin
    assert hashlib.sha256(seed).digest() == table.match.commitment
    await table.resign(1)
    assert seed == (await table.record()).server_seed


# --- GetMatch ----------------------------------------------------------------------


@every_game
async def test_get_match_follows_a_match_from_open_to_ended(stub, game_id):
    created = await stub.CreateMatch(pb.CreateMatchRequest(settings=settings(game_id)))
    request = pb.GetMatchRequest(match_id=created.match.match_id)
    assert created.match == (await stub.GetMatch(request)).match
    table = await open_table(stub, game_id)
    assert table.match == await table.now()
    assert table.match.HasField("start_time")
    await table.play(1, Random(1))
    after = await table.now()
    assert (table.match.version + 1, 1, ACTIVE) == (after.version, after.ply, after.state)
    await table.resign(0)
    ended = await table.now()
    assert (ENDED, [1], []) == (ended.state, list(ended.result.winners), list(ended.to_move))
    assert match_pb2.TERMINATION_RESIGNATION == ended.result.termination
    assert ended.HasField("end_time")
    assert ended.create_time.ToMilliseconds() <= ended.start_time.ToMilliseconds()
    assert ended.start_time.ToMilliseconds() <= ended.end_time.ToMilliseconds()


# --- ListMatches ---------------------------------------------------------------------


async def test_lists_are_by_time_of_creation_either_way(stub):
    request = pb.CreateMatchRequest(settings=settings("yoxii"))
    made = [(await stub.CreateMatch(request)).match.match_id for _ in range(3)]
    newest = await stub.ListMatches(pb.ListMatchesRequest(page_size=3))
    assert made[::-1] == [match.match_id for match in newest.matches]
    oldest = await listed(stub, order=Order.ORDER_OLDEST_FIRST, page_size=100)
    assert made == oldest[-3:]
    assert oldest[::-1] == await listed(stub, order=Order.ORDER_NEWEST_FIRST, page_size=100)


@pytest.mark.parametrize("order", [Order.ORDER_NEWEST_FIRST, Order.ORDER_OLDEST_FIRST])
async def test_small_pages_lead_through_the_whole_list_without_gap_or_repeat(stub, order):
    for _ in range(5):
        await stub.CreateMatch(pb.CreateMatchRequest(settings=settings("yoxii")))
    whole = await listed(stub, order=order, page_size=100)
    for size in (1, 3):
        assert whole == await listed(stub, order=order, page_size=size)
    assert len(whole) == len(set(whole)) >= 5


async def test_a_list_can_be_of_one_game(stub):
    made = {}
    for game_id in GAMES:
        request = pb.CreateMatchRequest(settings=settings(game_id))
        made[game_id] = (await stub.CreateMatch(request)).match.match_id
    for game_id, match_id in made.items():
        found = await stub.ListMatches(pb.ListMatchesRequest(game=game_id, page_size=100))
        assert {game_id} == {match.game for match in found.matches}
        assert match_id in [match.match_id for match in found.matches]


async def test_a_match_is_always_in_the_list_of_its_state_and_in_no_other(stub):
    async def where(match_id: str) -> list[match_pb2.MatchState.ValueType]:
        states = (OPEN, ACTIVE, ENDED, match_pb2.MATCH_STATE_ABANDONED)
        return [
            state
            for state in states
            if match_id in await listed(stub, state=state, game="yoxii", page_size=100)
        ]

    created = await stub.CreateMatch(pb.CreateMatchRequest(settings=settings("yoxii")))
    match_id = created.match.match_id
    assert [OPEN] == await where(match_id)
    tokens = []
    for code in created.join_codes:
        joined = await stub.JoinMatch(pb.JoinMatchRequest(join_code=code.code))
        tokens.append(joined.seat_token)
    assert [ACTIVE] == await where(match_id)
    await stub.Resign(pb.ResignRequest(match_id=match_id), metadata=bearer(tokens[0]))
    assert [ENDED] == await where(match_id)


async def test_a_list_shows_matches_as_get_match_does(stub):
    table = await open_table(stub, "xisk", 3)
    found = await stub.ListMatches(pb.ListMatchesRequest(state=ACTIVE, page_size=1))
    assert [table.match] == list(found.matches)


async def test_a_private_match_is_in_no_list_but_whoever_has_its_id_may_look(stub):
    request = pb.CreateMatchRequest(
        settings=settings("yoxii"), visibility=match_pb2.VISIBILITY_PRIVATE
    )
    created = await stub.CreateMatch(request)
    match_id = created.match.match_id
    assert match_id not in await listed(stub, page_size=100)
    for code in created.join_codes:
        await stub.JoinMatch(pb.JoinMatchRequest(join_code=code.code))
    assert match_id not in await listed(stub, state=ACTIVE, page_size=100)
    assert ACTIVE == (await stub.GetMatch(pb.GetMatchRequest(match_id=match_id))).match.state


# --- ListGames -------------------------------------------------------------------------


async def test_list_games_tells_what_the_registry_holds(stub):
    found = await stub.ListGames(pb.ListGamesRequest())
    assert sorted(GAMES) == [game.game for game in found.games]
    for game in found.games:
        info = GAMES[game.game].info
        assert (info.title, info.summary) == (game.title, game.summary)
        assert (info.rules_version, info.min_seats, info.max_seats) == (
            game.rules_version,
            game.min_seats,
            game.max_seats,
        )
        assert game.game == game.default_settings.WhichOneof("game")
        colours = [match_pb2.Colour.Name(one).removeprefix("COLOUR_") for one in game.colours]
        assert [colour.upper() for colour in info.colours] == colours
        assert info.colour_by_seat == game.colour_by_seat

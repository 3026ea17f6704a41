"""Every method of MatchService, over real gRPC and a real Redis."""

from __future__ import annotations

import pytest

from referee._gen.referee.v1 import match_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.registry import GAMES
from tests.support.api import open_table, settings


async def test_list_games_tells_what_the_registry_holds(stub):
    found = await stub.ListGames(pb.ListGamesRequest())
    assert sorted(GAMES) == [game.game for game in found.games]
    for game in found.games:
        info = GAMES[game.game].info
        assert (info.min_seats, info.max_seats) == (game.min_seats, game.max_seats)
        assert game.default_settings.WhichOneof("game") == game.game


@pytest.mark.parametrize("game_id", sorted(GAMES))
async def test_the_last_seat_taken_starts_the_match(stub, game_id):
    created = await stub.CreateMatch(pb.CreateMatchRequest(settings=settings(game_id)))
    assert match_pb2.MATCH_STATE_OPEN == created.match.state
    assert len(created.join_codes) == len(created.match.seats) == GAMES[game_id].info.min_seats
    states = []
    for code in created.join_codes:
        joined = await stub.JoinMatch(
            pb.JoinMatchRequest(join_code=code.code, display_name=f"No {code.seat}")
        )
        assert code.seat == joined.seat
        states.append(joined.match.state)
    assert [match_pb2.MATCH_STATE_OPEN, match_pb2.MATCH_STATE_ACTIVE] == states[-2:]
    assert created.match.commitment == joined.match.commitment
    assert 1 + len(created.join_codes) == joined.match.version
    assert joined.match.to_move


async def test_submit_returns_a_receipt_and_on_request_what_the_seat_sees(stub):
    table = await open_table(stub, "yoxii")
    first, second = table.match.to_move[0], 1 - table.match.to_move[0]
    text = (await table.legal(first))[0]
    response = await table.submit(
        first, text, expected_version=table.match.version, request_id="a", include_observation=True
    )
    assert table.match_id == response.receipt.match_id
    assert "a" == response.receipt.request_id
    assert table.match.version + 1 == response.receipt.event.version
    assert 1 == response.receipt.event.ply
    assert [second] == list(response.receipt.event.to_move)
    assert response.observation == (await table.observation(first)).observation

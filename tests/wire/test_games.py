"""The oneofs of the games: the field that is set is the game, and both ways lead back."""

from __future__ import annotations

from random import Random

import pytest

from referee._gen.referee.v1 import games_pb2
from referee.errors import InvalidActionError, InvalidSettingsError
from referee.match.observe import event_for, public_match
from referee.registry import GAMES
from referee.wire import games as wire
from referee.wire.event import event_from, event_to
from referee.wire.match import match_from, match_to, result_from, result_to
from referee.wire.times import time_from, time_to
from tests.match.layer import legal_of, new_match, resigned_story, story

every_game = pytest.mark.parametrize("game_id", sorted(GAMES))


@pytest.mark.parametrize(
    "message", [name for name in games_pb2.DESCRIPTOR.message_types_by_name if "Game" in name]
)
def test_every_oneof_has_exactly_the_games_of_the_registry(message):
    (oneof,) = games_pb2.DESCRIPTOR.message_types_by_name[message].oneofs
    assert sorted(GAMES) == sorted(field.name for field in oneof.fields)


@every_game
def test_settings_lead_back_and_say_their_game(game_id):
    game = GAMES[game_id]
    message = wire.settings_to(game, game.default_settings)
    assert game_id == message.WhichOneof("game")
    assert (game, game.default_settings) == wire.settings_from(message)


def test_settings_of_no_game_are_refused():
    with pytest.raises(InvalidSettingsError) as caught:
        wire.settings_from(games_pb2.GameSettings())
    assert "settings.game" == caught.value.field


@every_game
def test_actions_lead_back_all_through_a_match(game_id):
    told = story(game_id)
    game = told.match.head.game
    for turn in range(60):
        if not told.match.to_move:
            break
        seat = told.match.to_move[0]
        legal = legal_of(told.match, seat)
        assert list(legal) == [wire.action_from(game, wire.action_to(game, one)) for one in legal]
        compact = wire.legal_actions_to(game, told.match.game_state, seat)
        found = game.wire.legal_actions_from_message(getattr(compact, game_id))
        notation = game.notation.format_action
        assert sorted(map(notation, legal)) == sorted(map(notation, found))
        told.play(1, Random(turn))


@every_game
def test_an_action_of_another_game_or_of_none_is_refused(game_id):
    game = GAMES[game_id]
    for other in GAMES.values():
        message = games_pb2.GameAction()
        if other is game:
            wanted = "no action is given"
        else:
            getattr(message, other.info.id).SetInParent()
            wanted = f"one of {other.info.id}"
        with pytest.raises(InvalidActionError, match=wanted) as caught:
            wire.action_from(game, message)
        assert "action.game" == caught.value.field


@every_game
def test_events_lead_back_whole_and_redacted(game_id):
    told = story(game_id)
    told.play(100, Random(1))
    game = told.match.head.game
    for event in told.events:
        views = [event_for(game, event, seat) for seat in (None, 0, 1)]
        for one in (event, *views):
            assert one == event_from(game, event_to(game, one))


@every_game
def test_observations_lead_back_for_every_seat_and_the_public(game_id):
    told = story(game_id)
    game = told.match.head.game
    for turn in range(20):
        for seat in (None, 0, 1):
            seen = game.rules.observe(told.match.game_state, seat)
            message = getattr(wire.observation_to(game, seen), game_id)
            assert seen == game.wire.observation_from_message(message)
        told.play(1, Random(turn))


@every_game
def test_a_public_match_leads_back_in_every_state(game_id):
    for match in (new_match(game_id).match, story(game_id).match, resigned_story(game_id, 9).match):
        public = public_match(match)
        joined = [seat.joined_version for seat in match.head.seats]
        assert public == match_from(match_to(public), joined)


@pytest.mark.parametrize("millis", [0, 1, 999, 1000, 1_700_000_000_123, 253_402_300_799_999])
def test_times_lead_back_to_the_millisecond(millis):
    assert millis == time_from(time_to(millis))


def test_a_result_leads_back_and_none_stays_absent():
    result = resigned_story("xisk", 3).match.head.result
    message = result_to(result)
    assert message is not None
    assert result == result_from(message)
    assert result_to(None) is None
    assert result_from(type(message)()) is None

"""Views: built by listing what is shown, and the same whatever the hidden part is."""

from __future__ import annotations

from dataclasses import fields, replace
from random import Random

import pytest

from referee.chance.seed import commitment
from referee.match.model import Event, MatchState, PublicMatch
from referee.match.observe import event_for, public_match
from referee.match.sight import Sight
from referee.registry import GAMES
from tests.match.layer import SEED, Story, new_match, resigned_story, story

SECRETS = ("server_seed", "match_key", "game_state", "state_bytes", "next_chance_event")


def test_a_public_match_has_no_field_for_a_secret():
    assert not {field.name for field in fields(PublicMatch)} & set(SECRETS)


@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_a_public_match_tells_the_commitment_and_not_the_seed(game_id):
    match = story(game_id).match
    public = public_match(match)
    assert commitment(SEED) == public.commitment
    assert SEED.hex() not in repr(public)
    assert repr(SEED) not in repr(public)


def test_no_repr_of_a_match_holds_a_secret():
    match = story("xisk").match
    shown = repr(match) + repr(match.head)
    assert "seed" not in shown
    assert len(shown) < 200


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_an_event_as_somebody_sees_it_has_no_luck_and_no_digest(seat):
    told = story("xisk")
    told.play(60, Random(1))
    for event in told.events:
        seen = event_for(told.match.head.game, event, seat)
        assert ((), b"") == (seen.chance_events, seen.state_digest)
        same = [
            one.name
            for one in fields(Event)
            if one.compare and getattr(seen, one.name) != getattr(event, one.name)
        ]
        assert set(same) <= {"game_events", "chance_events", "state_digest"}
        assert len(event.game_events) == len(seen.game_events)


def test_what_a_seat_sees_does_not_depend_on_what_it_may_not_see():
    match = story("xisk", 3).match
    state = match.game_state
    # Seats 1 and 2 swap as many cards as both have; seat 0 and the public can't tell.
    one, two = state.hands[1], state.hands[2]
    size = min(len(one), len(two))
    swapped = (
        state.hands[0],
        tuple(sorted(two[:size] + one[size:])),
        tuple(sorted(one[:size] + two[size:])),
    )
    other = replace(match, game_state=state._replace(hands=swapped))
    for seat in (None, 0):
        assert Sight(match, seat).observation() == Sight(other, seat).observation()
    assert Sight(match, 1).observation() != Sight(other, 1).observation()


def test_an_open_match_has_no_observation_and_nobody_may_act():
    match = new_match("xisk").match
    assert Sight(match, None).observation() is None
    assert Sight(match, 0).deciding() is None


def test_only_the_seat_to_move_has_legal_actions_of_its_own():
    match = story("yoxii").match
    assert [(match.game_state, 0), None, None] == [
        Sight(match, seat).deciding() for seat in (0, 1, None)
    ]


@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_a_record_is_whole_once_the_match_has_ended_and_not_before(game_id):
    told = story(game_id)
    told.play(8, Random(1))
    for seat in (None, 0, 1):
        record = told.record(seat)
        assert b"" == record.server_seed
        assert not any(event.chance_events or event.state_digest for event in record.events)
    ended = resigned_story(game_id, 8)
    assert MatchState.ENDED is ended.match.head.state
    assert (SEED, tuple(ended.events)) == (ended.record().server_seed, ended.record(1).events)


def test_a_record_of_an_open_match_is_that_of_its_seats():
    told = Story(new_match("yoxii"))
    assert (b"", 1) == (told.record().server_seed, len(told.record().events))

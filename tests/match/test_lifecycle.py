"""The life of a match as pure steps: nothing but its arguments decides what a step leads to."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from random import Random

import pytest

from referee.chance.seed import match_key
from referee.errors import (
    ColourTakenError,
    IllegalActionError,
    InvalidRequestError,
    MatchAlreadyStartedError,
    MatchNotStartedError,
    MatchOverError,
    NotYourTurnError,
    RefereeError,
    SeatTakenError,
    StaleVersionError,
    UnauthenticatedError,
)
from referee.match import lifecycle
from referee.match.model import Acted, Created, Joined, Left, MatchState, Resigned
from referee.plugin import Result, Termination
from referee.registry import GAMES
from tests.match.layer import MATCH_ID, NOW, SEED, Story, legal_of, new_match, resigned_story, story

NOBODY = Joined("", "", b"")


@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_a_match_begins_open_at_version_1_with_an_event_of_its_own(game_id):
    step = new_match(game_id)
    assert (1, 0, MatchState.OPEN, ()) == (
        step.match.version,
        step.match.ply,
        step.match.head.state,
        step.match.to_move,
    )
    assert (Created(), None, 1, NOW) == (
        step.event.cause,
        step.event.seat,
        step.event.version,
        step.event.time,
    )


@pytest.mark.parametrize(("game_id", "seats"), [("xisk", 1), ("xisk", 7), ("yoxii", 3)])
def test_a_number_of_seats_that_the_game_does_not_have_is_refused(game_id, seats):
    with pytest.raises(InvalidRequestError) as caught:
        new_match(game_id, seats)
    assert "seats" == caught.value.field


def test_the_last_seat_starts_the_match_with_chance_from_seed_salt_and_id():
    told = Story(new_match("xisk", 3))
    told.seat_all(b"a", b"", b"c")
    head, event = told.match.head, told.events[-1]
    assert match_key(SEED, [b"a", b"", b"c"], MATCH_ID) == head.match_key
    assert (MatchState.ACTIVE, event.time) == (head.state, head.start_time)
    assert [0] == [chance.number for chance in event.chance_events]
    assert 1 == told.match.next_chance_event
    assert hashlib.sha256(told.match.state_bytes).digest() == event.state_digest
    assert event.game_events
    assert told.match.to_move == event.to_move


def test_before_the_start_there_is_no_key_no_state_and_no_digest():
    told = Story(new_match("xisk"))
    event = told.go(lifecycle.join, None, NOBODY)
    assert (b"", None, b"") == (
        told.match.head.match_key,
        told.match.game_state,
        event.state_digest,
    )
    assert () == event.chance_events == event.game_events


def test_another_nonce_leads_to_another_deal():
    deals = set()
    for nonce in (b"", b"a", b"b"):
        told = Story(new_match("xisk"))
        told.seat_all(nonce)
        deals.add(told.match.state_bytes)
    assert 3 == len(deals)


def test_the_same_steps_lead_to_the_same_match():
    one, two = resigned_story("xisk", 50), resigned_story("xisk", 50)
    assert one.events == two.events
    assert one.match == two.match


def test_a_step_changes_nothing_that_it_was_given():
    told = story("yoxii")
    before = replace(told.match)
    told.play(1, Random(1))
    assert before.version == told.match.version - 1
    assert before.state_bytes != told.match.state_bytes


def test_leaving_and_joining_again_goes_on_counting():
    told = Story(new_match("yoxii"))
    told.go(lifecycle.join, 0, Joined("Ann", "", b"n"))
    assert Left() == told.go(lifecycle.leave, 0).cause
    assert not told.match.head.seats[0].taken
    told.go(lifecycle.join, 0, Joined("Bob", "", b""))
    assert 4 == told.match.head.seats[0].joined_version == told.match.version
    assert ("Bob", b"") == (
        told.match.head.seats[0].display_name,
        told.match.head.seats[0].client_nonce,
    )


def test_versions_count_commits_and_plies_count_actions():
    told = story("yoxii")
    event = told.go(lifecycle.act, 0, legal_of(told.match, 0)[0])
    assert (4, 1) == (event.version, event.ply)
    assert isinstance(event.cause, Acted)
    event = told.go(lifecycle.resign, 0)
    assert (5, 1, Resigned()) == (event.version, event.ply, event.cause)


def test_the_end_is_in_the_event_and_in_the_head():
    told = resigned_story("yoxii", 3)
    result = Result((0,), Termination.RESIGNATION)
    assert (result, MatchState.ENDED, ()) == (
        told.events[-1].result,
        told.events[-1].state,
        told.events[-1].to_move,
    )
    assert (result, told.events[-1].time) == (told.match.head.result, told.match.head.end_time)


def refused(told: Story, step, *arguments) -> RefereeError:
    """The error that a step gets; nothing may have changed."""
    before = told.match
    with pytest.raises(RefereeError) as caught:
        told.go(step, *arguments)
    assert before is told.match
    return caught.value


def test_an_open_match_takes_no_action_and_no_resignation():
    told = Story(new_match("yoxii"))
    told.go(lifecycle.join, 0, NOBODY)
    action = legal_of(story("yoxii").match, 0)[0]
    assert isinstance(refused(told, lifecycle.act, 0, action), MatchNotStartedError)
    assert isinstance(refused(told, lifecycle.resign, 0), MatchNotStartedError)


def test_a_started_match_lets_nobody_in_or_out():
    told = story("yoxii")
    assert isinstance(refused(told, lifecycle.join, 0, NOBODY), MatchAlreadyStartedError)
    assert isinstance(refused(told, lifecycle.leave, 0), MatchAlreadyStartedError)


def test_an_ended_match_takes_nothing_any_more():
    told = resigned_story("xisk", 5)
    action = legal_of(story("xisk").match, story("xisk").match.to_move[0])[0]
    for step, arguments in (
        (lifecycle.join, (0, NOBODY)),
        (lifecycle.leave, (0,)),
        (lifecycle.act, (0, action)),
        (lifecycle.resign, (0,)),
    ):
        assert isinstance(refused(told, step, *arguments), MatchOverError)


def test_seats_and_colours_that_are_not_to_be_had_are_refused():
    told = Story(new_match("xisk", 3))
    told.go(lifecycle.join, 1, Joined("", "red", b""))
    assert isinstance(refused(told, lifecycle.join, 1, NOBODY), SeatTakenError)
    for seat in (-1, 3, 2**32 - 1):
        assert isinstance(refused(told, lifecycle.join, seat, NOBODY), InvalidRequestError)
    for colour in ("red", "mauve"):
        error = refused(told, lifecycle.join, 0, Joined("", colour, b""))
        assert isinstance(error, ColourTakenError)
        assert "xisk/1" == error.metadata["rule"]
        assert "mauve" not in error.message.split("Free:")[1]
    assert isinstance(refused(told, lifecycle.leave, 0), UnauthenticatedError)


def test_who_is_not_to_move_is_told_who_is():
    told = story("yoxii")
    error = refused(told, lifecycle.act, 1, legal_of(told.match, 0)[0])
    assert isinstance(error, NotYourTurnError)
    assert {"to_move": "0"} == error.metadata


def test_a_seat_that_is_out_neither_acts_nor_resigns_again():
    told = story("xisk", 3)
    told.go(lifecycle.resign, 2)
    assert isinstance(refused(told, lifecycle.resign, 2), IllegalActionError)
    assert isinstance(
        refused(told, lifecycle.act, 2, legal_of(told.match, told.match.to_move[0])[0]),
        NotYourTurnError,
    )


def test_zero_expects_no_version_and_any_other_only_itself():
    match = story("yoxii").match
    lifecycle.require_version(match, 0)
    lifecycle.require_version(match, 3)
    for wrong in (1, 2, 4, 2**64 - 1):
        with pytest.raises(StaleVersionError) as caught:
            lifecycle.require_version(match, wrong)
        assert 3 == caught.value.current

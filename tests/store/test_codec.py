"""What Redis keeps comes back as it was; what a later release wrote is refused, never guessed."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee._gen.referee.store.v1 import store_pb2 as pb
from referee.errors import NewerFormatError
from referee.match.model import MatchHead, MatchState, Millis, Seat, SeedOrigin, Visibility
from referee.plugin import Result, Termination
from referee.registry import GAMES
from referee.store.codec import (
    FORMAT,
    event_from_bytes,
    event_to_bytes,
    head_from_bytes,
    head_to_bytes,
    match_from_bytes,
    state_to_bytes,
)
from tests.match.layer import Story, new_match, story

seats = st.builds(
    Seat,
    st.text(st.characters(codec="utf-8"), max_size=40),
    st.sampled_from(["", *GAMES["xisk"].info.colours]),
    st.binary(max_size=64),
    st.integers(0, 2**63),
)
millis = st.integers(0, 2**53).map(Millis)
results = st.none() | st.builds(
    Result,
    st.lists(st.integers(0, 5), unique=True).map(lambda found: tuple(sorted(found))),
    st.sampled_from(Termination),
)
heads = st.builds(
    replace,
    st.sampled_from(sorted(GAMES)).map(lambda game_id: new_match(game_id).match.head),
    state=st.sampled_from(MatchState),
    seats=st.lists(seats, max_size=6).map(tuple),
    visibility=st.sampled_from(Visibility),
    seed_origin=st.sampled_from(SeedOrigin),
    server_seed=st.binary(min_size=32, max_size=32),
    match_key=st.binary(max_size=32),
    create_time=millis,
    start_time=millis,
    end_time=millis,
    result=results,
)


@given(heads)
def test_a_head_comes_back_as_it_was(head: MatchHead):
    assert head == head_from_bytes(head_to_bytes(head))


@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_every_match_and_event_of_a_playout_comes_back_as_it_was(game_id):
    told = Story(new_match(game_id))
    told.seat_all(b"n")
    game = told.match.head.game
    for _ in range(150):
        told.play(1, Random(told.match.version))
        match = told.match
        assert match == match_from_bytes(match.head, state_to_bytes(match))
    for event in told.events:
        assert event == event_from_bytes(game, event_to_bytes(game, event))


def test_an_open_match_comes_back_without_a_state():
    match = new_match("xisk").match
    assert match == match_from_bytes(
        head_from_bytes(head_to_bytes(match.head)), state_to_bytes(match)
    )


def test_a_stored_event_keeps_what_is_hidden():
    event = story("xisk").events[-1]
    found = event_from_bytes(GAMES["xisk"], event_to_bytes(GAMES["xisk"], event))
    assert event.chance_events
    assert (event.chance_events, event.state_digest) == (found.chance_events, found.state_digest)


@pytest.mark.parametrize("edition", [0, 2, 99])
def test_a_head_or_a_state_of_another_edition_is_refused(edition):
    match = story("yoxii").match
    head = pb.StoredHead.FromString(head_to_bytes(match.head))
    state = pb.StoredState.FromString(state_to_bytes(match))
    assert FORMAT == head.format == state.format
    head.format = state.format = edition
    with pytest.raises(NewerFormatError, match=f"format {edition}"):
        head_from_bytes(head.SerializeToString())
    with pytest.raises(NewerFormatError, match=f"format {edition}"):
        match_from_bytes(match.head, state.SerializeToString())

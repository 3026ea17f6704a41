"""Verification: a good record passes, and of a record that was touched the first point is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from referee.chance.recorded import ChanceEvent
from referee.chance.seed import commitment
from referee.games.xisk.rules.actions import Place
from referee.games.xisk.rules.state import Settings
from referee.match import lifecycle
from referee.match.model import Acted, Event, Joined, MatchState, Record, Version
from referee.match.verify import Difference, replay, verify
from referee.plugin import Result, Termination
from referee.registry import GAMES
from tests.match.layer import SEED, Story, legal_of, new_match, resigned_story, story

START = 3
XISK = resigned_story("xisk", 120).record()
YOXII = resigned_story("yoxii", 9).record()
RECORDS = {"xisk": XISK, "yoxii": YOXII}
every_record = pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)

Change = Callable[[Event], dict[str, Any]]


def first_difference(record: Record) -> tuple[int, str]:
    """Where a record is found to be wrong."""
    difference = verify(record).difference
    assert difference is not None
    assert str(difference)
    return difference.version, difference.what


def with_event(record: Record, at: int, **changes: Any) -> Record:
    """A record with some fields of the event at one version changed."""
    events = list(record.events)
    events[at - 1] = replace(events[at - 1], **changes)
    return replace(record, events=tuple(events))


def with_match(record: Record, **changes: Any) -> Record:
    """A record with some fields of its match changed."""
    return replace(record, match=replace(record.match, **changes))


def version_of(record: Record, wanted: Callable[[Event], bool]) -> int:
    """The first version whose event is wanted."""
    return next(event.version for event in record.events if wanted(event))


ATTACK = version_of(XISK, lambda event: any("Attacked" in repr(one) for one in event.game_events))
DRAWN = version_of(XISK, lambda event: any("CardDrawn" in repr(one) for one in event.game_events))


# --- good records ------------------------------------------------------------


@every_record
def test_a_good_record_is_computed_again_from_end_to_end(record):
    found = verify(record)
    assert found.good
    assert found.difference is None
    assert len(record.events) == found.events
    assert sum(len(event.chance_events) for event in record.events) == found.chance_events


@pytest.mark.parametrize("seats", range(2, 7))
def test_records_of_any_number_of_seats_pass(seats):
    assert verify(resigned_story("xisk", 100, seats).record()).good


def test_records_of_matches_that_came_to_their_own_end_pass():
    yoxii = story("yoxii")
    yoxii.play(1000, Random(2))
    xisk = story("xisk", 3, Settings(round_limit=2))
    xisk.play(1000, Random(2))
    for told, termination in ((yoxii, Termination.COMPLETED), (xisk, Termination.LIMIT)):
        result = told.match.head.result
        assert result is not None
        assert termination is result.termination
        assert verify(told.record()).good


def test_a_record_with_a_seat_that_was_left_and_taken_again_passes():
    told = Story(new_match("xisk"))
    told.go(lifecycle.join, 1, Joined("Ann", "red", b"a"))
    told.go(lifecycle.leave, 1)
    told.seat_all(b"x", b"y")
    told.play(20, Random(3))
    told.go(lifecycle.resign, 0)
    assert verify(told.record()).good


def test_a_replay_gives_every_match_again():
    steps = list(replay(XISK))
    assert [event.version for event in XISK.events] == [step.match.version for step in steps]
    assert XISK.events == tuple(step.event for step in steps)


# --- seed and commitment ------------------------------------------------------------


@every_record
def test_another_seed_does_not_fit_the_commitment(record):
    other = bytes([SEED[0] ^ 1]) + SEED[1:]
    assert (0, "commitment") == first_difference(replace(record, server_seed=other))


@every_record
def test_another_commitment_does_not_fit_the_seed(record):
    assert (0, "commitment") == first_difference(with_match(record, commitment=bytes(32)))


def test_another_seed_with_its_own_commitment_deals_other_cards():
    other = bytes(32)
    record = with_match(replace(XISK, server_seed=other), commitment=commitment(other))
    assert (START, "game_events") == first_difference(record)


@every_record
@pytest.mark.parametrize("seed", [b"", SEED[:-1], SEED + b"x"])
def test_a_seed_has_32_bytes(record, seed):
    assert (0, "server_seed") == first_difference(replace(record, server_seed=seed))


def test_another_match_id_rolls_other_dice():
    record = with_match(XISK, match_id="1" * 26)
    assert (START, "game_events") == first_difference(record)


# --- one field of one event ------------------------------------------------------------


def joined(record: Record, **changes: Any) -> Joined:
    """The first join of a record with some fields changed."""
    cause = record.events[1].cause
    assert isinstance(cause, Joined)
    return replace(cause, **changes)


def turned(chance: ChanceEvent) -> ChanceEvent:
    """A chance event with its outcome turned round by one."""
    return replace(chance, values=(*chance.values[1:], chance.values[0] % 6 + 1))


CHANGES: dict[str, Change] = {
    "version": lambda event: {"version": Version(event.version + 1)},
    "ply": lambda event: {"ply": event.ply + 1},
    "state": lambda _: {"state": MatchState.ENDED},
    "game_events": lambda event: {"game_events": event.game_events[:-1]},
    "to_move": lambda event: {"to_move": (*event.to_move, 7)},
    "result": lambda _: {"result": Result((0,), Termination.COMPLETED)},
    "chance_events": lambda event: {"chance_events": tuple(map(turned, event.chance_events))},
    "state_digest": lambda _: {"state_digest": bytes(32)},
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_field_that_was_touched_is_named_with_its_version(what):
    changes = CHANGES[what](XISK.events[ATTACK - 1])
    assert (ATTACK, what) == first_difference(with_event(XISK, ATTACK, **changes))


@every_record
def test_every_event_is_looked_at(record):
    for event in record.events[2:]:
        touched = with_event(record, event.version, state_digest=bytes(32))
        assert (event.version, "state_digest") == first_difference(touched)


def test_a_die_that_was_turned_is_found_in_the_luck_and_on_the_board():
    event = XISK.events[ATTACK - 1]
    luck = tuple(map(turned, event.chance_events))
    assert (ATTACK, "chance_events") == first_difference(
        with_event(XISK, ATTACK, chance_events=luck)
    )
    rolled = event.game_events[0]
    dice = tuple(face % 6 + 1 for face in rolled.attacker_dice)
    board = (replace(rolled, attacker_dice=dice), *event.game_events[1:])
    assert (ATTACK, "game_events") == first_difference(
        with_event(XISK, ATTACK, chance_events=luck, game_events=board)
    )


def test_a_luck_that_is_left_out_or_made_up_is_found():
    extra = ChanceEvent(99, XISK.events[ATTACK - 1].chance_events[0].kind, (1,), (6,))
    for luck in ((), (*XISK.events[ATTACK - 1].chance_events, extra)):
        assert (ATTACK, "chance_events") == first_difference(
            with_event(XISK, ATTACK, chance_events=luck)
        )


def test_a_card_that_was_swapped_is_found_where_it_was_dealt_and_where_it_was_drawn():
    def swapped(event: Any) -> Any:
        if "Dealt" not in repr(event):
            return event
        first, second = event.hands
        return replace(event, hands=((second[0], *first[1:]), (first[0], *second[1:])))

    board = tuple(map(swapped, XISK.events[START - 1].game_events))
    assert (START, "game_events") == first_difference(with_event(XISK, START, game_events=board))
    board = tuple(
        replace(one, card=(one.card + 1) % 52) if "CardDrawn" in repr(one) else one
        for one in XISK.events[DRAWN - 1].game_events
    )
    assert (DRAWN, "game_events") == first_difference(with_event(XISK, DRAWN, game_events=board))


# --- actions and joins ------------------------------------------------------------


def test_another_legal_action_leads_to_another_board():
    told = story("yoxii")
    legal = legal_of(told.match, 0)
    told.go(lifecycle.act, 0, legal[0])
    told.go(lifecycle.resign, 0)
    record = with_event(told.record(), START + 1, cause=Acted(legal[1]))
    assert (START + 1, "game_events") == first_difference(record)


def test_an_illegal_action_is_named_with_the_rule():
    record = with_event(XISK, ATTACK, cause=Acted(Place("alaska", 1000)))
    difference = verify(record).difference
    assert difference is not None
    assert (ATTACK, "acted") == (difference.version, difference.what)
    assert "refused by xisk/" in difference.computed


@pytest.mark.parametrize("seat", [None, 1, 99, -1])
def test_an_action_of_another_seat_is_refused(seat):
    version = version_of(XISK, lambda event: event.seat == 0 and isinstance(event.cause, Acted))
    assert (version, "acted") == first_difference(with_event(XISK, version, seat=seat))


def test_a_nonce_that_was_touched_rolls_other_dice():
    cause = joined(XISK, client_nonce=b"other")
    assert (START, "game_events") == first_difference(with_event(XISK, 2, cause=cause))
    cause = joined(YOXII, client_nonce=b"other")
    assert (0, "seats") == first_difference(with_event(YOXII, 2, cause=cause))


def test_a_colour_or_a_name_that_was_touched_does_not_fit_the_seats():
    free = GAMES["xisk"].info.colours[-1]
    for change in ({"colour": free}, {"display_name": "Somebody"}):
        cause = joined(XISK, **change)
        assert (0, "seats") == first_difference(with_event(XISK, 2, cause=cause))
    cause = joined(YOXII, colour="red")
    assert (2, "joined") == first_difference(with_event(YOXII, 2, cause=cause))


# --- the row of events ------------------------------------------------------------


@every_record
@pytest.mark.parametrize("version", [2, 3, 4, 7])
def test_an_event_that_was_dropped_leaves_a_gap(record, version):
    events = record.events[: version - 1] + record.events[version:]
    found, _ = first_difference(replace(record, events=events))
    assert version == found


@every_record
@pytest.mark.parametrize("version", [1, 2, 4, 7])
def test_an_event_that_comes_twice_is_one_too_many(record, version):
    events = record.events[:version] + record.events[version - 1 :]
    found, _ = first_difference(replace(record, events=events))
    assert version + 1 == found


@every_record
@pytest.mark.parametrize("version", [2, 4, 7])
def test_events_that_changed_places_are_found_at_the_first(record, version):
    events = list(record.events)
    events[version - 1 : version + 1] = reversed(events[version - 1 : version + 1])
    found, _ = first_difference(replace(record, events=tuple(events)))
    assert version == found


@every_record
def test_a_record_without_its_end_is_not_that_of_the_match(record):
    assert (0, "state") == first_difference(replace(record, events=record.events[:-1]))


@every_record
def test_a_record_goes_not_on_after_the_end(record):
    last = record.events[-1]
    found = first_difference(replace(record, events=(*record.events, last)))
    assert (last.version + 1, "resigned") == found


@every_record
def test_a_record_without_a_beginning_is_none(record):
    assert (1, "cause") == first_difference(replace(record, events=()))
    assert (1, "cause") == first_difference(replace(record, events=record.events[1:]))


# --- the match ------------------------------------------------------------


@every_record
@pytest.mark.parametrize(
    ("what", "wrong"),
    [
        ("result", Result((1,), Termination.RESIGNATION)),
        ("result", Result((0,), Termination.COMPLETED)),
        ("result", None),
        ("version", 1),
        ("ply", 1000),
        ("to_move", (0,)),
        ("state", MatchState.ACTIVE),
        ("rules_version", 2),
        ("create_time", 1),
        ("start_time", 1),
        ("end_time", 1),
    ],
)
def test_a_match_that_was_touched_is_named_by_its_field(record, what, wrong):
    assert (0, what) == first_difference(with_match(record, **{what: wrong}))


def test_settings_that_were_touched_do_not_lead_to_the_same_board():
    found = first_difference(with_match(XISK, settings=Settings(round_limit=9)))
    assert (START, "state_digest") == found


def test_a_number_of_seats_that_was_touched_is_found():
    seats = XISK.match.seats
    assert (START, "state") == first_difference(with_match(XISK, seats=(*seats, seats[0])))
    found = verify(with_match(XISK, seats=seats[:1])).difference
    assert found is not None
    assert (0, "record") == (found.version, found.what)


def test_a_match_that_has_not_ended_can_not_be_verified_yet():
    told = story("yoxii")
    assert (0, "state") == first_difference(told.record())


# --- what is said ------------------------------------------------------------


def test_a_difference_is_a_sentence():
    assert "version 7: ply: the record says 3, but it must be 4" == str(
        Difference(7, "ply", "3", "4")
    )
    assert "commitment: the record says aa, but it must be bb" == str(
        Difference(0, "commitment", "aa", "bb")
    )


def test_a_difference_stays_short_whatever_the_record_holds():
    record = with_event(YOXII, 4, game_events=YOXII.events[3].game_events * 1000)
    difference = verify(record).difference
    assert difference is not None
    assert len(str(difference)) < 600

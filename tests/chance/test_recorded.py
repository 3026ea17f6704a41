"""Recording, replay and scripts: nothing extra, nothing different, nothing left over."""

from dataclasses import FrozenInstanceError, replace

import pytest

from referee.chance.draws import SeededChance
from referee.chance.recorded import (
    ChanceEvent,
    ChanceKind,
    ChanceMismatchError,
    RecordedChance,
    RecordingChance,
    ScriptedChance,
    picked,
    rolled,
    shuffled,
)

KEY = bytes(32)
DICE = ChanceEvent(3, ChanceKind.DICE, (3, 2), (6, 5, 1, 2, 2))
SHUFFLE = ChanceEvent(4, ChanceKind.SHUFFLE, (3,), (7, 1, 4))
PICK = ChanceEvent(5, ChanceKind.PICK, (42,), (41,))


def play(chance):
    return chance.dice((3, 2)), chance.shuffle((4, 1, 7)), chance.pick(42)


def test_recording_keeps_requests_and_outcomes_under_the_numbers_they_had():
    inner = SeededChance(KEY, first_event=3)
    recording = RecordingChance(inner, first_event=3)
    dice, order, index = play(recording)
    expected = (
        ChanceEvent(3, ChanceKind.DICE, (3, 2), dice[0] + dice[1]),
        ChanceEvent(4, ChanceKind.SHUFFLE, (3,), order),
        ChanceEvent(5, ChanceKind.PICK, (42,), (index,)),
    )
    assert expected == recording.events
    assert 6 == recording.next_event == inner.next_event


def test_what_was_recorded_plays_back_the_same():
    recording = RecordingChance(SeededChance(KEY))
    drawn = play(recording)
    recorded = RecordedChance(recording.events)
    assert drawn == play(recorded)
    recorded.finish()
    assert 3 == recorded.next_event


def test_a_recorded_event_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        setattr(DICE, "number", 4)  # noqa: B010 - a plain assignment would not type-check


def test_replay_goes_on_from_the_number_of_the_first_event():
    recorded = RecordedChance([DICE, SHUFFLE, PICK])
    assert 3 == recorded.next_event
    assert (((6, 5, 1), (2, 2)), (7, 1, 4), 41) == play(recorded)
    assert 6 == recorded.next_event


def test_a_draw_more_than_was_recorded_is_refused():
    recorded = RecordedChance([PICK])
    recorded.pick(42)
    with pytest.raises(ChanceMismatchError, match=r"chance event 6: pick .* none left"):
        recorded.pick(42)
    with pytest.raises(ChanceMismatchError, match="chance event 0"):
        RecordedChance([]).dice((1,))


def test_events_left_over_are_refused_at_the_end():
    recorded = RecordedChance([DICE, SHUFFLE])
    recorded.dice((3, 2))
    with pytest.raises(ChanceMismatchError, match="1 event") as caught:
        recorded.finish()
    assert 4 == caught.value.number


@pytest.mark.parametrize(
    ("event", "request_it"),
    [
        (DICE, lambda chance: chance.dice((3, 1))),
        (DICE, lambda chance: chance.dice((5,))),
        (DICE, lambda chance: chance.pick(6)),
        (SHUFFLE, lambda chance: chance.shuffle((1, 4))),
        (SHUFFLE, lambda chance: chance.shuffle((1, 4, 8))),
        (SHUFFLE, lambda chance: chance.dice((3,))),
        (PICK, lambda chance: chance.pick(43)),
        (PICK, lambda chance: chance.shuffle(range(42))),
    ],
)
def test_a_request_that_differs_from_the_record_is_refused_with_its_number(event, request_it):
    with pytest.raises(ChanceMismatchError) as caught:
        request_it(RecordedChance([event]))
    assert event.number == caught.value.number


@pytest.mark.parametrize(
    ("event", "values"),
    [
        (DICE, (6, 5, 1, 2)),
        (DICE, (6, 5, 1, 2, 7)),
        (DICE, (6, 5, 1, 2, 0)),
        (SHUFFLE, (7, 1, 1)),
        (PICK, (42,)),
        (PICK, (-1,)),
        (PICK, ()),
    ],
)
def test_an_outcome_that_no_chance_could_give_is_refused(event, values):
    before = [e for e in (DICE, SHUFFLE, PICK) if e.number < event.number]
    recorded = RecordedChance([*before, replace(event, values=values)])
    with pytest.raises(ChanceMismatchError) as caught:
        play(recorded)
    assert event.number == caught.value.number


def test_a_gap_in_the_numbers_is_refused():
    with pytest.raises(ChanceMismatchError, match=r"chance event 4: .* number 5"):
        RecordedChance([DICE, PICK])


def test_a_script_gives_what_it_says():
    scripted = ScriptedChance(rolled((6, 5, 1), (2, 2)), shuffled(7, 1), picked(41))
    assert (((6, 5, 1), (2, 2)), (7, 1, 4), 41) == play(scripted)
    scripted.finish()
    assert 3 == scripted.next_event


def test_an_empty_shuffle_in_a_script_leaves_items_ascending():
    assert (1, 4, 7) == ScriptedChance(shuffled()).shuffle((7, 4, 1))


@pytest.mark.parametrize(
    ("draw", "request_it"),
    [
        (rolled((6, 5)), lambda chance: chance.dice((1, 1))),
        (rolled((6, 7)), lambda chance: chance.dice((2,))),
        (rolled((1,)), lambda chance: chance.pick(1)),
        (shuffled(9), lambda chance: chance.shuffle((1, 2))),
        (shuffled(1, 1), lambda chance: chance.shuffle((1, 2))),
        (picked(3), lambda chance: chance.pick(3)),
        (picked(-1), lambda chance: chance.pick(3)),
        (picked(0), lambda chance: chance.dice((1,))),
    ],
)
def test_a_request_that_does_not_fit_the_script_is_refused(draw, request_it):
    with pytest.raises(ChanceMismatchError) as caught:
        request_it(ScriptedChance(draw))
    assert 0 == caught.value.number


def test_a_script_refuses_what_is_extra_and_what_is_left_over():
    scripted = ScriptedChance(picked(0), picked(1))
    scripted.pick(2)
    with pytest.raises(ChanceMismatchError, match="1 event"):
        scripted.finish()
    scripted.pick(2)
    with pytest.raises(ChanceMismatchError, match="chance event 2: pick asked for, nothing left"):
        scripted.pick(2)

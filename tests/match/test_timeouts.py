"""Flags, strikes and abandonment as pure steps, and what verifying makes of them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from referee.chance.recorded import ChanceKind, ScriptedChance
from referee.errors import (
    FlagFellError,
    InvalidRequestError,
    InvalidSettingsError,
    MatchOverError,
    NotYourTurnError,
)
from referee.match import lifecycle, timeouts
from referee.match.clock import Fischer, PerTurn, SeatClock, TimeControl
from referee.match.lifecycle import NewMatch
from referee.match.model import (
    Abandoned,
    Event,
    Flagged,
    Joined,
    Match,
    MatchId,
    MatchState,
    Millis,
    Record,
    SeedOrigin,
    Struck,
    Visibility,
)
from referee.match.observe import event_for, record_for
from referee.match.step import Step
from referee.match.timeouts import Keeping
from referee.match.verify import verify
from referee.plugin import Result, Termination
from referee.registry import GAMES

T = 1_800_000_000_000
MINUTE = TimeControl(PerTurn(60_000))
KEEPING = Keeping(open_ms=1_000, idle_ms=5_000, records_ms=9_000, slack_ms=100)


class Story:
    """A match played step by step, with all its events."""

    def __init__(self, game_id: str, control: TimeControl | None = None, seats: int = 2) -> None:
        self.now = T
        game = GAMES[game_id]
        new = NewMatch(
            MatchId("0" * 26),
            game,
            game.default_settings,
            seats,
            Visibility.PUBLIC,
            SeedOrigin.SYSTEM,
            bytes(range(32)),
            control,
        )
        self.random = Random(11)
        self.events: list[Event] = []
        self.match: Match
        self.take(lifecycle.create(new, self.time))

    @property
    def time(self) -> Millis:
        return Millis(self.now)

    def take(self, step: Step) -> Event:
        self.match = step.match
        self.events.append(step.event)
        return step.event

    def start(self) -> Story:
        for seat in range(len(self.match.head.seats)):
            self.take(lifecycle.join(self.match, self.time, seat, Joined("", "", b"")))
        return self

    def legal(self) -> tuple[int, object]:
        """The seat to move and one of its legal actions."""
        (seat,) = self.match.to_move
        rules = self.match.head.game.rules
        return seat, self.random.choice(rules.legal_actions(self.match.game_state, seat))

    def act(self, wait: int, downtime: int = 0) -> Event:
        """Let time pass, then play a legal action."""
        self.now += wait
        return self.take(lifecycle.act(self.match, self.time, *self.legal(), downtime))

    def time_out(self, wait: int, downtime: int = 0) -> Event:
        """Let time pass, then look at the flag of the seat to move."""
        self.now += wait
        (seat,) = self.match.to_move
        return self.take(timeouts.time_out(self.match, self.time, seat, downtime))

    def record(self) -> Record:
        return record_for(self.match, self.events, None)


def test_yoxii_12_a_fallen_flag_makes_the_other_side_win_and_the_record_says_why():
    story = Story("yoxii", MINUTE).start()
    story.act(59_999)
    event = story.time_out(60_000)
    assert (1, Flagged()) == (event.seat, event.cause)
    assert Result((0,), Termination.TIME_FORFEIT) == event.result
    assert MatchState.ENDED is story.match.head.state
    assert verify(story.record()).good


def test_an_action_at_the_deadline_comes_too_late():
    story = Story("yoxii", MINUTE).start()
    with pytest.raises(FlagFellError) as refused:
        story.act(60_000)
    assert {"seat": "0", "deadline_ms": str(T + 60_000)} == refused.value.metadata


def test_a_resignation_after_the_deadline_comes_too_late_for_any_seat():
    story = Story("yoxii", MINUTE).start()
    story.now += 60_000
    for seat in (0, 1):
        with pytest.raises(FlagFellError):
            lifecycle.resign(story.match, story.time, seat)


def test_a_flag_that_has_not_fallen_is_no_step():
    story = Story("yoxii", MINUTE).start()
    with pytest.raises(InvalidRequestError, match="not the one that has fallen"):
        story.time_out(59_999)
    story.now += 60_000
    with pytest.raises(InvalidRequestError, match="not the one that has fallen"):
        timeouts.time_out(story.match, story.time, 1)


def test_downtime_puts_the_flag_off_and_is_told_in_the_event():
    story = Story("yoxii", MINUTE).start()
    with pytest.raises(InvalidRequestError):
        story.time_out(60_000, downtime=1)
    event = story.act(30_000, downtime=45_000)
    assert 45_000 == event.downtime
    # 90 seconds went by, and the service was down for half of them.
    assert {0: 60_000, 1: 60_000} == {seat: one.remaining for seat, one in event.clocks}
    assert verify(Story("yoxii", MINUTE).start().record()).difference is not None


def test_downtime_is_never_longer_than_the_time_since_the_last_commit():
    story = Story("yoxii", MINUTE).start()
    assert 1_000 == story.act(1_000, downtime=5_000).downtime


def test_times_of_a_match_never_go_back():
    story = Story("yoxii", TimeControl(Fischer(60_000, 0))).start()
    story.act(5_000)
    event = story.act(-3_000)
    assert T + 5_000 == event.time
    assert 60_000 == dict(event.clocks)[1].remaining


# --- XISK: turns of many actions, and strikes --------------------------------------------------

STRIKES = TimeControl(PerTurn(60_000), bank=10_000, strikes=2)


def played_to_turns(story: Story) -> Story:
    """Claim all countries, so that turns of several actions begin."""
    while story.match.game_state.round == 0:
        story.act(10)
    return story


def test_each_claim_is_a_turn_of_its_own():
    story = Story("xisk", MINUTE).start()
    seats: list[int] = []
    while len(set(seats[-2:])) != 1 or len(seats) < 2:
        (seat,) = story.match.to_move
        seats.append(seat)
        story.act(59_000)
    # The same seat has claimed twice in a row, for 118 seconds, and its flag is up.
    assert story.match.clocks[seats[-1]].deadline in (None, story.now + 60_000)


def test_a_turn_of_several_actions_has_one_limit():
    story = played_to_turns(Story("xisk", MINUTE).start())
    (seat,) = story.match.to_move
    began = story.match.clocks[seat].since
    while story.match.to_move == (seat,):
        before = story.match
        event = story.act(10)
    assert began is not None
    assert began == before.clocks[seat].since
    assert {seat, *event.to_move} == {one for one, _ in event.clocks}


def test_an_action_within_a_turn_changes_no_clock():
    story = played_to_turns(Story("xisk", MINUTE).start())
    assert () == story.act(10).clocks


def test_xisk_27_a_strike_finishes_the_turn_by_chance_and_the_match_goes_on():
    story = played_to_turns(Story("xisk", STRIKES).start())
    (seat,) = story.match.to_move
    event = story.time_out(70_000)
    assert (seat, Struck(1)) == (event.seat, event.cause)
    assert {ChanceKind.PICK} == {one.kind for one in event.chance_events}
    assert (1 - seat,) == event.to_move
    clock = story.match.clocks[seat]
    assert (1, 60_000, 0, None) == (clock.strikes, clock.remaining, clock.bank, clock.since)
    assert story.now == story.match.clocks[1 - seat].since


def test_xisk_27_a_claim_that_is_not_made_in_time_is_made_by_chance():
    story = Story("xisk", STRIKES).start()
    event = story.time_out(70_000)
    assert Struck(1) == event.cause
    assert 1 == len(story.match.game_state.claims)


def test_xisk_27_beyond_the_strikes_a_seat_is_forfeited():
    story = played_to_turns(Story("xisk", STRIKES).start())
    (seat,) = story.match.to_move
    causes = []
    while story.match.to_move:
        if story.match.to_move == (seat,):
            causes.append(story.time_out(70_000).cause)
        else:
            story.act(10)
    assert [Struck(1), Struck(2), Flagged()] == causes
    assert Result((1 - seat,), Termination.TIME_FORFEIT) == story.match.head.result
    assert verify(story.record()).good


def test_xisk_25_a_seat_of_three_is_forfeited_and_the_other_two_go_on():
    story = played_to_turns(Story("xisk", MINUTE, 3).start())
    (seat,) = story.match.to_move
    event = story.time_out(61_000)
    assert Flagged() == event.cause
    assert MatchState.ACTIVE is event.state
    assert event.to_move not in ((), (seat,))
    assert SeatClock(0) == story.match.clocks[seat]
    assert story.now == story.match.clocks[event.to_move[0]].since


def test_after_a_strike_a_seat_goes_on_with_its_increment():
    control = TimeControl(Fischer(60_000, 3_000), strikes=1)
    story = played_to_turns(Story("xisk", control).start())
    (seat,) = story.match.to_move
    deadline = story.match.clocks[seat].deadline or 0
    story.time_out(deadline - story.now + 500)
    assert 3_000 == story.match.clocks[seat].remaining


def test_a_strike_tells_a_seat_only_what_it_may_see():
    story = played_to_turns(Story("xisk", STRIKES).start())
    (seat,) = story.match.to_move
    whole = story.time_out(70_000)
    seen = event_for(story.match.head.game, whole, 1 - seat)
    assert (whole.cause, whole.clocks) == (seen.cause, seen.clocks)
    assert ((), b"") == (seen.chance_events, seen.state_digest)


def test_a_match_of_a_game_without_strikes_is_not_opened_with_them():
    with pytest.raises(InvalidSettingsError, match="no strikes"):
        Story("yoxii", STRIKES)


@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_only_the_turn_of_the_seat_to_move_is_finished(game_id):
    story = Story(game_id).start()
    turns = GAMES[game_id].turns
    if turns is not None:
        (seat,) = story.match.to_move
        with pytest.raises(NotYourTurnError):
            turns.finish(story.match.game_state, 1 - seat, ScriptedChance())


# --- Abandonment -------------------------------------------------------------------------------


def due(story: Story, wait: int, downtime: int = 0) -> Step | None:
    story.now += wait
    return timeouts.due(story.match, story.time, downtime, KEEPING)


def test_an_open_match_that_is_not_filled_is_abandoned():
    story = Story("yoxii")
    assert None is due(story, 999)
    step = due(story, 1)
    assert step is not None
    assert (None, Abandoned(1_000)) == (step.event.seat, step.event.cause)
    assert MatchState.ABANDONED is step.match.head.state
    assert (None, 100) == (step.event.result, KEEPING.time_to_live(step.match))


def test_an_active_match_in_which_nobody_acts_ends_without_a_winner():
    story = Story("xisk", seats=3).start()
    story.act(10)
    assert None is due(story, 4_999)
    step = due(story, 1)
    assert step is not None
    story.take(step)
    assert Result((), Termination.ABANDONED) == step.event.result
    assert (MatchState.ENDED, ()) == (step.event.state, step.event.to_move)
    assert verify(story.record()).good


def test_clocks_decide_where_there_are_any():
    story = Story("yoxii", TimeControl(PerTurn(60_000))).start()
    assert None is due(story, 59_999)
    step = due(story, 1)
    assert step is not None
    assert Flagged() == step.event.cause
    with pytest.raises(InvalidRequestError):
        timeouts.abandon(story.match, story.time, 1)


def test_downtime_is_no_silence_of_the_seats():
    assert None is due(Story("yoxii"), 1_500, downtime=501)
    assert None is due(Story("yoxii").start(), 9_000, downtime=4_001)


def test_a_match_that_is_over_is_never_due():
    story = Story("yoxii", MINUTE).start()
    story.time_out(60_000)
    assert None is due(story, 1_000_000)
    assert None is KEEPING.look_at(story.match)
    with pytest.raises(MatchOverError):
        timeouts.time_out(story.match, story.time, 0)
    with pytest.raises(MatchOverError):
        timeouts.abandon(story.match, story.time, 1)


def test_keys_outlive_what_the_referee_has_to_end_first():
    slow = Story("yoxii", TimeControl(PerTurn(60_000), bank=30_000))
    assert 1_100 == KEEPING.time_to_live(slow.match)
    assert 95_100 == KEEPING.time_to_live(slow.start().match)
    slow.time_out(90_000)
    assert 9_000 == KEEPING.time_to_live(slow.match)
    assert 5_100 == KEEPING.time_to_live(Story("yoxii").start().match)


@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_a_later_version_never_needs_an_earlier_look(game_id):
    control = TimeControl(Fischer(400_000, 1_000), bank=5_000)
    for pace in (control, MINUTE, None):
        story = Story(game_id, pace).start()
        looks = []
        for _ in range(60):
            looks.append(KEEPING.look_at(story.match))
            if story.match.to_move:
                story.act(story.random.randrange(3_000))
        assert sorted(filter(None, looks)) == list(filter(None, looks))


# --- Records -----------------------------------------------------------------------------------


def forfeited() -> Record:
    """A match that ended by a flag, after two actions and some downtime."""
    story = Story("yoxii", TimeControl(Fischer(60_000, 0), bank=5_000)).start()
    story.act(62_000)
    story.act(40_000, downtime=15_000)
    story.time_out(70_000)
    return story.record()


def tampered(record: Record, version: int, **fields: object) -> Record:
    events = list(record.events)
    events[version - 1] = replace(events[version - 1], **fields)  # type: ignore[arg-type]
    return replace(record, events=tuple(events))


def test_a_record_with_clocks_is_computed_again():
    record = forfeited()
    assert verify(record).good
    assert len(record.events) == verify(record).events


def test_a_flag_before_its_deadline_is_a_difference():
    record = forfeited()
    flag = record.events[-1]
    difference = verify(tampered(record, flag.version, time=flag.time - 67_001)).difference
    assert difference is not None
    assert (flag.version, "flagged") == (difference.version, difference.what)


def test_an_action_after_the_deadline_is_a_difference():
    record = forfeited()
    late = record.events[3]
    difference = verify(tampered(record, 4, time=late.time + 3_000)).difference
    assert difference is not None
    assert (4, "acted") == (difference.version, difference.what)
    assert "FLAG_FELL" in difference.computed


def test_downtime_that_was_added_or_left_out_is_a_difference():
    record = forfeited()
    assert 5 == record.events[4].version
    for downtime in (0, 14_999, 39_999):
        difference = verify(tampered(record, 5, downtime=downtime)).difference
        assert difference is not None


def test_time_that_goes_back_is_a_difference():
    record = forfeited()
    difference = verify(tampered(record, 4, time=record.events[2].time - 1)).difference
    assert difference is not None
    assert (4, "time") == (difference.version, difference.what)


def test_a_forfeit_instead_of_a_strike_is_a_difference():
    story = played_to_turns(Story("xisk", STRIKES).start())
    event = story.time_out(70_000)
    while story.match.to_move:
        story.time_out(70_000)
    difference = verify(tampered(story.record(), event.version, cause=Flagged())).difference
    assert difference is not None
    assert (event.version, "cause") == (difference.version, difference.what)


def test_another_time_control_is_a_difference():
    record = forfeited()
    match = replace(record.match, time_control=TimeControl(Fischer(60_001, 0), bank=5_000))
    assert not verify(replace(record, match=match)).good


def test_an_abandonment_before_its_time_is_a_difference():
    story = Story("yoxii").start()
    story.act(10)
    step = due(story, 6_000)
    assert step is not None
    story.take(step)
    end = story.events[-1]
    assert verify(story.record()).good
    early = tampered(story.record(), end.version, time=end.time - 2_000)
    difference = verify(early).difference
    assert difference is not None
    assert (end.version, "abandoned") == (difference.version, difference.what)

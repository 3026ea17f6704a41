"""Clock arithmetic: what a turn costs, when a flag falls, and that no time is made or lost."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import InvalidSettingsError
from referee.match import clock
from referee.match.clock import DAY, Clocks, Fischer, PerTurn, SeatClock, TimeControl

T = 1_000_000
BLITZ = TimeControl(Fischer(60_000, 2_000))


def running(control: TimeControl, seats: int = 2) -> Clocks:
    """Clocks of a match that starts at T, seat 0 to move."""
    return clock.turn_over(control, clock.fresh(control, seats), T, ended=(), running=(0,))


def hand_over(control: TimeControl, clocks: Clocks, now: int) -> Clocks:
    """Seat 0 hands its turn over to seat 1."""
    return clock.turn_over(control, clocks, now, ended=(0,), running=(1,), earned=0)


def test_a_turn_costs_its_time_and_earns_the_increment():
    after = hand_over(BLITZ, running(BLITZ), T + 10_000)
    assert (SeatClock(52_000), SeatClock(60_000, since=T + 10_000)) == after


def test_a_fresh_limit_is_there_for_every_turn_and_what_is_left_is_gone():
    control = TimeControl(PerTurn(30_000))
    assert SeatClock(30_000) == hand_over(control, running(control), T + 29_999)[0]


def test_the_bank_is_used_when_the_turns_own_time_is_over():
    control = TimeControl(PerTurn(30_000), bank=60_000)
    started = running(control)
    assert T + 90_000 == started[0].deadline
    assert SeatClock(30_000, 60_000) == hand_over(control, started, T + 30_000)[0]
    assert SeatClock(30_000, 15_000) == hand_over(control, started, T + 75_000)[0]


def test_a_base_is_used_up_before_the_bank():
    control = TimeControl(Fischer(10_000, 1_000), bank=5_000)
    assert SeatClock(1_000, 2_000) == hand_over(control, running(control), T + 13_000)[0]


def test_a_flag_falls_at_its_deadline_and_not_a_millisecond_before():
    started = running(BLITZ)
    assert None is clock.fallen(started, T + 59_999, 0)
    assert 0 == clock.fallen(started, T + 60_000, 0)


def test_a_clock_that_stands_never_falls():
    assert None is clock.fallen(clock.fresh(BLITZ, 2), T + 10 * DAY, 0)


def test_of_two_fallen_flags_the_one_that_fell_first_counts_and_the_lower_seat_of_equals():
    both = (SeatClock(5_000, since=T), SeatClock(4_000, since=T))
    assert 1 == clock.fallen(both, T + 9_000, 0)
    assert 0 == clock.fallen((both[0], both[0]), T + 9_000, 0)


def test_downtime_is_charged_to_nobody():
    started = running(BLITZ)
    assert None is clock.fallen(started, T + 100_000, 40_001)
    assert 0 == clock.fallen(started, T + 100_000, 40_000)
    moved = clock.shift(started, 40_001)
    assert 2_001 == hand_over(BLITZ, moved, T + 100_000)[0].remaining


def test_downtime_leaves_a_clock_that_stands_alone():
    assert SeatClock(60_000) == clock.shift(running(BLITZ), 5_000)[1]


def test_a_clock_runs_on_while_its_seat_has_the_turn():
    started = running(BLITZ)
    same = clock.turn_over(BLITZ, started, T + 5_000, ended=(), running=(0,))
    assert started == same


def test_a_seat_with_two_turns_in_a_row_is_charged_for_each():
    control = TimeControl(PerTurn(30_000), bank=10_000)
    after = clock.turn_over(
        control, running(control), T + 35_000, ended=(0,), running=(0,), earned=0
    )
    assert SeatClock(30_000, 5_000, since=T + 35_000) == after[0]


def test_what_a_flag_falls_late_is_nobodys():
    after = clock.turn_over(BLITZ, running(BLITZ), T + 90_000, ended=(0,), running=(1,))
    assert (SeatClock(0), SeatClock(60_000, since=T + 90_000)) == after


def test_a_strike_is_counted():
    assert 1 == clock.strike(running(BLITZ), 0)[0].strikes


# --- Nothing is made and nothing is lost -------------------------------------------------------

SPANS = st.integers(0, 100_000)
CONTROLS = st.builds(
    TimeControl,
    st.builds(Fischer, st.integers(1_000, 60_000), st.integers(0, 5_000))
    | st.builds(PerTurn, st.integers(1_000, 60_000)),
    st.integers(0, 30_000),
    st.just(0),
)


@dataclass(frozen=True)
class Go:
    """One turn: how long, how much of that the service was down, and who comes next."""

    length: int
    down: int
    next_seat: int


GOES = st.lists(st.builds(Go, SPANS, SPANS, st.integers(0, 2)), max_size=30)


@given(CONTROLS, GOES)
def test_time_is_never_made_nor_lost(control, goes):
    clocks, now, mover = running(control, 3), T, 0
    given_to = [one.remaining + one.bank for one in clocks]
    charged = [0, 0, 0]
    earliest = clock.earliest_fall(clocks, now)
    for go in goes:
        now += go.length
        down = min(go.down, go.length)
        if clock.fallen(clocks, now, down) is not None:
            break
        used, before = go.length - down, clocks[mover]
        assert used < before.remaining + before.bank
        clocks = clock.shift(clocks, down)
        clocks = clock.turn_over(
            control, clocks, now, ended=(mover,), running=(go.next_seat,), earned=mover
        )
        charged[mover] += used
        if isinstance(control.pace, Fischer):
            given_to[mover] += control.pace.increment
        else:  # the limit is filled up by what was used of it
            given_to[mover] += min(used, control.pace.limit)
        assert [total - spent for total, spent in zip(given_to, charged, strict=True)] == [
            one.remaining + one.bank for one in clocks
        ]
        mover = go.next_seat
        assert [mover] == [seat for seat, one in enumerate(clocks) if one.since is not None]
        # Whoever noted the earliest fall before misses none now.
        assert earliest is not None
        later = clock.earliest_fall(clocks, now)
        assert later is not None
        assert earliest <= later <= (clocks[mover].deadline or 0)
        earliest = later


@given(CONTROLS, SPANS, SPANS)
def test_a_flag_has_fallen_exactly_when_all_time_is_used(control, length, down):
    started = running(control)
    have = started[0].remaining + started[0].bank
    down = min(down, length)
    assert (length - down >= have) == (clock.fallen(started, T + length, down) == 0)


# --- Ranges ------------------------------------------------------------------------------------

THOUSAND_YEARS = 1_000 * 365 * DAY


@pytest.mark.parametrize(
    ("control", "field"),
    [
        (TimeControl(PerTurn(0)), "per_turn.limit"),
        (TimeControl(PerTurn(999)), "per_turn.limit"),
        (TimeControl(PerTurn(-1)), "per_turn.limit"),
        (TimeControl(PerTurn(THOUSAND_YEARS)), "per_turn.limit"),
        (TimeControl(Fischer(0, 5_000)), "fischer.base"),
        (TimeControl(Fischer(14 * DAY + 1, 0)), "fischer.base"),
        (TimeControl(Fischer(60_000, -1)), "fischer.increment"),
        (TimeControl(Fischer(60_000, DAY + 1)), "fischer.increment"),
        (TimeControl(PerTurn(60_000), bank=-1), "bank"),
        (TimeControl(PerTurn(60_000), bank=THOUSAND_YEARS), "bank"),
        (TimeControl(PerTurn(60_000), strikes=21), "strikes"),
        (TimeControl(Fischer(60_000, 999), strikes=1), "strikes"),
    ],
)
def test_a_time_control_out_of_range_is_refused_by_field(control, field):
    with pytest.raises(InvalidSettingsError) as refused:
        clock.check(control, strikes_offered=True)
    assert f"time_control.{field}" == refused.value.field


def test_strikes_are_refused_where_a_game_has_none():
    control = TimeControl(PerTurn(60_000), strikes=1)
    clock.check(control, strikes_offered=True)
    with pytest.raises(InvalidSettingsError, match="no strikes"):
        clock.check(control, strikes_offered=False)


def test_the_widest_time_controls_are_taken():
    clock.check(TimeControl(PerTurn(14 * DAY), 14 * DAY, 20), strikes_offered=True)
    clock.check(TimeControl(Fischer(1_000, 1_000), 0, 20), strikes_offered=True)

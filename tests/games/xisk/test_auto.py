"""Finishing a turn for a seat whose time is up: xisk/27."""

import pytest

from referee.chance.recorded import ScriptedChance, picked, rolled, shuffled
from referee.errors import MatchOverError, NotYourTurnError
from referee.games.xisk.rules.auto import XiskTurns, finish_turn
from referee.games.xisk.rules.events import (
    Attacked,
    CardDrawn,
    Claimed,
    Eliminated,
    Invaded,
    Placed,
    Redeemed,
    TurnPassed,
)
from referee.games.xisk.rules.state import Phase
from referee.plugin import Result, Termination
from tests.games.xisk.builders import RULES, cards, claiming, midgame, of_kind, play

LAND = {"alaska": (0, 2), "peru": (0, 1), "brazil": (0, 1)}


def finish(state, *draws):
    chance = ScriptedChance(*draws)
    applied = finish_turn(state, state.mover, chance)
    chance.finish()
    assert [] == RULES.invariants(applied.state)
    return applied


def test_xisk_27_a_claim_is_picked_from_the_legal_claims_in_sorted_notation():
    applied = finish(claiming({0: "AS KS", 1: "QS"}), picked(0))
    assert (Claimed(0, cards("AS")[0], "afghanistan"),) == applied.events
    # Only the claim that was due: the next one has a time of its own.
    assert 0 == applied.state.mover


def test_xisk_27_the_whole_pool_goes_on_one_picked_country_and_the_turn_ends():
    applied = finish(midgame(LAND, phase=Phase.SUPPLY, pool=5), picked(2))
    assert [Placed(0, "peru", 5)] == of_kind(applied, Placed)
    assert [TurnPassed(0, 1)] == of_kind(applied, TurnPassed)
    assert [] == of_kind(applied, Attacked)
    assert [] == of_kind(applied, CardDrawn)


def test_xisk_27_sets_are_picked_only_while_they_must_be_redeemed():
    state = midgame(LAND, phase=Phase.SUPPLY, pool=3, hands={0: "2C 3C 4C 5C 6C 7C"})
    applied = finish(state, picked(0), shuffled(), picked(0))
    # Sorted notation: 4C,3C,2C comes first.
    assert [cards("4C 3C 2C")] == [event.cards for event in of_kind(applied, Redeemed)]
    assert [Placed(0, "alaska", 4)] == of_kind(applied, Placed)


def test_xisk_27_a_single_choice_is_a_chance_event_too():
    state = midgame({"alaska": (0, 1)}, phase=Phase.SUPPLY, pool=3)
    assert [Placed(0, "alaska", 3)] == of_kind(finish(state, picked(0)), Placed)


def test_xisk_27_what_is_begun_is_finished_from_the_middle_of_a_supply_phase():
    state = midgame(LAND, phase=Phase.SUPPLY, pool=2, placing=True)
    assert [Placed(0, "brazil", 2)] == of_kind(finish(state, picked(1)), Placed)


@pytest.mark.parametrize("phase", [Phase.ATTACK, Phase.ADJUST])
def test_xisk_27_an_earned_card_is_still_drawn(phase):
    applied = finish(midgame(LAND, phase=phase, conquered=True, deck_top="TC"))
    assert [CardDrawn(0, cards("TC")[0])] == of_kind(applied, CardDrawn)
    assert 1 == applied.state.mover


def test_xisk_27_a_pending_invasion_is_declined_and_the_elimination_behind_it_played_out():
    land = {"alaska": (0, 6), "kamchatka": (1, 1)}
    state = midgame(land, rest=(2, 1), seats=3, hands={0: "2C 3C 4C", 1: "5C 6C"}, deck_top="TC")
    state = play(state, "attack:alaska>kamchatka", rolled((6, 1, 1), (5,))).state
    applied = finish(state, picked(0), shuffled(), picked(1))
    assert [0] == [event.chips for event in of_kind(applied, Invaded)]
    assert 1 == len(of_kind(applied, Eliminated))
    assert [Placed(0, "kamchatka", 2)] == of_kind(applied, Placed)
    assert 1 == len(of_kind(applied, CardDrawn))
    assert [TurnPassed(0, 2)] == of_kind(applied, TurnPassed)


def test_xisk_27_the_only_seat_left_finishes_one_turn_and_no_more():
    state = midgame({"peru": (-1, 3)}, rest=(0, 2), out=(1,))
    applied = finish(state)
    assert [TurnPassed(0, 0)] == of_kind(applied, TurnPassed)


def test_xisk_27_and_26_the_turn_that_is_finished_can_be_the_last():
    state = midgame(LAND, phase=Phase.ADJUST, round=3, round_limit=3, order=(1, 0))
    assert Result((1,), Termination.LIMIT) == finish(state).state.result


def test_only_the_turn_of_the_seat_to_move_can_be_finished():
    with pytest.raises(NotYourTurnError, match="Seat 0 is to move"):
        finish_turn(midgame(LAND), 1, ScriptedChance())
    over = midgame(LAND, phase=Phase.ENDED, mover=-1, result=Result((0,), Termination.COMPLETED))
    with pytest.raises(MatchOverError):
        finish_turn(over, 0, ScriptedChance())


# --- Which turn it is, for clocks --------------------------------------------------------------

TURNS = XiskTurns()


def test_xisk_27_each_claim_is_a_turn_of_its_own():
    before = claiming({0: "AS KS", 1: "QS"})
    after = play(before, "claim:afghanistan").state
    assert (0, 0) == (before.mover, after.mover)
    assert TURNS.number(before, 0) != TURNS.number(after, 0)


def test_xisk_27_all_actions_of_a_turn_are_one_turn():
    state = midgame(LAND, phase=Phase.SUPPLY, pool=3)
    numbers = [TURNS.number(state, 0)]
    for text, *draws in (("place:alaska:3",), ("attack:alaska>kamchatka", rolled((1, 1, 1), (6,)))):
        state = play(state, text, *draws).state
        numbers.append(TURNS.number(state, 0))
    assert 1 == len(set(numbers))


def test_xisk_27_the_only_seat_left_has_one_turn_after_another():
    state = midgame({"peru": (-1, 3)}, rest=(0, 2), out=(1,))
    after = finish(state).state
    assert (0, 0) == (state.mover, after.mover)
    assert TURNS.number(state, 0) < TURNS.number(after, 0)


def test_xisk_27_turns_come_after_all_claims():
    assert TURNS.number(claiming({0: "AS"}), 0) < TURNS.number(midgame(LAND), 0)

"""The adjust phase and the end of a turn: xisk/21 to xisk/23."""

import pytest

from referee.chance.recorded import ScriptedChance
from referee.games.xisk.rules.actions import Adjust
from referee.games.xisk.rules.events import Adjusted, CardDrawn, TurnBegan, TurnPassed
from referee.games.xisk.rules.state import Phase
from tests.games.xisk.builders import RULES, at, cards, legal, midgame, of_kind, play, refused

LAND = {"alaska": (0, 4), "alberta": (0, 1), "ontario": (0, 2), "peru": (0, 2)}


def adjusting(**fields):
    return midgame(LAND, **{"phase": Phase.ADJUST, **fields})


def test_xisk_21_any_number_but_the_last_chip_moves_between_adjacent_own_countries():
    expected = {"end-turn", "adjust:ontario>alberta:1"}
    expected |= {f"adjust:alaska>alberta:{chips}" for chips in (1, 2, 3)}
    assert expected == legal(adjusting())


def test_xisk_21_the_turn_ends_with_the_transfer():
    applied = play(adjusting(), "adjust:alaska>alberta:3")
    assert ((0, 1), (0, 4)) == (at(applied.state, "alaska"), at(applied.state, "alberta"))
    assert (Adjusted(0, "alaska", "alberta", 3), TurnPassed(0, 1)) == applied.events[:2]
    assert 1 == applied.state.mover


def test_xisk_21_the_turn_ends_without_a_transfer_when_the_seat_says_so():
    applied = play(adjusting(), "end-turn")
    assert [TurnPassed, TurnBegan] == [type(event) for event in applied.events]


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        ("adjust:alaska>alberta:4", "Move 1 to 3 chips"),
        ("adjust:alaska>alberta:0", "Move 1 to 3 chips"),
        (Adjust("alaska", "alberta", 2**32 - 1), "Move 1 to 3 chips"),
        (Adjust("alaska", "alberta", -1), "Move 1 to 3 chips"),
        ("adjust:alberta>alaska:1", "Alberta has 1 chip"),
        ("adjust:alaska>ontario:1", "not adjacent"),
        ("adjust:alaska>kamchatka:1", "Kamchatka is not yours."),
        ("adjust:kamchatka>alaska:1", "Kamchatka is not yours."),
        ("adjust:alaska>alaska:1", "not adjacent"),
    ],
)
def test_xisk_21_other_transfers_are_refused(action, sentence):
    error = refused(adjusting(), action)
    assert "xisk/21" == error.rule
    assert sentence in error.message


@pytest.mark.parametrize(
    ("action", "rule"), [("attack:alaska>kamchatka", "xisk/13"), ("end-attack", "xisk/20")]
)
def test_xisk_20_no_attack_comes_after_the_attack_phase(action, rule):
    assert rule == refused(adjusting(), action).rule


def test_xisk_21_with_nowhere_to_move_chips_the_seat_still_ends_its_turn():
    state = midgame({"japan": (0, 5)}, phase=Phase.ADJUST)
    assert {"end-turn"} == legal(state)


def test_xisk_22_a_conquest_earns_the_top_card_of_the_deck_before_the_turn_passes():
    state = adjusting(conquered=True, deck_top="TC 2S", hands={0: "AS"})
    applied = play(state, "end-turn")
    kinds = [type(event) for event in applied.events]
    assert [CardDrawn, TurnPassed, TurnBegan] == kinds
    assert CardDrawn(0, cards("TC")[0]) == applied.events[0]
    assert cards("AS TC") == applied.state.hands[0]
    assert cards("2S")[0] == applied.state.deck[0]
    assert not applied.state.conquered


def test_xisk_22_no_conquest_no_card():
    applied = play(adjusting(deck_top="TC"), "end-turn")
    assert [] == of_kind(applied, CardDrawn)
    assert () == applied.state.hands[0]


def test_xisk_22_the_hand_may_hold_five_cards_until_the_next_turn():
    state = adjusting(conquered=True, deck_top="TC", hands={0: "AS KS AH KH"})
    state = play(state, "end-turn").state
    assert 5 == len(state.hands[0])
    assert 1 == state.mover


def test_xisk_22_an_empty_deck_gives_no_card():
    everything = adjusting()
    state = everything._replace(conquered=True, deck=(), hands=((), tuple(range(52))))
    applied = RULES.apply(state, 0, Adjust("alaska", "alberta", 1), ScriptedChance())
    assert [] == of_kind(applied, CardDrawn)
    assert [] == RULES.invariants(applied.state)


def test_xisk_23_the_next_seat_of_the_order_still_in_has_the_turn():
    state = midgame(
        {"alaska": (0, 2), "peru": (2, 1)},
        rest=(3, 1),
        seats=4,
        phase=Phase.ADJUST,
        order=(2, 0, 1, 3),
        out=(1,),
    )
    applied = play(state, "end-turn")
    assert TurnPassed(0, 3) in applied.events
    applied = play(applied.state._replace(phase=Phase.ADJUST, pool=0), "end-turn")
    assert TurnPassed(3, 2) in applied.events
    assert 2 == applied.state.round

"""The attack phase: xisk/13 to xisk/16, xisk/18 and xisk/20, and the odds of dice."""

from itertools import product

import pytest

from referee.chance.recorded import rolled
from referee.games.xisk.rules.actions import Attack, Invade
from referee.games.xisk.rules.attack import losses
from referee.games.xisk.rules.events import (
    Attacked,
    CardDrawn,
    Conquered,
    Invaded,
    PhaseChanged,
    TurnPassed,
)
from referee.games.xisk.rules.state import NEUTRAL, Phase
from tests.games.xisk.builders import at, legal, midgame, of_kind, play, refused


def facing(mine, theirs, owner=1, **fields):
    """Alaska of seat 0 next to Kamchatka of seat 1, and a third own country with chips to spare."""
    land = {"alaska": (0, mine), "kamchatka": (owner, theirs), "peru": (0, 3)}
    return midgame(land, **fields)


def test_xisk_13_attacks_go_from_own_countries_with_two_chips_onto_adjacent_ones_of_others():
    land = {"alaska": (0, 2), "alberta": (0, 1), "ontario": (0, 3), "greenland": (NEUTRAL, 1)}
    expected = {
        "end-attack",
        "attack:alaska>kamchatka",
        "attack:alaska>northwest-territories",
        "attack:ontario>eastern-united-states",
        "attack:ontario>greenland",
        "attack:ontario>northwest-territories",
        "attack:ontario>quebec",
        "attack:ontario>western-united-states",
    }
    assert expected == legal(midgame(land))


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        ("attack:kamchatka>alaska", "Kamchatka is not yours."),
        ("attack:alberta>ontario", "Alberta has 1 chip; an attack needs 2 or more."),
        ("attack:alaska>ontario", "Alaska and Ontario are not adjacent."),
        ("attack:alaska>alberta", "Alberta is yours"),
        ("attack:alaska>alaska", "not adjacent"),
    ],
)
def test_xisk_13_other_attacks_are_refused(action, sentence):
    error = refused(midgame({"alaska": (0, 3), "alberta": (0, 1)}), action)
    assert "xisk/13" == error.rule
    assert sentence in error.message


def test_xisk_7_a_neutral_country_does_not_attack():
    assert "xisk/13" == refused(facing(3, 5, NEUTRAL), "attack:kamchatka>alaska").rule


def test_xisk_7_a_neutral_country_defends_and_can_be_conquered():
    applied = play(facing(2, 1, NEUTRAL), "attack:alaska>kamchatka", rolled((4,), (3,)))
    assert Conquered(0, "alaska", "kamchatka", 1, None) in applied.events
    assert None is of_kind(applied, Attacked)[0].defender
    assert applied.state.conquered


@pytest.mark.parametrize(
    ("mine", "theirs", "counts"),
    [
        (2, 1, (1, 1)),
        (2, 2, (1, 2)),
        (3, 1, (2, 1)),
        (3, 9, (2, 2)),
        (4, 1, (3, 1)),
        (4, 2, (3, 2)),
        (30, 30, (3, 2)),
    ],
)
def test_xisk_14_chips_decide_how_many_dice_are_rolled(mine, theirs, counts):
    low, high = (1,) * counts[0], (6,) * counts[1]
    applied = play(facing(mine, theirs), "attack:alaska>kamchatka", rolled(low, high))
    (attacked,) = of_kind(applied, Attacked)
    assert (low, high) == (attacked.attacker_dice, attacked.defender_dice)


@pytest.mark.parametrize(
    ("attacker", "defender", "expected"),
    [
        ((6,), (5,), (0, 1)),
        ((5,), (5,), (1, 0)),
        ((1, 6, 2), (5, 1), (0, 2)),
        ((6, 1, 1), (5, 4), (1, 1)),
        ((6, 6, 6), (6, 6), (2, 0)),
        ((2, 5), (4,), (0, 1)),
        ((5,), (4, 5), (1, 0)),
    ],
)
def test_xisk_15_highest_meets_highest_and_ties_go_to_the_defender(attacker, defender, expected):
    assert expected == losses(attacker, defender)


@pytest.mark.parametrize(
    ("dice", "expected"),
    [
        ((3, 2), {(0, 2): 2890, (1, 1): 2611, (2, 0): 2275}),
        ((3, 1), {(0, 1): 855, (1, 0): 441}),
        ((2, 2), {(0, 2): 295, (1, 1): 420, (2, 0): 581}),
        ((2, 1), {(0, 1): 125, (1, 0): 91}),
        ((1, 2), {(0, 1): 55, (1, 0): 161}),
        ((1, 1), {(0, 1): 15, (1, 0): 21}),
    ],
)
def test_xisk_15_odds_over_all_rolls_are_the_known_figures(dice, expected):
    attackers, defenders = dice
    counted: dict[tuple[int, int], int] = {}
    for faces in product(range(1, 7), repeat=attackers + defenders):
        outcome = losses(faces[:attackers], faces[attackers:])
        counted[outcome] = counted.get(outcome, 0) + 1
    assert expected == counted


def test_xisk_15_losers_lose_chips_and_the_phase_goes_on():
    applied = play(facing(5, 5), "attack:alaska>kamchatka", rolled((6, 2, 3), (5, 4)))
    assert ((0, 4), (1, 4)) == (at(applied.state, "alaska"), at(applied.state, "kamchatka"))
    expected = Attacked(0, "alaska", "kamchatka", 1, (6, 2, 3), (5, 4), 1, 1)
    assert (expected,) == applied.events
    assert not applied.state.conquered


def test_xisk_16_as_many_chips_as_dice_were_rolled_move_into_a_conquered_country():
    applied = play(facing(6, 1), "attack:alaska>kamchatka", rolled((6, 1, 1), (5,)))
    assert ((0, 3), (0, 3)) == (at(applied.state, "alaska"), at(applied.state, "kamchatka"))
    assert (Conquered(0, "alaska", "kamchatka", 3, 1), PhaseChanged(0, Phase.INVADE)) == (
        applied.events[1:]
    )


def test_xisk_16_a_chip_stays_behind_even_after_a_loss():
    # Three dice against two: a chip is lost on either side, and the defender stands.
    applied = play(facing(4, 2), "attack:alaska>kamchatka", rolled((6, 1, 1), (5, 4)))
    assert ((0, 3), (1, 1)) == (at(applied.state, "alaska"), at(applied.state, "kamchatka"))
    applied = play(applied.state, "attack:alaska>kamchatka", rolled((6, 1), (5,)))
    assert ((0, 1), (0, 2)) == (at(applied.state, "alaska"), at(applied.state, "kamchatka"))


def test_xisk_18_nothing_is_asked_when_one_chip_stays_behind():
    applied = play(facing(2, 1), "attack:alaska>kamchatka", rolled((6,), (5,)))
    assert Phase.ATTACK == applied.state.phase
    assert [] == of_kind(applied, PhaseChanged)


def invading():
    return play(facing(6, 1), "attack:alaska>kamchatka", rolled((6, 1, 1), (5,))).state


def test_xisk_18_all_but_one_chip_may_follow_and_zero_declines():
    assert {"invade:0", "invade:1", "invade:2"} == legal(invading())
    applied = play(invading(), "invade:2")
    assert ((0, 1), (0, 5)) == (at(applied.state, "alaska"), at(applied.state, "kamchatka"))
    assert (Invaded(0, "alaska", "kamchatka", 2), PhaseChanged(0, Phase.ATTACK)) == applied.events
    declined = play(invading(), "invade:0")
    assert ((0, 3), (0, 3)) == (at(declined.state, "alaska"), at(declined.state, "kamchatka"))


@pytest.mark.parametrize("chips", [3, 4, 2**32 - 1, -1])
def test_xisk_18_the_last_chip_may_not_follow(chips):
    error = refused(invading(), Invade(chips))
    assert "xisk/18" == error.rule
    assert "0 to 2" in error.message


@pytest.mark.parametrize(
    ("action", "rule"),
    [("attack:alaska>alberta", "xisk/13"), ("end-attack", "xisk/20"), ("end-turn", "xisk/21")],
)
def test_xisk_18_the_invasion_is_decided_before_anything_else(action, rule):
    error = refused(invading(), action)
    assert rule == error.rule
    assert "Decide first" in error.message


def test_xisk_18_there_is_one_decision_for_each_conquest():
    assert "xisk/18" == refused(play(invading(), "invade:1").state, "invade:1").rule


def test_xisk_20_the_phase_ends_when_the_seat_says_so():
    applied = play(facing(3, 3), "end-attack")
    assert (PhaseChanged(0, Phase.ADJUST),) == applied.events


def test_xisk_20_the_phase_ends_by_itself_when_every_own_country_has_one_chip():
    state = midgame({"alaska": (0, 2)}, hands={1: "AS"})
    applied = play(state, "attack:alaska>kamchatka", rolled((1,), (6,)))
    # xisk/21: the adjust phase ends by itself for the same reason.
    assert [TurnPassed(0, 1)] == of_kind(applied, TurnPassed)
    assert [] == of_kind(applied, CardDrawn)
    assert (1, Phase.SUPPLY) == (applied.state.mover, applied.state.phase)


def test_xisk_20_the_turn_can_end_by_itself_after_a_conquest_with_a_card_drawn():
    state = midgame({"alaska": (0, 2)}, deck_top="TC")
    applied = play(state, "attack:alaska>kamchatka", rolled((6,), (1,)))
    assert ((0, 1), (0, 1)) == (at(applied.state, "alaska"), at(applied.state, "kamchatka"))
    assert 1 == len(of_kind(applied, CardDrawn))
    assert 1 == applied.state.mover


def test_xisk_20_chips_without_an_enemy_beside_them_keep_the_phase_open():
    land = {"japan": (0, 5), "kamchatka": (0, 1), "mongolia": (0, 1), "peru": (0, 2)}
    state = midgame(land)
    applied = play(state, "attack:peru>brazil", rolled((1,), (6,)))
    assert Phase.ATTACK == applied.state.phase
    assert {"end-attack"} == legal(applied.state)
    assert "xisk/21" == refused(applied.state, "end-turn").rule


def test_xisk_13_a_country_of_no_map_is_refused():
    assert "xisk/3" == refused(facing(3, 3), Attack("alaska", "atlantis")).rule

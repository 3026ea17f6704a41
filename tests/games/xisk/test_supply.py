"""The supply phase: xisk/9 to xisk/12."""

import pytest

from referee.chance.recorded import shuffled
from referee.games.xisk.rules.actions import Place, Redeem
from referee.games.xisk.rules.events import (
    DeckShuffled,
    PhaseChanged,
    Placed,
    Redeemed,
    TurnBegan,
)
from referee.games.xisk.rules.state import NEUTRAL, Phase
from tests.games.xisk.builders import (
    WORLD,
    at,
    cards,
    legal,
    midgame,
    of_kind,
    play,
    refused,
    region,
)


def supplying(**fields):
    """Seat 0 in its supply phase with Alaska and Alberta and a pool of 3."""
    given = {"phase": Phase.SUPPLY, "pool": 3, **fields}
    return midgame({"alaska": (0, 2), "alberta": (0, 1)}, **given)


def pool_of(owned):
    """The turn that seat 1 begins when it owns these countries."""
    land = dict.fromkeys(owned, (1, 1))
    state = midgame(land, rest=(0, 1), phase=Phase.ADJUST)
    (began,) = of_kind(play(state, "end-turn"), TurnBegan)
    return began.country_chips, began.continent_chips, began.pool


@pytest.mark.parametrize(
    ("count", "chips"), [(1, 3), (8, 3), (9, 3), (11, 3), (12, 4), (14, 4), (15, 5)]
)
def test_xisk_9_one_chip_for_three_countries_and_at_least_three(count, chips):
    # Two of each continent and more never make a whole one.
    partial = [each for number, each in enumerate(WORLD.ids) if not _last_of_region(number)]
    assert (chips, 0, chips) == pool_of(partial[:count])


def _last_of_region(number):
    return any(each.members[-1] == number for each in WORLD.regions)


@pytest.mark.parametrize("each", WORLD.regions, ids=lambda each: each.name)
def test_xisk_9_a_whole_continent_gives_its_bonus(each):
    chips = max(3, len(each.members) // 3)
    assert (chips, each.bonus, chips + each.bonus) == pool_of(region(each.name))


def test_xisk_9_all_whole_continents_add_up():
    owned = [*region("South America"), *region("Australia"), *region("Africa")]
    assert (4, 7, 11) == pool_of(owned)


def test_xisk_9_a_continent_taken_during_the_turn_gives_nothing_before_the_next():
    land = dict.fromkeys(region("Australia"), (0, 1))
    state = midgame(land | {"indonesia": (1, 1)}, phase=Phase.SUPPLY, pool=1)
    applied = play(state, "place:new-guinea:1")
    assert 0 == applied.state.pool
    assert Phase.ATTACK == applied.state.phase


def test_xisk_10_the_first_set_gives_one_chip_and_its_cards_go_back():
    state = supplying(hands={0: "2C 5C 9C KD"})
    applied = play(state, "redeem:9C,5C,2C", shuffled())
    assert 4 == applied.state.pool
    assert cards("KD") == applied.state.hands[0]
    assert set(cards("9C 5C 2C")) <= set(applied.state.deck)
    assert (Redeemed(0, cards("9C 5C 2C"), 1, 4), DeckShuffled()) == applied.events


def test_xisk_10_sets_count_over_the_whole_match_whoever_redeemed_them():
    state = supplying(hands={0: "2C 5C 9C"}, sets_redeemed=6)
    applied = play(state, "redeem:9C,5C,2C", shuffled())
    assert (7, 10) == (applied.state.sets_redeemed, applied.state.pool)


def test_xisk_10_the_deck_is_reshuffled_at_once_with_the_set_in_it():
    state = supplying(hands={0: "2C 5C 9C"})
    top = cards("9C AS 2C")
    assert top == play(state, "redeem:9C,5C,2C", shuffled(*top)).state.deck[:3]


def test_xisk_10_several_sets_may_be_redeemed():
    state = supplying(hands={0: "2C 5C 9C KD QD JD"})
    state = play(state, "redeem:9C,5C,2C", shuffled()).state
    state = play(state, "redeem:KD,QD,JD", shuffled()).state
    assert (3 + 1 + 2, ()) == (state.pool, state.hands[0])


@pytest.mark.parametrize(
    ("action", "rule", "sentence"),
    [
        ("redeem:9C,5C", "xisk/10", "A set is exactly 3 cards, not 2."),
        ("redeem:KD,9C,5C,2C", "xisk/10", "A set is exactly 3 cards, not 4."),
        ("redeem:9C,9C,5C", "xisk/10", "one is named twice"),
        ("redeem:9C,5C,3C", "xisk/10", "You do not hold 3C."),
        ("redeem:KD,9C,5C", "xisk/10", "KD,9C,5C is no set"),
        (Redeem(cards("2C 5C 9C")), "xisk/30", "claim order"),
    ],
)
def test_xisk_10_what_is_no_set_is_refused(action, rule, sentence):
    error = refused(supplying(hands={0: "2C 5C 9C KD"}), action)
    assert rule == error.rule
    assert sentence in error.message


def test_xisk_11_with_five_cards_only_redeeming_is_legal():
    state = supplying(hands={0: "2C 5C 9C KD QD"})
    assert {"redeem"} == {text.partition(":")[0] for text in legal(state)}
    error = refused(state, "place:alaska:1")
    assert "xisk/11" == error.rule
    assert "You hold 5 cards" in error.message


def test_xisk_11_with_four_cards_redeeming_is_free():
    kinds = {text.partition(":")[0] for text in legal(supplying(hands={0: "2C 5C 9C KD"}))}
    assert {"redeem", "place"} == kinds


def test_xisk_11_eight_cards_take_two_sets_before_a_chip_is_placed():
    state = supplying(hands={0: "2C 5C 9C KD QD JD AS KS"})
    state = play(state, "redeem:9C,5C,2C", shuffled()).state
    assert "xisk/11" == refused(state, "place:alaska:1").rule
    state = play(state, "redeem:KD,QD,JD", shuffled()).state
    assert "place:alaska:1" in legal(state)


def test_xisk_11_the_first_chip_placed_closes_redeeming():
    state = play(supplying(hands={0: "2C 5C 9C"}), "place:alaska:1").state
    assert {"place:alaska:1", "place:alaska:2", "place:alberta:1", "place:alberta:2"} == legal(
        state
    )
    error = refused(state, "redeem:9C,5C,2C")
    assert "xisk/11" == error.rule
    assert "first chip placed" in error.message


def test_xisk_12_every_count_on_every_own_country_is_legal():
    expected = {f"place:{where}:{chips}" for where in ("alaska", "alberta") for chips in (1, 2, 3)}
    assert expected == legal(supplying())


def test_xisk_12_chips_are_placed_bit_by_bit_and_the_phase_ends_by_itself():
    applied = play(supplying(), "place:alaska:1")
    assert (Placed(0, "alaska", 1),) == applied.events
    assert (
        2,
        True,
        Phase.SUPPLY,
    ) == (applied.state.pool, applied.state.placing, applied.state.phase)
    applied = play(applied.state, "place:alberta:2")
    assert (Placed(0, "alberta", 2), PhaseChanged(0, Phase.ATTACK)) == applied.events
    assert ((0, 3), (0, 3)) == (at(applied.state, "alaska"), at(applied.state, "alberta"))
    assert not applied.state.placing


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        ("place:alaska:0", "Place 1 to 3 chips, not 0."),
        ("place:alaska:4", "Place 1 to 3 chips, not 4."),
        (Place("alaska", -1), "Place 1 to 3 chips, not -1."),
        (Place("alaska", 2**32 - 1), "Place 1 to 3 chips"),
        ("place:ontario:1", "Ontario is not yours."),
    ],
)
def test_xisk_12_other_counts_and_countries_are_refused(action, sentence):
    error = refused(supplying(), action)
    assert "xisk/12" == error.rule
    assert sentence in error.message


def test_xisk_7_neutral_countries_take_no_chips():
    state = midgame({"alaska": (0, 2), "peru": (NEUTRAL, 1)}, phase=Phase.SUPPLY, pool=3)
    assert "xisk/12" == refused(state, "place:peru:1").rule


def test_xisk_3_a_country_of_another_map_is_refused():
    assert "xisk/3" == refused(supplying(), Place("atlantis", 1)).rule


@pytest.mark.parametrize(
    "action", ["attack:alaska>kamchatka", "end-attack", "end-turn", "invade:0"]
)
def test_xisk_12_attacking_and_ending_wait_until_the_pool_is_empty(action):
    assert "supply phase" in refused(supplying(), action).message

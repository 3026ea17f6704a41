"""Set-up: xisk/1 and xisk/4 to xisk/8."""

import pytest

from referee.chance.draws import SeededChance
from referee.chance.recorded import ScriptedChance, rolled, shuffled
from referee.errors import InvalidSettingsError
from referee.games.xisk.plugin import GAME
from referee.games.xisk.rules.cards import CARDS_PER_SEAT
from referee.games.xisk.rules.events import (
    Claimed,
    Dealt,
    DeckShuffled,
    OrderRolled,
    OrderSet,
    TurnBegan,
    TurnedNeutral,
)
from referee.games.xisk.rules.state import NEUTRAL, UNCLAIMED, Phase, Settings
from tests.games.xisk.builders import (
    RULES,
    WORLD,
    at,
    cards,
    claiming,
    legal,
    of_kind,
    play,
    refused,
)


def finish_claiming(seats, *order_rolls):
    """Claim every country in map order, then roll as scripted."""
    start = RULES.initial(Settings(), seats, ScriptedChance(shuffled())).state
    state = start
    while sum(map(len, state.hands)) > 1:
        free = WORLD.ids[state.owners.index(UNCLAIMED)]
        state = play(state, f"claim:{free}").state
    free = WORLD.ids[state.owners.index(UNCLAIMED)]
    return play(state, f"claim:{free}", shuffled(), *(rolled(*rolls) for rolls in order_rolls))


@pytest.mark.parametrize("seats", [0, 1, 7, -1])
def test_xisk_1_other_than_2_to_6_seats_are_refused(seats):
    with pytest.raises(InvalidSettingsError, match="2 to 6"):
        RULES.initial(Settings(), seats, ScriptedChance())


def test_an_unknown_map_is_refused_and_the_known_ones_are_named():
    with pytest.raises(InvalidSettingsError, match="classic"):
        RULES.initial(Settings(map_id="mars"), 2, ScriptedChance())


def test_xisk_1_seats_choose_among_seven_colours_and_white_is_kept():
    assert [
        "red",
        "orange",
        "yellow",
        "green",
        "cyan",
        "blue",
        "magenta",
    ] == list(GAME.info.colours)
    assert not GAME.info.colour_by_seat
    assert "xisk/1" == GAME.info.colour_rule


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_xisk_4_hands_have_the_size_of_the_table_and_the_rest_stays_in_the_deck(seats):
    applied = RULES.initial(Settings(), seats, SeededChance(bytes(32)))
    state = applied.state
    size = CARDS_PER_SEAT[seats]
    assert (size,) * seats == tuple(len(hand) for hand in state.hands)
    assert 52 - seats * size == len(state.deck)
    assert (DeckShuffled(), Dealt((size,) * seats, state.hands)) == applied.events
    assert [] == RULES.invariants(state)


def test_xisk_4_and_31_cards_are_dealt_one_by_one_from_the_top():
    top = cards("2C KH AS 9D TD 4S")
    state = RULES.initial(Settings(), 3, ScriptedChance(shuffled(*top))).state
    assert set(cards("2C 9D")) <= set(state.hands[0])
    assert set(cards("KH TD")) <= set(state.hands[1])
    assert set(cards("AS 4S")) <= set(state.hands[2])
    assert state.deck == tuple(sorted(state.deck))


def test_xisk_5_the_ace_of_spades_claims_first_and_its_card_becomes_public():
    state = claiming({0: "KS 2C", 1: "AS 2H"})
    assert (1,) == RULES.to_move(state)
    assert 42 == len(legal(state))
    applied = play(state, "claim:alaska")
    assert (Claimed(1, cards("AS")[0], "alaska"),) == applied.events
    assert (1, 1) == at(applied.state, "alaska")
    assert 0 == applied.state.mover
    assert cards("2H") == applied.state.hands[1]


def test_xisk_5_one_seat_may_claim_several_times_running():
    state = claiming({0: "AS KS QS", 1: "2C"})
    movers = []
    for country in ("alaska", "alberta", "ontario"):
        movers.append(state.mover)
        state = play(state, f"claim:{country}").state
    assert ([0, 0, 0], 1) == (movers, state.mover)


def test_xisk_5_suits_go_spades_hearts_diamonds_clubs_and_cards_nobody_holds_are_skipped():
    state = claiming({0: "2S AD", 1: "AH 2C"})
    movers = []
    for country in ("alaska", "alberta", "ontario"):
        movers.append(state.mover)
        state = play(state, f"claim:{country}").state
    assert ([0, 1, 0], 1) == (movers, state.mover)


def test_xisk_5_a_claimed_country_is_refused():
    state = play(claiming({0: "AS QS", 1: "KS"}), "claim:alaska").state
    error = refused(state, "claim:alaska")
    assert "xisk/5" == error.rule
    assert "Alaska is claimed already" in error.message


@pytest.mark.parametrize(
    ("action", "rule"),
    [
        ("place:alaska:1", "xisk/12"),
        ("redeem:2C,5C,9C", "xisk/10"),
        ("attack:alaska>alberta", "xisk/13"),
        ("invade:0", "xisk/18"),
        ("end-attack", "xisk/20"),
        ("adjust:alaska>alberta:1", "xisk/21"),
        ("end-turn", "xisk/21"),
    ],
)
def test_xisk_5_nothing_but_a_claim_is_legal_while_claiming(action, rule):
    error = refused(claiming({0: "AS", 1: "KS"}), action)
    assert rule == error.rule
    assert "Claim a country" in error.message


def test_xisk_6_hands_are_empty_and_all_cards_in_the_deck_when_turns_begin():
    applied = finish_claiming(2, ((6, 6, 6), (1, 1, 1)))
    state = applied.state
    assert ((), ()) == state.hands
    assert tuple(range(52)) == state.deck
    assert () == state.claims
    assert 1 == len(of_kind(applied, DeckShuffled))


@pytest.mark.parametrize(("seats", "left"), [(2, 0), (3, 0), (4, 2), (5, 2), (6, 0)])
def test_xisk_7_what_is_left_over_turns_neutral_with_one_chip(seats, left):
    rolls = tuple((6 - seat, 1, 1) for seat in range(seats))
    applied = finish_claiming(seats, rolls)
    state = applied.state
    assert left == state.owners.count(NEUTRAL)
    assert (1,) * 42 == state.chips
    named = [event.countries for event in of_kind(applied, TurnedNeutral)]
    assert named == ([WORLD.ids[-2:]] if left else [])


def test_xisk_8_the_highest_sum_of_three_dice_goes_first():
    applied = finish_claiming(3, ((1, 1, 1), (6, 1, 1), (3, 3, 3)))
    assert (2, 1, 0) == applied.state.order
    assert 2 == applied.state.mover
    assert [OrderSet((2, 1, 0))] == of_kind(applied, OrderSet)
    assert [TurnBegan(2, 1, 4, 0, 4)] == of_kind(applied, TurnBegan)


def test_xisk_8_tied_seats_and_only_they_roll_again_among_themselves():
    first = ((5, 5, 3), (1, 1, 1), (6, 6, 1), (4, 4, 4))  # 13, 3, 13, 12
    again = ((1, 1, 1), (1, 1, 2))  # seats 0 and 2: low, but still ahead of 12
    applied = finish_claiming(4, first, again)
    assert (2, 0, 3, 1) == applied.state.order
    rounds = [tuple(seat for seat, _ in event.rolls) for event in of_kind(applied, OrderRolled)]
    assert [(0, 1, 2, 3), (0, 2)] == rounds


def test_xisk_8_two_ties_roll_in_one_round_and_stay_apart():
    first = ((6, 6, 6), (1, 1, 1), (6, 6, 6), (1, 1, 1))
    again = ((1, 1, 1), (6, 6, 6), (2, 1, 1), (5, 6, 6))
    applied = finish_claiming(4, first, again)
    assert (2, 0, 1, 3) == applied.state.order


def test_xisk_8_a_tie_that_stays_is_rolled_until_broken():
    same = ((2, 2, 2), (2, 2, 2))
    applied = finish_claiming(2, same, same, ((1, 2, 3), (6, 2, 3)))
    assert (1, 0) == applied.state.order
    assert 3 == len(of_kind(applied, OrderRolled))
    assert Phase.SUPPLY == applied.state.phase

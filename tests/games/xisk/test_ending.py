"""Elimination, victory and the round limit: xisk/17, xisk/19, xisk/24 and xisk/26."""

import pytest

from referee.chance.recorded import ScriptedChance, rolled, shuffled
from referee.errors import MatchOverError, NotYourTurnError
from referee.games.xisk.rules.actions import EndTurn
from referee.games.xisk.rules.events import (
    CardsSurrendered,
    Conquered,
    Eliminated,
    MatchEnded,
    PhaseChanged,
    TurnPassed,
)
from referee.games.xisk.rules.state import NEUTRAL, Phase
from referee.plugin import Result, Termination
from tests.games.xisk.builders import RULES, at, cards, legal, midgame, of_kind, play, refused

HIT = rolled((6, 1, 1), (5,))


def last_stand(mine=6, **fields):
    """Seat 1 holds Kamchatka alone, which Alaska of seat 0 can attack; seat 2 has the rest."""
    land = {"alaska": (0, mine), "kamchatka": (1, 1)}
    return midgame(land, **{"rest": (2, 1), "seats": 3, **fields})


def test_xisk_17_owning_all_42_countries_ends_the_match_at_once():
    state = midgame({"kamchatka": (1, 1), "alaska": (0, 6)}, rest=(0, 1), hands={1: "AS KS"})
    applied = play(state, "attack:alaska>kamchatka", HIT)
    result = Result((0,), Termination.COMPLETED)
    assert result == RULES.result(applied.state)
    assert MatchEnded(result) == applied.events[-1]
    # No invasion, no elimination, no cards, although chips are left behind.
    assert ((0, 3), (0, 3)) == (at(applied.state, "alaska"), at(applied.state, "kamchatka"))
    assert [] == of_kind(applied, Eliminated)
    assert () == RULES.to_move(applied.state)
    assert () == RULES.legal_actions(applied.state, 0)


def test_an_ended_match_takes_no_more_actions():
    state = midgame({"kamchatka": (1, 1), "alaska": (0, 6)}, rest=(0, 1))
    over = play(state, "attack:alaska>kamchatka", HIT).state
    for seat in (0, 1):
        with pytest.raises(MatchOverError):
            RULES.apply(over, seat, EndTurn(), ScriptedChance())
        with pytest.raises(MatchOverError):
            RULES.forfeit(over, seat, Termination.RESIGNATION, ScriptedChance())


@pytest.mark.parametrize("seat", [1, 2, 9])
def test_a_seat_that_is_not_to_move_is_told_who_is(seat):
    with pytest.raises(NotYourTurnError, match="Seat 0 is to move"):
        RULES.apply(last_stand(), seat, EndTurn(), ScriptedChance())
    assert () == RULES.legal_actions(last_stand(), seat)


def test_xisk_19_the_invasion_comes_before_the_elimination():
    applied = play(last_stand(hands={1: "AS KS"}), "attack:alaska>kamchatka", HIT)
    assert Phase.INVADE == applied.state.phase
    assert () == applied.state.out
    applied = play(applied.state, "invade:1")
    assert (1,) == applied.state.out
    assert [
        Eliminated(1, 0),
        CardsSurrendered(1, 0, 2, cards("AS KS")),
        PhaseChanged(0, Phase.CONQUEST_SUPPLY),
    ] == list(applied.events[1:])


def test_xisk_19_without_an_invasion_to_decide_the_elimination_comes_at_once():
    applied = play(last_stand(mine=2), "attack:alaska>kamchatka", rolled((6,), (5,)))
    assert (1, Phase.CONQUEST_SUPPLY) == (applied.state.pool, applied.state.phase)
    assert [Conquered, Eliminated, PhaseChanged] == [type(each) for each in applied.events[1:]]


def conquest_supply(**fields):
    state = play(last_stand(**fields), "attack:alaska>kamchatka", HIT).state
    return play(state, "invade:0").state


def test_xisk_19_the_conqueror_places_one_chip_and_goes_on_attacking():
    state = conquest_supply()
    assert {"place:alaska:1", "place:kamchatka:1"} == legal(state)
    applied = play(state, "place:kamchatka:1")
    assert Phase.ATTACK == applied.state.phase
    assert "attack:kamchatka>japan" in legal(applied.state)


def test_xisk_19_cards_taken_may_be_redeemed_before_the_chip_is_placed():
    state = conquest_supply(hands={0: "2C", 1: "5C 9C"}, sets_redeemed=3)
    assert {"redeem:9C,5C,2C", "place:alaska:1", "place:kamchatka:1"} == legal(state)
    state = play(state, "redeem:9C,5C,2C", shuffled()).state
    assert (1 + 4, Phase.CONQUEST_SUPPLY) == (state.pool, state.phase)
    state = play(state, "place:alaska:2").state
    assert "xisk/12" == refused(state, "place:alaska:4").rule
    assert Phase.ATTACK == play(state, "place:alaska:3").state.phase


def test_xisk_19_with_five_cards_sets_must_be_redeemed_until_four_or_fewer_are_left():
    state = conquest_supply(hands={0: "2C 3C 4C", 1: "5C 6C 7C 8C 9C"})
    assert "xisk/11" == refused(state, "place:alaska:1").rule
    state = play(state, "redeem:4C,3C,2C", shuffled()).state
    assert "xisk/11" == refused(state, "place:alaska:1").rule
    state = play(state, "redeem:7C,6C,5C", shuffled()).state
    assert 1 + 1 + 2 == state.pool
    assert "place:alaska:1" in legal(state)


def test_xisk_19_no_chips_come_for_countries_or_continents():
    state = play(
        midgame({"kamchatka": (1, 1), "peru": (NEUTRAL, 1), "alaska": (0, 9)}, rest=(0, 1)),
        "attack:alaska>kamchatka",
        HIT,
    ).state
    assert 1 == play(state, "invade:0").state.pool


def test_xisk_19_a_seat_with_a_country_left_stays_in():
    land = {"alaska": (0, 2), "kamchatka": (1, 1), "peru": (1, 1)}
    state = midgame(land, rest=(2, 1), seats=3)
    assert () == play(state, "attack:alaska>kamchatka", rolled((6,), (5,))).state.out


def test_xisk_19_conquering_a_neutral_country_eliminates_nobody():
    land = {"alaska": (0, 2), "kamchatka": (NEUTRAL, 1), "peru": (0, 2)}
    applied = play(midgame(land), "attack:alaska>kamchatka", rolled((6,), (5,)))
    assert [] == of_kind(applied, Eliminated)
    assert Phase.ATTACK == applied.state.phase


def test_xisk_22_the_card_of_a_conquest_is_drawn_after_an_elimination_too():
    state = play(conquest_supply(deck_top="TC"), "place:alaska:1").state
    state = play(state, "end-attack").state
    assert cards("TC") == play(state, "end-turn").state.hands[0]


def test_xisk_24_neutral_countries_keep_the_match_going_after_the_last_elimination():
    land = {"alaska": (0, 6), "kamchatka": (1, 1), "peru": (NEUTRAL, 1), "brazil": (0, 5)}
    state = midgame(land, rest=(0, 1))
    state = play(state, "attack:alaska>kamchatka", HIT).state
    state = play(state, "invade:0").state
    assert ((1,), None) == (state.out, state.result)
    state = play(state, "place:brazil:1").state
    # The seat that is left has turn after turn, and each is a round.
    applied = play(play(state, "end-attack").state, "end-turn")
    assert TurnPassed(0, 0) in applied.events
    assert (0, 2) == (applied.state.mover, applied.state.round)
    state = applied.state._replace(phase=Phase.ATTACK, pool=0)
    over = play(state, "attack:brazil>peru", HIT).state
    assert Result((0,), Termination.COMPLETED) == over.result


def limited(land, rest, **fields):
    given = {"seats": 3, "phase": Phase.ADJUST, "round_limit": 5, "round": 5, "mover": 2, **fields}
    return midgame(land, rest=rest, **given)


def test_xisk_26_at_the_limit_most_countries_win():
    state = limited({"alaska": (0, 90), "peru": (2, 5)}, (1, 1))
    applied = play(state, "end-turn")
    assert Result((1,), Termination.LIMIT) == applied.state.result
    assert [MatchEnded(Result((1,), Termination.LIMIT))] == list(applied.events)


def test_xisk_26_with_as_many_countries_most_chips_win():
    state = limited({"alaska": (0, 3), "alberta": (1, 4), "peru": (2, 2)}, (NEUTRAL, 1))
    assert Result((1,), Termination.LIMIT) == play(state, "end-turn").state.result


def test_xisk_26_with_as_many_of_both_it_is_a_draw_between_those_equal():
    state = limited({"alaska": (0, 3), "alberta": (1, 2), "peru": (2, 3)}, (NEUTRAL, 1))
    assert Result((0, 2), Termination.LIMIT) == play(state, "end-turn").state.result


def test_xisk_26_the_card_that_was_earned_is_drawn_before_the_limit_ends_the_match():
    state = limited({"alaska": (0, 3), "peru": (2, 3)}, (1, 1), conquered=True, deck_top="TC")
    assert cards("TC") == play(state, "end-turn").state.hands[2]


def test_xisk_26_a_round_is_one_turn_of_each_seat_still_in_by_the_order_of_play():
    land = {"alaska": (0, 3), "alberta": (1, 2), "peru": (2, 3)}
    early = limited(land, (NEUTRAL, 1), mover=0, order=(2, 0, 1))
    assert (1, 5) == (play(early, "end-turn").state.mover, early.round)
    # Seat 1 is last in the order; when it is out, seat 0 is the last to play.
    last = limited(
        {"alaska": (0, 3), "peru": (2, 3)}, (NEUTRAL, 1), mover=0, order=(2, 0, 1), out=(1,)
    )
    assert Result((0, 2), Termination.LIMIT) == play(last, "end-turn").state.result


def test_xisk_26_rounds_before_the_limit_only_count_on():
    state = limited({"alaska": (0, 3), "peru": (2, 3)}, (1, 1), round=4)
    assert (5, None) == play(state, "end-turn").state[12::7]


def test_xisk_26_no_limit_is_the_default():
    state = limited({"alaska": (0, 3), "peru": (2, 3)}, (1, 1), round=10**6, round_limit=0)
    assert None is play(state, "end-turn").state.result

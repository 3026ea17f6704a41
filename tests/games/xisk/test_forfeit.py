"""Resignation and forfeit in every phase: xisk/25."""

import pytest

from referee.chance.recorded import ScriptedChance, rolled, shuffled
from referee.errors import IllegalActionError
from referee.games.xisk.rules.events import (
    CardDrawn,
    DeckShuffled,
    Eliminated,
    MatchEnded,
    OrderSet,
    SeatForfeited,
    TurnBegan,
    TurnedNeutral,
    TurnPassed,
)
from referee.games.xisk.rules.state import NEUTRAL, NOBODY, UNCLAIMED, Phase
from referee.plugin import Result, Termination
from tests.games.xisk.builders import RULES, WORLD, at, cards, claiming, midgame, of_kind, play

HIT = rolled((6, 1, 1), (5,))
QUIT = Termination.RESIGNATION


def leave(state, seat, *draws, termination=QUIT):
    """Forfeit a seat; the script must be used up and the new state sound."""
    chance = ScriptedChance(*draws)
    applied = RULES.forfeit(state, seat, termination, chance)
    chance.finish()
    assert [] == RULES.invariants(applied.state)
    return applied


def three(**fields):
    """Three seats: 0 in Alaska and Peru, 1 in Kamchatka and Japan, 2 everywhere else."""
    land = {"alaska": (0, 4), "peru": (0, 2), "kamchatka": (1, 3), "japan": (1, 2)}
    return midgame(land, **{"rest": (2, 1), "seats": 3, **fields})


def test_xisk_25_chips_turn_neutral_where_they_stand_and_the_hand_goes_back_shuffled():
    state = three(hands={1: "AS 2C", 0: "KH"})
    applied = leave(state, 1, shuffled(*cards("2C TD AS")))
    assert (
        (NEUTRAL, 3),
        (NEUTRAL, 2),
    ) == (at(applied.state, "kamchatka"), at(applied.state, "japan"))
    assert cards("2C TD AS") == applied.state.deck[:3]
    assert (cards("KH"), (), ()) == applied.state.hands
    assert (
        SeatForfeited(1, QUIT, 2),
        TurnedNeutral(("japan", "kamchatka")),
        DeckShuffled(),
    ) == applied.events


def test_xisk_25_a_seat_that_is_not_to_move_leaves_the_turn_as_it_is():
    state = three(phase=Phase.SUPPLY, pool=5, placing=True, conquered=False)
    after = leave(state, 1).state
    assert (0, Phase.SUPPLY, 5, True) == (after.mover, after.phase, after.pool, after.placing)


def test_xisk_25_without_cards_nothing_is_shuffled():
    assert [] == of_kind(leave(three(), 1), DeckShuffled)


@pytest.mark.parametrize(
    "pending",
    [
        {"phase": Phase.SUPPLY, "pool": 3},
        {"phase": Phase.SUPPLY, "pool": 2, "placing": True},
        {"phase": Phase.ATTACK, "conquered": True},
        {"phase": Phase.CONQUEST_SUPPLY, "pool": 1, "conquered": True},
        {"phase": Phase.ADJUST, "conquered": True},
        {
            "phase": Phase.INVADE,
            "conquered": True,
            "source": WORLD.index["alaska"],
            "target": WORLD.index["alberta"],
        },
    ],
    ids=lambda pending: f"{pending['phase'].name}-{len(pending)}",
)
def test_xisk_25_the_turn_of_a_seat_to_move_passes_and_no_card_is_drawn(pending):
    land = {"alaska": (0, 4), "alberta": (0, 1), "peru": (0, 2), "kamchatka": (1, 3)}
    applied = leave(midgame(land, rest=(2, 1), seats=3, **pending), 0)
    state = applied.state
    assert [TurnPassed(0, 1)] == of_kind(applied, TurnPassed)
    assert [] == of_kind(applied, CardDrawn)
    assert (1, Phase.SUPPLY, 3) == (state.mover, state.phase, state.pool)
    assert (False, NOBODY, NOBODY) == (state.conquered, state.source, state.target)


def test_xisk_25_a_forfeited_seat_is_skipped_in_the_order_of_play():
    state = leave(three(), 1).state
    state = play(state, "end-attack").state
    assert TurnPassed(0, 2) in play(state, "end-turn").events


def test_xisk_25_the_last_seat_left_wins():
    state = leave(three(), 1).state
    applied = leave(state, 0, termination=Termination.TIME_FORFEIT)
    result = Result((2,), Termination.TIME_FORFEIT)
    assert result == applied.state.result
    assert MatchEnded(result) == applied.events[-1]
    assert [] == of_kind(applied, TurnBegan)


@pytest.mark.parametrize("termination", [QUIT, Termination.TIME_FORFEIT, Termination.ABANDONED])
def test_xisk_25_of_two_seats_the_other_wins(termination):
    state = midgame({"alaska": (0, 3)}, hands={0: "AS"})
    applied = leave(state, 0, shuffled(), termination=termination)
    assert Result((1,), termination) == applied.state.result


@pytest.mark.parametrize("seat", [1, 3, -1])
def test_xisk_25_a_seat_that_is_out_or_does_not_exist_cannot_leave(seat):
    state = leave(three(), 1).state
    with pytest.raises(IllegalActionError, match="not in the match") as caught:
        RULES.forfeit(state, seat, QUIT, ScriptedChance())
    assert "xisk/25" == caught.value.rule


def test_xisk_25_an_eliminated_seat_cannot_leave():
    land = {"alaska": (0, 2), "kamchatka": (1, 1)}
    state = midgame(land, rest=(2, 1), seats=3)
    state = play(state, "attack:alaska>kamchatka", rolled((6,), (5,))).state
    with pytest.raises(IllegalActionError):
        RULES.forfeit(state, 1, QUIT, ScriptedChance())


# --- while countries are claimed ---


def test_xisk_25_while_claiming_nothing_is_shuffled_and_remaining_claims_are_skipped():
    state = claiming({0: "AS QS", 1: "KS JS", 2: "TS 9S"}, seats=3)
    state = play(state, "claim:alaska").state
    applied = leave(state, 1)
    assert (SeatForfeited(1, QUIT, 2),) == applied.events
    assert set(cards("KS JS")) <= set(applied.state.deck)
    assert (0, Phase.CLAIM) == (applied.state.mover, applied.state.phase)
    state = play(applied.state, "claim:alberta").state
    assert 2 == state.mover


def test_xisk_25_claims_already_made_turn_neutral_and_cannot_be_made_again():
    state = claiming({0: "AS QS", 1: "KS JS", 2: "TS"}, seats=3)
    state = play(state, "claim:alaska").state
    applied = leave(state, 0)
    assert TurnedNeutral(("alaska",)) in applied.events
    assert (NEUTRAL, 1) == at(applied.state, "alaska")
    assert 41 == len(RULES.legal_actions(applied.state, 1))


def test_xisk_25_when_the_last_claims_are_skipped_the_set_up_is_finished():
    state = claiming({0: "AS QS", 1: "KS", 2: "JS"}, seats=3)
    for country in ("alaska", "alberta", "ontario"):
        state = play(state, f"claim:{country}").state
    assert 2 == state.mover
    applied = leave(state, 2, shuffled(), rolled((1, 1, 1), (2, 2, 2)))
    # Only the seats still in roll for the order of play.
    assert [OrderSet((1, 0))] == of_kind(applied, OrderSet)
    assert 42 - 3 == applied.state.owners.count(NEUTRAL)
    assert UNCLAIMED not in applied.state.owners
    assert (1, Phase.SUPPLY, ()) == (applied.state.mover, applied.state.phase, applied.state.claims)


def test_xisk_25_while_claiming_the_last_seat_left_wins_too():
    state = claiming({0: "AS QS", 1: "KS"})
    assert Result((1,), QUIT) == leave(state, 0).state.result


# --- while an invasion is pending ---


def pending_elimination(hands):
    """Seat 0 has just taken the last country of seat 1 and is asked for the invasion."""
    land = {"alaska": (0, 6), "kamchatka": (1, 1)}
    state = midgame(land, rest=(2, 1), seats=3, hands=hands)
    return play(state, "attack:alaska>kamchatka", HIT).state


def test_xisk_25_a_conqueror_who_leaves_takes_the_defeated_seat_out_with_it():
    state = pending_elimination({0: "AS", 1: "KS 2C"})
    applied = leave(state, 0, shuffled())
    assert Eliminated(1, 0, 2) in applied.events
    assert (0, 1) == applied.state.out
    assert ((), (), ()) == applied.state.hands
    assert 1 == len(of_kind(applied, DeckShuffled))
    assert Result((2,), QUIT) == applied.state.result


def test_xisk_25_the_turn_passes_on_when_others_are_left_after_both():
    land = {"alaska": (0, 6), "kamchatka": (1, 1), "peru": (3, 2)}
    state = midgame(land, rest=(2, 1), seats=4)
    state = play(state, "attack:alaska>kamchatka", HIT).state
    applied = leave(state, 0)
    assert TurnPassed(0, 2) in applied.events
    assert ((0, 1), None) == (applied.state.out, applied.state.result)


def test_xisk_25_of_two_seats_the_defeated_one_wins_when_its_conqueror_leaves():
    land = {"alaska": (0, 6), "kamchatka": (1, 1), "peru": (NEUTRAL, 1)}
    state = midgame(land, rest=(0, 1), hands={1: "KS"})
    state = play(state, "attack:alaska>kamchatka", HIT).state
    applied = leave(state, 0)
    assert Result((1,), QUIT) == applied.state.result


def test_xisk_25_a_defeated_seat_that_leaves_before_the_invasion_surrenders_nothing():
    state = pending_elimination({0: "AS", 1: "KS 2C"})
    state = leave(state, 1, shuffled()).state
    assert (0, Phase.INVADE, (1,)) == (state.mover, state.phase, state.out)
    applied = play(state, "invade:0")
    assert (Phase.ATTACK, cards("AS")) == (applied.state.phase, applied.state.hands[0])


# --- with nobody else left ---


def test_xisk_25_the_only_seat_left_wins_when_it_stops_before_neutral_countries_fall():
    state = midgame({"peru": (NEUTRAL, 3)}, rest=(0, 2), out=(1,))
    applied = leave(state, 0)
    assert Result((0,), QUIT) == applied.state.result
    assert (MatchEnded(Result((0,), QUIT)),) == applied.events


def test_xisk_26_a_forfeit_can_end_the_last_round():
    state = three(mover=2, round=5, round_limit=5)
    assert Result((0,), Termination.LIMIT) == leave(state, 2).state.result

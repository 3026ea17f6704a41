"""What each seat may see: xisk/28. Nothing a seat receives depends on what it may not see."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.chance.draws import SeededChance
from referee.chance.recorded import RecordedChance, RecordingChance
from referee.errors import RefereeError
from referee.games.xisk.plugin import GAME
from referee.games.xisk.rules.actions import Claim, Redeem
from referee.games.xisk.rules.events import CardDrawn, CardsSurrendered, Dealt
from referee.games.xisk.rules.observation import ClaimView, CountryView, InvasionView
from referee.games.xisk.rules.state import NEUTRAL, Phase
from referee.plugin import Termination
from tests.games.xisk.builders import RULES, WORLD, cards, claiming, midgame, play
from tests.games.xisk.randoms import any_action, midway


def test_xisk_28_map_chips_and_owners_are_public():
    state = midgame({"alaska": (0, 4), "peru": (NEUTRAL, 2)})
    for seat in (None, 0, 1):
        countries = RULES.observe(state, seat).countries
        assert WORLD.ids == tuple(view.country for view in countries)
        assert CountryView("alaska", 0, 4) == countries[WORLD.index["alaska"]]
        assert CountryView("peru", None, 2) == countries[WORLD.index["peru"]]


def test_xisk_28_a_hand_is_seen_by_its_owner_alone_and_its_size_by_all():
    state = midgame({"alaska": (0, 4)}, hands={0: "AS 2C", 1: "KH"})
    assert [cards("AS 2C"), cards("KH"), ()] == [
        RULES.observe(state, seat).hand for seat in (0, 1, None)
    ]
    for seat in (0, 1, None):
        assert (2, 1) == RULES.observe(state, seat).hand_sizes
        assert 49 == RULES.observe(state, seat).deck_size


def test_xisk_28_turn_pool_sets_and_order_are_public():
    state = midgame(
        {"alaska": (0, 4)},
        phase=Phase.SUPPLY,
        pool=5,
        placing=True,
        sets_redeemed=7,
        round=9,
        order=(1, 0),
        round_limit=20,
    )
    seen = RULES.observe(state, None)
    assert (Phase.SUPPLY, 5, True, 7, 8) == (
        seen.phase,
        seen.pool,
        seen.placing,
        seen.sets_redeemed,
        seen.next_set_chips,
    )
    assert (9, 20, (1, 0), 0, ()) == (
        seen.round,
        seen.round_limit,
        seen.order,
        seen.to_move,
        seen.out,
    )


def test_xisk_28_a_pending_invasion_is_public():
    source, target = WORLD.index["alaska"], WORLD.index["alberta"]
    land = {"alaska": (0, 4), "alberta": (0, 2)}
    state = midgame(land, phase=Phase.INVADE, conquered=True, source=source, target=target)
    seen = RULES.observe(state, 1)
    assert InvasionView("alaska", "alberta", 3) == seen.invasion
    assert seen.conquered


def test_xisk_5_and_28_claims_are_public_and_the_card_that_claims_next_is_not():
    one = play(claiming({0: "AS QS", 1: "2C"}), "claim:alaska").state
    other = play(claiming({0: "AS 9D", 1: "2C"}), "claim:alaska").state
    assert (ClaimView(0, cards("AS")[0], "alaska"),) == RULES.observe(one, 1).claims
    for seat in (1, None):
        assert RULES.observe(one, seat) == RULES.observe(other, seat)
        assert _wire(one, seat) == _wire(other, seat)


def _wire(state, seat):
    return GAME.wire.observation_to_message(RULES.observe(state, seat)).SerializeToString()


@pytest.mark.parametrize(("seat", "seen"), [(0, ((1, 2), ())), (1, ((), (3, 4))), (None, ((), ()))])
def test_xisk_28_a_dealt_hand_is_shown_to_its_owner(seat, seen):
    event = RULES.event_for(Dealt((2, 2), ((1, 2), (3, 4))), seat)
    assert Dealt((2, 2), seen) == event


@pytest.mark.parametrize(("seat", "seen"), [(0, 7), (1, None), (None, None)])
def test_xisk_28_a_drawn_card_is_shown_to_who_drew_it(seat, seen):
    assert CardDrawn(0, seen) == RULES.event_for(CardDrawn(0, 7), seat)


@pytest.mark.parametrize(("seat", "seen"), [(0, (7, 8)), (1, (7, 8)), (2, ()), (None, ())])
def test_xisk_28_surrendered_cards_are_shown_to_giver_and_taker(seat, seen):
    event = RULES.event_for(CardsSurrendered(0, 1, 2, (7, 8)), seat)
    assert CardsSurrendered(0, 1, 2, seen) == event


# --- the same table with other hidden cards ---


def with_other_cards(state, seat, random):
    """The state with other hands and another deck, such that ``seat`` cannot tell it."""
    places = [
        (holder, at) for holder in range(state.seats) for at in range(len(state.hands[holder]))
    ]
    places = [place for place in places if place[0] != seat]
    places += [(state.seats, at) for at in range(len(state.deck))]
    piles = [list(hand) for hand in state.hands] + [list(state.deck)]
    for _ in range(60 if len(places) > 1 else 0):
        (one, here), (other, there) = random.sample(places, 2)
        piles[one][here], piles[other][there] = piles[other][there], piles[one][here]
        if not _same_mover(state, piles):
            piles[one][here], piles[other][there] = piles[other][there], piles[one][here]
    hands = tuple(tuple(sorted(pile)) for pile in piles[:-1])
    return state._replace(hands=hands, deck=tuple(piles[-1]))


def _same_mover(state, piles):
    """Whose claim it is, is public, so the hidden cards have to agree with it."""
    if state.phase != Phase.CLAIM:
        return True
    held = {min(pile): seat for seat, pile in enumerate(piles[:-1]) if pile}
    last = max((card for card, _, _ in state.claims), default=-1)
    return held[min(held)] == state.mover and min(held) > last


def refusal(state, seat, action):
    """What ``seat`` is told about an action, or None if it is accepted."""
    try:
        RULES.apply(state, seat, action, SeededChance(bytes(32)))
    except RefereeError as error:
        return type(error), error.message, dict(error.metadata)
    return None


@settings(deadline=None)
@given(st.integers(2, 6), st.integers(0, 2**32), st.integers(0, 500), st.data())
def test_xisk_28_what_a_seat_receives_does_not_depend_on_hidden_cards(seats, seed, plies, data):
    random = Random(seed)
    state = midway(seats, random, plies)
    seat = data.draw(st.integers(0, seats - 1))
    other = with_other_cards(state, seat, random)
    assert [] == RULES.invariants(other)
    assert RULES.observe(state, seat) == RULES.observe(other, seat)
    assert list(RULES.legal_actions(state, seat)) == list(RULES.legal_actions(other, seat))
    messages = [GAME.wire.legal_actions_to_message(each, seat) for each in (state, other)]
    assert messages[0] == messages[1]
    for _ in range(10):
        action = any_action(random)
        assert refusal(state, seat, action) == refusal(other, seat, action)


@settings(deadline=None)
@given(st.integers(2, 6), st.integers(0, 2**32), st.integers(0, 500), st.data())
def test_xisk_28_what_a_seat_sees_of_others_does_not_depend_on_hidden_cards(
    seats, seed, plies, data
):
    random = Random(seed)
    state = midway(seats, random, plies)
    if state.result is not None:
        return
    others = [None, *(each for each in range(seats) if each != state.mover)]
    seat = data.draw(st.sampled_from(others))
    other = with_other_cards(state, seat, random)
    legal = RULES.legal_actions(state, state.mover)
    # A claim and a redeemed set show cards by themselves; everything else shows none.
    action = random.choice([*legal])
    if isinstance(action, Claim | Redeem) or refusal(other, state.mover, action):
        return
    recording = RecordingChance(SeededChance(bytes(32)))
    one = RULES.apply(state, state.mover, action, recording)
    two = RULES.apply(other, state.mover, action, RecordedChance(recording.events))
    assert [RULES.event_for(each, seat) for each in one.events] == [
        RULES.event_for(each, seat) for each in two.events
    ]
    assert RULES.observe(one.state, seat) == RULES.observe(two.state, seat)


@settings(deadline=None)
@given(st.integers(3, 6), st.integers(0, 2**32), st.integers(0, 400), st.data())
def test_xisk_28_what_a_seat_sees_of_a_forfeit_does_not_depend_on_hidden_cards(
    seats, seed, plies, data
):
    random = Random(seed)
    state = midway(seats, random, plies)
    leaving = [each for each in range(seats) if each not in state.out]
    if state.result is not None or state.phase == Phase.CLAIM:
        return
    quitter = data.draw(st.sampled_from(leaving))
    seat = data.draw(st.sampled_from([each for each in range(seats) if each != quitter]))
    applied = [
        RULES.forfeit(each, quitter, Termination.ABANDONED, SeededChance(bytes(32)))
        for each in (state, with_other_cards(state, seat, random))
    ]
    seen = [
        ([RULES.event_for(event, seat) for event in each.events], RULES.observe(each.state, seat))
        for each in applied
    ]
    assert seen[0] == seen[1]

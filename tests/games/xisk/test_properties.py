"""What holds in every match of XISK, whatever is done and whatever is drawn."""

from random import Random

import pytest
from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from referee.errors import IllegalActionError, MatchOverError, NotYourTurnError
from referee.games.xisk.plugin import GAME
from referee.games.xisk.rules.auto import finish_turn
from referee.games.xisk.rules.events import (
    Adjusted,
    Attacked,
    Claimed,
    Conquered,
    Invaded,
    Placed,
    Redeemed,
    TurnBegan,
    TurnedNeutral,
)
from referee.games.xisk.rules.state import NEUTRAL, UNCLAIMED, Phase, Settings
from referee.plugin import Termination
from tests.games.xisk.builders import RULES, WORLD, fierce
from tests.games.xisk.manual import rules_of_the_manual
from tests.games.xisk.randoms import any_action, near_action, start

FORFEITS = (Termination.RESIGNATION, Termination.TIME_FORFEIT, Termination.ABANDONED)


def chips_by_events(before, events):
    """Chips by country as the events alone tell it, from a state before them."""
    chips = dict(zip(WORLD.ids, before.chips, strict=True))
    for event in events:
        match event:
            case Claimed():
                chips[event.country] = 1
            case TurnedNeutral():
                for country in event.countries:
                    chips[country] = chips[country] or 1
            case Placed():
                chips[event.country] += event.chips
            case Attacked():
                chips[event.source] -= event.attacker_losses
                chips[event.target] -= event.defender_losses
            case Conquered() | Invaded() | Adjusted():
                chips[event.source] -= event.chips
                chips[event.target] += event.chips
    return tuple(chips.values())


def pool_by_events(before, events):
    """The pool as the events alone tell it; an elimination gives 1."""
    pool = before.pool
    for event in events:
        match event:
            case TurnBegan() | Redeemed():
                pool = event.pool
            case Placed():
                pool -= event.chips
    return pool


class Match(RuleBasedStateMachine):
    """A match in which legal, illegal and untimely actions, forfeits and played-out turns mix."""

    @initialize(
        seats=st.integers(2, 6),
        seed=st.integers(0, 2**64),
        plies=st.integers(0, 700),
        limit=st.sampled_from((0, 0, 1, 12)),
    )
    def begin(self, seats, seed, plies, limit):
        self.random = Random(seed)
        self.state, self.chance = start(seats, self.random, Settings(round_limit=limit))
        for _ in range(plies):
            if self.state.result is None:
                self.apply(fierce(self.state, self.random))

    def take(self, applied):
        """Go on from what an action led to, after checking it against what it says happened."""
        before, self.state = self.state, applied.state
        assert chips_by_events(before, applied.events) == self.state.chips
        if self.state.phase == Phase.SUPPLY:
            assert pool_by_events(before, applied.events) == self.state.pool
        for event in applied.events:
            message = GAME.wire.event_to_message(event)
            assert event == GAME.wire.event_from_message(message)

    def apply(self, action):
        self.take(RULES.apply(self.state, self.state.mover, action, self.chance))

    def going_on(self):
        return self.state.result is None

    @precondition(going_on)
    @rule(fiercely=st.booleans())
    def a_legal_action_is_accepted(self, fiercely):
        legal = RULES.legal_actions(self.state, self.state.mover)
        self.apply(fierce(self.state, self.random) if fiercely else self.random.choice(legal))

    @precondition(going_on)
    @rule()
    def every_legal_action_is_accepted_and_has_a_text_and_a_message(self):
        legal = list(RULES.legal_actions(self.state, self.state.mover))
        assert legal
        assert len(legal) == len(set(legal))
        first = self.chance.next_event
        for action in self.random.sample(legal, min(len(legal), 40)):
            text = GAME.notation.format_action(action)
            assert action == GAME.notation.parse_action(text)
            message = GAME.wire.action_to_message(action)
            assert action == GAME.wire.action_from_message(message)
            fork = type(self.chance)(bytes(32), first)
            after = RULES.apply(self.state, self.state.mover, action, fork).state
            assert [] == RULES.invariants(after)
        compact = GAME.wire.legal_actions_to_message(self.state, self.state.mover)
        assert set(legal) == set(GAME.wire.legal_actions_from_message(compact))
        assert len(legal) == len(GAME.wire.legal_actions_from_message(compact))

    @precondition(going_on)
    @rule(near=st.booleans())
    def another_action_is_refused_with_a_rule_and_changes_nothing(self, near):
        mover = self.state.mover
        legal = RULES.legal_actions(self.state, mover)
        near_by = near_action(self.random.choice(legal), self.random)
        action = near_by if near else any_action(self.random)
        assume(action not in set(legal))
        bytes_before, event_before = GAME.wire.state_to_bytes(self.state), self.chance.next_event
        with pytest.raises(IllegalActionError) as caught:
            RULES.apply(self.state, mover, action, self.chance)
        assert caught.value.rule in rules_of_the_manual()
        assert caught.value.message.endswith(".")
        assert bytes_before == GAME.wire.state_to_bytes(self.state)
        assert event_before == self.chance.next_event

    @precondition(going_on)
    @rule()
    def a_waiting_seat_is_refused(self):
        legal = RULES.legal_actions(self.state, self.state.mover)
        for seat in set(range(self.state.seats)) - {self.state.mover}:
            assert () == RULES.legal_actions(self.state, seat)
            with pytest.raises(NotYourTurnError):
                RULES.apply(self.state, seat, self.random.choice(legal), self.chance)

    @precondition(going_on)
    @rule(termination=st.sampled_from(FORFEITS), often=st.integers(0, 4))
    def a_seat_leaves(self, termination, often):
        assume(often == 0)
        seat = self.random.choice([*set(range(self.state.seats)) - set(self.state.out)])
        self.take(RULES.forfeit(self.state, seat, termination, self.chance))
        assert seat in self.state.out or self.state.result is not None

    @precondition(going_on)
    @rule()
    def a_turn_is_finished_for_its_seat(self):
        mover = self.state.mover
        claiming = self.state.phase == Phase.CLAIM
        applied = finish_turn(self.state, mover, self.chance)
        self.take(applied)
        assert claiming or self.state.mover != mover or len(self.state.out) == self.state.seats - 1

    @precondition(lambda self: self.state.result is not None)
    @rule()
    def an_ended_match_moves_no_more(self):
        assert () == RULES.to_move(self.state)
        for seat in range(self.state.seats):
            assert () == RULES.legal_actions(self.state, seat)
            with pytest.raises(MatchOverError):
                RULES.apply(self.state, seat, any_action(self.random), self.chance)
            with pytest.raises(MatchOverError):
                RULES.forfeit(self.state, seat, Termination.RESIGNATION, self.chance)

    @invariant()
    def the_state_is_sound(self):
        state = self.state
        assert [] == RULES.invariants(state)
        cards = [*state.deck, *(card for hand in state.hands for card in hand)]
        cards += [card for card, _, _ in state.claims]
        assert list(range(52)) == sorted(cards)
        for owner, chips in zip(state.owners, state.chips, strict=True):
            claimed = owner == NEUTRAL or owner in set(range(state.seats)) - set(state.out)
            assert (
                (chips >= 1)
                if claimed
                else (owner, chips, bool(state.order)) == (UNCLAIMED, 0, False)
            )

    @invariant()
    def the_state_and_what_is_seen_of_it_survive_the_wire(self):
        data = GAME.wire.state_to_bytes(self.state)
        again = GAME.wire.state_from_bytes(data)
        assert self.state == again
        assert data == GAME.wire.state_to_bytes(again)
        for seat in (None, *range(self.state.seats)):
            seen = RULES.observe(self.state, seat)
            message = GAME.wire.observation_to_message(seen)
            assert seen == GAME.wire.observation_from_message(message)


Match.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestMatch = Match.TestCase


@pytest.mark.parametrize(("seats", "seed"), [(2, 0), (3, 0), (4, 3), (5, 2), (6, 3)])
def test_xisk_24_fierce_playouts_end_by_conquest(seats, seed):
    random = Random(seed)
    state, chance = start(seats, random)
    for _ in range(5_000):
        if state.result is None:
            state = RULES.apply(state, state.mover, fierce(state, random), chance).state
    assert state.result is not None
    assert Termination.COMPLETED == state.result.termination
    assert {*state.result.winners} == set(state.owners)


@pytest.mark.parametrize("seats", [2, 6])
def test_xisk_26_a_playout_of_any_kind_ends_with_a_round_limit(seats):
    random = Random(seats)
    state, chance = start(seats, random, Settings(round_limit=15))
    while state.result is None:
        action = random.choice(RULES.legal_actions(state, state.mover))
        state = RULES.apply(state, state.mover, action, chance).state
    assert Termination.LIMIT == state.result.termination
    assert 15 == state.round

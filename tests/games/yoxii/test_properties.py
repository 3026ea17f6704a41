"""Whole matches by random hands: what holds in every state, whatever happens."""

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from referee._gen.yoxii.v1 import yoxii_pb2 as pb
from referee.errors import IllegalActionError, MatchOverError, NotYourTurnError
from referee.games.yoxii.rules.actions import POOL, VALUES, Action
from referee.games.yoxii.rules.events import Event
from referee.games.yoxii.rules.notation import format_position, parse_position
from referee.games.yoxii.rules.observation import observe
from referee.games.yoxii.rules.state import INITIAL, INITIAL_STOCK, SEATS, Settings, State
from referee.games.yoxii.wire import YoxiiWire
from referee.plugin import Applied, Termination
from tests.games.yoxii.builders import NO_CHANCE, NOTATION, RULES

WIRE = YoxiiWire()
MANUAL = Path(__file__).parents[3] / "docs/games/yoxii.md"
RULE_NUMBERS = set(re.findall(r"^\*\*(yoxii/\d+)\*\*", MANUAL.read_text(), re.MULTILINE))
FORFEITS = (Termination.RESIGNATION, Termination.TIME_FORFEIT, Termination.ABANDONED)
EVERY_ACTION = [action for rows in POOL for row in rows for action in row]

seats = st.integers(0, SEATS - 1)
actions = st.integers(0, len(EVERY_ACTION) - 1).map(lambda index: EVERY_ACTION[index])


class Match(RuleBasedStateMachine):
    """A match in which seats act legally, illegally and out of turn, and now and then give up."""

    state: State = INITIAL

    @initialize()
    def set_up(self):
        self.follow(RULES.initial(Settings(), SEATS, NO_CHANCE))

    def follow(self, applied: Applied[State, Event]):
        self.state = applied.state
        for event in applied.events:
            message = pb.Event.FromString(WIRE.event_to_message(event).SerializeToString())
            assert event == WIRE.event_from_message(message)
            assert all(event == RULES.event_for(event, seat) for seat in (None, 0, 1))

    @precondition(lambda self: self.state.result is None)
    @rule(indices=st.lists(st.integers(0, 255), min_size=1, max_size=6))
    def act(self, indices):
        for index in indices:
            mover, ply = self.state.mover, self.state.ply
            legal = RULES.legal_actions(self.state, mover)
            if legal:
                action = legal[index % len(legal)]
                self.follow(RULES.apply(self.state, mover, action, NO_CHANCE))
                assert self.state.ply == ply + 1

    @precondition(lambda self: self.state.result is None)
    @rule(action=actions, data=st.data())
    def act_like_a_legal_action_with_one_part_changed(self, action, data):
        legal = RULES.legal_actions(self.state, self.state.mover)
        near = legal[data.draw(st.integers(0, len(legal) - 1))]
        part = data.draw(st.sampled_from(Action._fields))
        self.try_action(near._replace(**{part: getattr(action, part)}))

    @precondition(lambda self: self.state.result is None)
    @rule(action=actions)
    def act_anyhow(self, action):
        self.try_action(action)

    def try_action(self, action: Action):
        """Accepted when it is listed, else refused by a rule of the manual with nothing changed."""
        before = WIRE.state_to_bytes(self.state)
        if action in RULES.legal_actions(self.state, self.state.mover):
            self.follow(RULES.apply(self.state, self.state.mover, action, NO_CHANCE))
            return
        with pytest.raises(IllegalActionError) as caught:
            RULES.apply(self.state, self.state.mover, action, NO_CHANCE)
        assert caught.value.rule in RULE_NUMBERS
        assert caught.value.message.endswith(".")
        assert before == WIRE.state_to_bytes(self.state)

    @precondition(lambda self: self.state.result is None)
    @rule(action=actions)
    def act_out_of_turn(self, action):
        with pytest.raises(NotYourTurnError):
            RULES.apply(self.state, 1 - self.state.mover, action, NO_CHANCE)

    @precondition(lambda self: self.state.result is None and self.state.ply > 8)
    @rule(seat=seats, termination=st.sampled_from(FORFEITS), roll=st.integers(0, 9))
    def give_up(self, seat, termination, roll):
        if roll == 0:
            self.follow(RULES.forfeit(self.state, seat, termination, NO_CHANCE))
            assert self.state.result is not None
            assert self.state.result.winners == (1 - seat,)

    @precondition(lambda self: self.state.result is not None)
    @rule(seat=seats, action=actions)
    def go_on_after_the_end(self, seat, action):
        with pytest.raises(MatchOverError):
            RULES.apply(self.state, seat, action, NO_CHANCE)
        with pytest.raises(MatchOverError):
            RULES.forfeit(self.state, seat, Termination.RESIGNATION, NO_CHANCE)

    @invariant()
    def the_state_is_sound(self):
        assert [] == RULES.invariants(self.state)
        assert (self.state.result is None) == (len(RULES.to_move(self.state)) == 1)

    @invariant()
    def every_piece_is_on_the_board_or_in_stock(self):
        seen = observe(self.state)
        for seat in range(SEATS):
            for value in VALUES:
                placed = sum((p.seat, p.value) == (seat, value) for p in seen.pieces)
                assert placed + seen.stocks[seat][value - 1] == INITIAL_STOCK[value - 1]

    @invariant()
    def state_observation_and_position_come_back(self):
        assert WIRE.state_from_bytes(WIRE.state_to_bytes(self.state)) == self.state
        seen = observe(self.state)
        message = WIRE.observation_to_message(seen).SerializeToString()
        assert seen == WIRE.observation_from_message(pb.Observation.FromString(message))
        if self.state.result is None:
            assert parse_position(format_position(self.state)) == self.state

    @invariant()
    def legal_actions_come_back_in_order_and_only_for_the_seat_to_move(self):
        for seat in range(SEATS):
            legal = list(RULES.legal_actions(self.state, seat))
            assert bool(legal) == (seat in RULES.to_move(self.state))
            texts = [NOTATION.format_action(action) for action in legal]
            assert sorted(set(texts)) == texts
            assert legal == [NOTATION.parse_action(text) for text in texts]
            assert legal == [
                WIRE.action_from_message(WIRE.action_to_message(action)) for action in legal
            ]
            message = WIRE.legal_actions_to_message(self.state, seat).SerializeToString()
            assert legal == WIRE.legal_actions_from_message(pb.LegalActions.FromString(message))


TestMatch = Match.TestCase
TestMatch.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)


def is_accepted(state: State, action: Action) -> bool:
    try:
        RULES.apply(state, state.mover, action, NO_CHANCE)
    except IllegalActionError:
        return False
    return True


@pytest.mark.parametrize("seed", range(6))
def test_exactly_the_listed_actions_are_accepted(seed):
    """Of all 5476 actions there could be, at every fifth ply of a random match."""
    random = Random(seed)
    state = INITIAL
    while state.result is None:
        legal = RULES.legal_actions(state, state.mover)
        if state.ply % 5 == seed % 5:
            assert set(legal) == {each for each in EVERY_ACTION if is_accepted(state, each)}
        state = RULES.apply(state, state.mover, random.choice(legal), NO_CHANCE).state


def test_random_matches_end_within_36_plies_by_the_rules():
    """yoxii/11"""
    random = Random(11)
    lengths = set()
    for _ in range(200):
        state = INITIAL
        while state.result is None:
            legal = RULES.legal_actions(state, state.mover)
            state = RULES.apply(state, state.mover, random.choice(legal), NO_CHANCE).state
        assert state.result.termination is Termination.COMPLETED
        lengths.add(state.ply)
    assert max(lengths) <= 36


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"seats": (1, 1)}, "Both seats hold a3."),
        ({"seats": (0, 1)}, "White has placed 0 pieces and Red 1."),
        ({"seats": (1 << 40, 0)}, "A piece stands beside the board."),
        ({"seats": (1 << INITIAL.totem, 0)}, "A piece stands under the Totem on d4."),
        ({"seats": (1, 0)}, "Some piece has no value, or several."),
        ({"seats": (1, 0), "values": (1, 1, 0, 0)}, "Some piece has no value, or several."),
        ({"seats": (15, 112), "values": (0, 0, 0, 127)}, "White has placed more pieces of a value"),
    ],
)
def test_an_impossible_state_is_told_in_sentences(change, sentence):
    faults = RULES.invariants(INITIAL._replace(**change))
    assert any(fault.startswith(sentence) for fault in faults)

"""What every registered game has to keep, at its least and its greatest number of seats.

No game is named here: a new one is covered by being in the registry. Each check goes over random
playouts (``tests/support/playouts.py``); what only one game promises is tested beside that game.
"""

import os
import re
import subprocess
import sys
from contextlib import suppress
from functools import cache
from itertools import chain
from pathlib import Path
from random import Random

import pytest

from referee.chance.draws import SeededChance
from referee.chance.recorded import ChanceKind, RecordedChance, RecordingChance, ScriptedChance
from referee.errors import (
    IllegalActionError,
    InvalidActionError,
    InvalidSettingsError,
    MatchOverError,
    NotYourTurnError,
    RefereeError,
)
from referee.plugin import Termination
from referee.registry import GAMES, game_by_id
from tests.support.playouts import FORFEITS, digest, play_out

REPO = Path(__file__).parents[2]
PLIES = 300
SEEDS = (1, 2)
SAMPLE = 12
NO_CHANCE = ScriptedChance()
TABLES = [
    (name, seats)
    for name, game in GAMES.items()
    for seats in sorted({game.info.min_seats, game.info.max_seats})
]


@cache
def playout_of(name, seats, seed):
    return play_out(game_by_id(name), seats, seed, PLIES)


@cache
def rules_of_manual(name):
    """Every rule with an entry in the game's manual."""
    manual = (REPO / f"docs/games/{name}.md").read_text()
    return frozenset(re.findall(rf"^\*\*({name}/\d+)\*\*", manual, re.MULTILINE))


@pytest.fixture(params=SEEDS)
def seed(request):
    return request.param


@pytest.fixture(params=TABLES, ids=lambda table: f"{table[0]}-{table[1]}")
def table(request):
    return request.param


@pytest.fixture
def playout(table, seed):
    return playout_of(*table, seed)


@pytest.fixture
def random():
    return Random(7)


def fresh(playout):
    """Chance for trying something out."""
    return SeededChance(playout.key, first_event=1_000_000)


def some(random, items):
    return items if len(items) <= SAMPLE else random.sample(items, SAMPLE)


def through(message):
    """A message after a journey over the wire."""
    return type(message).FromString(message.SerializeToString())


# --- The game's entry -------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_a_lobby_can_rely_on_the_entry_of_a_game(name):
    info = game_by_id(name).info
    assert name == info.id
    assert info.id.isidentifier()
    assert info.id.islower()
    assert info.title.strip()
    assert info.summary.endswith(".")
    assert 1 <= info.rules_version
    assert 1 <= info.min_seats <= info.max_seats <= len(set(info.colours))


@pytest.mark.parametrize("name", GAMES)
def test_the_default_settings_are_those_of_an_empty_message(name):
    game = game_by_id(name)
    written = game.wire.settings_to_message(game.default_settings)
    assert game.default_settings == game.wire.settings_from_message(type(written)())
    assert game.default_settings == game.wire.settings_from_message(through(written))


@pytest.mark.parametrize("name", GAMES)
def test_a_match_with_too_few_or_too_many_seats_is_refused(name):
    game = game_by_id(name)
    for seats in (0, game.info.min_seats - 1, game.info.max_seats + 1):
        with pytest.raises(InvalidSettingsError):
            game.rules.initial(game.default_settings, seats, NO_CHANCE)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("text", ["", " ", "pass", "resign", "0", "\0", "é" * 3000, "x:y>z/1@2"])
def test_text_that_is_no_action_can_not_be_read(name, text):
    with pytest.raises(InvalidActionError) as caught:
        game_by_id(name).notation.parse_action(text)
    assert len(caught.value.message) < 500


# --- Turns and ends ---------------------------------------------------------------------------


def test_every_match_comes_to_an_end_with_winners_among_its_seats(playout):
    rules = playout.game.rules
    *running, ended = playout.states()
    assert [None] * len(running) == [rules.result(state) for state in running]
    result = rules.result(ended)
    assert result is not None
    assert result.winners
    assert sorted(set(result.winners)) == list(result.winners)
    assert set(result.winners) <= set(range(playout.seats))


def test_somebody_is_to_move_until_the_end_and_has_a_legal_action(playout):
    rules = playout.game.rules
    for state in playout.states():
        to_move = rules.to_move(state)
        assert (rules.result(state) is None) == bool(to_move)
        assert sorted(set(to_move)) == list(to_move)
        can_act = [s for s in range(playout.seats) if len(rules.legal_actions(state, s))]
        assert list(to_move) == can_act


def test_every_state_is_sound(playout):
    for state in playout.states():
        assert [] == playout.game.rules.invariants(state)


def test_a_seat_that_is_not_to_move_has_to_wait(playout, random):
    rules = playout.game.rules
    for state, step in some(random, list(playout.befores())):
        for seat in set(range(playout.seats)) - set(rules.to_move(state)):
            if step.action is not None:
                with pytest.raises(NotYourTurnError):
                    rules.apply(state, seat, step.action, NO_CHANCE)


def test_nothing_moves_a_match_that_has_ended(playout):
    rules = playout.game.rules
    ended = playout.steps[-1].applied.state
    action = next(step.action for step in playout.steps if step.action is not None)
    for seat in range(playout.seats):
        with pytest.raises(MatchOverError):
            rules.apply(ended, seat, action, NO_CHANCE)
        with pytest.raises(MatchOverError):
            rules.forfeit(ended, seat, Termination.RESIGNATION, NO_CHANCE)


def test_any_seat_can_give_up_at_any_time_but_only_once(playout, random):
    rules, name = playout.game.rules, playout.game.info.id
    for state, _ in some(random, list(playout.befores())):
        out = set()
        chance = fresh(playout)
        for seat in random.sample(range(playout.seats), playout.seats):
            if rules.result(state) is not None:
                break
            with suppress(IllegalActionError):  # it was eliminated on the board before
                state = rules.forfeit(state, seat, random.choice(FORFEITS), chance).state
            out.add(seat)
            assert [] == rules.invariants(state)
            assert not out & set(rules.to_move(state))
            if rules.result(state) is None:
                with pytest.raises(IllegalActionError) as caught:
                    rules.forfeit(state, seat, Termination.RESIGNATION, chance)
                assert caught.value.rule in rules_of_manual(name)
        assert rules.result(state) is not None


def test_the_turn_of_any_seat_to_move_can_be_finished_where_a_game_has_turns(playout, random):
    rules, turns = playout.game.rules, playout.game.turns
    if turns is None:
        return
    for state in some(random, list(playout.states())):
        for seat in rules.to_move(state):
            number = turns.number(state, seat)
            after = turns.finish(state, seat, fresh(playout)).state
            assert [] == rules.invariants(after)
            assert seat not in rules.to_move(after) or number != turns.number(after, seat)
            again = turns.finish(state, seat, fresh(playout)).state
            assert after == again


def test_the_numbers_of_a_seats_turns_never_go_back(playout):
    rules, turns = playout.game.rules, playout.game.turns
    if turns is None:
        return
    numbers: dict[int, list[int]] = {seat: [] for seat in range(playout.seats)}
    for state in playout.states():
        for seat in rules.to_move(state):
            numbers[seat].append(turns.number(state, seat))
    assert [] == [seat for seat, found in numbers.items() if sorted(found) != found]


# --- Legal and illegal ------------------------------------------------------------------------


def test_every_legal_action_is_listed_once_and_accepted(playout, random):
    rules = playout.game.rules
    for state, step in playout.befores():
        legal = rules.legal_actions(state, step.seat)
        assert len(set(legal)) == len(legal)
        for action in some(random, legal):
            after = rules.apply(state, step.seat, action, fresh(playout))
            assert [] == rules.invariants(after.state)


def test_any_other_action_is_refused_by_a_rule_of_the_manual_and_changes_nothing(playout, random):
    game = playout.game
    seen = {step.action for step in playout.steps if step.action is not None}
    for state in playout.states():
        seen.update(some(random, game.rules.legal_actions(state, 0)))
    pool = sorted(seen, key=game.notation.format_action)
    refusals = 0
    for state, step in playout.befores():
        legal = set(game.rules.legal_actions(state, step.seat))
        before = game.wire.state_to_bytes(state)
        for action in set(some(random, pool)) - legal:
            with pytest.raises(IllegalActionError) as caught:
                game.rules.apply(state, step.seat, action, NO_CHANCE)
            assert caught.value.rule in rules_of_manual(game.info.id)
            assert caught.value.message.endswith((".", "?"))
            refusals += 1
        assert before == game.wire.state_to_bytes(state)
    assert refusals > 0


def test_an_action_leaves_the_state_it_was_applied_to_as_it_was(playout):
    game = playout.game
    kept = [game.wire.state_to_bytes(state) for state, _ in playout.befores()]
    for state, step in playout.befores():
        step.play(game, state, fresh(playout))
    assert kept == [game.wire.state_to_bytes(state) for state, _ in playout.befores()]


# --- Wire, notation, drawing ------------------------------------------------------------------


def test_states_survive_the_store(playout):
    wire = playout.game.wire
    for state in playout.states():
        data = wire.state_to_bytes(state)
        back = wire.state_from_bytes(data)
        assert state == back
        assert data == wire.state_to_bytes(back)


def test_actions_survive_wire_and_notation(playout, random):
    game = playout.game
    for state, step in playout.befores():
        for action in some(random, game.rules.legal_actions(state, step.seat)):
            message = through(game.wire.action_to_message(action))
            assert action == game.wire.action_from_message(message)
            text = game.notation.format_action(action)
            assert action == game.notation.parse_action(text)
            assert text.isascii()
            assert text.isprintable()


def test_an_empty_action_can_not_be_read(playout):
    game = playout.game
    action = next(step.action for step in playout.steps if step.action is not None)
    empty = type(game.wire.action_to_message(action))()
    with pytest.raises(InvalidActionError):
        game.wire.action_from_message(empty)


def test_the_compact_form_stands_for_the_whole_list_of_legal_actions(playout):
    game = playout.game
    for state in playout.states():
        for seat in range(playout.seats):
            message = through(game.wire.legal_actions_to_message(state, seat))
            full = game.wire.legal_actions_from_message(message)
            assert len(set(full)) == len(full)
            assert set(game.rules.legal_actions(state, seat)) == set(full)


def test_events_survive_the_wire_whoever_sees_them(playout):
    game = playout.game
    for event in playout.events():
        for seen in (event, *(game.rules.event_for(event, viewer) for viewer in playout.viewers)):
            assert seen == game.wire.event_from_message(through(game.wire.event_to_message(seen)))


def test_observations_survive_the_wire_and_can_be_drawn_in_80_columns(playout, random):
    game = playout.game
    names = [f"{'A rather long name ' * 3}{seat}" for seat in range(playout.seats)]
    for state in [*some(random, list(playout.states())), playout.steps[-1].applied.state]:
        for viewer in playout.viewers:
            seen = game.rules.observe(state, viewer)
            message = through(game.wire.observation_to_message(seen))
            assert seen == game.wire.observation_from_message(message)
            for line in game.draw.board(seen, names):
                text = "".join(span.text for span in line)
                assert len(text) <= 80
                assert text.isprintable() or not text


# --- Chance -----------------------------------------------------------------------------------


def test_a_record_replays_to_itself(playout):
    game = playout.game
    drawn = chain(playout.initial_chance, *(step.chance for step in playout.steps))
    recorded = RecordedChance(drawn)
    initial = game.rules.initial(game.default_settings, playout.seats, recorded)
    assert playout.initial == initial
    state = initial.state
    for step in playout.steps:
        applied = step.play(game, state, recorded)
        assert step.applied == applied
        state = applied.state
    recorded.finish()


def test_the_same_seed_gives_the_same_match_in_every_process(table):
    name, seats = table
    expected = digest(play_out(game_by_id(name), seats, 3, 60))
    for hash_seed in ("0", "1", "4711"):
        printed = subprocess.run(
            [sys.executable, "-m", "tests.support.playouts", name, str(seats), "3", "60"],
            cwd=REPO,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            check=True,
            capture_output=True,
            text=True,
        )
        assert expected == printed.stdout


# --- What is hidden ---------------------------------------------------------------------------


def test_what_is_hidden_stays_hidden_on_the_way_to_others(playout):
    """Seen twice is seen once, and the public learns no more from a seat's view than by itself."""
    event_for = playout.game.rules.event_for
    for event in playout.events():
        public = event_for(event, None)
        for viewer in playout.viewers:
            seen = event_for(event, viewer)
            assert seen == event_for(seen, viewer)
            assert public == event_for(seen, None)


class SwappedChance:
    """Chance that swaps two places in one shuffle, and otherwise is what it was."""

    def __init__(self, inner, swapped_event, random):
        self.inner = inner
        self.swapped_event = swapped_event
        self.random = random

    def dice(self, counts):
        return self.inner.dice(counts)

    def pick(self, count):
        return self.inner.pick(count)

    def shuffle(self, items):
        swap = self.inner.next_event == self.swapped_event
        order = list(self.inner.shuffle(items))
        if swap and len(order) > 1:
            one, other = self.random.sample(range(len(order)), 2)
            order[one], order[other] = order[other], order[one]
        return tuple(order)


def answer(playout, state, seat, action):
    """What a seat is told when it tries an action: the whole error, or None when it is accepted."""
    try:
        playout.game.rules.apply(state, seat, action, fresh(playout))
    except RefereeError as error:
        return type(error), error.message, dict(error.metadata)
    return None


def learns(playout, viewer, applied):
    """What a viewer learns as it happens: events as it sees them, and whose turn it is."""
    events = [playout.game.rules.event_for(event, viewer) for event in applied.events]
    return events, playout.game.rules.to_move(applied.state)


def is_shown(playout, viewer, state, attempts):
    """What a viewer gets when it asks: observation, legal actions, answers to what it tries."""
    game = playout.game
    observation = game.rules.observe(state, viewer)
    if viewer is None:
        return observation, None, None
    legal = game.wire.legal_actions_to_message(state, viewer)
    return observation, legal, [answer(playout, state, viewer, action) for action in attempts]


def twin_matches(playout, random):
    """Pairs of matches that differ in one shuffle, side by side for as long as they can be.

    The second match takes the same actions, until one of them is not legal there.
    """
    game, rules = playout.game, playout.game.rules
    shuffles = [
        event.number
        for event in chain(playout.initial_chance, *(step.chance for step in playout.steps))
        if event.kind is ChanceKind.SHUFFLE
    ]
    for number in some(random, shuffles) * 3:
        inner = RecordingChance(SeededChance(playout.key))
        chance = SwappedChance(inner, number, random)
        twin = rules.initial(game.default_settings, playout.seats, chance)
        pairs = [(playout.initial, twin)]
        for step in playout.steps:
            if step.action is not None and step.action not in rules.legal_actions(
                twin.state, step.seat
            ):
                break
            twin = step.play(game, twin.state, chance)
            pairs.append((step.applied, twin))
        yield pairs


def test_matches_that_a_seat_can_not_tell_apart_look_the_same_to_it(playout, random):
    """Where two matches differ only in what a viewer may not see, all that it is sent is equal."""
    actions = [step.action for step in playout.steps if step.action is not None]
    differed = compared = 0
    for pairs in twin_matches(playout, random):
        in_the_dark = set(playout.viewers)
        for one, other in pairs:
            for viewer in sorted(in_the_dark, key=str):
                if learns(playout, viewer, one) != learns(playout, viewer, other):
                    in_the_dark.remove(viewer)  # from here on it may know
            if one.state == other.state:
                continue
            differed += 1
            attempts = some(random, actions)
            for viewer in in_the_dark:
                shown = is_shown(playout, viewer, one.state, attempts)
                assert shown == is_shown(playout, viewer, other.state, attempts)
                compared += 1
    assert (differed > 0) == (compared > 0)

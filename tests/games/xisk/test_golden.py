"""Whole golden games: every list of legal actions, every draw, the end; xisk/31 above all."""

from hashlib import sha256
from typing import Any

import pytest

from referee.games.xisk.plugin import GAME
from referee.games.xisk.rules.cards import CARD_NAMES
from referee.games.xisk.rules.events import (
    Attacked,
    CardDrawn,
    MatchEnded,
    OrderRolled,
    OrderSet,
)
from referee.games.xisk.rules.state import Settings
from referee.plugin import Result, Termination
from tests.games.xisk.builders import RULES, WORLD
from tests.games.xisk.golden import FOLDER, NAMES, load


def digest(state):
    """How many legal actions there are, and the first 16 hex digits over their sorted notation."""
    texts = [GAME.notation.format_action(each) for each in RULES.legal_actions(state, state.mover)]
    text = "\n".join(sorted(texts))
    return len(texts), sha256(text.encode()).hexdigest()[:16]


def outcomes(events):
    """What chance did in a step, in the shape of the golden files."""
    found: dict[str, Any] = {}
    for event in events:
        match event:
            case Attacked():
                found["dice"] = [list(event.attacker_dice), list(event.defender_dice)]
            case CardDrawn(_, int(card)):
                found["drew"] = CARD_NAMES[card]
            case OrderRolled():
                rolls = {str(seat): list(dice) for seat, dice in event.rolls}
                found.setdefault("rolls", []).append(rolls)
            case OrderSet():
                found["order"] = list(event.order)
    return found


def test_every_golden_file_is_played():
    assert sorted(NAMES) == sorted(path.stem for path in FOLDER.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_xisk_31_a_golden_game_is_met_step_by_step(name):
    golden = load(name)
    assert GAME.info.rules_version == golden.rules_version
    chance = golden.chance()
    state = RULES.initial(Settings(), golden.seats, chance).state
    dealt = tuple(tuple(sorted(hand.split(), key=CARD_NAMES.index)) for hand in golden.dealt)
    assert dealt == tuple(tuple(CARD_NAMES[card] for card in hand) for hand in state.hands)
    ends = []
    for number, step in enumerate(golden.steps):
        expected = (step["seat"], step["phase"], step["legal"], step["legal_sha256"])
        actual = (state.mover, state.phase.name.lower(), *digest(state))
        assert expected == actual, f"step {number}"
        action = GAME.notation.parse_action(step["action"])
        applied = RULES.apply(state, state.mover, action, chance)
        state, events = applied.state, applied.events
        luck = {key: step[key] for key in ("dice", "drew", "rolls", "order") if key in step}
        assert luck == outcomes(events), f"step {number}"
        ends += [event for event in events if isinstance(event, MatchEnded)]
    result = Result((golden.winner,), Termination.COMPLETED)
    assert [MatchEnded(result)] == ends
    assert result == RULES.result(state)
    assert golden.sets_redeemed == state.sets_redeemed
    assert golden.chance_events == chance.next_event
    holdings = zip(WORLD.ids, zip(state.owners, state.chips, strict=True), strict=True)
    assert golden.final == {country: list(holding) for country, holding in holdings}


def test_the_golden_games_show_what_is_hard():
    shown = {each for name in NAMES for each in load(name).shows}
    assert {
        "order tie rolled again",
        "elimination with no invasion left",
        "forced redeem in conquest_supply",
        "free redeem in conquest_supply",
        "turn ended by itself after an attack with a draw",
    } <= shown

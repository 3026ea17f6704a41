"""Positions from text, and the things that tests do with them: list, play, be refused."""

import pytest

from referee.chance.recorded import ScriptedChance
from referee.errors import IllegalActionError
from referee.games.yoxii.rules import YoxiiRules
from referee.games.yoxii.rules.actions import Action
from referee.games.yoxii.rules.events import Event
from referee.games.yoxii.rules.notation import YoxiiNotation, parse_position
from referee.games.yoxii.rules.state import INITIAL, State
from referee.plugin import Applied

RULES = YoxiiRules()
NOTATION = YoxiiNotation()
NO_CHANCE = ScriptedChance()
"""Refuses every draw: Yoxii has no luck."""


def at(picture: str) -> State:
    """A position as a picture: seven lines, rank 7 first, blanks for the eye."""
    return parse_position("/".join("".join(line.split()) for line in picture.strip().splitlines()))


def action(text: str) -> Action:
    """An action from its notation."""
    return NOTATION.parse_action(text)


def play(state: State, text: str) -> Applied[State, Event]:
    """Play one action of the seat to move; the state that follows is sound."""
    applied = RULES.apply(state, state.mover, action(text), NO_CHANCE)
    assert [] == RULES.invariants(applied.state)
    return applied


def play_all(*texts: str) -> State:
    """The state after these actions from the start."""
    state = INITIAL
    for text in texts:
        state = play(state, text).state
    return state


def refused(state: State, text: str) -> tuple[str, str]:
    """Rule and sentence with which the seat to move is refused an action that is not listed."""
    assert action(text) not in RULES.legal_actions(state, state.mover)
    with pytest.raises(IllegalActionError) as caught:
        RULES.apply(state, state.mover, action(text), NO_CHANCE)
    return caught.value.rule, caught.value.message


def totem_squares(state: State) -> list[str]:
    """Names of the squares that the Totem may move to."""
    texts = (NOTATION.format_action(each) for each in RULES.legal_actions(state, state.mover))
    return sorted({text.split("/")[0] for text in texts})


def piece_squares(state: State, totem: str) -> list[str]:
    """Names of the squares that a piece may go on once the Totem is on ``totem``."""
    texts = (NOTATION.format_action(each) for each in RULES.legal_actions(state, state.mover))
    return sorted({text.split("@")[1] for text in texts if text.startswith(f"{totem}/")})

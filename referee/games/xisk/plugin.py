"""XISK as a game plug-in.

What lives here: ``GAME``, the parts put together. What must not live here: anything else.
"""

from __future__ import annotations

from referee.games.xisk.draw import XiskDraw
from referee.games.xisk.rules import XiskRules
from referee.games.xisk.rules.actions import Action
from referee.games.xisk.rules.auto import XiskTurns
from referee.games.xisk.rules.events import Event
from referee.games.xisk.rules.notation import XiskNotation
from referee.games.xisk.rules.observation import Observation
from referee.games.xisk.rules.state import Settings, State
from referee.games.xisk.wire import XiskWire
from referee.plugin import Game, GameInfo

# xisk/1: white is kept for neutral.
COLOURS = ("red", "orange", "yellow", "green", "cyan", "blue", "magenta")

GAME: Game[Settings, State, Action, Event, Observation] = Game(
    info=GameInfo(
        id="xisk",
        title="XISK",
        summary="Conquer all 42 countries of the world with chips, dice and cards.",
        rules_version=1,
        min_seats=2,
        max_seats=6,
        colours=COLOURS,
        colour_by_seat=False,
        colour_rule="xisk/1",
    ),
    default_settings=Settings(),
    rules=XiskRules(),
    notation=XiskNotation(),
    wire=XiskWire(),
    draw=XiskDraw(),
    turns=XiskTurns(),
)

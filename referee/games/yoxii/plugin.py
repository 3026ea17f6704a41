"""Yoxii as a game plug-in."""

from __future__ import annotations

from referee.games.yoxii.draw import YoxiiDraw
from referee.games.yoxii.rules import YoxiiRules
from referee.games.yoxii.rules.actions import Action
from referee.games.yoxii.rules.events import Event
from referee.games.yoxii.rules.notation import YoxiiNotation
from referee.games.yoxii.rules.observation import Observation
from referee.games.yoxii.rules.state import SEATS, Settings, State
from referee.games.yoxii.wire import YoxiiWire
from referee.plugin import Game, GameInfo

GAME: Game[Settings, State, Action, Event, Observation] = Game(
    info=GameInfo(
        id="yoxii",
        title="Yoxii",
        summary="Two colours share one Totem: wall it in where your pieces outweigh the other's.",
        rules_version=1,
        min_seats=SEATS,
        max_seats=SEATS,
        colours=("white", "red"),
        colour_by_seat=True,
        colour_rule="yoxii/2",
    ),
    default_settings=Settings(),
    rules=YoxiiRules(),
    notation=YoxiiNotation(),
    wire=YoxiiWire(),
    draw=YoxiiDraw(),
)

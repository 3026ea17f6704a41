"""Yoxii for the client: the full list of legal actions, and actions as text.

What lives here: the product that the compact form stands for, and the notation of yoxii/8, such as
``e5/3@e6``. What must not live here: whether an action is legal.
"""

from __future__ import annotations

import re

from referee_client._gen.referee.v1.games_pb2 import GameAction
from referee_client._gen.yoxii.v1 import yoxii_pb2 as pb

# yoxii/1: three squares are cut from each corner of a 7x7 grid.
_SQUARE = "(?:[ag][3-5]|[bf][2-6]|[c-e][1-7])"
_ACTION = re.compile(f"({_SQUARE})/([1-4])@({_SQUARE})", re.ASCII)


def expand(compact: pb.LegalActions) -> list[GameAction]:
    """Every Totem square, with every value, with every placement of that Totem square."""
    return [
        GameAction(yoxii=pb.Action(totem=option.totem, value=value, square=square))
        for option in compact.totems
        for value in compact.values
        for square in option.squares
    ]


def format_action(action: pb.Action) -> str:
    """The canonical text of an action; empty for an action without all its parts."""
    if not (action.totem and action.value and action.square):
        return ""
    return f"{action.totem}/{action.value}@{action.square}"


def parse_action(text: str) -> GameAction | None:
    """The action of a canonical text, or None when it is none."""
    match = _ACTION.fullmatch(text)
    if match is None:
        return None
    totem, value, square = match.groups()
    return GameAction(yoxii=pb.Action(totem=totem, value=int(value), square=square))

"""What the bots know of XISK: when to attack, where to stand.

What lives here: luck that leans towards attacking, and a worth for each kind of action. What must
not live here: rules; every action that is judged here is legal already.

Kinds are told apart by whole bands of worth: redeeming comes before placing, a good attack before
ending the phase, ending it before a bad attack.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from referee_client._gen.referee.v1.games_pb2 import GameAction
from referee_client._gen.xisk.v1 import xisk_pb2 as pb
from referee_client.bots._xisk_world import NEIGHBOURS

_REDEEM, _STOP = 1000.0, 0.0
_FOOLISH = 0.05
"""How likely at random an action is that looks worse than stopping, beside stopping."""

_LEAN = 3
_LEANS: Mapping[str, int] = {"attack": 4, "place": 2, "invade": 1, "claim": 0}
"""How much luck leans towards worth, by kind: at 0 all that beat stopping are as likely.

Tried out on whole matches: below this, six seats dither for many thousands of actions; above it,
luck is hardly weaker than greed.
"""

_ENOUGH = 3
"""Chips that roll two dice (xisk/14): an attack with fewer only bleeds."""


def _kind(action: GameAction) -> str:
    return action.xisk.WhichOneof("kind") or ""


def at_random(
    observation: pb.Observation, legal_actions: Sequence[GameAction], rng: random.Random
) -> GameAction:
    """Any legal action, the likelier the better it looks.

    Evenly drawn actions scatter chips, attack with ones and twos, and hardly ever end a match.
    """
    worth = judge(observation)
    weights = [_weight(_kind(action), worth(action)) for action in legal_actions]
    return rng.choices(legal_actions, weights)[0]


def _weight(kind: str, worth: float) -> float:
    return _FOOLISH if worth < _STOP else (1.0 + worth) ** _LEANS.get(kind, _LEAN)


def judge(observation: pb.Observation) -> Callable[[GameAction], float]:
    """The worth of an action to the seat to move."""
    board = _Board(observation)
    judges: Mapping[str, Callable[[pb.Action], float]] = {
        "claim": lambda action: board.friends(action.claim.country),
        "redeem": lambda _: _REDEEM,
        "place": lambda action: board.place(action.place),
        "attack": lambda action: board.attack(action.attack),
        "invade": lambda action: board.invade(action.invade),
        "end_attack": lambda _: _STOP,
        "adjust": lambda action: board.adjust(action.adjust),
        "end_turn": lambda _: _STOP,
    }
    return lambda action: judges[_kind(action)](action.xisk)


class _Board:
    """The map as the seat to move sees it. Chips of a country, and what stands around it."""

    def __init__(self, observation: pb.Observation) -> None:
        self._mover = observation.to_move
        self._pool = observation.pool
        self._invasion = observation.invasion
        self._chips = {view.country: view.chips for view in observation.countries}
        self._own = {
            view.country
            for view in observation.countries
            if view.HasField("seat") and view.seat == self._mover
        }
        self._neighbours = NEIGHBOURS.get(observation.settings.map_id, {})

    def friends(self, country: str) -> int:
        """Own countries next to one: a claim there holds together."""
        return len(self._neighbours.get(country, frozenset()) & self._own)

    def _enemies(self, country: str) -> int:
        """Chips that stand next to a country and are not one's own."""
        around = self._neighbours.get(country, frozenset()) - self._own
        return sum(self._chips[other] for other in around)

    def place(self, place: pb.Place) -> float:
        """The whole pool at once, where it is wanted: at the border, on the largest army there."""
        enemies = self._enemies(place.country)
        if not enemies:
            return place.chips / (self._pool + 1)
        return place.chips + self._chips[place.country] + enemies / 1000

    def attack(self, attack: pb.Attack) -> float:
        """The lead in chips, less where more enemies wait behind: dead ends come first.

        An army that leaves them for later leaves single chips there, which are retaken, and two
        such armies can chase each other round the world for thousands of actions.
        """
        lead = self._chips[attack.source] - self._chips[attack.target]
        if lead <= 0 or self._chips[attack.source] < _ENOUGH:
            return _STOP - 1
        behind = self._neighbours.get(attack.target, frozenset()) - self._own
        return 1 + lead / (1 + len(behind))

    def invade(self, invade: pb.Invade) -> float:
        """All of them, unless the country that they come from has more to fear."""
        source, target = self._invasion.source, self._invasion.target
        forward = self._enemies(target) >= self._enemies(source)
        return float(invade.chips if forward else -invade.chips)

    def adjust(self, adjust: pb.Adjust) -> float:
        """From where nobody threatens to where somebody does, as many as may go."""
        if self._enemies(adjust.source):
            return _STOP - 1
        nearer = self._enemies(adjust.target) > 0
        return adjust.chips + (0.5 if nearer else 0.0) if adjust.chips > 1 or nearer else _STOP - 1

"""Actions of XISK, and tables that hand them out without building them anew.

What lives here: the eight kinds of action as values, with countries by id and cards by number. What
must not live here: whether they are legal. A turn with many chips has over a thousand legal
actions, so those of one map are built once and shared: listing them is slicing ready rows.

Kinds compare unequal even when they hold the same: ``EndAttack() != EndTurn()``. That is why these
are frozen dataclasses, not named tuples.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from referee.games.xisk.rules.world import WORLDS


@dataclass(frozen=True, slots=True)
class Claim:
    """Claim an unowned country."""

    country: str


@dataclass(frozen=True, slots=True)
class Redeem:
    """Redeem a set; card numbers ascending."""

    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Place chips of the pool on an own country."""

    country: str
    chips: int


@dataclass(frozen=True, slots=True)
class Attack:
    """Attack an adjacent country."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Invade:
    """Move more chips into the country just conquered; 0 declines."""

    chips: int


@dataclass(frozen=True, slots=True)
class EndAttack:
    """End the attack phase."""


@dataclass(frozen=True, slots=True)
class Adjust:
    """Move chips between two own countries and end the turn."""

    source: str
    target: str
    chips: int


@dataclass(frozen=True, slots=True)
class EndTurn:
    """End the turn without a transfer."""


Action = Claim | Redeem | Place | Attack | Invade | EndAttack | Adjust | EndTurn

END_ATTACK = EndAttack()
END_TURN = EndTurn()

_KEPT = 512
"""Longest row that is kept; longer ones are rare and built when asked for."""


class ActionTable:
    """All actions of one map. Grows by whole rows, never changes one: safe to share.

    Attributes:
        claims: The claim of each country, by country number.
        attacks: By country number, pairs of target number and attack.
    """

    __slots__ = ("_adjusts", "_ids", "_invades", "_places", "attacks", "claims")

    def __init__(self, map_id: str) -> None:
        world = WORLDS[map_id]
        self._ids = world.ids
        self.claims = tuple(Claim(country) for country in world.ids)
        self.attacks = tuple(
            tuple(
                (target, Attack(source, world.ids[target])) for target in world.neighbours[number]
            )
            for number, source in enumerate(world.ids)
        )
        self._places: list[tuple[Place, ...]] = [()] * world.size
        self._adjusts: list[tuple[Adjust, ...]] = [()] * (world.size * world.size)
        self._invades: tuple[Invade, ...] = ()

    def places(self, country: int, most: int) -> tuple[Place, ...]:
        """Placing 1 to ``most`` chips on a country number."""
        row = self._places[country]
        if len(row) < most:
            name = self._ids[country]
            row = tuple(Place(name, chips) for chips in range(1, _row_length(most) + 1))
            if most <= _KEPT:
                self._places[country] = row
        return row[:most]

    def adjusts(self, source: int, target: int, most: int) -> tuple[Adjust, ...]:
        """Moving 1 to ``most`` chips between two country numbers."""
        at = source * len(self._ids) + target
        row = self._adjusts[at]
        if len(row) < most:
            names = self._ids[source], self._ids[target]
            row = tuple(Adjust(*names, chips) for chips in range(1, _row_length(most) + 1))
            if most <= _KEPT:
                self._adjusts[at] = row
        return row[:most]

    def invades(self, most: int) -> tuple[Invade, ...]:
        """Invading with 0 to ``most`` chips."""
        row = self._invades
        if len(row) <= most:
            row = tuple(Invade(chips) for chips in range(_row_length(most) + 1))
            if most <= _KEPT:
                self._invades = row
        return row[: most + 1]


def _row_length(most: int) -> int:
    """Length to build a row at: with room, so that a growing army does not rebuild it each time."""
    return most if most > _KEPT else min(_KEPT, most + most // 2 + 8)


@cache
def table_of(map_id: str) -> ActionTable:
    """The actions of a map."""
    return ActionTable(map_id)

"""The world of a map as look-up tables, made once from its facts.

What lives here: numbering, adjacency and continents of any map. What must not live here: facts of
one map (``maps/``) and anything that changes during a match. Inside the rules a country is its
number, 0-based in the map's order; outside it is its id. Both directions are one look-up.
"""

from __future__ import annotations

from typing import NamedTuple

from referee.games.xisk.rules.maps import MAPS, MapTable


class Region(NamedTuple):
    """A continent by country numbers.

    Attributes:
        name: As people write it.
        bonus: Chips for who owns all of it.
        colour: Colour of its section on the board.
        members: Numbers of its countries.
    """

    name: str
    bonus: int
    colour: str
    members: tuple[int, ...]


class World:
    """One map, ready to look things up in. Never changes.

    Attributes:
        id: Id of the map.
        size: Number of countries.
        names: Names by country number.
        ids: Ids by country number.
        index: Country number by id.
        neighbours: Adjacent country numbers, ascending, by country number.
        regions: The continents.
    """

    __slots__ = ("id", "ids", "index", "names", "neighbours", "regions", "size")

    def __init__(self, table: MapTable) -> None:
        self.id = table.id
        self.names = tuple(name for land in table.continents for name in land.countries)
        self.size = len(self.names)
        self.ids = tuple(country_id(name) for name in self.names)
        self.index = {text: number for number, text in enumerate(self.ids)}
        number_of = {name: number for number, name in enumerate(self.names)}
        self.regions = tuple(
            Region(land.name, land.bonus, land.colour, tuple(number_of[c] for c in land.countries))
            for land in table.continents
        )
        # xisk/3: adjacency is symmetric, so a border counts both ways.
        adjacent: list[set[int]] = [set() for _ in self.names]
        for one, other in table.borders:
            adjacent[number_of[one]].add(number_of[other])
            adjacent[number_of[other]].add(number_of[one])
        self.neighbours = tuple(tuple(sorted(numbers)) for numbers in adjacent)


def country_id(name: str) -> str:
    """The id of a country: its name in lower case with hyphens."""
    return name.lower().replace(" ", "-")


WORLDS: dict[str, World] = {map_id: World(table) for map_id, table in MAPS.items()}
"""Every world by map id."""

COUNTRY_IDS: frozenset[str] = frozenset(text for world in WORLDS.values() for text in world.ids)
"""Ids that name a country on some map; what a reader of actions knows without a match."""

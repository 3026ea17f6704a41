"""The shape of a map's facts.

What lives here: the two records that a map file fills in. ``world.py`` makes look-up tables of
them.
"""

from __future__ import annotations

from typing import NamedTuple


class Continent(NamedTuple):
    """A continent.

    Attributes:
        name: As people write it.
        bonus: Chips at the start of a turn for who owns all of it.
        colour: Colour of its section on the board.
        countries: Names of its countries.
    """

    name: str
    bonus: int
    colour: str
    countries: tuple[str, ...]


class MapTable(NamedTuple):
    """A map.

    Attributes:
        id: What settings name it by.
        title: As people write it.
        continents: All continents; together they hold every country once.
        borders: Pairs of adjacent countries by name, each pair once.
    """

    id: str
    title: str
    continents: tuple[Continent, ...]
    borders: tuple[tuple[str, str], ...]

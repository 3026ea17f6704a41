"""Every map that a match of XISK can name, by id.

What lives here: the list of maps. Another map is another table in its own file and one more entry
here.
"""

from __future__ import annotations

from referee.games.xisk.rules.maps.classic import CLASSIC
from referee.games.xisk.rules.maps.table import Continent, MapTable

MAPS: dict[str, MapTable] = {table.id: table for table in (CLASSIC,)}

__all__ = ["MAPS", "Continent", "MapTable"]

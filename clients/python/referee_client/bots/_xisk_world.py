"""Who borders whom on the maps of XISK that the bots know.

What lives here: borders, each once. An observation shows who owns a country, but not what it
borders on, so a bot that looks around has to bring a map. On a map that is not here it plays by
what the legal actions tell.
"""

from __future__ import annotations

from collections.abc import Mapping

_CLASSIC = """
alaska: alberta northwest-territories kamchatka
alberta: northwest-territories ontario western-united-states
eastern-united-states: mexico ontario quebec western-united-states
greenland: northwest-territories ontario quebec iceland
mexico: western-united-states venezuela
northwest-territories: ontario
ontario: quebec western-united-states
argentina: brazil peru
brazil: peru venezuela north-africa
peru: venezuela
great-britain: iceland northern-europe scandinavia western-europe
iceland: scandinavia
northern-europe: scandinavia southern-europe ukraine western-europe
scandinavia: ukraine
southern-europe: ukraine western-europe egypt north-africa middle-east
ukraine: afghanistan middle-east ural
western-europe: north-africa
congo: east-africa north-africa south-africa
east-africa: egypt madagascar north-africa south-africa middle-east
egypt: north-africa middle-east
madagascar: south-africa
afghanistan: china india middle-east ural
china: india mongolia siberia southeast-asia ural
india: middle-east southeast-asia
irkutsk: kamchatka mongolia siberia yakutsk
japan: kamchatka mongolia
kamchatka: mongolia yakutsk
mongolia: siberia
siberia: ural yakutsk
southeast-asia: indonesia
eastern-australia: new-guinea western-australia
indonesia: new-guinea western-australia
new-guinea: western-australia
"""


def _neighbours(text: str) -> Mapping[str, frozenset[str]]:
    """Neighbours by country, from lines of a country and those it borders on further down."""
    found: dict[str, set[str]] = {}
    for line in text.replace("\n  ", " ").strip().splitlines():
        country, _, others = line.partition(":")
        for other in others.split():
            found.setdefault(country, set()).add(other)
            found.setdefault(other, set()).add(country)
    return {country: frozenset(others) for country, others in found.items()}


NEIGHBOURS: Mapping[str, Mapping[str, frozenset[str]]] = {"classic": _neighbours(_CLASSIC)}
"""By map, the neighbours of each country."""

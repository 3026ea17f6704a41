"""The classic map: xisk/3."""

import pytest

from referee.games.xisk.rules.maps import MAPS
from referee.games.xisk.rules.world import COUNTRY_IDS, country_id
from tests.games.xisk.builders import WORLD

CONTINENTS = {
    "North America": (9, 5, "yellow"),
    "South America": (4, 2, "cyan"),
    "Europe": (7, 5, "blue"),
    "Africa": (6, 3, "red"),
    "Asia": (12, 7, "green"),
    "Australia": (4, 2, "magenta"),
}


def test_xisk_3_six_continents_have_their_sizes_bonuses_and_colours():
    found = {each.name: (len(each.members), each.bonus, each.colour) for each in WORLD.regions}
    assert CONTINENTS == found


def test_xisk_3_every_country_lies_in_one_continent():
    members = sorted(number for each in WORLD.regions for number in each.members)
    assert list(range(42)) == members
    assert 42 == WORLD.size == len(set(WORLD.ids)) == len(COUNTRY_IDS)


def test_xisk_3_eighty_three_borders_count_both_ways():
    pairs = [(one, other) for one in range(42) for other in WORLD.neighbours[one]]
    assert 2 * 83 == len(pairs) == len(set(pairs))
    assert {(other, one) for one, other in pairs} == set(pairs)
    assert not any(one == other for one, other in pairs)


def test_xisk_3_no_border_is_written_twice():
    borders = [frozenset(pair) for pair in MAPS["classic"].borders]
    assert 83 == len(borders) == len(set(borders))


def test_xisk_3_the_whole_world_hangs_together():
    reached = {0}
    edge = [0]
    while edge:
        edge = [new for old in edge for new in WORLD.neighbours[old] if new not in reached]
        reached.update(edge)
    assert 42 == len(reached)


@pytest.mark.parametrize(
    ("one", "others"),
    [
        ("alaska", {"alberta", "kamchatka", "northwest-territories"}),
        ("madagascar", {"east-africa", "south-africa"}),
        ("japan", {"kamchatka", "mongolia"}),
        ("argentina", {"brazil", "peru"}),
        ("indonesia", {"new-guinea", "southeast-asia", "western-australia"}),
        ("iceland", {"great-britain", "greenland", "scandinavia"}),
    ],
)
def test_xisk_3_neighbours_are_those_of_the_map(one, others):
    assert others == {WORLD.ids[number] for number in WORLD.neighbours[WORLD.index[one]]}


def test_ids_are_lower_case_with_hyphens():
    assert "western-united-states" == country_id("Western United States")
    assert [country_id(name) for name in WORLD.names] == list(WORLD.ids)

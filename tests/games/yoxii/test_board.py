"""The board and what is on it at the start: yoxii/1, yoxii/2."""

import pytest

from referee.errors import InvalidSettingsError
from referee.games.yoxii.rules.board import LINES, NAMES, NEIGHBOURS, RAYS, SQUARE_BY_NAME, SQUARES
from referee.games.yoxii.rules.events import MatchSetUp
from referee.games.yoxii.rules.state import INITIAL, PIECES_PER_SEAT, Settings, stock
from tests.games.yoxii.builders import NO_CHANCE, RULES


def test_the_board_has_37_squares_in_ranks_of_3_5_7_7_7_5_3():
    """yoxii/1"""
    ranks = ["".join(name[0] for name in NAMES if name[1] == rank) for rank in "1234567"]
    assert ["cde", "bcdef", "abcdefg", "abcdefg", "abcdefg", "bcdef", "cde"] == ranks
    assert 37 == len(NAMES)


def test_squares_ascend_as_their_names_do():
    assert sorted(NAMES) == list(NAMES)


@pytest.mark.parametrize(
    ("square", "expected"),
    [
        ("d4", "c3 c4 c5 d3 d5 e3 e4 e5"),
        ("a3", "a4 b2 b3 b4"),
        ("b2", "a3 b3 c1 c2 c3"),
        ("c1", "b2 c2 d1 d2"),
        ("d7", "c6 c7 d6 e6 e7"),
        ("g4", "f3 f4 f5 g3 g5"),
    ],
)
def test_squares_at_the_edge_have_fewer_neighbours(square, expected):
    """yoxii/6"""
    neighbours = NEIGHBOURS[SQUARE_BY_NAME[square]]
    assert expected == " ".join(NAMES[each] for each in neighbours)


def test_being_next_to_each_other_is_mutual():
    for square in SQUARES:
        assert all(square in NEIGHBOURS[other] for other in NEIGHBOURS[square])


def test_the_line_between_two_squares_is_the_same_from_both_ends():
    for square in SQUARES:
        for target, between in LINES[square].items():
            assert between == tuple(reversed(LINES[target][square]))


def test_rays_cover_every_square_in_line_once():
    for square in SQUARES:
        reached = [target for ray in RAYS[square] for target in ray]
        assert sorted(reached) == sorted(LINES[square])


def test_a_match_starts_with_the_totem_on_d4_and_18_pieces_in_each_stock():
    """yoxii/2"""
    applied = RULES.initial(Settings(), 2, NO_CHANCE)
    assert INITIAL == applied.state
    assert applied.events == (MatchSetUp(SQUARE_BY_NAME["d4"], (5, 5, 5, 3)),)
    assert "d4" == NAMES[applied.state.totem]
    assert [(5, 5, 5, 3), (5, 5, 5, 3)] == [stock(applied.state, seat) for seat in (0, 1)]
    assert PIECES_PER_SEAT == 18


def test_white_which_is_seat_0_moves_first():
    """yoxii/2"""
    assert (0,) == RULES.to_move(INITIAL)
    assert 256 == len(RULES.legal_actions(INITIAL, 0))
    assert [] == RULES.legal_actions(INITIAL, 1)


@pytest.mark.parametrize("seats", [0, 1, 3])
def test_other_numbers_of_seats_are_refused(seats):
    with pytest.raises(InvalidSettingsError, match="exactly 2 seats") as caught:
        RULES.initial(Settings(), seats, NO_CHANCE)
    assert "seats" == caught.value.field

"""End and score: yoxii/9 to yoxii/12."""

import pytest

from referee.errors import MatchOverError, NotYourTurnError
from referee.games.yoxii.rules.board import NAMES
from referee.games.yoxii.rules.events import MatchEnded, SeatForfeited
from referee.games.yoxii.rules.scoring import Score, score
from referee.games.yoxii.rules.state import COLOURS, INITIAL, stock
from referee.games.yoxii.rules.totem import totem_targets
from referee.plugin import Result, Termination
from tests.games.yoxii.builders import NO_CHANCE, RULES, action, at, play, refused, totem_squares

FORFEITS = [Termination.RESIGNATION, Termination.TIME_FORFEIT, Termination.ABANDONED]


def last_ply(b6, c6, d6, c5="A", e5=".", a5="."):
    """White moves the Totem from d7 to c7 and fills d7; Red can't jump, c5, e5 and a5 permitting.

    White could jump over its own piece on b6 to a5, were it White's turn.
    """
    pieces = [b6, c6, d6, c5, e5, a5]
    surplus = sum(p.isupper() for p in pieces) - sum(p.islower() for p in pieces)
    filler = ("c" if surplus > 0 else "C") * abs(surplus)
    rank3 = filler.ljust(7, ".")
    return at(f"""
          . T .
        {b6} {c6} {d6} . .
      {a5} . {c5} . {e5} . .
      . . . . . . .
      {rank3}
        . . . . .
          . . .
    """)


def test_the_match_ends_when_the_seat_to_move_can_not_move_the_totem():
    """yoxii/9"""
    applied = play(last_ply("A", "A", "B"), "c7/3@d7")
    assert () == RULES.to_move(applied.state)
    assert [[], []] == [RULES.legal_actions(applied.state, seat) for seat in (0, 1)]
    result = Result((0,), Termination.COMPLETED)
    assert RULES.result(applied.state) == result
    assert (MatchEnded(result, (Score(7, 4), Score(0, 0))),) == applied.events[2:]


def test_it_ends_even_where_the_other_seat_could_jump():
    """yoxii/9"""
    ended = play(last_ply("A", "a", "A"), "c7/3@d7").state
    white, red = ended.seats
    jumps = {NAMES[square] for square in totem_targets(ended.totem, white, red)}
    assert {"a5", "e5", "e7"} == jumps
    assert () == RULES.to_move(ended)


def test_a_totem_with_no_free_neighbour_is_not_the_end_while_a_jump_is_left():
    """yoxii/9"""
    state = play(last_ply("A", "a", "A", c5="."), "c7/3@d7").state
    assert RULES.result(state) is None
    assert ["c5"] == totem_squares(state)


def test_nothing_happens_after_the_end():
    """yoxii/9"""
    ended = play(last_ply("A", "A", "B"), "c7/3@d7").state
    for seat in (0, 1):
        with pytest.raises(MatchOverError):
            RULES.apply(ended, seat, action("b5/1@a5"), NO_CHANCE)
        with pytest.raises(MatchOverError):
            RULES.forfeit(ended, seat, Termination.RESIGNATION, NO_CHANCE)


@pytest.mark.parametrize(
    ("position", "value", "scores", "winners"),
    [
        pytest.param(("A", "d", "A"), 3, [(5, 3), (4, 1)], (0,), id="more points win"),
        pytest.param(
            ("A", "d", "A"), 1, [(3, 3), (4, 1)], (1,), id="fewer pieces, more points win"
        ),
        pytest.param(
            ("A", "d", "A"), 2, [(4, 3), (4, 1)], (0,), id="equal points, more pieces win"
        ),
        pytest.param(
            ("B", "d", "a", "A", "A"), 3, [(5, 2), (5, 2)], (0, 1), id="both equal is a draw"
        ),
        pytest.param(
            ("a", "a", "b", "A", "A", "A"), 4, [(4, 1), (4, 3)], (1,), id="Red wins by pieces"
        ),
    ],
)
def test_points_decide_then_pieces_then_nobody(position, value, scores, winners):
    """yoxii/10"""
    ended = play(last_ply(*position), f"c7/{value}@d7").state
    assert scores == [tuple(score(ended, seat)) for seat in (0, 1)]
    assert Result(winners, Termination.COMPLETED) == RULES.result(ended)


def test_only_pieces_next_to_the_totem_count():
    """yoxii/10"""
    state = play(INITIAL, "e5/4@d4").state
    assert Score(4, 1) == score(state, 0)
    state = play(state, "f6/1@f5").state
    assert (Score(0, 0), Score(1, 1)) == (score(state, 0), score(state, 1))


def test_a_full_board_ends_the_match_at_ply_36():
    """yoxii/11: 36 pieces and the Totem fill the 37 squares; Red has its last piece for ply 36."""
    state = at("""
          A A A
        A A B B B
      B B C C C C C
      D D . T D a a
      a a b b b b b
        c c c c c
          d d d
    """)
    assert (35, 1) == (state.ply, state.mover)
    assert [0, 1] == [sum(stock(state, seat)) for seat in (0, 1)]
    assert ["c4"] == totem_squares(state)
    ended = play(state, "c4/1@d4").state
    assert 36 == ended.ply
    assert RULES.result(ended) is not None


def test_a_seat_can_not_act_out_of_turn():
    """yoxii/2"""
    with pytest.raises(NotYourTurnError) as caught:
        RULES.apply(INITIAL, 1, action("e5/3@e6"), NO_CHANCE)
    assert caught.value.metadata == {"to_move": "0"}


@pytest.mark.parametrize("termination", FORFEITS)
@pytest.mark.parametrize("seat", [0, 1])
def test_the_other_seat_wins_after_a_forfeit_whoever_was_to_move(seat, termination):
    """yoxii/12"""
    state = play(INITIAL, "e5/4@d4").state
    applied = RULES.forfeit(state, seat, termination, NO_CHANCE)
    result = Result((1 - seat,), termination)
    assert RULES.result(applied.state) == result
    assert applied.events == (
        SeatForfeited(seat, termination),
        MatchEnded(result, (Score(4, 1), Score(0, 0))),
    )
    assert () == RULES.to_move(applied.state)
    assert [] == RULES.invariants(applied.state)
    assert applied.state._replace(result=None) == state


def test_sentences_name_seats_by_their_colours():
    assert COLOURS == ("White", "Red")
    sentence = refused(play(INITIAL, "e5/4@e6").state, "e7/1@d7")[1]
    assert "holds a piece of White" in sentence
    assert "Red's own pieces only" in sentence

"""Messages both ways, and what a client can't send."""

import pytest

from referee._gen.yoxii.v1 import yoxii_pb2 as pb
from referee.errors import InvalidActionError
from referee.games.yoxii.rules.events import Event, MatchEnded, SeatForfeited
from referee.games.yoxii.rules.observation import observe
from referee.games.yoxii.rules.scoring import Score
from referee.games.yoxii.rules.state import INITIAL, Settings
from referee.games.yoxii.wire import YoxiiWire
from referee.plugin import Result, Termination
from tests.games.yoxii.builders import NO_CHANCE, RULES, action, play, play_all

WIRE = YoxiiWire()
OPENING = ("c5/3@b6", "d6/3@d7", "e6/4@f6", "e5/2@d6")


def test_an_action_names_its_squares():
    message = pb.Action(totem="e5", value=3, square="e6")
    assert WIRE.action_from_message(message) == action("e5/3@e6")
    assert WIRE.action_to_message(action("e5/3@e6")) == message


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (pb.Action(), "totem"),
        (pb.Action(totem="e5", value=3), "square"),
        (pb.Action(totem="e5", square="e6"), "value"),
        (pb.Action(totem="e5", value=5, square="e6"), "value"),
        (pb.Action(totem="e5", value=2**32 - 1, square="e6"), "value"),
        (pb.Action(totem="a1", value=1, square="e6"), "totem"),
        (pb.Action(totem="e5", value=1, square="E6"), "square"),
        (pb.Action(totem="e5 ", value=1, square="e6"), "totem"),
        (pb.Action(totem="\u00e9" * 100_000, value=1, square="e6"), "totem"),
    ],
)
def test_an_action_that_can_not_be_read_names_the_field(message, field):
    with pytest.raises(InvalidActionError) as caught:
        WIRE.action_from_message(message)
    assert field == caught.value.field
    assert len(caught.value.message) < 200


def test_settings_are_empty_both_ways():
    assert WIRE.settings_from_message(pb.Settings()) == Settings()
    assert WIRE.settings_to_message(Settings()) == pb.Settings()


def test_legal_actions_are_grouped_by_the_square_of_the_totem():
    """yoxii/8"""
    message = WIRE.legal_actions_to_message(INITIAL, 0)
    assert "c3 c4 c5 d3 d5 e3 e4 e5" == " ".join(options.totem for options in message.totems)
    assert "b2 b3 b4 c2 c4 d2 d3 d4" == " ".join(message.totems[0].squares)
    assert [1, 2, 3, 4] == list(message.values)
    assert 256 == len(WIRE.legal_actions_from_message(message))


def test_legal_actions_of_a_waiting_seat_are_empty():
    message = WIRE.legal_actions_to_message(INITIAL, 1)
    assert message == pb.LegalActions()
    assert [] == WIRE.legal_actions_from_message(message)


def test_an_observation_shows_everything():
    state = play_all("e5/4@d4", "f6/1@f5")
    expected = pb.Observation(
        totem="f6",
        pieces=[pb.Piece(square="d4", seat=0, value=4), pb.Piece(square="f5", seat=1, value=1)],
        stocks=[pb.Stock(counts=[5, 5, 5, 2]), pb.Stock(counts=[4, 5, 5, 3])],
        to_move=0,
        ply=2,
        scores=[pb.Score(points=0, pieces=0), pb.Score(points=1, pieces=1)],
    )
    assert expected == WIRE.observation_to_message(RULES.observe(state, 1))
    assert RULES.observe(state, None) == RULES.observe(state, 0)


def test_an_ended_match_shows_its_result_and_nobody_to_move():
    forfeited = RULES.forfeit(INITIAL, 0, Termination.TIME_FORFEIT, NO_CHANCE).state
    message = WIRE.observation_to_message(observe(forfeited))
    assert not message.HasField("to_move")
    assert [1] == list(message.result.winners)
    assert pb.TERMINATION_TIME_FORFEIT == message.result.termination
    assert WIRE.observation_from_message(message) == observe(forfeited)


def test_seat_0_to_move_is_not_taken_for_nobody():
    message = pb.Observation.FromString(
        WIRE.observation_to_message(observe(INITIAL)).SerializeToString()
    )
    assert message.HasField("to_move")
    assert 0 == WIRE.observation_from_message(message).to_move


def test_a_state_takes_few_bytes_and_comes_back():
    state = play_all(*OPENING)
    data = WIRE.state_to_bytes(state)
    assert len(data) < 50
    assert WIRE.state_from_bytes(data) == state


@pytest.mark.parametrize("termination", [each for each in Termination if each.value != "limit"])
def test_events_of_an_end_come_back(termination):
    events: list[Event] = [
        SeatForfeited(1, termination),
        MatchEnded(Result((0, 1), termination), (Score(3, 2), Score(0, 0))),
    ]
    for event in events:
        assert event == WIRE.event_from_message(WIRE.event_to_message(event))


def test_an_event_of_a_jump_lists_the_squares_it_passed():
    """yoxii/4"""
    happened = play(play_all("d5/1@d4", "c4/2@b4"), "e4/3@e5").events
    message = WIRE.event_to_message(happened[0])
    assert message.totem_moved == pb.TotemMoved(seat=0, origin="c4", square="e4", jumped=["d4"])
    for event in happened:
        assert event == WIRE.event_from_message(WIRE.event_to_message(event))

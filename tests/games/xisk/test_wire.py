"""Messages of XISK: what is refused as unreadable, and what comes back as it went."""

from random import Random

import pytest

from referee._gen.xisk.v1 import xisk_pb2 as pb
from referee.chance.recorded import ScriptedChance
from referee.errors import IllegalActionError, InvalidActionError, InvalidSettingsError
from referee.games.xisk.plugin import GAME
from referee.games.xisk.rules import events as ev
from referee.games.xisk.rules.actions import Claim, Redeem
from referee.games.xisk.rules.state import Phase, Settings
from referee.plugin import Result, Termination
from tests.games.xisk.builders import RULES, cards, claiming, midgame
from tests.games.xisk.randoms import midway

WIRE = GAME.wire
HUGE = 2**32 - 1


def test_settings_left_out_take_the_defaults_and_are_spelled_out():
    assert Settings("classic", 0) == WIRE.settings_from_message(pb.Settings())
    message = WIRE.settings_to_message(Settings())
    assert pb.Settings(map_id="classic", round_limit=0) == message
    settings = Settings("classic", 40)
    assert settings == WIRE.settings_from_message(WIRE.settings_to_message(settings))


def test_an_unknown_map_is_refused_and_the_known_ones_are_named():
    with pytest.raises(InvalidSettingsError, match="classic") as caught:
        WIRE.settings_from_message(pb.Settings(map_id="mars"))
    assert "map_id" == caught.value.field


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (pb.Action(), "action"),
        (pb.Action(claim=pb.Claim()), "claim.country"),
        (pb.Action(claim=pb.Claim(country="Alaska")), "claim.country"),
        (pb.Action(place=pb.Place(country="atlantis", chips=1)), "place.country"),
        (pb.Action(attack=pb.Attack(source="x", target="alaska")), "attack.source"),
        (pb.Action(attack=pb.Attack(source="alaska")), "attack.target"),
        (pb.Action(adjust=pb.Adjust(source="alaska", target="?", chips=1)), "adjust.target"),
        (pb.Action(redeem=pb.Redeem(cards=["AS", "KS", "10S"])), "redeem.cards"),
        (pb.Action(redeem=pb.Redeem(cards=["AS", "KS", ""])), "redeem.cards"),
        (pb.Action(redeem=pb.Redeem(cards=["as", "KS", "QS"])), "redeem.cards"),
    ],
)
def test_what_cannot_be_read_is_invalid_and_names_the_field(message, field):
    with pytest.raises(InvalidActionError) as caught:
        WIRE.action_from_message(message)
    assert field == caught.value.field


def test_an_error_shows_no_more_than_the_beginning_of_what_was_sent():
    with pytest.raises(InvalidActionError) as caught:
        WIRE.action_from_message(pb.Action(claim=pb.Claim(country="z" * 10_000)))
    assert len(caught.value.message) < 200


def test_xisk_10_the_cards_of_a_set_may_come_in_any_order():
    message = pb.Action(redeem=pb.Redeem(cards=["2C", "9C", "5C"]))
    assert Redeem(cards("9C 5C 2C")) == WIRE.action_from_message(message)


@pytest.mark.parametrize("names", [[], ["2C"], ["2C", "5C"], ["2C", "2C", "5C"], ["2C"] * 40])
def test_xisk_10_a_set_of_the_wrong_size_is_readable_and_illegal(names):
    state = midgame({"alaska": (0, 2)}, phase=Phase.SUPPLY, pool=3, hands={0: "9C 5C 2C"})
    action = WIRE.action_from_message(pb.Action(redeem=pb.Redeem(cards=names)))
    with pytest.raises(IllegalActionError) as caught:
        RULES.apply(state, 0, action, ScriptedChance())
    assert "xisk/10" == caught.value.rule


@pytest.mark.parametrize(
    ("phase", "message", "rule"),
    [
        (Phase.SUPPLY, pb.Action(place=pb.Place(country="alaska", chips=HUGE)), "xisk/12"),
        (Phase.SUPPLY, pb.Action(place=pb.Place(country="alaska")), "xisk/12"),
        (Phase.INVADE, pb.Action(invade=pb.Invade(chips=HUGE)), "xisk/18"),
        (
            Phase.ADJUST,
            pb.Action(adjust=pb.Adjust(source="alaska", target="alberta", chips=HUGE)),
            "xisk/21",
        ),
    ],
)
def test_huge_counts_are_illegal_and_never_clipped(phase, message, rule):
    state = midgame(
        {"alaska": (0, 5), "alberta": (0, 1)},
        phase=phase,
        pool=3 if phase == Phase.SUPPLY else 0,
        source=0 if phase == Phase.INVADE else -1,
        target=1 if phase == Phase.INVADE else -1,
    )
    with pytest.raises(IllegalActionError) as caught:
        RULES.apply(state, 0, WIRE.action_from_message(message), ScriptedChance())
    assert rule == caught.value.rule


EVENTS: list[ev.Event] = [
    ev.Dealt((2, 1), ((0, 51), ())),
    ev.Claimed(0, 0, "alaska"),
    ev.TurnedNeutral(("alaska", "peru")),
    ev.DeckShuffled(),
    ev.OrderRolled(((0, (1, 2, 3)), (5, (6, 6, 6)))),
    ev.OrderSet((5, 0)),
    ev.TurnBegan(0, 1, 4, 2, 6),
    ev.Redeemed(0, (0, 1, 2), 1, 7),
    ev.Placed(0, "alaska", 3),
    ev.PhaseChanged(0, Phase.ATTACK),
    ev.Attacked(1, "alaska", "kamchatka", 0, (6, 1, 1), (5,), 0, 1),
    ev.Attacked(1, "alaska", "kamchatka", None, (6,), (5, 5), 1, 0),
    ev.Conquered(1, "alaska", "kamchatka", 3, 0),
    ev.Conquered(1, "alaska", "kamchatka", 3, None),
    ev.Invaded(0, "alaska", "kamchatka", 0),
    ev.Eliminated(1, 0),
    ev.Eliminated(1, 0, 5),
    ev.CardsSurrendered(1, 0, 2, (0, 51)),
    ev.CardsSurrendered(1, 0, 2, ()),
    ev.Adjusted(0, "alaska", "alberta", 1),
    ev.CardDrawn(0, 0),
    ev.CardDrawn(0, None),
    ev.TurnPassed(1, 0),
    ev.SeatForfeited(0, Termination.TIME_FORFEIT, 0),
    ev.MatchEnded(Result((0, 3), Termination.LIMIT)),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_every_kind_of_event_comes_back_as_it_went(event):
    message = pb.Event.FromString(WIRE.event_to_message(event).SerializeToString())
    assert event == WIRE.event_from_message(message)


def test_every_kind_of_event_is_tried_here():
    assert {field.name for field in pb.Event.DESCRIPTOR.fields} == {
        WIRE.event_to_message(event).WhichOneof("kind") for event in EVENTS
    }


def test_a_stored_event_without_a_kind_is_an_error():
    with pytest.raises(ValueError, match="no kind"):
        WIRE.event_from_message(pb.Event())


@pytest.mark.parametrize("termination", list(Termination))
def test_every_termination_survives(termination):
    state = midgame(
        {"alaska": (0, 2)}, phase=Phase.ENDED, mover=-1, result=Result((0, 1), termination)
    )
    assert state == WIRE.state_from_bytes(WIRE.state_to_bytes(state))
    seen = RULES.observe(state, None)
    assert seen == WIRE.observation_from_message(WIRE.observation_to_message(seen))


def test_states_are_stored_in_few_bytes():
    sizes = [len(WIRE.state_to_bytes(midway(6, Random(seed), 300))) for seed in range(5)]
    assert max(sizes) < 300


def test_a_seat_that_waits_gets_empty_legal_actions():
    state = claiming({0: "AS", 1: "KS"})
    assert pb.LegalActions() == WIRE.legal_actions_to_message(state, 1)
    over = midgame({}, phase=Phase.ENDED, mover=-1, result=Result((0,), Termination.COMPLETED))
    assert pb.LegalActions() == WIRE.legal_actions_to_message(over, 0)
    assert [] == list(WIRE.legal_actions_from_message(pb.LegalActions()))


def test_a_declined_invasion_is_told_from_no_invasion():
    state = midgame({"alaska": (0, 3), "alberta": (0, 1)}, phase=Phase.INVADE, source=0, target=1)
    message = WIRE.legal_actions_to_message(state, 0)
    assert 2 == message.invade_max
    assert 3 == len(WIRE.legal_actions_from_message(message))


def test_legal_claims_are_the_countries_left():
    message = WIRE.legal_actions_to_message(claiming({0: "AS", 1: "KS"}), 0)
    assert 42 == len(message.claim_countries)
    assert Claim("alaska") in WIRE.legal_actions_from_message(message)

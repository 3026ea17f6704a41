"""Actions as text: xisk/30."""

import pytest

from referee.errors import InvalidActionError
from referee.games.xisk.plugin import GAME
from referee.games.xisk.rules.actions import (
    Adjust,
    Attack,
    Claim,
    EndAttack,
    EndTurn,
    Invade,
    Place,
    Redeem,
)
from tests.games.xisk.builders import cards

FORMS = [
    ("claim:alaska", Claim("alaska")),
    ("redeem:9C,5C,2C", Redeem(cards("9C 5C 2C"))),
    ("redeem:AS,TH,2D", Redeem(cards("AS TH 2D"))),
    ("place:alaska:3", Place("alaska", 3)),
    ("attack:alaska>kamchatka", Attack("alaska", "kamchatka")),
    ("invade:0", Invade(0)),
    ("invade:2", Invade(2)),
    ("end-attack", EndAttack()),
    ("adjust:alaska>alberta:2", Adjust("alaska", "alberta", 2)),
    ("end-turn", EndTurn()),
    ("redeem:9C,9C", Redeem(cards("9C 9C"))),
    ("place:western-united-states:4294967295", Place("western-united-states", 2**32 - 1)),
]


@pytest.mark.parametrize(("text", "action"), FORMS)
def test_xisk_30_every_kind_of_action_has_one_text(text, action):
    assert text == GAME.notation.format_action(action)
    assert action == GAME.notation.parse_action(text)


def test_xisk_30_the_cards_of_a_set_may_be_typed_in_any_order():
    assert Redeem(cards("9C 5C 2C")) == GAME.notation.parse_action("redeem:2C,9C,5C")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is not an action"),
        ("pass", "is not an action"),
        ("end-turn:", "is not an action"),
        ("End-Turn", "is not an action"),
        ("claim:", "say which country"),
        ("claim:atlantis", "there is no country 'atlantis'"),
        ("claim:Alaska", "there is no country 'Alaska'; did you mean \"alaska\"?"),
        ("claim:Western United States", 'did you mean "western-united-states"?'),
        ("claim:western_united_states", 'did you mean "western-united-states"?'),
        ("place:alaska", "not a number of chips"),
        ("place:alaska:", "not a number of chips"),
        ("place:alaska:03", "not a number of chips"),
        ("place:alaska:-1", "not a number of chips"),
        ("place:alaska:+1", "not a number of chips"),
        ("place:alaska:1 ", "not a number of chips"),
        ("place:alaska:٣", "not a number of chips"),
        ("place:alaska:4294967296", "not a number of chips"),
        ("attack:alaska", "say which country"),
        ("attack:alaska>alberta>ontario", "there is no country"),
        ("redeem:", "there is no card"),
        ("redeem:10C,5C,2C", "there is no card '10C'"),
        ("redeem:9c,5c,2c", "there is no card"),
        ("x" * 500, "..."),
    ],
)
def test_text_that_is_no_action_is_refused_with_what_is_wrong(text, sentence):
    with pytest.raises(InvalidActionError) as caught:
        GAME.notation.parse_action(text)
    assert sentence in caught.value.message
    assert len(caught.value.message) < 250


def test_actions_of_different_kinds_are_never_equal():
    # As named tuples they would be: both ends are empty, and two kinds hold a pair of countries.
    assert 2 == len({EndAttack(), EndTurn()})
    assert Invade(2) not in [(2,), Claim("alaska")]

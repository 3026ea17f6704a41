"""The client's full lists and its notation are those of the rules, all along a match."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.chance.draws import SeededChance
from referee.registry import GAMES
from referee_client import (
    GameAction,
    GameLegalActions,
    GameSettings,
    InvalidActionError,
    UnknownGameError,
    default_settings,
    expand_legal_actions,
    format_action,
    game_of,
    known_games,
    parse_action,
    xisk,
    yoxii,
)

COUNTRIES = st.sampled_from(["alaska", "western-united-states", "great-britain", "kamchatka"])
CARDS = [rank + suit for suit in "SHDC" for rank in "AKQJT98765432"]
COUNTS = st.integers(0, 2**32 - 1)
SQUARES = [
    f"{file}{rank}"
    for file, ranks in zip(
        "abcdefg", ("345", "23456", *["1234567"] * 3, "23456", "345"), strict=True
    )
    for rank in ranks
]
XISK_ACTIONS = st.one_of(
    st.builds(lambda country: xisk.Action(claim=xisk.Claim(country=country)), COUNTRIES),
    st.lists(st.sampled_from(CARDS), min_size=3, max_size=3, unique=True).map(
        lambda cards: xisk.Action(redeem=xisk.Redeem(cards=sorted(cards, key=CARDS.index)))
    ),
    st.builds(lambda at, n: xisk.Action(place=xisk.Place(country=at, chips=n)), COUNTRIES, COUNTS),
    st.builds(
        lambda a, b: xisk.Action(attack=xisk.Attack(source=a, target=b)), COUNTRIES, COUNTRIES
    ),
    st.builds(lambda n: xisk.Action(invade=xisk.Invade(chips=n)), COUNTS),
    st.builds(
        lambda a, b, n: xisk.Action(adjust=xisk.Adjust(source=a, target=b, chips=n)),
        COUNTRIES,
        COUNTRIES,
        COUNTS,
    ),
    st.just(xisk.Action(end_attack=xisk.EndAttack())),
    st.just(xisk.Action(end_turn=xisk.EndTurn())),
)
YOXII_ACTIONS = st.builds(
    lambda totem, value, square: yoxii.Action(totem=totem, value=value, square=square),
    st.sampled_from(SQUARES),
    st.integers(1, 4),
    st.sampled_from(SQUARES),
)
ACTIONS = XISK_ACTIONS.map(lambda action: GameAction(xisk=action)) | YOXII_ACTIONS.map(
    lambda action: GameAction(yoxii=action)
)


def positions(game_id: str, seed: int, plies: int) -> Iterator[tuple[Any, int]]:
    """States of a random match with their seat to move."""
    game = GAMES[game_id]
    chance, rng = SeededChance(bytes([seed]) * 32), Random(seed)
    state = game.rules.initial(game.default_settings, game.info.min_seats, chance).state
    for _ in range(plies):
        if game.rules.result(state) is not None:
            return
        (seat,) = game.rules.to_move(state)
        yield state, seat
        action = rng.choice(game.rules.legal_actions(state, seat))
        state = game.rules.apply(state, seat, action, chance).state


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_the_full_list_is_that_of_the_rules_and_so_is_every_text(game_id, seed):
    game = GAMES[game_id]
    for state, seat in positions(game_id, seed, plies=150):
        message = game.wire.legal_actions_to_message(state, seat)
        actions = expand_legal_actions(GameLegalActions(**{game_id: message}))
        legal = game.rules.legal_actions(state, seat)
        assert sorted(map(game.notation.format_action, legal)) == sorted(
            map(format_action, actions)
        )
        assert len(legal) == len(actions)
        for action in actions[:: max(len(actions) // 20, 1)]:
            text = format_action(action)
            assert action == parse_action(game_id, text)
            assert action == GameAction(
                **{game_id: game.wire.action_to_message(game.notation.parse_action(text))}
            )


def test_the_client_knows_the_games_of_the_referee():
    assert tuple(sorted(GAMES)) == known_games()


@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_a_seat_that_is_not_to_move_has_no_actions(game_id):
    assert [] == expand_legal_actions(GameLegalActions())
    compact = GameLegalActions()
    getattr(compact, game_id).SetInParent()
    assert [] == expand_legal_actions(compact)


def test_declining_an_invasion_is_in_the_list():
    compact = GameLegalActions(xisk=xisk.LegalActions(invade_max=2))
    assert ["invade:0", "invade:1", "invade:2"] == [
        *map(format_action, expand_legal_actions(compact))
    ]


@given(ACTIONS)
def test_reading_undoes_writing(action):
    assert action == parse_action(game_of(action), format_action(action))


@given(ACTIONS, st.data())
def test_what_is_read_is_written_back_the_same_or_refused(action, data):
    text = list(format_action(action))
    at = data.draw(st.integers(0, len(text) - 1))
    text[at] = data.draw(st.sampled_from("aA0159:>,/@-\n ٣"))
    changed = "".join(text)
    try:
        read = parse_action(game_of(action), changed)
    except InvalidActionError:
        return
    assert changed == format_action(read)


def test_cards_are_written_in_claim_order_whatever_their_order_was():
    action = GameAction(xisk=xisk.Action(redeem=xisk.Redeem(cards=["2C", "TS", "AS"])))
    assert "redeem:AS,TS,2C" == format_action(action)


@pytest.mark.parametrize(
    ("game_id", "text"),
    [
        ("xisk", ""),
        ("xisk", "attack:alaska"),
        ("xisk", "attack:Alaska>kamchatka"),
        ("xisk", "place:alaska:03"),
        ("xisk", "place:alaska:4294967296"),
        ("xisk", "redeem:2C,5C,9C"),
        ("xisk", "end-turn "),
        ("xisk", "e5/3@e6"),
        ("yoxii", "e5/5@e6"),
        ("yoxii", "a1/3@e6"),
        ("yoxii", "e5/3@e6\n"),
        ("yoxii", "end-turn"),
    ],
)
def test_text_that_is_not_canonical_is_refused(game_id, text):
    with pytest.raises(InvalidActionError) as caught:
        parse_action(game_id, text)
    assert "action" == caught.value.field


@pytest.mark.parametrize(
    "action",
    [GameAction(), GameAction(xisk=xisk.Action()), GameAction(yoxii=yoxii.Action(totem="e5"))],
)
def test_an_incomplete_action_has_no_text(action):
    with pytest.raises(InvalidActionError):
        format_action(action)


def test_an_unknown_game_is_named_with_those_there_are():
    for call in (lambda: parse_action("chess", "e4"), lambda: default_settings("chess")):
        with pytest.raises(UnknownGameError, match="chess") as caught:
            call()
        assert ("xisk", "yoxii") == caught.value.games


def test_default_settings_name_the_game_and_nothing_more():
    assert "xisk" == game_of(default_settings("xisk"))
    assert GameSettings(yoxii=yoxii.Settings()) == default_settings("yoxii")

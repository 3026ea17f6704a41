"""The bots play legally, the same way for the same seed, and bring every match to its end."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from referee.chance.draws import SeededChance
from referee.games.xisk.rules.world import WORLDS
from referee.registry import GAMES
from referee_client import (
    GameLegalActions,
    GameObservation,
    UnknownGameError,
    expand_legal_actions,
    format_action,
    parse_action,
    xisk,
    yoxii,
)
from referee_client.bots import Bot, GreedyBot, RandomBot
from referee_client.bots._xisk_world import NEIGHBOURS

BOTS: list[type[RandomBot] | type[GreedyBot]] = [RandomBot, GreedyBot]
# Six seats needed 2,400 at most in trials; a bot that dithers runs into tens of thousands.
MOST_ACTIONS = 6000


def played(game_id: str, bots: Sequence[Bot], seed: int) -> tuple[list[str], tuple[int, ...]]:
    """A whole match on the real rules: its actions as text, and who won."""
    game = GAMES[game_id]
    chance = SeededChance(bytes([seed]) * 32)
    state = game.rules.initial(game.default_settings, len(bots), chance).state
    texts: list[str] = []
    while game.rules.result(state) is None and len(texts) < MOST_ACTIONS:
        (seat,) = game.rules.to_move(state)
        seen = game.wire.observation_to_message(game.rules.observe(state, seat))
        compact = game.wire.legal_actions_to_message(state, seat)
        legal = expand_legal_actions(GameLegalActions(**{game_id: compact}))
        text = format_action(bots[seat].choose(GameObservation(**{game_id: seen}), legal))
        texts.append(text)
        state = game.rules.apply(state, seat, game.notation.parse_action(text), chance).state
    result = game.rules.result(state)
    assert result is not None
    return texts, result.winners


@pytest.mark.parametrize("kind", BOTS)
@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_a_match_of_two_ends_and_its_seed_repeats_it(game_id, kind):
    first = played(game_id, [kind(1), kind(2)], seed=1)
    assert first == played(game_id, [kind(1), kind(2)], seed=1)
    assert first != played(game_id, [kind(3), kind(4)], seed=1)


@pytest.mark.parametrize("kind", BOTS)
@pytest.mark.parametrize("seats", [3, 6])
def test_a_match_of_xisk_of_many_ends(kind, seats):
    texts, winners = played("xisk", [kind(seat) for seat in range(seats)], seed=seats)
    assert 100 < len(texts) < MOST_ACTIONS
    assert 1 == len(winners)


@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_greed_beats_luck_more_often_than_not(game_id):
    wins = 0
    for seed in range(100, 120):
        greedy_seat = seed % 2
        bots: list[Bot] = [RandomBot(seed), RandomBot(seed)]
        bots[greedy_seat] = GreedyBot(seed)
        wins += played(game_id, bots, seed)[1] == (greedy_seat,)
    assert wins > 10


def test_the_bots_know_the_borders_of_the_map():
    world = WORLDS["classic"]
    borders = {
        country: frozenset(world.ids[other] for other in world.neighbours[number])
        for number, country in enumerate(world.ids)
    }
    assert borders == NEIGHBOURS["classic"]


def yoxii_observation() -> GameObservation:
    pieces = [
        yoxii.Piece(square="e6", seat=1, value=4),
        yoxii.Piece(square="c3", seat=0, value=2),
        yoxii.Piece(square="c4", seat=0, value=2),
    ]
    return GameObservation(yoxii=yoxii.Observation(totem="d4", pieces=pieces, to_move=0))


def test_greed_in_yoxii_goes_where_its_pieces_are_and_places_its_best_next_to_them():
    texts = ["e5/4@d5", "d3/1@d2", "d3/3@d2", "d3/3@a3", "e3/3@e2"]
    legal = [parse_action("yoxii", text) for text in texts]
    assert "d3/3@d2" == format_action(GreedyBot(1).choose(yoxii_observation(), legal))


def xisk_observation(phase: xisk.Phase.ValueType, **chips: tuple[int, int]) -> xisk.Observation:
    """Countries with their seat and chips; underscores stand for hyphens."""
    countries = [
        xisk.CountryView(country=name.replace("_", "-"), seat=seat, chips=count)
        for name, (seat, count) in chips.items()
    ]
    settings = xisk.Settings(map_id="classic")
    return xisk.Observation(settings=settings, phase=phase, to_move=0, countries=countries, pool=3)


def chosen(observation: xisk.Observation, *texts: str) -> str:
    legal = [parse_action("xisk", text) for text in texts]
    return format_action(GreedyBot(1).choose(GameObservation(xisk=observation), legal))


WESTERN = {
    "argentina": (0, 9),
    "peru": (1, 2),
    "brazil": (1, 8),
    "venezuela": (1, 1),
    "north_africa": (0, 3),
    "western_europe": (0, 1),
}


def attack_phase() -> xisk.Observation:
    world = {country.replace("-", "_"): (0, 1) for country in WORLDS["classic"].ids}
    return xisk_observation(xisk.PHASE_ATTACK, **(world | WESTERN))


def test_greed_in_xisk_attacks_where_the_odds_are_best():
    attacks = ("attack:argentina>peru", "attack:argentina>brazil", "attack:north-africa>brazil")
    assert "attack:argentina>peru" == chosen(attack_phase(), "end-attack", *attacks)


def test_greed_in_xisk_ends_the_phase_rather_than_attack_against_the_odds():
    assert "end-attack" == chosen(attack_phase(), "attack:north-africa>brazil", "end-attack")


def test_greed_in_xisk_places_its_whole_pool_where_enemies_are():
    places = ("place:argentina:1", "place:argentina:3", "place:western-europe:3")
    assert "place:argentina:3" == chosen(attack_phase(), *places)


def test_greed_in_xisk_redeems_before_it_places():
    assert "redeem:AS,KS,QS" == chosen(attack_phase(), "place:argentina:3", "redeem:AS,KS,QS")


def test_on_a_map_that_is_not_known_the_bots_still_choose():
    observation = attack_phase()
    observation.settings.map_id = "felt-of-another-house"
    assert "attack:argentina>peru" == chosen(
        observation, "end-attack", "attack:argentina>peru", "attack:argentina>brazil"
    )


@pytest.mark.parametrize("kind", BOTS)
def test_a_game_that_the_bots_do_not_know_is_refused(kind):
    with pytest.raises(UnknownGameError):
        kind(1).choose(GameObservation(), [])

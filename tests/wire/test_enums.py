"""Enums on both sides: every value of the contract has its counterpart, and the other way round."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest

from referee._gen.referee.v1 import match_pb2 as pb
from referee.chance.recorded import ChanceKind
from referee.match.model import MatchState, SeedOrigin, Visibility
from referee.plugin import Termination
from referee.registry import GAMES
from referee.wire import enums

PAIRS: list[tuple[Any, dict[Any, Any], dict[Any, Any], type[Enum]]] = [
    (pb.MatchState, enums.STATE_TO, enums.STATE_FROM, MatchState),
    (pb.Visibility, enums.VISIBILITY_TO, enums.VISIBILITY_FROM, Visibility),
    (pb.SeedOrigin, enums.ORIGIN_TO, enums.ORIGIN_FROM, SeedOrigin),
    (pb.Termination, enums.TERMINATION_TO, enums.TERMINATION_FROM, Termination),
    (pb.ChanceEvent.Kind, enums.KIND_TO, enums.KIND_FROM, ChanceKind),
]
every_pair = pytest.mark.parametrize(
    ("contract", "there", "back", "model"), PAIRS, ids=[pair[3].__name__ for pair in PAIRS]
)


@every_pair
def test_every_value_of_the_contract_but_unspecified_has_one_of_the_model(
    contract, there, back, model
):
    assert [0] == [number for name, number in contract.items() if name.endswith("_UNSPECIFIED")]
    assert sorted(number for number in contract.values() if number) == sorted(back)
    assert set(model) == set(there)
    assert there == {value: number for number, value in back.items()}


@every_pair
def test_counterparts_have_the_same_name(contract, there, back, model):
    prefix = contract.Name(0).removesuffix("UNSPECIFIED")
    names = {value: contract.Name(number).removeprefix(prefix) for number, value in back.items()}
    assert {value: value.name for value in there} == names
    assert len(model) == len(names)


def test_every_colour_of_the_contract_has_a_word_and_games_use_no_others():
    assert len(pb.Colour.values()) - 1 == len(enums.COLOUR_TO) == len(enums.COLOUR_FROM)
    for word, number in enums.COLOUR_TO.items():
        assert f"COLOUR_{word.upper()}" == pb.Colour.Name(number)
        assert word == enums.COLOUR_FROM[number]
    for game in GAMES.values():
        assert set(game.info.colours) <= set(enums.COLOUR_TO)
        assert len(set(game.info.colours)) == len(game.info.colours) >= game.info.max_seats

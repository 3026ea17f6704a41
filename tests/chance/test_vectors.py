"""The published vectors of the construction: another implementation gave these numbers."""

import json
from pathlib import Path

import pytest

from referee.chance.draws import SeededChance, below, words
from referee.chance.seed import commitment, match_key

VECTORS = json.loads((Path(__file__).parent / "data/chance_vectors.json").read_text())["vectors"]
CARDS = [rank + suit for suit in "SHDC" for rank in "AKQJT98765432"]


@pytest.fixture(params=range(len(VECTORS)))
def vector(request):
    return VECTORS[request.param]


@pytest.fixture
def key(vector):
    nonces = [bytes.fromhex(nonce) for nonce in vector["client_nonces"]]
    return match_key(bytes.fromhex(vector["server_seed"]), nonces, vector["match_id"])


def test_commitment_and_key_are_those_of_the_vector(vector, key):
    assert vector["commitment"] == commitment(bytes.fromhex(vector["server_seed"])).hex()
    assert vector["match_key"] == key.hex()


def test_every_event_of_the_vector_comes_out_in_order(vector, key):
    chance = SeededChance(key)
    deck = chance.shuffle(range(52))
    assert vector["shuffle_event_0"] == " ".join(CARDS[card] for card in deck)
    assert vector["dice_event_1"] == flat(chance.dice([3] * 6))
    assert vector["dice_event_2"] == flat(chance.dice([3, 2]))
    few = chance.shuffle(CARDS.index(card) for card in vector["shuffle_event_3_of"])
    assert vector["shuffle_event_3"] == [CARDS[card] for card in few]
    assert 4 == chance.next_event


def test_bounded_numbers_are_those_of_the_vector(vector, key):
    stream = words(key, 4)
    numbers = [below(stream, bound) for bound in vector["below_event_4_bounds"]]
    assert vector["below_event_4"] == numbers


def test_an_event_can_be_drawn_without_those_before_it(vector, key):
    assert vector["dice_event_2"] == flat(SeededChance(key, first_event=2).dice((3, 2)))


def test_a_pick_reads_the_first_word_that_fits(vector, key):
    bound = vector["below_event_4_bounds"][0]
    assert vector["below_event_4"][0] == SeededChance(key, first_event=4).pick(bound)


def flat(groups):
    return [face for group in groups for face in group]

"""Names of keys: one hash tag a match, one prefix a namespace, each in the page on storage."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from redis.crc import key_slot

from referee.match.model import MatchId, MatchState
from referee.registry import GAMES
from referee.store import keys as module
from referee.store.keys import Keys
from tests.match.layer import MATCH_ID

KEYS = Keys("ours")
OF_A_MATCH = [
    KEYS.match(MATCH_ID),
    KEYS.events(MATCH_ID),
    KEYS.requests(MATCH_ID),
    KEYS.published(MATCH_ID),
]
OTHERS = [
    KEYS.request("create:a"),
    *[KEYS.index(state, game) for state in MatchState for game in ("", *GAMES)],
    KEYS.sweep_lock,
    KEYS.due,
    KEYS.pulse,
    KEYS.outages,
    KEYS.token_key,
    KEYS.control,
]


def test_all_keys_of_a_match_lie_on_one_node():
    assert {key_slot(MATCH_ID.encode())} == {key_slot(key.encode()) for key in OF_A_MATCH}


def test_no_two_keys_are_the_same_and_all_have_the_namespace():
    assert len({*OF_A_MATCH, *OTHERS}) == len(OF_A_MATCH) + len(OTHERS)
    assert all(key.startswith("ours:") for key in (*OF_A_MATCH, *OTHERS))


def test_the_pulse_and_the_outages_lie_on_one_node():
    assert key_slot(KEYS.pulse.encode()) == key_slot(KEYS.outages.encode())


def test_the_id_is_read_back_from_the_key_of_a_match():
    assert MATCH_ID == KEYS.match_id_of(KEYS.match(MATCH_ID))


def test_the_pattern_of_all_matches_fits_matches_and_nothing_else():
    pattern = re.compile(re.escape(KEYS.every_match).replace(r"\*", ".*"))
    fitting = [key for key in (*OF_A_MATCH, *OTHERS) if pattern.fullmatch(key)]
    assert [KEYS.match(MATCH_ID)] == fitting


@pytest.mark.parametrize("namespace", ["referee", "a", "team:one"])
def test_two_namespaces_never_meet(namespace):
    other = Keys(namespace + "x")
    assert Keys(namespace).match(MatchId("1" * 26)) != other.match(MatchId("1" * 26))
    assert Keys(namespace).token_key != other.token_key


def test_the_page_on_storage_lists_every_kind_of_key_that_the_code_does():
    kinds = re.findall(r"^``(.+?)``  ", module.__doc__ or "", re.MULTILINE)
    assert 12 == len(kinds)
    page = (Path(__file__).resolve().parents[2] / "docs/storage.md").read_text()
    assert [] == [kind for kind in kinds if kind.replace("<match id>", "").strip("{}") not in page]

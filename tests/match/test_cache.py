"""The cache of decoded matches: bounded, and never behind what it was given."""

from __future__ import annotations

from dataclasses import replace

from referee.match.cache import DECODED_FACTOR, OVERHEAD_BYTES, MatchCache
from referee.match.model import Match, MatchId, Version
from tests.match.layer import new_match, story


def numbered(number: int, version: int = 1, state: bytes = b"") -> Match:
    """A match with an id and a version."""
    match = new_match("yoxii").match
    head = replace(match.head, match_id=MatchId(f"{number:026}"))
    return replace(match, head=head, version=Version(version), state_bytes=state)


def test_what_was_put_is_found_and_what_was_not_is_not():
    cache = MatchCache(10**6)
    cache.put(numbered(1))
    assert numbered(1) == cache.get(MatchId(f"{1:026}"))
    assert cache.get(MatchId(f"{2:026}")) is None
    assert 1 == len(cache)


def test_the_newest_version_wins_in_whatever_order_they_come():
    cache = MatchCache(10**6)
    for version in (3, 5, 4, 1):
        cache.put(numbered(1, version))
    found = cache.get(MatchId(f"{1:026}"))
    assert found is not None
    assert (5, 1) == (found.version, len(cache))


def test_it_keeps_to_its_bound_and_forgets_what_was_used_longest_ago():
    cache = MatchCache(3 * OVERHEAD_BYTES)
    for number in (1, 2, 3):
        cache.put(numbered(number))
    cache.get(MatchId(f"{1:026}"))
    cache.put(numbered(4))
    assert [True, False, True, True] == [
        cache.get(MatchId(f"{number:026}")) is not None for number in (1, 2, 3, 4)
    ]


def test_a_long_state_counts_for_more():
    state = b"s" * (OVERHEAD_BYTES // DECODED_FACTOR)
    cache = MatchCache(4 * OVERHEAD_BYTES)
    for number in (1, 2, 3):
        cache.put(numbered(number, state=state))
    assert 2 == len(cache)


def test_a_version_that_grew_counts_with_its_new_size():
    cache = MatchCache(2 * OVERHEAD_BYTES)
    for version in range(1, 50):
        cache.put(numbered(1, version))
        cache.put(numbered(2, version))
    assert 2 == len(cache)


def test_one_match_is_kept_however_big_it_is():
    cache = MatchCache(1)
    match = story("xisk").match
    cache.put(match)
    assert match == cache.get(match.head.match_id)


def test_what_is_dropped_makes_way_for_others():
    cache = MatchCache(2 * OVERHEAD_BYTES)
    for number in (1, 2):
        cache.put(numbered(number))
    cache.drop(MatchId(f"{1:026}"))
    cache.drop(MatchId(f"{9:026}"))
    cache.put(numbered(3))
    assert 2 == len(cache)
    assert cache.get(MatchId(f"{2:026}")) is not None

"""A bounded cache of decoded matches.

Nothing in it is the truth: a commit checks the version in the store, and a refusal is checked too.
It only saves reading and decoding. Bounded by the bytes that the matches take in the store, which
is proportional to what they take here.
"""

from __future__ import annotations

from collections import OrderedDict

from referee.match.model import Match, MatchId

# What a decoded match takes besides its state: head, seats, cache entry.
OVERHEAD_BYTES = 2_000
# Decoded states are tuples of small objects; measured at about 8 times their bytes.
DECODED_FACTOR = 8


class MatchCache:
    """The most recently used matches, up to ``max_bytes`` (estimated)."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._matches: OrderedDict[MatchId, Match] = OrderedDict()

    def __len__(self) -> int:
        """Number of matches held."""
        return len(self._matches)

    def get(self, match_id: MatchId) -> Match | None:
        """The match if it is here; maybe an old version of it."""
        match = self._matches.get(match_id)
        if match is not None:
            self._matches.move_to_end(match_id)
        return match

    def put(self, match: Match) -> None:
        """Keep a match that was committed, unless a newer version of it is here."""
        old = self._matches.get(match.head.match_id)
        if old is None or old.version < match.version:
            self.renew(match)

    def renew(self, match: Match) -> None:
        """Keep a match as the store has it, also where it has gone back behind what is here."""
        match_id = match.head.match_id
        old = self._matches.get(match_id)
        if old is not None:
            self._bytes -= _size(old)
        self._matches[match_id] = match
        self._matches.move_to_end(match_id)
        self._bytes += _size(match)
        while self._bytes > self._max_bytes and len(self._matches) > 1:
            _, dropped = self._matches.popitem(last=False)
            self._bytes -= _size(dropped)

    def drop(self, match_id: MatchId) -> None:
        """Forget a match."""
        old = self._matches.pop(match_id, None)
        if old is not None:
            self._bytes -= _size(old)


def _size(match: Match) -> int:
    return OVERHEAD_BYTES + DECODED_FACTOR * len(match.state_bytes)

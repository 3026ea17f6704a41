"""Seat tokens and join codes: signed, so that every process can check them without asking anybody.

Both are the plain facts with a MAC of HMAC-SHA256 behind them::

    seat token   rs1.<match id>.<seat>.<joined version>.<MAC, 32 base32 characters = 160 bits>
    join code    <match id>-<seat>-<MAC, 16 base32 characters = 80 bits>

A seat token names the version at which its seat was taken. When the seat is given up and taken
again, that version is another one, and the old token is worth nothing; so nothing has to be kept
about tokens. The MACs of the two kinds are over different labels, so that one can't be passed off
as the other.
"""

from __future__ import annotations

import base64
import hmac
import re
from typing import NamedTuple

from referee.errors import InvalidRequestError, UnauthenticatedError
from referee.match.claim import SeatClaim
from referee.match.model import MatchId

KEY_BYTES = 32
MAX_KNOWN = 50_000
_TOKEN = re.compile(r"rs1\.([0-9A-Z]{26})\.(\d{1,2})\.(\d{1,9})\.([A-Z2-7]{32})", re.ASCII)
_CODE = re.compile(r"([0-9A-Z]{26})-(\d{1,2})-([A-Z2-7]{16})", re.ASCII)


class Invitation(NamedTuple):
    """What a join code stands for."""

    match_id: MatchId
    seat: int


class Tokens:
    """Signs and checks with one key of 32 bytes."""

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            message = f"a token key has {KEY_BYTES} bytes, not {len(key)}"
            raise ValueError(message)
        self._key = key
        # A token is good for ever, so that is kept; a bad one is not, as anybody can make those.
        self._known: dict[str, SeatClaim] = {}

    def seat_token(self, claim: SeatClaim) -> str:
        """The token that proves a claim."""
        facts = f"rs1.{claim.match_id}.{claim.seat}.{claim.joined_version}"
        return f"{facts}.{self._mac(facts, 20)}"

    def claim(self, token: str) -> SeatClaim:
        """The claim that a seat token proves.

        Raises:
            UnauthenticatedError: It was not issued by this referee.
        """
        known = self._known.get(token)
        if known is not None:
            return known
        found = _TOKEN.fullmatch(token)
        if found is None or not hmac.compare_digest(
            self._mac(token[: found.start(4) - 1], 20), found[4]
        ):
            message = (
                "This is not a seat token of this referee. Send the token that JoinMatch gave, "
                "unchanged."
            )
            raise UnauthenticatedError(message)
        claim = SeatClaim(MatchId(found[1]), int(found[2]), int(found[3]))
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        self._known[token] = claim
        return claim

    def join_code(self, match_id: MatchId, seat: int) -> str:
        """The code that takes a seat while it is open."""
        return f"{match_id}-{seat}-{self._mac(f'join.{match_id}.{seat}', 10)}"

    def invitation(self, code: str) -> Invitation:
        """What a join code stands for.

        Raises:
            InvalidRequestError: It was not issued by this referee.
        """
        found = _CODE.fullmatch(code.strip().upper())
        if found is not None:
            match_id, seat = MatchId(found[1]), int(found[2])
            if hmac.compare_digest(self._mac(f"join.{match_id}.{seat}", 10), found[3]):
                return Invitation(match_id, seat)
        raise InvalidRequestError("join_code", "is not a join code of this referee. Copy it whole.")

    def _mac(self, facts: str, size: int) -> str:
        digest = hmac.digest(self._key, facts.encode(), "sha256")[:size]
        return base64.b32encode(digest).decode()

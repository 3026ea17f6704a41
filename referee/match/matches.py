"""All that can be asked of matches, as one object: what the service calls.

What lives here: each request of the contract in terms of the model, with its request key and its
view. What must not live here: protobuf, tokens, status codes. A caller's seat arrives here proven.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from typing import Any

from referee.errors import (
    MatchNotFoundError,
    NewerFormatError,
    PermissionDeniedError,
)
from referee.match import lifecycle
from referee.match.claim import SeatClaim, check_claim
from referee.match.commit import CommitPath, Outcome
from referee.match.creation import Creation
from referee.match.lifecycle import NewMatch
from referee.match.model import (
    Joined,
    Match,
    MatchId,
    MatchState,
    Millis,
    PublicMatch,
    Receipt,
    Record,
    SeedOrigin,
    Visibility,
)
from referee.match.observe import event_for, record_for
from referee.match.ports import Entropy, RequestKey, Store
from referee.match.sight import Sight
from referee.match.step import Step
from referee.match.timekeeper import Timekeeper
from referee.match.watch import Watches
from referee.registry import AnyGame


@dataclass(frozen=True, slots=True)
class Seated:
    """A seat taken: the claim that its token has to carry, and the match."""

    claim: SeatClaim
    match: PublicMatch


class Matches:
    """Referees matches. Owns nothing; all truth is in the store.

    Attributes:
        watches: What can be asked about following matches.
    """

    def __init__(
        self, store: Store, path: CommitPath, timekeeper: Timekeeper, entropy: Entropy
    ) -> None:
        self.watches = Watches(store, path)
        self._store = store
        self._path = path
        self._timekeeper = timekeeper
        self._entropy = entropy

    async def create(self, creation: Creation) -> PublicMatch:
        """Open a match.

        Raises:
            InvalidRequestError: The game can't be played with this number of seats or time control.
            RequestIdReusedError: The request id stood for a different match.
        """
        now = await self._timekeeper.now()
        match_id = self._entropy.match_id(now)
        origin = SeedOrigin.OPERATOR if creation.server_seed else SeedOrigin.SYSTEM
        new = NewMatch(
            match_id,
            creation.game,
            creation.settings,
            creation.seats or creation.game.info.min_seats,
            creation.visibility,
            origin,
            creation.server_seed or self._entropy.server_seed(),
            creation.time_control,
        )
        step = lifecycle.create(new, now)
        if creation.request_id:
            key = _request("create", creation.request_id, *creation.words())
            first = await self._store.claim_match_id(key, match_id)
            if first != match_id:
                step = lifecycle.create(new._replace(match_id=first), now)
        return self._timekeeper.shown(await self._store.create(*step))

    async def join(
        self, match_id: MatchId, seat: int | None, wish: Joined, request_id: str, *, invited: bool
    ) -> Seated:
        """Take a seat; ``invited`` where the caller has its join code.

        Raises:
            MatchNotFoundError: There is no such match.
            PermissionDeniedError: The match is private and the caller has no code.
            UnauthenticatedError: A retry, and the seat that it took was given up since.
            RefereeError: As ``lifecycle.join``.
        """

        def take(match: Match, now: Millis, downtime: int) -> Step:
            if not invited and match.head.visibility is Visibility.PRIVATE:
                message = "This match is private. Join it with one of its join codes."
                raise PermissionDeniedError(message)
            return lifecycle.join(match, now, seat, wish, downtime)

        # Whether the caller has the code is part of what is asked: an answer holds the token of the
        # seat, and a request id alone must not be enough to get it.
        words = (str(seat), wish.display_name, wish.colour, wish.client_nonce.hex(), str(invited))
        request = _request("join", request_id, *words) if request_id else None
        event, match = await self._timekeeper.change(match_id, None, request, take)
        assert event.seat is not None, "a join has a seat"  # noqa: S101 - lifecycle.join says so
        claim = SeatClaim(match_id, event.seat, event.version)
        check_claim(match, claim)  # a retry may come when the seat has been left again
        return Seated(claim, self._timekeeper.shown(match))

    async def leave(self, claim: SeatClaim) -> PublicMatch:
        """Give up the caller's seat before the start.

        Raises:
            RefereeError: As ``lifecycle.leave``.
        """

        def take(match: Match, now: Millis, downtime: int) -> Step:
            check_claim(match, claim)
            return lifecycle.leave(match, now, claim.seat, downtime)

        _, match = await self._timekeeper.change(claim.match_id, claim.seat, None, take)
        return self._timekeeper.shown(match)

    async def get(self, match_id: MatchId) -> PublicMatch:
        """What everybody may know of a match.

        Raises:
            MatchNotFoundError: There is none.
        """
        return self._timekeeper.shown(await self._path.load(match_id))

    async def game_of(self, match_id: MatchId) -> AnyGame:
        """The game that a match plays; never changes, so the cache may answer.

        Raises:
            MatchNotFoundError: There is no such match.
        """
        match = await self._path.glance(match_id)
        return match.head.game

    async def list_matches(
        self, state: MatchState, game: str, *, newest_first: bool, after: MatchId | None, limit: int
    ) -> tuple[list[PublicMatch], MatchId | None]:
        """A page of public matches, and the id that the next page begins after, or None.

        The index may lag: what is not as it says is left out, so a page may be short.
        """
        page = await self._store.list_matches(
            state, game, newest_first=newest_first, after=after, limit=limit
        )
        found = await asyncio.gather(*[self._still(state, match_id) for match_id in page.match_ids])
        return [match for match in found if match is not None], page.last

    async def _still(self, state: MatchState, match_id: MatchId) -> PublicMatch | None:
        """A match that an index names, if it is still there and in that state."""
        try:
            match = await self._path.load(match_id)
        except (MatchNotFoundError, NewerFormatError):
            return None  # expired since it was indexed, or not for this release to read
        return self._timekeeper.shown(match) if match.head.state is state else None

    async def observe(self, match_id: MatchId, claim: SeatClaim | None) -> Sight:
        """What the caller may see now.

        Raises:
            MatchNotFoundError: There is no such match.
            UnauthenticatedError: The seat was given up.
        """
        match = await self._path.load(match_id)
        if claim is not None:
            check_claim(match, claim)
        return self._sight(match, None if claim is None else claim.seat)

    def _sight(self, match: Match, seat: int | None) -> Sight:
        return Sight(match, seat, self._timekeeper.shown)

    async def submit(
        self, claim: SeatClaim, action: Any, expected_version: int, request_id: str
    ) -> tuple[Receipt, Sight]:
        """Submit an action of the caller's seat; 0 expects no version.

        Raises:
            StaleVersionError: The match has moved on.
            RefereeError: As ``lifecycle.act``.
        """

        def take(match: Match, now: Millis, downtime: int) -> Step:
            check_claim(match, claim)
            lifecycle.require_version(match, expected_version)
            return lifecycle.act(match, now, claim.seat, action, downtime)

        match = await self._path.glance(claim.match_id)
        text = match.head.game.notation.format_action(action)
        request = _request(str(claim.seat), request_id, "act", text) if request_id else None
        outcome = await self._timekeeper.change(claim.match_id, claim.seat, request, take)
        receipt = _receipt(outcome, claim.seat, request_id)
        return receipt, self._sight(outcome.match, claim.seat)

    async def resign(self, claim: SeatClaim, request_id: str) -> Receipt:
        """Resign the caller's seat.

        Raises:
            RefereeError: As ``lifecycle.resign``.
        """

        def take(match: Match, now: Millis, downtime: int) -> Step:
            check_claim(match, claim)
            return lifecycle.resign(match, now, claim.seat, downtime)

        request = _request(str(claim.seat), request_id, "resign") if request_id else None
        outcome = await self._timekeeper.change(claim.match_id, claim.seat, request, take)
        return _receipt(outcome, claim.seat, request_id)

    async def record(self, match_id: MatchId, claim: SeatClaim | None) -> Record:
        """The record as far as the caller may see it.

        Raises:
            MatchNotFoundError: There is no such match.
            UnauthenticatedError: The seat was given up.
        """
        match = await self._path.load(match_id)
        if claim is not None:
            check_claim(match, claim)
        events = await self._store.events(match_id, match.head.game, 0)
        seat = None if claim is None else claim.seat
        return record_for(match, events[: match.version], seat)


def _receipt(outcome: Outcome, seat: int, request_id: str) -> Receipt:
    head = outcome.match.head
    return Receipt(head.match_id, request_id, event_for(head.game, outcome.event, seat))


def _request(caller: str, request_id: str, *words: str) -> RequestKey:
    """Key of a request; the words say what is asked, so that a retry can be told from a reuse."""
    coded = [word.encode() for word in words]
    whole = b"".join([len(data).to_bytes(4, "big") + data for data in coded])
    return RequestKey(f"{caller}:{request_id}", hashlib.sha256(whole).digest()[:16])

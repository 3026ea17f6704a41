"""A referee without its gRPC: matches over a real Redis, on a clock that the test moves.

What lives here: a ``Desk``, which is what one process has, wired as ``app`` does it; several of
them on one Redis stand for several processes. Nothing looks at due matches unless the test says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from redis.asyncio import Redis

from referee.app import SystemEntropy
from referee.match.cache import MatchCache
from referee.match.claim import SeatClaim
from referee.match.clock import TimeControl
from referee.match.commit import CommitPath
from referee.match.creation import Creation
from referee.match.matches import Matches
from referee.match.model import Event, Joined, MatchId, Millis, PublicMatch, Receipt, Visibility
from referee.match.timekeeper import Timekeeper
from referee.match.timeouts import Keeping
from referee.registry import GAMES
from referee.store.feed import FeedHub
from referee.store.index import MatchIndex
from referee.store.keys import Keys
from referee.store.match_store import RedisMatchStore
from referee.store.pulse import Pulse
from referee.store.schedule import RedisSchedule

START = Millis(1_800_000_000_000)


class HandClock:
    """A clock that the test moves; fulfils ``match.ports.Clock``."""

    def __init__(self, time: int = START) -> None:
        self.time = time

    def now(self) -> Millis:
        """Where the test put it."""
        return Millis(self.time)

    def move(self, millis: int) -> None:
        """Let time pass."""
        self.time += millis


class Desk:
    """What one process of the referee has, but for its servers and tasks."""

    opened: ClassVar[list[Desk]] = []
    """Desks whose connections a test has to close."""

    def __init__(self, redis: Redis, clock: HandClock, keeping: Keeping | None = None) -> None:
        self.opened.append(self)
        self.clock = clock
        self.keys = Keys()
        self.keeping = keeping or Keeping()
        self.index = MatchIndex(redis, self.keys)
        hub = FeedHub(redis, self.keys)
        self.store = RedisMatchStore(redis, self.keys, self.keeping, self.index, hub)
        self.path = CommitPath(self.store, MatchCache(1_000_000))
        self.pulse = Pulse(redis, self.keys, clock)
        self.schedule = RedisSchedule(redis, self.keys)
        self.timekeeper = Timekeeper(self.path, clock, self.pulse, self.schedule, self.keeping)
        self.matches = Matches(self.store, self.path, self.timekeeper, SystemEntropy())

    @classmethod
    async def close_all(cls) -> None:
        """Close every desk's connections."""
        while cls.opened:
            await cls.opened.pop().store.close()

    async def serve(self, millis: int, step: int = 500) -> None:
        """Let time pass in which this process is up, and looks at nothing."""
        end = self.clock.time + millis
        while self.clock.time < end:
            self.clock.time = min(end, self.clock.time + step)
            await self.pulse.beat(self.clock.now())

    async def open(
        self, game_id: str, control: TimeControl | None = None, seats: int = 0
    ) -> PublicMatch:
        """A new match in which nobody sits."""
        game = GAMES[game_id]
        return await self.matches.create(
            Creation(game, game.default_settings, seats, Visibility.PUBLIC, time_control=control)
        )

    async def table(
        self, game_id: str, control: TimeControl | None = None, seats: int = 0
    ) -> Sitting:
        """A match with all its seats taken."""
        opened = await self.open(game_id, control, seats)
        sitting = Sitting(self, opened.match_id)
        for seat in range(len(opened.seats)):
            joined = await self.matches.join(
                opened.match_id, seat, Joined("", "", b""), "", invited=True
            )
            sitting.claims.append(joined.claim)
        return sitting


@dataclass
class Sitting:
    """All seats of a match, played through one desk."""

    desk: Desk
    match_id: MatchId
    claims: list[SeatClaim] = field(default_factory=list)

    async def now(self) -> PublicMatch:
        """The match as it is."""
        return await self.desk.matches.get(self.match_id)

    async def submit(
        self, seat: int, text: str = "", *, desk: Desk | None = None, request_id: str = ""
    ) -> Receipt:
        """Submit an action in notation; the first legal one for none."""
        at = desk or self.desk
        sight = await at.matches.observe(self.match_id, self.claims[seat])
        game = sight.game
        if text:
            action: Any = game.notation.parse_action(text)
        else:
            deciding = sight.deciding()
            assert deciding is not None, f"seat {seat} is not to move"
            action = game.rules.legal_actions(*deciding)[0]
        receipt, _ = await at.matches.submit(self.claims[seat], action, 0, request_id)
        return receipt

    async def events(self) -> list[Event]:
        """Every commit."""
        match = await self.now()
        return await self.desk.store.events(self.match_id, match.game, 0)

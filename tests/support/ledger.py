"""A ledger of what was acknowledged, to hold against a referee that has been killed since."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from referee_client import GameAction, Receipt, SeatClient, Submitted

SECONDS = 30.0


@dataclass(frozen=True)
class Entry:
    """A submit and the receipt that came back for it, as bytes."""

    seat: SeatClient
    action: GameAction
    expected_version: int | None
    request_id: str
    version: int
    receipt: bytes


@dataclass
class Ledger:
    """Every acknowledged submit of one match, in the order of its acknowledgement."""

    entries: list[Entry] = field(default_factory=list)
    _grew: asyncio.Condition = field(default_factory=asyncio.Condition)

    def seat(self, seat: SeatClient) -> NotedSeat:
        """The seat, with its submits noted here."""
        return NotedSeat(seat, self)

    async def grown_by(self, count: int) -> None:
        """Wait until so many more were acknowledged."""
        goal = len(self.entries) + count
        async with asyncio.timeout(SECONDS), self._grew:
            await self._grew.wait_for(lambda: len(self.entries) >= goal)

    async def note(self, entry: Entry) -> None:
        """Write down what was acknowledged."""
        async with self._grew:
            self.entries.append(entry)
            self._grew.notify_all()

    async def check_stored(self) -> None:
        """Every version acknowledged by now has to be there as it was acknowledged, none twice.

        What counts is settled before anything is asked: seats may act on while this looks.
        """
        entries = tuple(self.entries)
        seen = [entry.version for entry in entries]
        assert len(set(seen)) == len(seen)
        for seat in {entry.seat.seat: entry.seat for entry in entries}.values():
            record = await seat.record()
            events = {event.version: event for event in record.events}
            assert list(range(1, len(record.events) + 1)) == list(events)
            for entry in entries:
                assert entry.version in events
                # Once the match has ended the record shows more than the receipt did.
                if entry.seat.seat == seat.seat and not record.server_seed:
                    told = Receipt.FromString(entry.receipt).event
                    assert told == events[entry.version]

    async def check_retries(self, last: int = 0) -> None:
        """Each submit, or the last so many, sent again has to give the first receipt again."""
        for entry in self.entries[-last:]:
            again = await SeatClient.submit(
                entry.seat,
                entry.action,
                expected_version=entry.expected_version,
                request_id=entry.request_id,
            )
            assert entry.receipt == again.receipt.SerializeToString()


class NotedSeat(SeatClient):
    """A seat that notes each submit once it is acknowledged."""

    def __init__(self, seat: SeatClient, ledger: Ledger) -> None:
        super().__init__(seat._connection, seat.match_id, seat.seat, seat.token)
        self._ledger = ledger

    async def submit(
        self,
        action: GameAction,
        *,
        expected_version: int | None = None,
        request_id: str | None = None,
        **rest: Any,
    ) -> Submitted:
        """Submit and note."""
        request_id = request_id or uuid4().hex
        done = await super().submit(
            action, expected_version=expected_version, request_id=request_id, **rest
        )
        data = done.receipt.SerializeToString()
        version = done.receipt.event.version
        entry = Entry(self, action, expected_version, request_id, version, data)
        await self._ledger.note(entry)
        return done

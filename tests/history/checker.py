"""Proves from a history that the promises held, or says which did not and where.

What lives here: pure functions from a history to the violations in it. What must not live here:
calls, sleeping, chance.

========  =====================================================================================
promise   what is looked for
========  =====================================================================================
P2        a receipt whose event is not in the final record; an acknowledged match that is gone
P3        two receipts for one request; a retry refused after a receipt; two requests with one
          commit; a commit that nobody asked for, or for which all answers said no; a request id
          that was taken for another action
P4        a record whose versions are not 1, 2, 3 ...; a commit that does not follow the version it
          was decided on; a call that began after another had ended and yet comes before it; a
          read that shows less than was acknowledged before it began
P7        a record that does not verify, or a match that did not end
P8        a watcher's gap, double, or event that is not the record's; a heartbeat or a hint to go on
          with a wrong version; a watcher that was never told the end
P10       an answer that the traffic can't deserve, such as an incident
========  =====================================================================================
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from google.protobuf.message import Message

from referee._gen.referee.v1 import match_pb2
from referee.match.verify import verify
from referee.wire.games import events_from, events_to, settings_from
from referee.wire.record import record_from
from tests.history.history import Call, History, Kind, Outcome, Request, Watch

# What honest traffic may be refused with: it acts on what it saw a while ago.
DESERVED = {"STALE_VERSION", "NOT_YOUR_TURN", "ILLEGAL_ACTION", "MATCH_OVER"}
UNDESERVED_REASON = "INCIDENT"


class Violation(NamedTuple):
    """A promise that was broken, and where."""

    promise: str
    match_id: str
    what: str

    def __str__(self) -> str:
        return f"{self.promise} {self.match_id}: {self.what}"


@dataclass
class Story:
    """One match: its record, and all that was asked of it."""

    match_id: str
    record: match_pb2.Record
    calls: list[Call]
    watches: list[Watch]

    @cached_property
    def requests(self) -> dict[tuple[str, int, str], list[Call]]:
        """The tries of each request, in the order in which they began."""
        found: dict[tuple[str, int, str], list[Call]] = defaultdict(list)
        for call in sorted(self.calls, key=lambda call: call.start):
            if call.kind is Kind.ACT and call.request is not None:
                found[call.request.key].append(call)
        return found

    def view(self, version: int, seat: int | None) -> bytes | None:
        """The record's event as a seat may see it; None where the record has no such version."""
        cached = self._views.get((version, seat))
        if cached is None and 1 <= version <= len(self.record.events):
            event = match_pb2.Event()
            event.CopyFrom(self.record.events[version - 1])
            event.ClearField("chance_events")
            event.ClearField("state_digest")
            game, _ = settings_from(self.record.match.settings)
            shown = [
                game.rules.event_for(one, seat) for one in events_from(game, event.game_events)
            ]
            del event.game_events[:]
            event.game_events.extend(events_to(game, shown))
            cached = self._views[version, seat] = _bytes(event)
        return cached

    @cached_property
    def _views(self) -> dict[tuple[int, int | None], bytes]:
        return {}

    def broken(self, promise: str, what: str) -> Violation:
        """A violation in this match."""
        return Violation(promise, self.match_id, what)


def check(history: History) -> list[Violation]:
    """Every violation that the history shows; none for a good one."""
    calls: dict[str, list[Call]] = defaultdict(list)
    watches: dict[str, list[Watch]] = defaultdict(list)
    for call in history.calls:
        calls[call.match_id].append(call)
    for watch in history.watches:
        watches[watch.match_id].append(watch)
    found: list[Violation] = []
    for match_id, record in history.records.items():
        if record is None:
            found.append(Violation("P2", match_id, "the match is gone"))
            continue
        story = Story(match_id, record, calls[match_id], watches[match_id])
        for look in (_stored, _once, _asked_for, _in_order, _in_time, _recorded, _answers):
            found += look(story)
        for watch in story.watches:
            found += _watched(story, watch)
    return found


def _stored(story: Story) -> Iterator[Violation]:
    """P2: what was acknowledged is in the record, as it was acknowledged."""
    for call in _acknowledged(story):
        receipt = match_pb2.Receipt.FromString(call.receipt)
        event = receipt.event.SerializeToString(deterministic=True)
        assert call.request is not None
        if story.view(receipt.event.version, call.request.seat) != event:
            yield story.broken(
                "P2", f"version {receipt.event.version} was acknowledged and is not stored"
            )


def _once(story: Story) -> Iterator[Violation]:
    """P3: one request, one receipt, one commit."""
    owners: dict[int, tuple[str, int, str]] = {}
    for key, tries in story.requests.items():
        done = [call for call in tries if call.outcome is Outcome.OK]
        if not done:
            continue
        if len({call.receipt for call in done}) > 1:
            yield story.broken("P3", f"request {key[2]} has two receipts")
        first = min(call.end for call in done)
        for call in tries:
            if call.outcome is Outcome.REFUSED and call.start > first:
                yield story.broken("P3", f"request {key[2]} was acknowledged, then {call.reason}")
        for version in {call.version for call in done}:
            if owners.setdefault(version, key) != key:
                yield story.broken("P3", f"two requests were acknowledged with version {version}")
    for call in story.calls:
        if call.kind is Kind.REUSE and call.outcome is Outcome.OK:
            yield story.broken("P3", "a request id was taken for another action")


def _asked_for(story: Story) -> Iterator[Violation]:
    """P3: every commit of a seat comes from one request of that seat, and no request makes two."""
    claimed: set[int] = set()
    possible: Counter[tuple[int, bytes]] = Counter()
    for tries in story.requests.values():
        request = tries[0].request
        assert request is not None
        versions = {call.version for call in tries if call.outcome is Outcome.OK}
        claimed |= versions
        for version in versions:
            if story.view(version, None) is not None and not _is(story, version, request):
                yield story.broken(
                    "P3", f"version {version} is not what {request.request_id} asked for"
                )
        if not versions and any(call.outcome is Outcome.UNKNOWN for call in tries):
            possible[request.seat, request.action] += 1
    for position, event in enumerate(story.record.events, 1):
        if event.WhichOneof("cause") not in ("action", "resigned") or position in claimed:
            continue
        key = (event.seat, _action_of(event))
        if possible[key] <= 0:
            yield story.broken("P3", f"nobody asked for version {position}, or for it twice")
        possible[key] -= 1


def _in_order(story: Story) -> Iterator[Violation]:
    """P4: versions run without gap and fork, and each follows what it was decided on."""
    versions = [event.version for event in story.record.events]
    if versions != list(range(1, len(versions) + 1)):
        yield story.broken("P4", f"the record's versions are {versions}")
    if story.record.match.version != len(versions):
        yield story.broken("P4", f"version {story.record.match.version} of {len(versions)} events")
    for call in _acknowledged(story):
        assert call.request is not None
        if call.request.expected and call.version != call.request.expected + 1:
            yield story.broken(
                "P4", f"version {call.version} was decided on version {call.request.expected}"
            )


def _in_time(story: Story) -> Iterator[Violation]:
    """P4: what ended before another began comes before it; reads show what was acknowledged."""
    marks: list[tuple[float, int, int, bool]] = []  # time, begins (1) or ended (0), version, reads
    for tries in story.requests.values():
        done = [call for call in tries if call.outcome is Outcome.OK]
        if done:
            version = done[0].version
            marks.append((min(call.end for call in done), 0, version, False))
            marks.append((min(call.start for call in tries), 1, version, False))
    for call in story.calls:
        told = call.kind is Kind.READ or call.outcome is Outcome.REFUSED
        if told and call.version:
            marks.append((call.end, 0, call.version, True))
            marks.append((call.start, 1, call.version, True))
    known = 0
    for _, begins, version, reads in sorted(marks):
        if not begins:
            known = max(known, version)
        elif version < known or (version == known and not reads):
            what = "a read shows" if reads else "a commit is"
            yield story.broken("P4", f"{what} version {version}, when {known} was known before")


def _recorded(story: Story) -> Iterator[Violation]:
    """P7: the record is whole and proves itself."""
    if story.record.match.state != match_pb2.MATCH_STATE_ENDED:
        yield story.broken("P7", "the match did not end")
        return
    difference = verify(record_from(story.record)).difference
    if difference is not None:
        yield story.broken("P7", f"the record does not verify: {difference}")


def _answers(story: Story) -> Iterator[Violation]:
    """P10: nothing was answered that the traffic can't deserve."""
    for call in story.calls:
        wrong = call.reason == UNDESERVED_REASON
        if call.outcome is Outcome.REFUSED:
            allowed = {"REQUEST_ID_REUSED"} if call.kind is Kind.REUSE else DESERVED
            wrong |= call.reason not in allowed
        if wrong:
            yield story.broken("P10", f"{call.kind} was answered with {call.reason}")


def _watched(story: Story, watch: Watch) -> Iterator[Violation]:
    """P8: every event once, in order, as the record has it, however many streams it took."""
    version = 0
    for stream in watch.streams:
        if stream.after != version:
            yield story.broken("P8", f"a stream goes on after {stream.after}, not {version}")
            version = stream.after
        for data in stream.events:
            event = match_pb2.Event.FromString(data)
            if event.version != version + 1:
                what = "a gap" if event.version > version else "a double"
                yield story.broken("P8", f"{what}: version {event.version} after {version}")
            elif story.view(event.version, watch.seat) != event.SerializeToString(
                deterministic=True
            ):
                yield story.broken("P8", f"version {event.version} is not the one of the record")
            version = event.version
        for told, at in stream.beats:
            if told != at:
                yield story.broken("P8", f"a heartbeat at version {at} told {told}")
        if stream.hint is not None and stream.hint != version:
            yield story.broken("P8", f"told to go on from {stream.hint} at version {version}")
    if version < len(story.record.events):
        yield story.broken("P8", f"a watcher heard nothing after version {version}")


def _acknowledged(story: Story) -> Iterator[Call]:
    return (call for call in story.calls if call.kind is Kind.ACT and call.outcome is Outcome.OK)


def _is(story: Story, version: int, request: Request) -> bool:
    """True when the record's event is what the request asked for."""
    event = story.record.events[version - 1]
    return (event.seat, _action_of(event)) == (request.seat, request.action)


def _action_of(event: match_pb2.Event) -> bytes:
    if event.WhichOneof("cause") != "action":
        return b""
    return _bytes(event.action.action)


def _bytes(message: Message) -> bytes:
    return message.SerializeToString(deterministic=True)

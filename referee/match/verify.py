"""Proving a record: everything in it is computed again from its settings, its actions and its seed.

``verify`` runs the same steps that the referee ran (``lifecycle``), and compares each event that
comes out with the event in the record, field by field: causes, outcomes of chance, what happened on
the board, digests of states, the result. The first point that differs is named. A record that
passes was made from the seed that was committed to before the first action, and from nothing else.

What it does not prove: that the referee showed nobody a hidden hand, or that it did not abandon
other matches. Nor does it cover what nothing follows from: times and downtime, display names that
agree in the head and in the event, where the seed came from, who may watch, and in a match without
luck the match id, which only goes into the key of luck.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from referee.chance.seed import SEED_BYTES, commitment
from referee.errors import InvalidRequestError, RefereeError
from referee.match import lifecycle, timeouts
from referee.match.lifecycle import NewMatch
from referee.match.model import (
    Abandoned,
    Acted,
    Created,
    Event,
    Flagged,
    Joined,
    Left,
    Match,
    MatchState,
    Record,
    Resigned,
    Struck,
)
from referee.match.observe import public_match
from referee.match.step import Step


@dataclass(frozen=True, slots=True)
class Difference:
    """The first point at which a record is not what it must be.

    Attributes:
        version: Version of the event; 0 where it is not about one event.
        what: The point, such as ``chance_events`` or ``commitment``.
        recorded: What the record says.
        computed: What it must be; empty where nothing could be computed, and ``recorded`` is a
            sentence.
    """

    version: int
    what: str
    recorded: str
    computed: str

    def __str__(self) -> str:
        """A sentence."""
        if not self.computed:
            return self.recorded
        where = f"version {self.version}: " if self.version else ""
        return (
            f"{where}{self.what}: the record says {self.recorded}, but it must be {self.computed}"
        )


@dataclass(frozen=True, slots=True)
class Verification:
    """What verifying a record came to.

    Attributes:
        difference: The first difference; None for a good record.
        events: Events that were computed again and found equal.
        chance_events: Chance events among them.
    """

    difference: Difference | None
    events: int = 0
    chance_events: int = 0

    @property
    def good(self) -> bool:
        """True when the record is what it must be."""
        return self.difference is None


def verify(record: Record) -> Verification:
    """Compute a whole record again; never raises for what a record may hold."""
    try:
        return _verify(record)
    except RefereeError as error:
        return Verification(Difference(0, "record", f"no match can hold this: {error.message}", ""))


def replay(record: Record) -> Iterator[Step]:
    """Every match and event of a whole record, computed again from version 1 on.

    Raises:
        RefereeError: A step of the record is not possible.
    """
    step = _create(record)
    yield step
    for event in record.events[1:]:
        step = _redo(step.match, event)
        yield step


def _verify(record: Record) -> Verification:
    head = _check_head(record)
    if head is not None:
        return Verification(head)
    events = chance_events = 0
    step = _create(record)
    for index, recorded in enumerate(record.events):
        if index:
            try:
                step = _redo(step.match, recorded)
            except RefereeError as error:
                rule = error.metadata.get("rule", error.reason.value)
                refusal = f"refused by {rule}: {error.message}"
                what = type(recorded.cause).__name__.lower()
                return Verification(
                    Difference(index + 1, what, _show(recorded.cause), refusal),
                    events,
                    chance_events,
                )
        difference = _compare(index + 1, recorded, step.event)
        if difference is not None:
            return Verification(difference, events, chance_events)
        events += 1
        chance_events += len(recorded.chance_events)
    return Verification(_compare(0, record.match, public_match(step.match)), events, chance_events)


def _check_head(record: Record) -> Difference | None:
    """What must hold before anything can be computed."""
    if record.match.state is not MatchState.ENDED:
        return Difference(
            0, "state", record.match.state.value, "ended: only then is the seed published"
        )
    if len(record.server_seed) != SEED_BYTES:
        return Difference(
            0, "server_seed", f"{len(record.server_seed)} bytes", f"{SEED_BYTES} bytes"
        )
    computed = commitment(record.server_seed)
    if computed != record.match.commitment:
        return Difference(0, "commitment", record.match.commitment.hex(), computed.hex())
    known = record.match.game.info.rules_version
    if record.match.rules_version != known:
        return Difference(
            0,
            "rules_version",
            str(record.match.rules_version),
            f"{known}, which this verifier knows",
        )
    if not record.events or not isinstance(record.events[0].cause, Created):
        return Difference(1, "cause", "something else", "the creation of the match")
    return None


def _create(record: Record) -> Step:
    match = record.match
    new = NewMatch(
        match.match_id,
        match.game,
        match.settings,
        len(match.seats),
        match.visibility,
        match.seed_origin,
        record.server_seed,
        match.time_control,
    )
    return lifecycle.create(new, record.events[0].time)


def _redo(before: Match, event: Event) -> Step:
    """Take the step that an event tells of.

    Time and downtime are the referee's word; what follows from them is computed again.
    """
    now, downtime, seat, cause = event.time, event.downtime, event.seat, event.cause
    if isinstance(cause, Abandoned):
        return timeouts.abandon(before, now, cause.limit, downtime)
    if seat is None or not 0 <= seat < len(before.head.seats):
        raise InvalidRequestError("seat", f"there is no seat {seat} in this match")
    match cause:
        case Joined():
            return lifecycle.join(before, now, seat, cause, downtime)
        case Left():
            return lifecycle.leave(before, now, seat, downtime)
        case Acted(action):
            return lifecycle.act(before, now, seat, action, downtime)
        case Resigned():
            return lifecycle.resign(before, now, seat, downtime)
        case Flagged() | Struck():
            return timeouts.time_out(before, now, seat, downtime)
        case Created():
            raise InvalidRequestError("cause", "a match is created once")


def _compare(version: int, recorded: Any, computed: Any) -> Difference | None:
    """The first field in which two values of one dataclass differ."""
    for field in fields(computed):
        if not field.compare:
            continue
        ours, theirs = getattr(computed, field.name), getattr(recorded, field.name)
        if ours != theirs:
            return Difference(version, field.name, _show(theirs), _show(ours))
    return None


def _show(value: Any) -> str:
    """A value as short text."""
    text = value.hex() if isinstance(value, bytes) else str(value)
    return text if len(text) <= 200 else f"{text[:200]}..."

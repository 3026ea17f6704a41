"""What happened, as the clients saw it: every call, every stream, and in the end every record.

What lives here: the history as plain values. What must not live here: any judgement (``checker``)
or any traffic (``clients``).

Times are the monotonic clock of one process, in seconds, so that "before" means something.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from referee._gen.referee.v1 import match_pb2


class Outcome(StrEnum):
    """What a caller knows after a call."""

    OK = "ok"  # it was done
    REFUSED = "refused"  # it was not done
    UNKNOWN = "unknown"  # it may have been done, or may yet be


class Kind(StrEnum):
    """What was called."""

    ACT = "act"  # SubmitAction or Resign
    REUSE = "reuse"  # SubmitAction with the request id of another action, which must be refused
    READ = "read"  # anything that tells a version


@dataclass(frozen=True, slots=True)
class Request:
    """What a seat asked for; a retry is the same request again.

    Attributes:
        match_id: The match.
        seat: The seat.
        request_id: The id.
        action: The action's bytes; empty for a resignation.
        expected: The version that the caller decided on; 0 for any.
    """

    match_id: str
    seat: int
    request_id: str
    action: bytes
    expected: int

    @property
    def key(self) -> tuple[str, int, str]:
        """What names it."""
        return self.match_id, self.seat, self.request_id


@dataclass(slots=True)
class Call:
    """One try of a call, and its answer.

    Attributes:
        kind: What was called.
        match_id: The match.
        start: When it was sent.
        end: When the answer came.
        outcome: What the answer says.
        version: Version in the answer; 0 for none.
        request: The request, unless it only reads.
        receipt: Bytes of the receipt.
        reason: Why it was refused, or is unknown.
    """

    kind: Kind
    match_id: str
    start: float
    end: float
    outcome: Outcome
    version: int = 0
    request: Request | None = None
    receipt: bytes = b""
    reason: str = ""


@dataclass(slots=True)
class Stream:
    """One stream of a watcher.

    Attributes:
        after: The version that it was to go on from.
        events: Bytes of the events that came.
        beats: For each heartbeat, the version it told and the version that the watcher was at.
        hint: Where to go on, as the end of the stream told; None where it did not.
    """

    after: int
    events: list[bytes] = field(default_factory=list)
    beats: list[tuple[int, int]] = field(default_factory=list)
    hint: int | None = None


@dataclass(slots=True)
class Watch:
    """All streams of one watcher of one match, seat None being the public."""

    match_id: str
    seat: int | None
    streams: list[Stream] = field(default_factory=list)


@dataclass(slots=True)
class History:
    """Everything that is known when all is over.

    Attributes:
        calls: Every try of every call.
        watches: Every watcher.
        records: The final record of every match; None where it could not be had.
    """

    calls: list[Call] = field(default_factory=list)
    watches: list[Watch] = field(default_factory=list)
    records: dict[str, match_pb2.Record | None] = field(default_factory=dict)

    def acknowledged(self) -> int:
        """Number of requests that were acknowledged, each counted once."""
        return len(
            {
                call.request.key
                for call in self.calls
                if call.kind is Kind.ACT and call.outcome is Outcome.OK and call.request
            }
        )

    def summary(self) -> Mapping[str, int]:
        """Figures that tell whether a history was worth checking."""
        tried = [call for call in self.calls if call.kind is Kind.ACT]
        return {
            "matches": len(self.records),
            "acknowledged": self.acknowledged(),
            "tries": len(tried),
            "tries of unknown outcome": sum(one.outcome is Outcome.UNKNOWN for one in tried),
            "tries refused as stale": sum(one.reason == "STALE_VERSION" for one in tried),
            "retries answered again": sum(one.outcome is Outcome.OK for one in tried)
            - self.acknowledged(),
            "watchers": len(self.watches),
            "streams": sum(len(watch.streams) for watch in self.watches),
            "streams that told where to go on": sum(
                stream.hint is not None for watch in self.watches for stream in watch.streams
            ),
            "events watched": sum(
                len(stream.events) for watch in self.watches for stream in watch.streams
            ),
        }

"""Points in time."""

from __future__ import annotations

from google.protobuf.timestamp_pb2 import Timestamp

from referee.match.model import Millis


def time_to(millis: int) -> Timestamp:
    """A time as a message."""
    return Timestamp(seconds=millis // 1000, nanos=millis % 1000 * 1_000_000)


def time_from(message: Timestamp) -> Millis:
    """A time from its message."""
    return Millis(message.seconds * 1000 + message.nanos // 1_000_000)

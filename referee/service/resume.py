"""Where a stream that has to end may be taken up again."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import Message

from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.errors import RefereeError, UnavailableError


def with_hint(error: RefereeError, request: Any, last: Message | None) -> RefereeError:
    """The error, with ``last_version`` in its metadata where a watcher may come back for the rest.

    ``last`` is the last message that was sent, if any was.
    """
    if isinstance(error, UnavailableError) and isinstance(request, pb.WatchMatchRequest):
        version = request.after_version
        if isinstance(last, pb.WatchMatchResponse):
            told = last.event if last.HasField("event") else last.heartbeat
            version = told.version
        error.metadata = {**error.metadata, "last_version": str(version)}
    return error

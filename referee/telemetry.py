"""Logs: for people on a terminal, one JSON object a line elsewhere.

Secrets never get here: the values that hold them (``MatchHead``, ``Match``, ``Config``) have a repr
without them, and no request or token is ever logged.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import TextIO

_STANDARD = frozenset(logging.LogRecord("", 0, "", 0, "", (), None).__dict__) | {
    "message",
    "asctime",
    "taskName",
}


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time, level, logger, pid, message, and whatever ``extra`` held."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line."""
        entry: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "pid": record.process,
            "message": record.getMessage(),
        }
        entry.update({key: value for key, value in record.__dict__.items() if key not in _STANDARD})
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, default=str)


def set_up_logging(level: str = "info", stream: TextIO | None = None) -> None:
    """Send logs to ``stream`` (standard error), in the form that suits it."""
    stream = stream or sys.stderr
    handler = logging.StreamHandler(stream)
    if stream.isatty():
        handler.setFormatter(
            logging.Formatter("%(asctime)s %(process)d %(levelname)-7s %(message)s", "%H:%M:%S")
        )
    else:
        handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())

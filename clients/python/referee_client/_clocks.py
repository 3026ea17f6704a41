"""Time controls, in seconds.

What lives here: the short way to write a ``TimeControl``. What must not live here: checks of
ranges; the referee knows them and says what is wrong.
"""

from __future__ import annotations

from google.protobuf.duration_pb2 import Duration

from referee_client._gen.referee.v1.match_pb2 import Fischer, PerTurn, TimeControl


def per_turn(limit: float, *, bank: float = 0.0, strikes: int = 0) -> TimeControl:
    """A fresh limit for every turn.

    Args:
        limit: Seconds for one turn.
        bank: Spare seconds of each seat for the whole match.
        strikes: Timeouts of a seat that the referee plays out before one forfeits it; only where
            ``list_games`` says that strikes are offered.
    """
    return TimeControl(per_turn=PerTurn(limit=_span(limit)), bank=_span(bank), strikes=strikes)


def fischer(
    base: float, increment: float = 0.0, *, bank: float = 0.0, strikes: int = 0
) -> TimeControl:
    """A store of time for the whole match, and an increment for every turn.

    Args:
        base: Seconds to begin with.
        increment: Seconds added when a turn is handed over.
        bank: Spare seconds of each seat for the whole match.
        strikes: As for ``per_turn``; they need an increment of at least 1 second.
    """
    return TimeControl(
        fischer=Fischer(base=_span(base), increment=_span(increment)),
        bank=_span(bank),
        strikes=strikes,
    )


def _span(seconds: float) -> Duration:
    """Seconds as a message, to the millisecond."""
    span = Duration()
    span.FromMilliseconds(round(seconds * 1000))
    return span

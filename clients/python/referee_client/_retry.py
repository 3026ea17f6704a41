"""When a failed call is tried again, and after how long.

What lives here: the policy, as arithmetic and one table of codes. What must not live here:
sleeping, clocks, channels.

The wait before try n + 1 is drawn evenly from 0 to ``initial_backoff * multiplier ** (n - 1)``,
capped: full jitter, so that a thousand clients that lost the same referee don't come back in step.
Where the referee says when to come back (``google.rpc.RetryInfo``), that time is the floor and the
jitter comes on top.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import grpc

from referee_client._errors import RefereeError

RETRYABLE_CODES = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,  # of one attempt; the overall deadline stops the tries
        grpc.StatusCode.CANCELLED,  # by the other side: a server that stops cancels its calls
    }
)
"""Codes after which the same request is sent again.

ABORTED is not one: a stale version needs a new decision.
"""

RESUMABLE_CODES = RETRYABLE_CODES | {
    grpc.StatusCode.INTERNAL,  # RST_STREAM, from anywhere on the way
    grpc.StatusCode.UNKNOWN,  # a stream removed under the call
    grpc.StatusCode.RESOURCE_EXHAUSTED,  # too many watchers, or one that was too slow
}
"""Codes after which a watch goes on from the last version: reading again is always safe."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How patient calls and watches are.

    Attributes:
        initial_backoff: Longest wait before the first retry, in seconds.
        max_backoff: Longest wait before any retry, in seconds, unless the referee asks for more.
        multiplier: Growth of the longest wait from one retry to the next.
        attempt_timeout: Seconds that one try of a call may take; the overall timeout holds besides.
        stall_after: Seconds of silence after which a watch reconnects; a few heartbeats of the
            referee.
        give_up_after: Seconds without a single message after which a watch stops reconnecting and
            raises.
    """

    initial_backoff: float = 0.05
    max_backoff: float = 2.0
    multiplier: float = 2.0
    attempt_timeout: float = 4.0
    stall_after: float = 45.0
    give_up_after: float = 120.0

    def __post_init__(self) -> None:
        positive = (
            self.initial_backoff,
            self.attempt_timeout,
            self.stall_after,
            self.give_up_after,
        )
        if min(positive) <= 0 or self.max_backoff < self.initial_backoff or self.multiplier < 1:
            message = (
                "seconds must be more than 0, max_backoff at least initial_backoff, "
                "and multiplier at least 1"
            )
            raise ValueError(message)

    def ceiling(self, failures: int) -> float:
        """Longest wait after so many failures in a row, from 1 on."""
        # 64 doublings are past any cap, and the power of a long outage must not overflow.
        return float(
            min(self.max_backoff, self.initial_backoff * self.multiplier ** min(failures - 1, 64))
        )

    def delay(self, failures: int, retry_after: float | None, rng: random.Random) -> float:
        """Seconds to wait after so many failures in a row, the last of which asked for a time."""
        return max(retry_after or 0.0, 0.0) + rng.uniform(0.0, self.ceiling(failures))


def is_retryable(error: RefereeError) -> bool:
    """True when the same request may be sent again."""
    return error.code in RETRYABLE_CODES


def is_resumable(error: RefereeError) -> bool:
    """True when a watch that ended with this error may go on from its last version."""
    return error.code in RESUMABLE_CODES

"""Redis' errors as the referee's: one place says which of them mean "not now"."""

from __future__ import annotations

import logging

from redis import exceptions

from referee.errors import StoreUnavailableError

log = logging.getLogger(__name__)

# Redis is away, loading, out of memory, read-only after a failover, or not allowed to write to its
# disk.
_NOT_NOW = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.OutOfMemoryError,
    exceptions.ReadOnlyError,
    exceptions.ClusterDownError,
    exceptions.TryAgainError,
)
_NOT_NOW_WORDS = ("MISCONF", "LOADING", "OOM", "READONLY", "NOREPLICAS", "UNBLOCKED", "CLUSTERDOWN")


class store_faults:  # noqa: N801 - used as a block, like contextlib.suppress; it is on the hot path
    """Turns what means "Redis can't do it now" into StoreUnavailableError.

    Anything else is a fault of ours, and goes through as it is.
    """

    __slots__ = ()

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        """Translate.

        Raises:
            StoreUnavailableError: Redis can't do it now.
        """
        if not isinstance(error, exceptions.RedisError):
            return
        if not isinstance(error, _NOT_NOW) and not any(
            word in str(error) for word in _NOT_NOW_WORDS
        ):
            return
        log.warning("redis is not available: %s", error)
        message = (
            "The store can't be reached now. Nothing was changed, or the change is stored; retry "
            "with the same request id."
        )
        raise StoreUnavailableError(message) from error

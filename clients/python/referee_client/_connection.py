"""One channel to the referee, and how a call goes over it.

What lives here: the channel, deadlines, retries, the token header. What must not live here: what
the calls mean (``_client.py``, ``_seat.py``).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from typing import TypeVar
from uuid import uuid4

import grpc

from referee_client._errors import InvalidRequestError
from referee_client._gen.referee.v1.match_service_pb2_grpc import MatchServiceStub
from referee_client._retry import RetryPolicy, is_retryable
from referee_client._status import error_from_rpc

Request = TypeVar("Request")
Response = TypeVar("Response")

_OPTIONS: tuple[tuple[str, int], ...] = (
    # A record of a long match passes gRPC's default of 4 MiB.
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    # gRPC waits up to two minutes before it dials again; a referee that restarts is back in
    # seconds.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 1000),
    ("grpc.max_reconnect_backoff_ms", 2000),
)


def new_request_id() -> str:
    """An id that nobody can guess, for one request and all its tries."""
    return uuid4().hex


def bearer(token: str | None) -> tuple[tuple[str, str], ...]:
    """The metadata that carries a token; none without one."""
    return (("authorization", f"Bearer {token}"),) if token else ()


def checked_target(target: str) -> str:
    """A target, checked to be none of a browser's, which gRPC would look up as a name.

    Raises:
        InvalidRequestError: It begins with http:// or https://.
    """
    scheme, found, rest = target.partition("://")
    if found and scheme.lower() in {"http", "https"}:
        tls = ", and pass credentials for TLS" if scheme.lower() == "https" else ""
        message = f"A target is host:port: leave out {scheme}://, as in {rest.rstrip('/')}{tls}."
        raise InvalidRequestError(message, metadata={"field": "target"})
    return target


class Connection:
    """A channel with its stub. Shared by a client and all its seats; closed by the client.

    Attributes:
        target: Who is called.
        stub: The generated stub.
        policy: How patient calls and watches are.
        rng: Source of jitter; never of ids.
    """

    def __init__(
        self,
        target: str,
        credentials: grpc.ChannelCredentials | None,
        timeout: float,
        policy: RetryPolicy,
        options: Sequence[tuple[str, int | str]],
    ) -> None:
        merged = [*_OPTIONS, *options]
        self._channel = (
            grpc.aio.insecure_channel(target, options=merged)
            if credentials is None
            else grpc.aio.secure_channel(target, credentials, options=merged)
        )
        self.target = target
        self._timeout = timeout
        self.stub = MatchServiceStub(self._channel)
        self.policy = policy
        self.rng = random.Random()  # noqa: S311 - jitter, not a secret

    async def close(self) -> None:
        """Close the channel; calls and watches in flight end."""
        await self._channel.close()

    async def unary(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[Request, Response],
        request: Request,
        *,
        token: str | None,
    ) -> Response:
        """Make a call, with as many tries as fit into the timeout; every try sends the same bytes.

        Raises:
            RefereeError: The answer was an error, or no try got an answer.
        """
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._timeout
        failures = 0
        while True:
            attempt = max(min(deadline - clock(), self.policy.attempt_timeout), 0.0)
            try:
                return await method(request, timeout=attempt, metadata=bearer(token))
            except grpc.aio.AioRpcError as error:
                failure = error_from_rpc(error, self.target)
                failures += 1
                failure.tries = failures
                delay = self.policy.delay(failures, failure.retry_after, self.rng)
                if not is_retryable(failure) or clock() + delay >= deadline:
                    raise failure from error
            await asyncio.sleep(delay)

"""Connecting to Redis: clients, the first ping, and what to tell people when it fails.

What lives here: how a URL is read and shown, and each way in which a Redis can't be had, as one
sentence. What must not live here: what a running referee does when Redis goes away
(``faults.py``).
"""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import urlsplit

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, InvalidResponse, RedisError, ResponseError

from referee.config import ConfigError
from referee.errors import StoreUnavailableError

REDIS_SECONDS = 3.0
MAX_CONNECTIONS = 1024
_QUOTING = (
    "a password with / @ : # or ? in it must be %-quoted, and what follows the host is the number "
    "of a database, as in redis://user:password@host:port/0"
)


def redis_client(url: str, timeout: float | None, **options: Any) -> Redis:
    """A client that never sends a command twice by itself.

    Whether a commit is tried again is for the caller to decide, who has its request id.

    Raises:
        ConfigError: The URL can't be read.
    """
    try:
        _check_database(url)
        client: Redis = Redis.from_url(
            url,
            socket_timeout=timeout,
            socket_connect_timeout=REDIS_SECONDS,
            retry=Retry(NoBackoff(), 0),
            retry_on_error=[],
            max_connections=MAX_CONNECTIONS,
            **options,
        )
    except ValueError as error:
        # What can't be read may be a part of a password, so only our own words are shown whole.
        why = (
            str(error) if "@" not in url else "a password with / @ : # or ? in it must be %-quoted"
        )
        message = f"The Redis URL can't be read: {why}"
        raise ConfigError(message) from error
    return client


async def probe_redis(url: str, shown: str) -> None:
    """Refuse to start anything without a Redis, where this process itself does not use it.

    Raises:
        ConfigError: The URL can't be read.
        StoreUnavailableError: None answers, or not to us.
    """
    redis = redis_client(url, REDIS_SECONDS)
    try:
        await require_redis(redis, shown)
    finally:
        await redis.aclose()


async def require_redis(redis: Redis, shown: str) -> None:
    """Refuse to start without a Redis.

    Raises:
        StoreUnavailableError: None answers, or not to us.
    """
    try:
        await redis.ping()
    except (RedisError, OSError, ValueError, TypeError) as error:
        raise StoreUnavailableError(_advice(error, shown)) from error


def without_password(url: str) -> str:
    """A URL as it may be shown: without what stands between the scheme and the host."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"


def _check_database(url: str) -> None:
    """redis-py takes database 0 where it can't read the number; nobody would look there.

    Raises:
        ValueError: What follows the host is no number.
    """
    parts = urlsplit(url)
    if parts.scheme in {"redis", "rediss"} and not re.fullmatch(r"(/\d*)?", parts.path):
        message = (
            f"{parts.path!r} is no database. Name one by its number, as in redis://localhost:6379/0"
        )
        raise ValueError(message)


def _advice(error: Exception, shown: str) -> str:
    """What is wrong with a Redis and what to do, in a sentence or two."""
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    if isinstance(error, AuthenticationError) or re.search("NOAUTH|HELLO must be called", text):
        return (
            f"The Redis at {shown} refuses the user or the password, or wants one. Name them in "
            "the URL: redis://user:password@host:port/0"
        )
    if isinstance(error, ResponseError) and "DB index" in text:
        return (
            f"The Redis at {shown} has no such database. Name one that it has, such as /0, at the "
            "end of the URL."
        )
    if isinstance(error, InvalidResponse | ValueError | TypeError):
        return (
            f"What answers at {shown} is no Redis: {text.rstrip('.')}. Look at the port; for a "
            "Redis with TLS the URL begins with rediss://"
        )
    hint = "If it has no TLS, the URL begins with redis://. " if "rediss://" in shown else ""
    return (
        f"No Redis answers at {shown}: {_cause(error, text)}. {hint}Start it, or leave out "
        "--redis-url to have a private one."
    )


def _cause(error: Exception, text: str) -> str:
    """Why a connection failed; the system's words for it where there are some."""
    cause = error.__cause__ or error.__context__ or error
    if isinstance(cause, OSError) and cause.errno is not None and cause.errno > 0:
        return os.strerror(cause.errno)
    return text.rstrip(".")

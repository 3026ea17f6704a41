"""Settings of the process: validated once, then passed around as one frozen value.

What must not live here: reading flags (``cli``) or building anything (``app``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

DEFAULT_PORT = 50051
MAX_HOURS = 10 * 365 * 24
_NAMESPACE = re.compile(r"[A-Za-z0-9._:-]{1,64}", re.ASCII)


class ConfigError(Exception):
    """Settings that no referee can start with; the message says which and why."""


class Durability(StrEnum):
    """What a receipt promises about its commit; ``docs/concepts/durability.md`` tells the rest."""

    MEMORY = "memory"  # Redis accepted it
    DISK = "disk"  # Redis has it on its disk
    REPLICA = "replica"  # and a replica has it in its memory besides


@dataclass(frozen=True, slots=True)
class Limits:
    """What one caller may ask of one process.

    Attributes:
        message_bytes: Largest message taken; larger ones get RESOURCE_EXHAUSTED from the transport.
        metadata_bytes: Largest metadata taken.
        streams_per_connection: Most calls at once on one connection.
        frame_commands: Most commands in one frame of a Play stream.
        followed_matches: Most followings of one Play stream; two seats of a match are two.
        queue_updates: Most updates that wait for the reader of a Play stream.
        queue_bytes: Most bytes that wait for it.
        stall: Seconds after which the reader of a Play stream is taken for gone if it reads nothing
            although something waits for it.
    """

    message_bytes: int = 64 * 1024
    metadata_bytes: int = 16 * 1024
    streams_per_connection: int = 1000
    frame_commands: int = 256
    followed_matches: int = 2000
    queue_updates: int = 10_000
    queue_bytes: int = 16 * 1024 * 1024
    stall: float = 20.0


@dataclass(frozen=True, slots=True)
class Config:
    """Settings of one referee.

    Attributes:
        host: Address to listen on.
        port: Port to listen on; 0 takes a free one.
        redis_url: An outside Redis; empty for a private one.
        data_dir: Where a private Redis keeps its data.
        namespace: Prefix of all keys, so that several referees can share a Redis.
        durability: How safe a commit must be before its receipt leaves.
        operator_token: What an operator's calls carry; empty: nobody is an operator.
        token_key: 32 bytes that sign seat tokens; empty: the one kept in Redis.
        cache_bytes: Bound of the cache of decoded matches, in bytes (estimated).
        heartbeat: Seconds of quiet after which a watcher gets a heartbeat.
        grace: Seconds that calls in flight get to finish when the process stops.
        share_port: Whether other processes may listen on the same port; the system then spreads
            the connections.
        keep_open: Hours of silence after which an open match is abandoned.
        keep_idle: Hours of silence after which an active match without clocks is abandoned.
        keep_records: Hours for which the record of an ended match is kept.
        limits: What one caller may ask.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    redis_url: str = ""
    data_dir: Path = field(default_factory=lambda: Path("data"))
    namespace: str = "referee"
    durability: Durability = Durability.MEMORY
    operator_token: str = field(default="", repr=False)
    token_key: bytes = field(default=b"", repr=False)
    cache_bytes: int = 256 * 1024 * 1024
    heartbeat: float = 10.0
    grace: float = 10.0
    share_port: bool = False
    keep_open: float = 24.0
    keep_idle: float = 7 * 24.0
    keep_records: float = 90 * 24.0
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        """Refuse what no referee can start with.

        Raises:
            ConfigError: A value is not possible.
        """
        if not _NAMESPACE.fullmatch(self.namespace):
            message = (
                f"The namespace {self.namespace[:40]!r} can't be part of every key: use 1 to 64 "
                "letters, digits, dots, dashes, underscores and colons."
            )
            raise ConfigError(message)
        for name in ("keep_open", "keep_idle", "keep_records"):
            if not 0 < getattr(self, name) <= MAX_HOURS:
                message = (
                    f"--{name.replace('_', '-')} takes more than 0 and at most {MAX_HOURS} hours."
                )
                raise ConfigError(message)

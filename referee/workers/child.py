"""What a worker process runs: one referee, as long as its supervisor lives.

Its standard input brings the settings and then stays open: when it ends, the supervisor is gone,
and the worker goes too. On Linux the kernel tells it as well, with SIGTERM. Its standard output has
one line of JSON, which says that the worker serves, or why it can't.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import pickle
import signal
import sys
import threading
import time

from referee.app import running
from referee.config import Config, ConfigError
from referee.errors import RefereeError
from referee.service.address import ListenError
from referee.store.redis_server import EmbeddedRedisError
from referee.telemetry import set_up_logging

# What a worker gets beyond the grace period of its calls before it ends itself.
MARGIN_SECONDS = 5.0
_PR_SET_PDEATHSIG = 1


def main() -> int:
    """Serve until SIGTERM; gives the exit code."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    # Ctrl-C and a hang-up are the supervisor's to act on.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    config, log_level = pickle.load(sys.stdin.buffer)  # noqa: S301 - from our own supervisor
    set_up_logging(log_level)
    threading.Thread(target=_outlive_nobody, args=(config.grace,), daemon=True).start()
    try:
        asyncio.run(_serve(config))
    except (ConfigError, EmbeddedRedisError, ListenError) as error:
        return _tell(failed=str(error), code=1)
    except RefereeError as error:
        return _tell(failed=error.message, code=1)
    return 0


async def _serve(config: Config) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with running(config) as up:
        _tell(ready=up.address)
        await stop.wait()


def _tell(*, ready: str = "", failed: str = "", code: int = 0) -> int:
    sys.stdout.write(json.dumps({"ready": ready, "failed": failed}) + "\n")
    sys.stdout.flush()
    return code


def _outlive_nobody(grace: float) -> None:
    """Wait for the end of the supervisor, then drain; a process that hangs ends all the same."""
    os.read(sys.stdin.fileno(), 1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace + MARGIN_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())

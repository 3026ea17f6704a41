"""Finding out at once whether a referee answers, before a command waits for one."""

from __future__ import annotations

from referee.cli.output import fail
from referee_client import DeadlineExceededError, RefereeClient, UnavailableError

SECONDS = 2.0


async def require_referee(target: str) -> None:
    """End the command with advice where no referee answers at ``target``."""
    try:
        async with RefereeClient(target, timeout=SECONDS) as client:
            await client.list_games()
    except UnavailableError as error:
        fail(f"{error} Another one is named with --target.")
    except DeadlineExceededError as error:
        fail(
            f"No referee answers at {target} ({error}). Start one with `referee serve`, or name "
            "another one with --target."
        )

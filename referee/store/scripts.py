"""The Lua scripts of ``scripts/``; each one's header tells its keys, arguments, replies."""

from __future__ import annotations

import hashlib
from importlib import resources
from typing import NamedTuple


class Script(NamedTuple):
    """A script: sent to Redis once, then called by its digest.

    Attributes:
        text: Its source.
        sha: SHA-1 of the source, which is Redis' name for it.
    """

    text: str
    sha: str


def load_script(name: str) -> Script:
    """A script by its file's name."""
    return script_of(
        resources.files("referee.store").joinpath("scripts", f"{name}.lua").read_text()
    )


def script_of(text: str) -> Script:
    """A script by its source."""
    # Redis names scripts by SHA-1; nothing depends on its strength.
    return Script(text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())

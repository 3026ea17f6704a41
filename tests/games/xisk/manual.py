"""The manual of XISK, read for the numbers of its rules."""

import re
from functools import cache
from pathlib import Path

MANUAL = Path(__file__).parents[3] / "docs" / "games" / "xisk.md"


@cache
def rules_of_the_manual() -> frozenset[str]:
    """Every rule that the manual has an entry for, such as ``xisk/14``."""
    return frozenset(re.findall(r"^\*\*(xisk/\d+)\*\*", MANUAL.read_text(), re.MULTILINE))

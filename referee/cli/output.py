"""Printing: boards in colour on a terminal and plain elsewhere; errors as one sentence."""

from __future__ import annotations

from typing import NoReturn

import click
from rich.console import Console
from rich.text import Text

from referee.plugin import Drawing


def console(*, stderr: bool = False) -> Console:
    """A console that colours on a terminal only, and only what it is told to."""
    return Console(stderr=stderr, highlight=False, soft_wrap=True)


def drawn(drawing: Drawing) -> Text:
    """A drawing as text that rich can print."""
    text = Text()
    for number, line in enumerate(drawing):
        if number:
            text.append("\n")
        for span in line:
            text.append(span.text, style=span.style or None)
    return text


def fail(message: str) -> NoReturn:
    """End the command with a sentence on standard error and exit code 1."""
    raise click.ClickException(message)

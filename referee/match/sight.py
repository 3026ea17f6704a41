"""What one caller may see of a match at one version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from referee.match.model import Match, PublicMatch
from referee.match.observe import public_match
from referee.registry import AnyGame


class Sight:
    """What a caller may see at one version; each part is made when it is asked for.

    Attributes:
        seat: The caller's seat; None for the public.
    """

    __slots__ = ("_match", "_shown", "seat")

    def __init__(
        self,
        match: Match,
        seat: int | None,
        shown: Callable[[Match], PublicMatch] = public_match,
    ) -> None:
        self._match = match
        self._shown = shown
        self.seat = seat

    @property
    def game(self) -> AnyGame:
        """The game."""
        return self._match.head.game

    @property
    def version(self) -> int:
        """The version that all of this holds for."""
        return self._match.version

    def match(self) -> PublicMatch:
        """What everybody may know."""
        return self._shown(self._match)

    def observation(self) -> Any:
        """What the caller may see of the game's state; None while the match is open."""
        state = self._match.game_state
        return None if state is None else self.game.rules.observe(state, self.seat)

    def deciding(self) -> tuple[Any, int] | None:
        """The game's state and the caller's seat, to list legal actions; None unless to move.

        The state itself is not for showing.
        """
        if self.seat is None or self.seat not in self._match.to_move:
            return None
        return self._match.game_state, self.seat

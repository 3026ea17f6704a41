"""What a caller may say about a match that is to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.match.clock import TimeControl
from referee.match.model import Visibility
from referee.registry import AnyGame


@dataclass(frozen=True, slots=True)
class Creation:
    """What a new match is to be.

    Attributes:
        game: The game.
        settings: Its settings.
        seats: Number of seats; 0 for the fewest the game allows.
        visibility: Who may find and join it.
        server_seed: 32 bytes that an operator names; empty for the system's own.
        request_id: The caller's id of the request; may be empty.
        time_control: How much time the seats have; None for no clocks.
    """

    game: AnyGame
    settings: Any
    seats: int
    visibility: Visibility
    server_seed: bytes = b""
    request_id: str = ""
    time_control: TimeControl | None = None

    def words(self) -> Sequence[str]:
        """All of it but the request id, to tell a retry from another request."""
        settings = self.game.wire.settings_to_message(self.settings)
        return (
            self.game.info.id,
            settings.SerializeToString(deterministic=True).hex(),
            str(self.seats),
            self.visibility.value,
            self.server_seed.hex(),
            str(self.time_control),
        )

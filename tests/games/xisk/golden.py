"""Golden games of XISK: whole matches with all that the rules and the seed must give.

Each file in ``data/golden`` is one match, one step a line. They were computed by another
implementation of the rules and belong to rules version 1: a file is never changed, a new edition of
the rules gets new ones.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.chance.draws import SeededChance
from referee.chance.seed import match_key

FOLDER = Path(__file__).parent / "data" / "golden"
NAMES = ("2p-15", "3p-56", "4p-41", "5p-0", "6p-27")


@dataclass(frozen=True)
class Golden:
    """One golden game; see a file for what each part looks like."""

    name: str
    rules_version: int
    shows: list[str]
    seats: int
    match_id: str
    server_seed: str
    client_nonces: list[str]
    dealt: list[str]
    steps: list[dict[str, Any]]
    winner: int
    sets_redeemed: int
    chance_events: int
    final: dict[str, list[int]]

    def chance(self, first_event: int = 0) -> SeededChance:
        """The chance of the match, from one of its events on."""
        nonces = [bytes.fromhex(nonce) for nonce in self.client_nonces]
        key = match_key(bytes.fromhex(self.server_seed), nonces, self.match_id)
        return SeededChance(key, first_event)


def load(name: str) -> Golden:
    """Read one golden game."""
    return Golden(**json.loads((FOLDER / f"{name}.json").read_text()))

"""Microseconds per legal actions + apply of each game, over random playouts in plain Python."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from referee.chance.draws import SeededChance
from referee.registry import AnyGame

KEY = bytes(range(32))
# A random player dithers; past this the position is no longer an average one.
MAX_ACTIONS = 1_000


@dataclass(frozen=True)
class EngineReading:
    """What one engine costs.

    Attributes:
        actions: Actions played.
        legal_us: Microseconds per call of legal_actions.
        apply_us: Microseconds per call of apply.
        encode_us: Microseconds per state encoded to bytes.
        state_bytes: Bytes of an average state.
    """

    actions: int
    legal_us: float
    apply_us: float
    encode_us: float
    state_bytes: float


def measure(game: AnyGame, seats: int, playouts: int) -> EngineReading:
    """Play random matches and time both calls apart."""
    choose = random.Random(1)
    legal = apply = encode = 0
    actions = size = 0
    clock = time.perf_counter_ns
    rules = game.rules
    for number in range(playouts):
        chance = SeededChance(bytes([number]) + KEY[1:])
        state = rules.initial(game.default_settings, seats, chance).state
        for _ in range(MAX_ACTIONS):
            to_move = rules.to_move(state)
            if not to_move:
                break
            began = clock()
            found = rules.legal_actions(state, to_move[0])
            between = clock()
            action = choose.choice(found)
            ready = clock()
            state = rules.apply(state, to_move[0], action, chance).state
            done = clock()
            size += len(game.wire.state_to_bytes(state))
            encode += clock() - done
            legal += between - began
            apply += done - ready
            actions += 1
    return EngineReading(
        actions,
        legal / actions / 1e3,
        apply / actions / 1e3,
        encode / actions / 1e3,
        size / actions,
    )

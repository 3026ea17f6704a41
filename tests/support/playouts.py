"""Random playouts of any game, by nothing but its plug-in.

What lives here: matches played by random hands with seeded chance, kept step by step. What must not
live here: the name of any game.

A playout that is still going on after its plies is brought to an end by forfeits, one seat after
another; so every playout ends, also of a game that random hands would play for hours. The same
arguments always give the same playout, in any process: run as a program, the module prints the
digest of one.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from referee.chance.draws import SeededChance
from referee.chance.recorded import ChanceEvent, RecordingChance
from referee.plugin import Applied, Chance, Game, Termination
from referee.registry import GAMES

AnyGame = Game[Any, Any, Any, Any, Any]
AnyApplied = Applied[Any, Any]


@dataclass(frozen=True)
class Step:
    """One thing done to a match, and what came of it.

    Attributes:
        seat: Who acted or was forfeited.
        action: What it did; None for a forfeit.
        termination: Why it was forfeited; None for an action.
        applied: The state after, and what happened.
        chance: The chance events that it took.
    """

    seat: int
    action: Any | None
    termination: Termination | None
    applied: AnyApplied
    chance: tuple[ChanceEvent, ...]

    def play(self, game: AnyGame, state: Any, chance: Chance) -> AnyApplied:
        """Do the same to another state, with another chance."""
        if self.termination is not None:
            return game.rules.forfeit(state, self.seat, self.termination, chance)
        return game.rules.apply(state, self.seat, self.action, chance)


@dataclass(frozen=True)
class Playout:
    """A whole match: the set-up, then step by step to its end."""

    game: AnyGame
    seats: int
    key: bytes
    initial: AnyApplied
    initial_chance: tuple[ChanceEvent, ...]
    steps: tuple[Step, ...]

    @property
    def viewers(self) -> tuple[int | None, ...]:
        """Everybody who looks at the match: the public, then each seat."""
        return (None, *range(self.seats))

    def states(self) -> Iterator[Any]:
        """Every state, the first one included."""
        yield self.initial.state
        for step in self.steps:
            yield step.applied.state

    def events(self) -> Iterator[Any]:
        """Every event, in order."""
        yield from self.initial.events
        for step in self.steps:
            yield from step.applied.events

    def befores(self) -> Iterator[tuple[Any, Step]]:
        """Every step with the state that it found."""
        return zip(self.states(), self.steps, strict=False)


def play_out(game: AnyGame, seats: int, seed: int, plies: int) -> Playout:
    """A random match of at most ``plies`` actions, then forfeits until it has ended."""
    rules = game.rules
    random = Random(seed)
    key = hashlib.sha256(f"playout {seed}".encode()).digest()
    chance = RecordingChance(SeededChance(key))

    def done(do: Callable[[Chance], AnyApplied]) -> tuple[AnyApplied, tuple[ChanceEvent, ...]]:
        before = len(chance.events)
        return do(chance), chance.events[before:]

    initial, initial_chance = done(lambda c: rules.initial(game.default_settings, seats, c))
    state = initial.state
    steps: list[Step] = []
    for ply in range(plies + seats):
        if rules.result(state) is not None:
            break
        seat = random.choice(rules.to_move(state))
        if ply < plies:
            step = Step(seat, random.choice(rules.legal_actions(state, seat)), None, initial, ())
        else:
            step = Step(seat, None, random.choice(FORFEITS), initial, ())
        applied, drawn = done(lambda c, s=step, at=state: s.play(game, at, c))  # type: ignore[misc]
        steps.append(Step(seat, step.action, step.termination, applied, drawn))
        state = applied.state
    return Playout(game, seats, key, initial, initial_chance, tuple(steps))


FORFEITS = (Termination.RESIGNATION, Termination.TIME_FORFEIT, Termination.ABANDONED)


def digest(playout: Playout) -> str:
    """A hash over everything that anybody could see or store of a playout."""
    game, wire = playout.game, playout.game.wire
    whole = hashlib.sha256()
    for state in playout.states():
        whole.update(wire.state_to_bytes(state))
        for viewer in playout.viewers:
            seen = wire.observation_to_message(game.rules.observe(state, viewer))
            whole.update(seen.SerializeToString())
        for seat in range(playout.seats):
            legal = game.rules.legal_actions(state, seat)
            whole.update(" ".join(map(game.notation.format_action, legal)).encode())
            whole.update(wire.legal_actions_to_message(state, seat).SerializeToString())
    for event in playout.events():
        whole.update(wire.event_to_message(event).SerializeToString())
    return whole.hexdigest()


if __name__ == "__main__":
    name, *numbers = sys.argv[1:]
    sys.stdout.write(digest(play_out(GAMES[name], *map(int, numbers))))

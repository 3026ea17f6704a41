"""Random positions and random actions of XISK, legal or not, for property tests."""

from random import Random

from referee.chance.draws import SeededChance
from referee.games.xisk.rules.actions import (
    Action,
    Adjust,
    Attack,
    Claim,
    EndAttack,
    EndTurn,
    Invade,
    Place,
    Redeem,
)
from referee.games.xisk.rules.cards import DECK_SIZE
from referee.games.xisk.rules.state import Settings, State
from tests.games.xisk.builders import RULES, WORLD, fierce

COUNTS = (0, 1, 1, 2, 3, 4, 7, 20, 2**32 - 1)


def start(
    seats: int, random: Random, settings: Settings | None = None
) -> tuple[State, SeededChance]:
    """A match that has just been dealt, and its chance."""
    chance = SeededChance(random.randbytes(32))
    return RULES.initial(settings or Settings(), seats, chance).state, chance


def midway(seats: int, random: Random, plies: int) -> State:
    """A state after so many fierce actions, or the end of the match if that comes first."""
    state, chance = start(seats, random)
    for _ in range(plies):
        if state.result is not None:
            break
        state = RULES.apply(state, state.mover, fierce(state, random), chance).state
    return state


def any_action(random: Random) -> Action:
    """A readable action of any kind, most likely illegal."""

    def country() -> str:
        return random.choice(WORLD.ids)

    def count() -> int:
        return random.choice(COUNTS)

    size = random.choice((0, 1, 2, 3, 3, 3, 4))
    kinds = (
        lambda: Claim(country()),
        lambda: Redeem(tuple(random.choices(range(DECK_SIZE), k=size))),
        lambda: Redeem(tuple(sorted(random.sample(range(DECK_SIZE), k=size)))),
        lambda: Place(country(), count()),
        lambda: Attack(country(), country()),
        lambda: Invade(count()),
        EndAttack,
        lambda: Adjust(country(), country(), count()),
        EndTurn,
    )
    return random.choice(kinds)()


def near_action(action: Action, random: Random) -> Action:
    """A legal action with one part changed: often illegal, and close to what is not."""
    country = random.choice(WORLD.ids)
    match action:
        case Place(where, chips):
            return random.choice(
                (Place(country, chips), Place(where, chips + random.choice((1, 500, -chips))))
            )
        case Attack(source, target):
            return random.choice(
                (Attack(country, target), Attack(source, country), Attack(target, source))
            )
        case Adjust(source, target, chips):
            more = chips + random.choice((1, 500, -chips))
            return random.choice(
                (
                    Adjust(source, country, chips),
                    Adjust(target, source, chips),
                    Adjust(source, target, more),
                )
            )
        case Invade(chips):
            return Invade(chips + random.choice((1, 500, -chips - 1)))
        case Redeem(cards):
            swapped = (*cards[:-1], random.randrange(DECK_SIZE))
            return random.choice((Redeem(cards[::-1]), Redeem(cards[:2]), Redeem(swapped)))
        case Claim():
            return Claim(country)
    return EndTurn() if isinstance(action, EndAttack) else EndAttack()

"""The working copy of a state while one action is applied.

What lives here: ``Work``, the only mutable thing in the rules. It is made from a state, changed by
the phase files, frozen into the next state once, and thrown away; nothing else ever holds one. What
must not live here: rules.
"""

from __future__ import annotations

from referee.errors import IllegalActionError
from referee.games.xisk.rules.events import Event
from referee.games.xisk.rules.state import NOBODY, Phase, State
from referee.games.xisk.rules.world import WORLDS, World
from referee.plugin import Applied, Chance, Result


class Work:
    """A state being changed; the fields are those of ``State``, some tuples as lists.

    Attributes:
        world: The map.
        chance: Where luck comes from.
        events: What has happened so far.
    """

    __slots__ = (
        "chance",
        "chips",
        "claims",
        "conquered",
        "deck",
        "events",
        "hands",
        "map_id",
        "mover",
        "order",
        "out",
        "owners",
        "phase",
        "placing",
        "pool",
        "result",
        "round",
        "round_limit",
        "seats",
        "sets_redeemed",
        "source",
        "target",
        "world",
    )

    def __init__(self, state: State, chance: Chance) -> None:
        self.chance = chance
        self.events: list[Event] = []
        (
            self.map_id,
            self.round_limit,
            self.seats,
            self.phase,
            self.mover,
            owners,
            chips,
            hands,
            self.deck,
            self.claims,
            self.order,
            self.out,
            self.round,
            self.pool,
            self.placing,
            self.conquered,
            self.sets_redeemed,
            self.source,
            self.target,
            self.result,
        ) = state
        self.world: World = WORLDS[self.map_id]
        self.owners = list(owners)
        self.chips = list(chips)
        self.hands = list(hands)

    def freeze(self) -> Applied[State, Event]:
        """The next state and what happened on the way."""
        state = State(
            self.map_id,
            self.round_limit,
            self.seats,
            self.phase,
            self.mover,
            tuple(self.owners),
            tuple(self.chips),
            tuple(self.hands),
            self.deck,
            self.claims,
            self.order,
            self.out,
            self.round,
            self.pool,
            self.placing,
            self.conquered,
            self.sets_redeemed,
            self.source,
            self.target,
            self.result,
        )
        return Applied(state, tuple(self.events))

    def country(self, country: str) -> int:
        """The number of a country.

        Raises:
            IllegalActionError: The country is on another map.
        """
        number = self.world.index.get(country)
        if number is None:
            message = f"There is no country {country} on the map {self.map_id}."
            raise IllegalActionError("xisk/3", message)
        return number

    def own_country(self, country: str, rule: str) -> int:
        """The number of a country of the seat to move.

        Raises:
            IllegalActionError: Somebody else owns it; the error names ``rule``.
        """
        number = self.world.index.get(country)
        if number is None or self.owners[number] != self.mover:
            number = self.country(country)
            raise IllegalActionError(rule, f"{self.world.names[number]} is not yours.")
        return number

    def require_phase(self, rule: str, what: str, *phases: Phase) -> None:
        """Refuse what does not belong to the phase.

        Raises:
            IllegalActionError: The phase is none of ``phases``; the error names ``rule``.
        """
        if self.phase not in phases:
            message = f"You can't {what} now. {_AWAITED[self.phase]}"
            raise IllegalActionError(rule, message)

    def can_move_chips(self) -> bool:
        """True if an own country of the seat to move has 2 chips or more."""
        mover = self.mover
        return any(
            count > 1 and owner == mover
            for owner, count in zip(self.owners, self.chips, strict=True)
        )

    def drop_pending(self) -> None:
        """Forget what a turn has open: pool, placing, invasion."""
        self.pool = 0
        self.placing = False
        self.source = self.target = NOBODY

    def seats_in(self) -> list[int]:
        """Seats that are not out, ascending."""
        return [seat for seat in range(self.seats) if seat not in self.out]

    def take_out(self, seat: int) -> None:
        """Put a seat among those that are out."""
        self.out = tuple(sorted((*self.out, seat)))

    def end(self, result: Result) -> None:
        """End the match; the event of it is the caller's."""
        self.result = result
        self.phase = Phase.ENDED
        self.mover = NOBODY
        self.drop_pending()


_AWAITED = {
    Phase.CLAIM: "Claim a country.",
    Phase.SUPPLY: "It is the supply phase: redeem a set or place chips.",
    Phase.ATTACK: "It is the attack phase: attack, or end it.",
    Phase.INVADE: "Decide first how many chips invade the country you conquered; 0 declines.",
    Phase.CONQUEST_SUPPLY: "It is the supply phase after an elimination: redeem or place chips.",
    Phase.ADJUST: "It is the adjust phase: move chips once, or end your turn.",
    Phase.ENDED: "The match has ended.",
}

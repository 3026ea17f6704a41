"""Everything that can happen in a match of XISK, as values.

What lives here: the kinds of event, with countries by id and cards by number, and which parts of
them are private. What must not live here: how they come about. An event as a seat may see it is the
same kind with the private part empty (xisk/28).
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.games.xisk.rules.state import Phase
from referee.plugin import Result, Termination


@dataclass(frozen=True, slots=True)
class Dealt:
    """Cards were dealt; a hand is empty for everyone but its owner."""

    sizes: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Claimed:
    """A country was claimed; the card is public from now on."""

    seat: int
    card: int
    country: str


@dataclass(frozen=True, slots=True)
class TurnedNeutral:
    """Countries became neutral."""

    countries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeckShuffled:
    """The deck was shuffled: a bare fact."""


@dataclass(frozen=True, slots=True)
class OrderRolled:
    """One round of the order roll: each seat that rolled, with its three faces."""

    rolls: tuple[tuple[int, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class OrderSet:
    """The order of play is settled, first to play first."""

    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A turn began, with what makes up its pool."""

    seat: int
    round: int
    country_chips: int
    continent_chips: int
    pool: int


@dataclass(frozen=True, slots=True)
class Redeemed:
    """A set was redeemed; its number is also what it gave."""

    seat: int
    cards: tuple[int, ...]
    set_number: int
    pool: int


@dataclass(frozen=True, slots=True)
class Placed:
    """Chips were placed."""

    seat: int
    country: str
    chips: int


@dataclass(frozen=True, slots=True)
class PhaseChanged:
    """The turn went into another phase."""

    seat: int
    phase: Phase


@dataclass(frozen=True, slots=True)
class Attacked:
    """An attack was rolled; faces in the order rolled. The defender is None for neutral."""

    seat: int
    source: str
    target: str
    defender: int | None
    attacker_dice: tuple[int, ...]
    defender_dice: tuple[int, ...]
    attacker_losses: int
    defender_losses: int


@dataclass(frozen=True, slots=True)
class Conquered:
    """The attacker took the country, and chips moved in. The loser is None for neutral."""

    seat: int
    source: str
    target: str
    chips: int
    loser: int | None


@dataclass(frozen=True, slots=True)
class Invaded:
    """An invasion was decided; 0 chips when it was declined."""

    seat: int
    source: str
    target: str
    chips: int


@dataclass(frozen=True, slots=True)
class Eliminated:
    """A seat lost its last country; cards go back to the deck only if the conqueror is out too."""

    seat: int
    conqueror: int
    cards_returned: int = 0


@dataclass(frozen=True, slots=True)
class CardsSurrendered:
    """A hand went to the conqueror; only giver and taker see the cards."""

    giver: int
    taker: int
    size: int
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Chips were moved between own countries."""

    seat: int
    source: str
    target: str
    chips: int


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """A card was drawn; None for everyone but who drew."""

    seat: int
    card: int | None


@dataclass(frozen=True, slots=True)
class TurnPassed:
    """The turn went to another seat."""

    seat: int
    next_seat: int


@dataclass(frozen=True, slots=True)
class SeatForfeited:
    """A seat resigned or was forfeited and is out."""

    seat: int
    termination: Termination
    cards_returned: int


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The match ended."""

    result: Result


Event = (
    Dealt
    | Claimed
    | TurnedNeutral
    | DeckShuffled
    | OrderRolled
    | OrderSet
    | TurnBegan
    | Redeemed
    | Placed
    | PhaseChanged
    | Attacked
    | Conquered
    | Invaded
    | Eliminated
    | CardsSurrendered
    | Adjusted
    | CardDrawn
    | TurnPassed
    | SeatForfeited
    | MatchEnded
)


def event_for(event: Event, seat: int | None) -> Event:
    """The event as a seat may see it, or the public for None."""
    # xisk/28
    match event:
        case Dealt():
            hands = tuple(hand if owner == seat else () for owner, hand in enumerate(event.hands))
            return Dealt(event.sizes, hands)
        case CardsSurrendered() if seat not in (event.giver, event.taker):
            return CardsSurrendered(event.giver, event.taker, event.size, ())
        case CardDrawn() if seat != event.seat:
            return CardDrawn(event.seat, None)
    return event

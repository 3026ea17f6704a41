"""The supply phase: xisk/10 to xisk/12, at the start of a turn and after an elimination.

What lives here: redeeming and placing. What must not live here: where the pool comes from
(``turn.py``, ``ending.py``).
"""

from __future__ import annotations

from referee.errors import IllegalActionError
from referee.games.xisk.rules.actions import Action, Place, Redeem, table_of
from referee.games.xisk.rules.cards import (
    CARD_NAMES,
    HAND_LIMIT,
    SET_SIZE,
    is_set,
    names_of,
    sets_in,
)
from referee.games.xisk.rules.events import DeckShuffled, PhaseChanged, Placed, Redeemed
from referee.games.xisk.rules.state import Phase, State
from referee.games.xisk.rules.work import Work


def redeem(work: Work, action: Redeem) -> None:
    """Redeem a set: chips into the pool, cards into the deck."""
    work.require_phase("xisk/10", "redeem cards", Phase.SUPPLY, Phase.CONQUEST_SUPPLY)
    if work.placing:
        message = "Redeeming is over: the first chip placed closes it."
        raise IllegalActionError("xisk/11", message)
    cards = action.cards
    mover = work.mover
    _require_set(cards, work.hands[mover])
    # xisk/10: the k-th set of the match gives k chips, whoever redeemed the others.
    work.sets_redeemed += 1
    work.pool += work.sets_redeemed
    work.hands[mover] = tuple(card for card in work.hands[mover] if card not in cards)
    work.deck = work.chance.shuffle(work.deck + cards)
    work.events.append(Redeemed(mover, cards, work.sets_redeemed, work.pool))
    work.events.append(DeckShuffled())


def _require_set(cards: tuple[int, ...], hand: tuple[int, ...]) -> None:
    """Check that cards are a set and in the hand.

    Raises:
        IllegalActionError: They are not; the error names xisk/10.
    """
    # xisk/10
    if len(cards) != SET_SIZE:
        raise IllegalActionError("xisk/10", f"A set is exactly 3 cards, not {len(cards)}.")
    if len(set(cards)) != SET_SIZE:
        raise IllegalActionError("xisk/10", "A set is 3 different cards; one is named twice.")
    for card in cards:
        if card not in hand:
            raise IllegalActionError("xisk/10", f"You do not hold {CARD_NAMES[card]}.")
    if not is_set(cards):
        message = f"{names_of(cards)} is no set: 3 cards of one suit or of 3 different suits."
        raise IllegalActionError("xisk/10", message)
    if not cards[0] < cards[1] < cards[2]:
        raise IllegalActionError("xisk/30", "The cards of a set are named in claim order.")


def place(work: Work, action: Place) -> None:
    """Place chips of the pool; the phase ends by itself when it is empty."""
    work.require_phase("xisk/12", "place chips", Phase.SUPPLY, Phase.CONQUEST_SUPPLY)
    mover = work.mover
    held = len(work.hands[mover])
    if held > HAND_LIMIT and not work.placing:  # xisk/11
        message = f"You hold {held} cards: redeem sets until you hold {HAND_LIMIT} or fewer."
        raise IllegalActionError("xisk/11", message)
    # xisk/12
    number = work.own_country(action.country, "xisk/12")
    chips = action.chips
    if not 1 <= chips <= work.pool:
        message = f"Place 1 to {work.pool} chips, not {chips}."
        raise IllegalActionError("xisk/12", message)
    work.chips[number] += chips
    work.pool -= chips
    work.placing = True
    work.events.append(Placed(mover, action.country, chips))
    if not work.pool:
        work.placing = False
        work.phase = Phase.ATTACK
        work.events.append(PhaseChanged(mover, Phase.ATTACK))


def legal_supply(state: State) -> list[Action]:
    """Sets that may be redeemed, and every count of chips on every own country."""
    legal: list[Action] = [Redeem(cards) for cards in redeemable(state)]
    pool = placeable(state)
    if pool:
        mover = state.mover
        places = table_of(state.map_id).places
        for number, owner in enumerate(state.owners):
            if owner == mover:
                legal += places(number, pool)
    return legal


def redeemable(state: State) -> tuple[tuple[int, ...], ...]:
    """Sets that the seat to move may redeem in a supply phase."""
    return () if state.placing else sets_in(state.hands[state.mover])  # xisk/11


def placeable(state: State) -> int:
    """Most chips that may be placed at once in a supply phase; 0 while a set has to be redeemed."""
    # xisk/11
    return state.pool if state.placing or len(state.hands[state.mover]) <= HAND_LIMIT else 0

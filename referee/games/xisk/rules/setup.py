"""Set-up: xisk/1 to xisk/8.

What lives here: the deal, claiming, neutral countries, the order roll. What must not live here:
turns.
"""

from __future__ import annotations

from referee.errors import IllegalActionError, InvalidSettingsError
from referee.games.xisk.rules.actions import Action, Claim, table_of
from referee.games.xisk.rules.cards import CARDS_PER_SEAT, DECK_SIZE
from referee.games.xisk.rules.events import (
    Claimed,
    Dealt,
    DeckShuffled,
    Event,
    OrderRolled,
    OrderSet,
    TurnedNeutral,
)
from referee.games.xisk.rules.state import NEUTRAL, NOBODY, UNCLAIMED, Phase, Settings, State
from referee.games.xisk.rules.turn import begin_turn
from referee.games.xisk.rules.work import Work
from referee.games.xisk.rules.world import WORLDS
from referee.plugin import Applied, Chance

ORDER_DICE = 3


def deal(settings: Settings, seats: int, chance: Chance) -> Applied[State, Event]:
    """Shuffle and deal; the holder of the first card in claim order is to move.

    Raises:
        InvalidSettingsError: The map is unknown, or the number of seats is not 2 to 6.
    """
    if settings.map_id not in WORLDS:
        message = f"there is no map {settings.map_id!r}; maps are {', '.join(WORLDS)}."
        raise InvalidSettingsError("map_id", message)
    if settings.round_limit < 0:
        raise InvalidSettingsError("round_limit", "a round limit is 0 (none) or more.")
    if seats not in CARDS_PER_SEAT:  # xisk/1
        raise InvalidSettingsError("seats", f"XISK is for 2 to 6 seats, not {seats}.")
    deck = chance.shuffle(range(DECK_SIZE))
    dealt = seats * CARDS_PER_SEAT[seats]  # xisk/4
    # xisk/31: one card at a time, seat by seat, from the top.
    hands = tuple(tuple(sorted(deck[seat:dealt:seats])) for seat in range(seats))
    size = WORLDS[settings.map_id].size
    state = State(
        map_id=settings.map_id,
        round_limit=settings.round_limit,
        seats=seats,
        phase=Phase.CLAIM,
        mover=min(range(seats), key=hands.__getitem__),
        owners=(UNCLAIMED,) * size,
        chips=(0,) * size,
        hands=hands,
        deck=deck[dealt:],
        claims=(),
        order=(),
        out=(),
        round=0,
        pool=0,
        placing=False,
        conquered=False,
        sets_redeemed=0,
        source=NOBODY,
        target=NOBODY,
        result=None,
    )
    sizes = tuple(len(hand) for hand in hands)
    return Applied(state, (DeckShuffled(), Dealt(sizes, hands)))


def claim(work: Work, action: Claim) -> None:
    """Claim a country with the lowest card that anybody holds, which is the mover's."""
    # xisk/5
    work.require_phase("xisk/5", "claim a country", Phase.CLAIM)
    number = work.country(action.country)
    if work.owners[number] != UNCLAIMED:
        message = f"{work.world.names[number]} is claimed already; choose a country without chips."
        raise IllegalActionError("xisk/5", message)
    mover = work.mover
    card, *rest = work.hands[mover]
    work.hands[mover] = tuple(rest)
    work.owners[number] = mover
    work.chips[number] = 1
    work.claims = (*work.claims, (card, mover, number))
    work.events.append(Claimed(mover, card, action.country))
    go_on_claiming(work)


def go_on_claiming(work: Work) -> None:
    """Give the claim to the holder of the next card in claim order, or finish the set-up."""
    # xisk/5: cards that nobody holds are skipped; a card is its place in the claim order.
    holders = [seat for seat, hand in enumerate(work.hands) if hand]
    if holders:
        work.mover = min(holders, key=work.hands.__getitem__)
    else:
        _finish_setup(work)


def _finish_setup(work: Work) -> None:
    """Turn what is left over neutral, shuffle all cards, roll for the order, begin."""
    # xisk/7
    left = [number for number, owner in enumerate(work.owners) if owner == UNCLAIMED]
    for number in left:
        work.owners[number] = NEUTRAL
        work.chips[number] = 1
    if left:
        work.events.append(TurnedNeutral(tuple(work.world.ids[number] for number in left)))
    # xisk/6
    work.claims = ()
    work.deck = work.chance.shuffle(range(DECK_SIZE))
    work.events.append(DeckShuffled())
    work.order = tuple(_roll_for_order(work))
    work.events.append(OrderSet(work.order))
    work.round = 1
    begin_turn(work, work.order[0])


def _roll_for_order(work: Work) -> list[int]:
    """Roll until no two seats are tied; seats, first to play first."""
    # xisk/8: ranks are groups of tied seats; a round of rolls splits every group within itself.
    ranks = [work.seats_in()]
    while len(ranks) < len(work.seats_in()):
        rolling = sorted(seat for group in ranks if len(group) > 1 for seat in group)
        dice = work.chance.dice((ORDER_DICE,) * len(rolling))
        rolls = dict(zip(rolling, dice, strict=True))
        work.events.append(OrderRolled(tuple(rolls.items())))
        sums = {seat: sum(faces) for seat, faces in rolls.items()}
        ranks = [part for group in ranks for part in _split(group, sums)]
    return [seat for group in ranks for seat in group]


def _split(group: list[int], sums: dict[int, int]) -> list[list[int]]:
    """A group of tied seats, parted by what they rolled, the highest first."""
    if len(group) == 1:
        return [group]
    totals = sorted({sums[seat] for seat in group}, reverse=True)
    return [[seat for seat in group if sums[seat] == total] for total in totals]


def claimable(state: State) -> list[int]:
    """Numbers of the countries that nobody has claimed."""
    return [number for number, owner in enumerate(state.owners) if owner == UNCLAIMED]


def legal_claim(state: State) -> list[Action]:
    """A claim of every country that nobody has claimed."""
    claims = table_of(state.map_id).claims
    return [claims[number] for number in claimable(state)]

"""From one turn to the next: xisk/9, 22, 23 and the counting of rounds for xisk/26.

What lives here: how a turn begins, how it closes, and who is next. What must not live here: what is
done during a turn.
"""

from __future__ import annotations

from referee.games.xisk.rules.ending import end_at_limit
from referee.games.xisk.rules.events import CardDrawn, TurnBegan, TurnPassed
from referee.games.xisk.rules.state import Phase
from referee.games.xisk.rules.work import Work

LEAST_COUNTRY_CHIPS = 3
COUNTRIES_PER_CHIP = 3


def begin_turn(work: Work, seat: int) -> None:
    """Begin the turn of a seat with its pool."""
    # xisk/9: what is owned at this moment counts; later conquests count from the next turn.
    owners = work.owners
    country_chips = max(LEAST_COUNTRY_CHIPS, owners.count(seat) // COUNTRIES_PER_CHIP)
    continent_chips = 0
    for region in work.world.regions:
        for number in region.members:
            if owners[number] != seat:
                break
        else:
            continent_chips += region.bonus
    work.mover = seat
    work.phase = Phase.SUPPLY
    work.pool = pool = country_chips + continent_chips
    work.placing = False
    work.conquered = False
    work.events.append(TurnBegan(seat, work.round, country_chips, continent_chips, pool))


def close_turn(work: Work) -> None:
    """Draw the card that was earned, if any, and pass the turn."""
    # xisk/22: drawn at once, before the turn passes; none if the deck is empty.
    if work.conquered and work.deck:
        mover = work.mover
        card = work.deck[0]
        work.deck = work.deck[1:]
        work.hands[mover] = tuple(sorted((*work.hands[mover], card)))
        work.events.append(CardDrawn(mover, card))
    pass_turn(work)


def pass_turn(work: Work) -> None:
    """Pass the turn to the next seat still in, or end the match when a round limit is reached."""
    # xisk/23
    order = work.order
    mover = work.mover
    position = order.index(mover)
    later = [seat for seat in order[position + 1 :] if seat not in work.out]
    if later:
        next_seat = later[0]
    else:
        # xisk/26: the last seat still in, by the order of play, had its turn: the round is over.
        if work.round == work.round_limit:
            end_at_limit(work)
            return
        work.round += 1
        next_seat = next(seat for seat in order if seat not in work.out)
    work.conquered = False
    work.events.append(TurnPassed(mover, next_seat))
    begin_turn(work, next_seat)

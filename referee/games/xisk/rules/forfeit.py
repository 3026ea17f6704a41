"""Leaving by one's own word or the clock's: xisk/25.

What lives here: what becomes of a seat's chips, cards and turn when it resigns or is forfeited, in
every phase. What must not live here: leaving by conquest (``ending.py``).
"""

from __future__ import annotations

from referee.errors import IllegalActionError
from referee.games.xisk.rules.ending import defeated_seat, end_match
from referee.games.xisk.rules.events import (
    DeckShuffled,
    Eliminated,
    SeatForfeited,
    TurnedNeutral,
)
from referee.games.xisk.rules.setup import go_on_claiming
from referee.games.xisk.rules.state import NEUTRAL, NOBODY, Phase
from referee.games.xisk.rules.turn import pass_turn
from referee.games.xisk.rules.work import Work
from referee.plugin import Termination


def forfeit(work: Work, seat: int, termination: Termination) -> None:
    """Take a seat out: chips turn neutral, cards go back, its turn passes.

    Raises:
        IllegalActionError: The seat is out already or does not exist; the error names xisk/25.
    """
    # xisk/25
    if not 0 <= seat < work.seats or seat in work.out:
        raise IllegalActionError("xisk/25", f"Seat {seat} is not in the match.")
    if len(work.seats_in()) == 1:
        # All opponents are eliminated and only neutral countries hold out: who stops here has won.
        end_match(work, (seat,), termination)
        return
    _leave(work, seat, termination)
    left = work.seats_in()
    if len(left) == 1:
        end_match(work, (left[0],), termination)
    elif work.phase == Phase.CLAIM:
        go_on_claiming(work)
    elif work.mover == seat:
        # Whatever was pending is dropped, and no card is drawn.
        work.drop_pending()
        pass_turn(work)


def _leave(work: Work, seat: int, termination: Termination) -> None:
    """Neutralise the chips of a seat, and put its hand into the deck."""
    returned = work.hands[seat]
    work.take_out(seat)
    work.events.append(SeatForfeited(seat, termination, len(returned)))
    own = [number for number, owner in enumerate(work.owners) if owner == seat]
    for number in own:
        work.owners[number] = NEUTRAL
    if own:
        work.events.append(TurnedNeutral(tuple(work.world.ids[number] for number in own)))
    work.hands[seat] = ()
    if work.phase == Phase.CLAIM:
        # No shuffle: all 52 cards are shuffled after claiming anyway.
        work.deck = (*work.deck, *returned)
        return
    if work.phase == Phase.INVADE and work.mover == seat:
        returned += _drop_elimination(work, seat)
    if returned:
        work.deck = work.chance.shuffle(work.deck + returned)
        work.events.append(DeckShuffled())


def _drop_elimination(work: Work, conqueror: int) -> tuple[int, ...]:
    """Take out the seat whose elimination waited for the invasion that is now dropped; its hand."""
    # xisk/19 without a conqueror to surrender to: the hand goes where the conqueror's own goes. Of
    # two seats, the other is not taken out: who is left has won, country or not.
    defeated = defeated_seat(work)
    if defeated == NOBODY or len(work.seats_in()) == 1:
        return ()
    hand = work.hands[defeated]
    work.hands[defeated] = ()
    work.take_out(defeated)
    work.events.append(Eliminated(defeated, conqueror, len(hand)))
    return hand

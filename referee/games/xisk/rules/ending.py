"""How seats leave by conquest and how a match ends: xisk/17, 19, 24 and 26.

What lives here: victory, elimination, the round limit. What must not live here: leaving by one's
own word or the clock's (``forfeit.py``).
"""

from __future__ import annotations

from referee.games.xisk.rules.events import (
    CardsSurrendered,
    Eliminated,
    MatchEnded,
    PhaseChanged,
)
from referee.games.xisk.rules.state import NOBODY, Phase
from referee.games.xisk.rules.work import Work
from referee.plugin import Result, Termination

ELIMINATION_POOL = 1


def end_match(work: Work, winners: tuple[int, ...], termination: Termination) -> None:
    """End the match with these winners, ascending."""
    work.end(Result(winners, termination))
    work.events.append(MatchEnded(Result(winners, termination)))


def end_if_world_conquered(work: Work) -> bool:
    """End the match if the seat to move owns every country; True if so."""
    # xisk/17, xisk/24: all countries and nothing less; a neutral one keeps the match going.
    if work.owners.count(work.mover) != work.world.size:
        return False
    end_match(work, (work.mover,), Termination.COMPLETED)
    return True


def defeated_seat(work: Work) -> int:
    """The one seat that is in the match and owns no country any more, or NOBODY."""
    for seat in work.order:
        if seat not in work.owners and seat not in work.out:
            return seat
    return NOBODY


def eliminate(work: Work, seat: int) -> None:
    """Take out a seat that owns nothing; its conqueror, who is to move, supplies in between."""
    # xisk/19
    mover = work.mover
    hand = work.hands[seat]
    work.take_out(seat)
    work.events.append(Eliminated(seat, mover))
    if hand:
        work.hands[seat] = ()
        work.hands[mover] = tuple(sorted(work.hands[mover] + hand))
        work.events.append(CardsSurrendered(seat, mover, len(hand), hand))
    work.phase = Phase.CONQUEST_SUPPLY
    work.pool = ELIMINATION_POOL
    work.placing = False
    work.events.append(PhaseChanged(mover, Phase.CONQUEST_SUPPLY))


def end_at_limit(work: Work) -> None:
    """End the match by count: most countries, then most chips, then a draw between those equal."""
    # xisk/26
    standing = {seat: _holdings(work, seat) for seat in work.seats_in()}
    best = max(standing.values())
    winners = tuple(seat for seat, holdings in standing.items() if holdings == best)
    end_match(work, winners, Termination.LIMIT)


def _holdings(work: Work, seat: int) -> tuple[int, int]:
    """Countries and chips of a seat."""
    own = [count for owner, count in zip(work.owners, work.chips, strict=True) if owner == seat]
    return len(own), sum(own)

"""A caller's claim to a seat: what a token proves, and when it stops being good."""

from __future__ import annotations

from dataclasses import dataclass

from referee.errors import UnauthenticatedError
from referee.match.model import Event, Left, Match, MatchId


@dataclass(frozen=True, slots=True)
class SeatClaim:
    """A caller's claim to a seat, as its token has it.

    Attributes:
        match_id: The match.
        seat: Index of the seat.
        joined_version: Version at which the seat was taken; a claim dies when the seat is left.
    """

    match_id: MatchId
    seat: int
    joined_version: int


def check_claim(match: Match, claim: SeatClaim) -> None:
    """Refuse a claim to a seat that was given up since.

    Raises:
        UnauthenticatedError: The claim is no longer good.
    """
    seats = match.head.seats
    if claim.seat >= len(seats) or seats[claim.seat].joined_version != claim.joined_version:
        raise _given_up()


def check_still_good(claim: SeatClaim, event: Event) -> None:
    """Refuse a claim once an event says that its seat was given up; for what outlives one look.

    Raises:
        UnauthenticatedError: The claim is no longer good, and neither is what comes after it.
    """
    left = isinstance(event.cause, Left) and event.seat == claim.seat
    if left and event.version > claim.joined_version:
        raise _given_up()


def _given_up() -> UnauthenticatedError:
    return UnauthenticatedError(
        "This seat token is no longer good: the seat was given up. Join again to take a seat."
    )

"""A caller's claim to a seat: what a token proves, and when it stops being good."""

from __future__ import annotations

from dataclasses import dataclass

from referee.errors import UnauthenticatedError
from referee.match.model import Match, MatchId


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
        message = (
            "This seat token is no longer good: the seat was given up. Join again to take a seat."
        )
        raise UnauthenticatedError(message)

"""Which seat, and which colour: what a match can give to somebody who joins."""

from __future__ import annotations

from referee.errors import ColourTakenError, InvalidRequestError, SeatTakenError
from referee.match.model import MatchHead


def open_seat(head: MatchHead, seat: int | None) -> int:
    """The seat asked for, or the first open one of a match that has one.

    Raises:
        InvalidRequestError: There is no such seat.
        SeatTakenError: Somebody sits there.
    """
    if seat is None:
        # A started match was refused before, so there is an open seat.
        return next(index for index, one in enumerate(head.seats) if not one.taken)
    if not 0 <= seat < len(head.seats):
        message = f"This match has seats 0 to {len(head.seats) - 1}, not {seat}."
        raise InvalidRequestError("seat", message)
    if head.seats[seat].taken:
        message = f"Seat {seat} is taken. Choose another one."
        raise SeatTakenError(message, seat=str(seat))
    return seat


def colour_for(head: MatchHead, seat: int, wish: str) -> str:
    """The colour that a seat gets: the one wished for, or the first free one for no wish.

    Raises:
        ColourTakenError: The colour is not to be had.
    """
    info = head.game.info
    if info.colour_by_seat:
        if wish not in ("", info.colours[seat]):
            message = (
                f"Seat {seat} is always {info.colours[seat]} in {info.title}; choose the seat by "
                "its colour."
            )
            raise ColourTakenError(message, rule=info.colour_rule)
        return info.colours[seat]
    free = [colour for colour in info.colours if all(one.colour != colour for one in head.seats)]
    if wish and wish not in free:
        message = f"The colour {wish} is not to be had here. Free: {', '.join(free)}."
        raise ColourTakenError(message, rule=info.colour_rule)
    return wish or free[0]

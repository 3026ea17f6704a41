"""The life of a match as pure steps of its seats: create, join, leave, act, resign.

What lives here: each step takes the match as it is and gives the match as it would be, with the
event that tells of it, or refuses. What must not live here: storing, publishing, caching, tokens.
Because a step depends on nothing but its arguments, replaying a record runs the very same code
(``verify.py``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from referee.chance.seed import match_key
from referee.errors import (
    FlagFellError,
    InvalidRequestError,
    MatchAlreadyStartedError,
    MatchNotStartedError,
    MatchOverError,
    NotYourTurnError,
    StaleVersionError,
    UnauthenticatedError,
)
from referee.match import clock
from referee.match.clock import TimeControl
from referee.match.model import (
    Acted,
    Created,
    Joined,
    Left,
    Match,
    MatchHead,
    MatchId,
    MatchState,
    Millis,
    Resigned,
    Seat,
    SeedOrigin,
    Version,
    Visibility,
)
from referee.match.seating import colour_for, open_seat
from referee.match.step import Moment, Step, advance, chance_of, event_of
from referee.plugin import Termination
from referee.registry import AnyGame


class NewMatch(NamedTuple):
    """What a match begins with."""

    match_id: MatchId
    game: AnyGame
    settings: Any
    seats: int
    visibility: Visibility
    seed_origin: SeedOrigin
    server_seed: bytes
    time_control: TimeControl | None = None


def create(new: NewMatch, now: Millis) -> Step:
    """Open a match in which nobody sits yet.

    Raises:
        InvalidRequestError: The game can't be played with this number of seats.
        InvalidSettingsError: The game can't be played with this time control.
    """
    info = new.game.info
    if not info.min_seats <= new.seats <= info.max_seats:
        wanted = str(info.min_seats)
        if info.max_seats > info.min_seats:
            wanted = f"{info.min_seats} to {info.max_seats}"
        message = f"{info.title} takes {wanted} seats, not {new.seats}."
        raise InvalidRequestError("seats", message)
    if new.time_control is not None:
        clock.check(new.time_control, strikes_offered=new.game.turns is not None)
    head = MatchHead(
        match_id=new.match_id,
        game=new.game,
        rules_version=info.rules_version,
        settings=new.settings,
        state=MatchState.OPEN,
        seats=(Seat(),) * new.seats,
        visibility=new.visibility,
        seed_origin=new.seed_origin,
        server_seed=new.server_seed,
        create_time=now,
        time_control=new.time_control,
    )
    match = Match(head, Version(1), time=now)
    return Step(match, event_of(match, (), Moment(now), None, Created()))


def join(match: Match, now: Millis, seat: int | None, wish: Joined, downtime: int = 0) -> Step:
    """Take a seat, the first open one for None; the last one taken starts the match.

    ``wish`` names the colour wished for (empty: the first free) and the name to show (empty: one is
    made).

    Raises:
        MatchAlreadyStartedError: Too late.
        InvalidRequestError: There is no such seat.
        SeatTakenError: Somebody sits there.
        ColourTakenError: The colour is not to be had.
    """
    head = match.head
    moment = Moment(now, downtime).on(match)
    _require_open(head)
    index = open_seat(head, seat)
    version = Version(match.version + 1)
    joined = Joined(
        wish.display_name or f"Seat {index}",
        colour_for(head, index, wish.colour),
        wish.client_nonce,
    )
    taken = Seat(joined.display_name, joined.colour, joined.client_nonce, version)
    seats = (*head.seats[:index], taken, *head.seats[index + 1 :])
    head = replace(head, seats=seats)
    if all(one.taken for one in seats):
        head = replace(head, state=MatchState.ACTIVE, start_time=moment.time)
        return _start(match, head, moment, index, joined)
    after = Match(head, version, time=moment.time)
    return Step(after, event_of(after, (), moment, index, joined))


def leave(match: Match, now: Millis, seat: int, downtime: int = 0) -> Step:
    """Give up a seat before the start.

    Raises:
        MatchAlreadyStartedError: Too late.
        UnauthenticatedError: Nobody sits there.
    """
    head = match.head
    moment = Moment(now, downtime).on(match)
    _require_open(head)
    if not head.seats[seat].taken:
        message = "This seat was given up already. Join again to take a seat."
        raise UnauthenticatedError(message)
    seats = (*head.seats[:seat], Seat(), *head.seats[seat + 1 :])
    after = Match(replace(head, seats=seats), Version(match.version + 1), time=moment.time)
    return Step(after, event_of(after, (), moment, seat, Left()))


def act(match: Match, now: Millis, seat: int, action: Any, downtime: int = 0) -> Step:
    """Apply an action of a seat.

    Raises:
        FlagFellError: A flag has fallen; that comes first.
        IllegalActionError: The action breaks a rule.
        NotYourTurnError: Another seat is to move.
        MatchOverError: The match has ended.
        MatchNotStartedError: Seats are still open.
    """
    moment = Moment(now, downtime).on(match)
    require_active(match)
    _require_flags_up(match, moment)
    to_move = match.to_move
    if seat not in to_move:
        others = ", ".join(map(str, to_move))
        message = (
            f"Seat {others} is to move; you are seat {seat}. Watch the match and act on your turn."
        )
        raise NotYourTurnError(message, to_move=others)
    chance = chance_of(match.head, match.next_chance_event)
    applied = match.head.game.rules.apply(match.game_state, seat, action, chance)
    return advance(match, moment, seat, Acted(action), applied, chance)


def resign(match: Match, now: Millis, seat: int, downtime: int = 0) -> Step:
    """Take a seat out of the match at its own wish, on anybody's turn.

    Raises:
        FlagFellError: A flag has fallen; that comes first.
        IllegalActionError: The seat is out already.
        MatchOverError: The match has ended.
        MatchNotStartedError: Seats are still open.
    """
    moment = Moment(now, downtime).on(match)
    require_active(match)
    _require_flags_up(match, moment)
    chance = chance_of(match.head, match.next_chance_event)
    rules = match.head.game.rules
    applied = rules.forfeit(match.game_state, seat, Termination.RESIGNATION, chance)
    return advance(match, moment, seat, Resigned(), applied, chance)


def require_active(match: Match) -> None:
    """Refuse what only a running match can take.

    Raises:
        MatchOverError: The match has ended.
        MatchNotStartedError: Seats are still open.
    """
    state = match.head.state
    if state is MatchState.OPEN:
        message = "The match has not started: seats are still open. Watch it to learn when it does."
        raise MatchNotStartedError(message)
    if state is not MatchState.ACTIVE:
        message = "The match is over. GetRecord has its whole story."
        raise MatchOverError(message)


def require_version(match: Match, expected: int) -> None:
    """Refuse to go on from another version than the caller decided on; 0 expects none.

    Raises:
        StaleVersionError: The match has moved on, or never was there.
    """
    if expected and expected != match.version:
        raise StaleVersionError(expected, match.version)


def _require_open(head: MatchHead) -> None:
    if head.state is MatchState.ACTIVE:
        message = "The match has started: seats are no longer taken or left. A seat may resign."
        raise MatchAlreadyStartedError(message)
    if head.state is not MatchState.OPEN:
        message = "The match is over. Create or join another one."
        raise MatchOverError(message)


def _require_flags_up(match: Match, moment: Moment) -> None:
    seat = clock.fallen(match.clocks, moment.time, moment.downtime)
    if seat is not None:
        raise FlagFellError(seat, (match.clocks[seat].deadline or 0) + moment.downtime)


def _start(match: Match, head: MatchHead, moment: Moment, seat: int, joined: Joined) -> Step:
    nonces = [one.client_nonce for one in head.seats]
    head = replace(head, match_key=match_key(head.server_seed, nonces, head.match_id))
    chance = chance_of(head, 0)
    applied = head.game.rules.initial(head.settings, len(head.seats), chance)
    return advance(replace(match, head=head), moment, seat, joined, applied, chance)

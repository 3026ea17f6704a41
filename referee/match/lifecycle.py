"""The life of a match as pure steps: create, join, leave, act, resign.

What lives here: each step takes the match as it is and gives the match as it would be, with the
event that tells of it, or refuses. What must not live here: storing, publishing, caching, tokens.
Because a step depends on nothing but its arguments, replaying a record runs the very same code
(``verify.py``).
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any, NamedTuple

from referee.chance.draws import SeededChance
from referee.chance.recorded import ChanceEvent, RecordingChance
from referee.chance.seed import match_key
from referee.errors import (
    InvalidRequestError,
    MatchAlreadyStartedError,
    MatchNotStartedError,
    MatchOverError,
    NotYourTurnError,
    StaleVersionError,
    UnauthenticatedError,
)
from referee.match.model import (
    Acted,
    Cause,
    Created,
    Event,
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
from referee.plugin import Applied, Termination
from referee.registry import AnyGame


class Step(NamedTuple):
    """What a step leads to."""

    match: Match
    event: Event


class NewMatch(NamedTuple):
    """What a match begins with."""

    match_id: MatchId
    game: AnyGame
    settings: Any
    seats: int
    visibility: Visibility
    seed_origin: SeedOrigin
    server_seed: bytes


def create(new: NewMatch, now: Millis) -> Step:
    """Open a match in which nobody sits yet.

    Raises:
        InvalidRequestError: The game can't be played with this number of seats.
    """
    info = new.game.info
    if not info.min_seats <= new.seats <= info.max_seats:
        wanted = str(info.min_seats)
        if info.max_seats > info.min_seats:
            wanted = f"{info.min_seats} to {info.max_seats}"
        message = f"{info.title} takes {wanted} seats, not {new.seats}."
        raise InvalidRequestError("seats", message)
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
    )
    match = Match(head, Version(1))
    return Step(match, _event(match, now, None, Created()))


def join(match: Match, now: Millis, seat: int | None, wish: Joined) -> Step:
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
        return _start(
            match, replace(head, state=MatchState.ACTIVE, start_time=now), now, index, joined
        )
    after = Match(head, version)
    return Step(after, _event(after, now, index, joined))


def leave(match: Match, now: Millis, seat: int) -> Step:
    """Give up a seat before the start.

    Raises:
        MatchAlreadyStartedError: Too late.
        UnauthenticatedError: Nobody sits there.
    """
    head = match.head
    _require_open(head)
    if not head.seats[seat].taken:
        message = "This seat was given up already. Join again to take a seat."
        raise UnauthenticatedError(message)
    seats = (*head.seats[:seat], Seat(), *head.seats[seat + 1 :])
    after = Match(replace(head, seats=seats), Version(match.version + 1))
    return Step(after, _event(after, now, seat, Left()))


def act(match: Match, now: Millis, seat: int, action: Any) -> Step:
    """Apply an action of a seat.

    Raises:
        IllegalActionError: The action breaks a rule.
        NotYourTurnError: Another seat is to move.
        MatchOverError: The match has ended.
        MatchNotStartedError: Seats are still open.
    """
    require_active(match)
    to_move = match.to_move
    if seat not in to_move:
        others = ", ".join(map(str, to_move))
        message = (
            f"Seat {others} is to move; you are seat {seat}. Watch the match and act on your turn."
        )
        raise NotYourTurnError(message, to_move=others)
    chance = _chance(match.head, match.next_chance_event)
    applied = match.head.game.rules.apply(match.game_state, seat, action, chance)
    return _advance(match, now, seat, Acted(action), applied, chance)


def resign(match: Match, now: Millis, seat: int) -> Step:
    """Take a seat out of the match at its own wish, on anybody's turn.

    Raises:
        IllegalActionError: The seat is out already.
        MatchOverError: The match has ended.
        MatchNotStartedError: Seats are still open.
    """
    require_active(match)
    chance = _chance(match.head, match.next_chance_event)
    rules = match.head.game.rules
    applied = rules.forfeit(match.game_state, seat, Termination.RESIGNATION, chance)
    return _advance(match, now, seat, Resigned(), applied, chance)


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


def _chance(head: MatchHead, next_event: int) -> RecordingChance:
    return RecordingChance(SeededChance(head.match_key, next_event), next_event)


def _start(match: Match, head: MatchHead, now: Millis, seat: int, joined: Joined) -> Step:
    nonces = [one.client_nonce for one in head.seats]
    head = replace(head, match_key=match_key(head.server_seed, nonces, head.match_id))
    chance = _chance(head, 0)
    applied = head.game.rules.initial(head.settings, len(head.seats), chance)
    return _advance(replace(match, head=head), now, seat, joined, applied, chance)


def _advance(
    match: Match,
    now: Millis,
    seat: int,
    cause: Cause,
    applied: Applied[Any, Any],
    chance: RecordingChance,
) -> Step:
    """Put what the rules answered into a new match and its event."""
    head = match.head
    result = head.game.rules.result(applied.state)
    if result is not None:
        head = replace(head, state=MatchState.ENDED, end_time=now, result=result)
    after = Match(
        head,
        Version(match.version + 1),
        match.ply + isinstance(cause, Acted),
        chance.next_event,
        applied.state,
        head.game.wire.state_to_bytes(applied.state),
    )
    return Step(after, _event(after, now, seat, cause, applied.events, chance.events))


def _event(
    after: Match,
    now: Millis,
    seat: int | None,
    cause: Cause,
    game_events: tuple[Any, ...] = (),
    chance_events: tuple[ChanceEvent, ...] = (),
) -> Event:
    return Event(
        version=after.version,
        ply=after.ply,
        time=now,
        seat=seat,
        cause=cause,
        state=after.head.state,
        game_events=game_events,
        to_move=after.to_move,
        result=after.head.result,
        chance_events=chance_events,
        state_digest=hashlib.sha256(after.state_bytes).digest() if after.state_bytes else b"",
    )

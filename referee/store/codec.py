"""Matches and events as the bytes that Redis keeps. Every value carries the edition of its format.

A head is only encoded when it changes. Values of an edition that this code does not know are
refused, never guessed.
"""

from __future__ import annotations

import hashlib

from referee._gen.referee.store.v1 import store_pb2 as pb
from referee._gen.referee.v1 import match_pb2
from referee.errors import NewerFormatError
from referee.match.clock import SeatClock
from referee.match.model import Event, Match, MatchHead, MatchId, MatchState, Millis, Seat, Version
from referee.registry import AnyGame
from referee.wire import enums
from referee.wire.clock import time_control_from, time_control_to
from referee.wire.event import event_from, whole_event_bytes
from referee.wire.games import settings_from, settings_to
from referee.wire.match import result_from, result_to

FORMAT = 1


def _newer(what: str, found: int) -> NewerFormatError:
    return NewerFormatError(
        f"A later release wrote {what}: format {found}, and this one reads format {FORMAT}. "
        "Try again: a process of that release can answer."
    )


def head_to_bytes(head: MatchHead) -> bytes:
    """The part of a match that changes seldom."""
    return pb.StoredHead(
        format=FORMAT,
        match_id=head.match_id,
        game=head.game.info.id,
        rules_version=head.rules_version,
        settings=settings_to(head.game, head.settings),
        state=enums.STATE_TO[head.state],
        seats=[_seat_to(seat) for seat in head.seats],
        visibility=enums.VISIBILITY_TO[head.visibility],
        seed_origin=enums.ORIGIN_TO[head.seed_origin],
        server_seed=head.server_seed,
        match_key=head.match_key,
        create_time_ms=head.create_time,
        start_time_ms=head.start_time,
        end_time_ms=head.end_time,
        result=result_to(head.result),
        time_control=time_control_to(head.time_control),
    ).SerializeToString()


def head_from_bytes(data: bytes) -> MatchHead:
    """A head back from its bytes.

    Raises:
        NewerFormatError: A later release wrote it.
    """
    message = pb.StoredHead.FromString(data)
    if message.format != FORMAT:
        what = "a match's head"
        raise _newer(what, message.format)
    game, settings = settings_from(message.settings)
    return MatchHead(
        match_id=MatchId(message.match_id),
        game=game,
        rules_version=message.rules_version,
        settings=settings,
        state=enums.STATE_FROM[message.state],
        seats=tuple([_seat_from(seat) for seat in message.seats]),
        visibility=enums.VISIBILITY_FROM[message.visibility],
        seed_origin=enums.ORIGIN_FROM[message.seed_origin],
        server_seed=message.server_seed,
        create_time=Millis(message.create_time_ms),
        match_key=message.match_key,
        start_time=Millis(message.start_time_ms),
        end_time=Millis(message.end_time_ms),
        result=result_from(message.result) if message.HasField("result") else None,
        time_control=time_control_from(message.time_control),
    )


def state_to_bytes(match: Match) -> bytes:
    """The part of a match that changes with every commit."""
    return pb.StoredState(
        format=FORMAT,
        version=match.version,
        ply=match.ply,
        next_chance_event=match.next_chance_event,
        game_state=match.state_bytes,
        time_ms=match.time,
        clocks=[_clock_to(clock) for clock in match.clocks],
    ).SerializeToString()


def match_from_bytes(head: MatchHead, data: bytes) -> Match:
    """A match back from its head and its state's bytes.

    Raises:
        NewerFormatError: A later release wrote it.
    """
    message = pb.StoredState.FromString(data)
    if message.format != FORMAT:
        what = "a match's state"
        raise _newer(what, message.format)
    state_bytes = message.game_state
    game_state = (
        head.game.wire.state_from_bytes(state_bytes)
        if head.state in (MatchState.ACTIVE, MatchState.ENDED)
        else None
    )
    return Match(
        head,
        Version(message.version),
        message.ply,
        message.next_chance_event,
        game_state,
        state_bytes,
        Millis(message.time_ms),
        tuple([_clock_from(clock) for clock in message.clocks]),
    )


def mark_of(match: Match) -> bytes:
    """Eight bytes that tell a match at a version from any other that had that version.

    A Redis that loses its last second (a power cut, a failover) goes back, and comes to the same
    versions again by other ways. What a process still remembers of the lost way must not pass for
    what Redis has, so a commit and a look compare this besides the version.
    """
    facts = match.state_bytes or repr(match.head.seats).encode()
    when = f"{match.version}:{match.time}:{match.ply}".encode()
    return hashlib.blake2b(facts + when, digest_size=8).digest()


def event_to_bytes(game: AnyGame, event: Event) -> bytes:
    """A whole event, secrets included."""
    return whole_event_bytes(game, event)


def event_from_bytes(game: AnyGame, data: bytes) -> Event:
    """A whole event back from its bytes."""
    return event_from(game, match_pb2.Event.FromString(data))


def _clock_to(clock: SeatClock) -> pb.StoredClock:
    return pb.StoredClock(
        remaining_ms=clock.remaining,
        bank_ms=clock.bank,
        strikes=clock.strikes,
        since_ms=clock.since or 0,
    )


def _clock_from(message: pb.StoredClock) -> SeatClock:
    return SeatClock(
        message.remaining_ms, message.bank_ms, message.strikes, message.since_ms or None
    )


def _seat_to(seat: Seat) -> pb.StoredSeat:
    return pb.StoredSeat(
        display_name=seat.display_name,
        colour=enums.COLOUR_TO[seat.colour] if seat.colour else match_pb2.COLOUR_UNSPECIFIED,
        client_nonce=seat.client_nonce,
        joined_version=seat.joined_version,
    )


def _seat_from(message: pb.StoredSeat) -> Seat:
    colour = enums.COLOUR_FROM.get(message.colour, "")
    return Seat(message.display_name, colour, message.client_nonce, message.joined_version)

"""Matches, events and records as a seat, or the public, may see them.

Every view is built by listing what is shown; nothing is made by copying and deleting. What a seat
gets here must not depend on anything that the seat may not see.
"""

from __future__ import annotations

from operator import is_
from typing import Any, Final

from referee.chance.seed import commitment
from referee.match.clock import shift
from referee.match.model import Event, Match, MatchState, PublicMatch, Record
from referee.registry import AnyGame

OPEN: Final = "open"
"""In ``Event.made``, the view of everybody from whom no part of the board is hidden."""


def public_match(match: Match, downtime: int = 0) -> PublicMatch:
    """What everybody may know of a match.

    Its clocks are shown with the downtime since the last commit taken out already.
    """
    head = match.head
    return PublicMatch(
        match_id=head.match_id,
        game=head.game,
        rules_version=head.rules_version,
        settings=head.settings,
        state=head.state,
        seats=head.seats,
        version=match.version,
        ply=match.ply,
        to_move=match.to_move,
        result=head.result,
        commitment=commitment(head.server_seed),
        seed_origin=head.seed_origin,
        visibility=head.visibility,
        create_time=head.create_time,
        start_time=head.start_time,
        end_time=head.end_time,
        time_control=head.time_control,
        clocks=shift(match.clocks, downtime),
    )


def event_for(game: AnyGame, event: Event, seat: int | None) -> Event:
    """An event as a seat, or the public for None, may see it: no chance events, no digest.

    Made once per event and seat; those from whom nothing is hidden share one view.
    """
    found: Event | None = event.made.get(seat)
    if found is not None:
        return found
    view = game.rules.event_for
    game_events = tuple([view(one, seat) for one in event.game_events])
    if all(map(is_, game_events, event.game_events)):
        found = event.made.get(OPEN)
        if found is None:
            found = event.made[OPEN] = _shown(event, event.game_events)
    else:
        found = _shown(event, game_events)
    event.made[seat] = found
    return found


def _shown(event: Event, game_events: tuple[Any, ...]) -> Event:
    return Event(
        version=event.version,
        ply=event.ply,
        time=event.time,
        seat=event.seat,
        cause=event.cause,
        state=event.state,
        game_events=game_events,
        to_move=event.to_move,
        result=event.result,
        clocks=event.clocks,
        downtime=event.downtime,
    )


def record_for(match: Match, events: list[Event], seat: int | None) -> Record:
    """The record as a seat, or the public for None, may see it; whole once the match has ended."""
    if match.head.state is MatchState.ENDED:
        return Record(public_match(match), tuple(events), match.head.server_seed)
    return Record(
        public_match(match), tuple(event_for(match.head.game, event, seat) for event in events)
    )

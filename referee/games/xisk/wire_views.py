"""State and observation of XISK as messages and back.

What lives here: the two snapshots of a match, the whole truth for the store and what a seat sees.
What must not live here: which parts a seat sees; ``rules/observation.py`` lists them.
"""

from __future__ import annotations

from referee._gen.xisk.v1 import xisk_pb2 as pb
from referee.games.xisk.rules.cards import CARD_NAMES, CARD_NUMBERS
from referee.games.xisk.rules.observation import (
    ClaimView,
    CountryView,
    InvasionView,
    Observation,
)
from referee.games.xisk.rules.state import NEUTRAL, NOBODY, UNCLAIMED, Phase, State
from referee.games.xisk.wire_events import (
    card_names,
    card_numbers,
    phase_to_message,
    result_from_message,
    result_to_message,
)

_NEUTRAL_BYTE = 254
_UNCLAIMED_BYTE = 255
_OWNER_BYTE = {NEUTRAL: _NEUTRAL_BYTE, UNCLAIMED: _UNCLAIMED_BYTE}
_OWNER_OF = (*range(_NEUTRAL_BYTE), NEUTRAL, UNCLAIMED)


def state_to_bytes(state: State) -> bytes:
    """The whole state; equal states give equal bytes."""
    message = pb.State(
        map_id=state.map_id,
        round_limit=state.round_limit,
        seats=state.seats,
        phase=phase_to_message(state.phase),
        to_move=_present(state.mover),
        owners=bytes([_OWNER_BYTE.get(owner, owner) for owner in state.owners]),
        chips=state.chips,
        hands=[bytes(hand) for hand in state.hands],
        deck=bytes(state.deck),
        claims=bytes([number for claim in state.claims for number in claim]),
        order=bytes(state.order),
        out=bytes(state.out),
        round=state.round,
        pool=state.pool,
        placing=state.placing,
        conquered=state.conquered,
        sets_redeemed=state.sets_redeemed,
        source=_present(state.source),
        target=_present(state.target),
        result=None if state.result is None else result_to_message(state.result),
    )
    return message.SerializeToString(deterministic=True)


def state_from_bytes(data: bytes) -> State:
    """A state back from its bytes."""
    message = pb.State.FromString(data)
    claims = message.claims
    return State(
        map_id=message.map_id,
        round_limit=message.round_limit,
        seats=message.seats,
        phase=Phase(message.phase),
        mover=message.to_move if message.HasField("to_move") else NOBODY,
        owners=tuple([_OWNER_OF[byte] for byte in message.owners]),
        chips=tuple(message.chips),
        hands=tuple([tuple(hand) for hand in message.hands]),
        deck=tuple(message.deck),
        claims=tuple(zip(claims[::3], claims[1::3], claims[2::3], strict=True)),
        order=tuple(message.order),
        out=tuple(message.out),
        round=message.round,
        pool=message.pool,
        placing=message.placing,
        conquered=message.conquered,
        sets_redeemed=message.sets_redeemed,
        source=message.source if message.HasField("source") else NOBODY,
        target=message.target if message.HasField("target") else NOBODY,
        result=result_from_message(message.result) if message.HasField("result") else None,
    )


def _present(number: int) -> int | None:
    """A seat or country number, or None for nobody."""
    return None if number == NOBODY else number


def observation_to_message(observation: Observation) -> pb.Observation:
    """An observation as a message."""
    seen = observation
    return pb.Observation(
        settings=pb.Settings(map_id=seen.map_id, round_limit=seen.round_limit),
        seat=seen.seat,
        phase=phase_to_message(seen.phase),
        to_move=seen.to_move,
        countries=[
            pb.CountryView(country=country, seat=seat, chips=chips)
            for country, seat, chips in seen.countries
        ],
        order=seen.order,
        out=seen.out,
        round=seen.round,
        pool=seen.pool,
        placing=seen.placing,
        conquered=seen.conquered,
        sets_redeemed=seen.sets_redeemed,
        next_set_chips=seen.next_set_chips,
        hand_sizes=seen.hand_sizes,
        deck_size=seen.deck_size,
        hand=card_names(seen.hand),
        invasion=None if seen.invasion is None else pb.PendingInvasion(**seen.invasion._asdict()),
        claims=[
            pb.Claimed(seat=seat, card=CARD_NAMES[card], country=country)
            for seat, card, country in seen.claims
        ],
        result=None if seen.result is None else result_to_message(seen.result),
    )


def observation_from_message(message: pb.Observation) -> Observation:
    """An observation back from its message."""
    invasion = message.invasion if message.HasField("invasion") else None
    return Observation(
        map_id=message.settings.map_id,
        round_limit=message.settings.round_limit,
        seat=message.seat if message.HasField("seat") else None,
        phase=Phase(message.phase),
        to_move=message.to_move if message.HasField("to_move") else None,
        countries=tuple(
            CountryView(view.country, view.seat if view.HasField("seat") else None, view.chips)
            for view in message.countries
        ),
        order=tuple(message.order),
        out=tuple(message.out),
        round=message.round,
        pool=message.pool,
        placing=message.placing,
        conquered=message.conquered,
        sets_redeemed=message.sets_redeemed,
        next_set_chips=message.next_set_chips,
        hand_sizes=tuple(message.hand_sizes),
        deck_size=message.deck_size,
        hand=card_numbers(message.hand),
        invasion=invasion and InvasionView(invasion.source, invasion.target, invasion.max_chips),
        claims=tuple(
            ClaimView(claim.seat, CARD_NUMBERS[claim.card], claim.country)
            for claim in message.claims
        ),
        result=result_from_message(message.result) if message.HasField("result") else None,
    )

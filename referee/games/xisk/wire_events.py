"""Events of XISK as messages and back.

What lives here: one line a kind of event in each direction, and the small parts that other messages
share. What must not live here: what a seat may see; an event that comes here is already cut to its
receiver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from referee._gen.xisk.v1 import xisk_pb2 as pb
from referee.games.xisk.rules import events as ev
from referee.games.xisk.rules.cards import CARD_NAMES, CARD_NUMBERS
from referee.games.xisk.rules.state import Phase
from referee.plugin import Result, Termination

_TERMINATIONS = {
    Termination.COMPLETED: pb.TERMINATION_COMPLETED,
    Termination.LIMIT: pb.TERMINATION_LIMIT,
    Termination.RESIGNATION: pb.TERMINATION_RESIGNATION,
    Termination.TIME_FORFEIT: pb.TERMINATION_TIME_FORFEIT,
    Termination.ABANDONED: pb.TERMINATION_ABANDONED,
}
_TERMINATION_OF = {number: termination for termination, number in _TERMINATIONS.items()}


def card_names(cards: Iterable[int]) -> list[str]:
    """Names of card numbers."""
    return [CARD_NAMES[card] for card in cards]


def card_numbers(names: Iterable[str]) -> tuple[int, ...]:
    """Numbers of card names that are known to be good."""
    return tuple(CARD_NUMBERS[name] for name in names)


def result_to_message(result: Result) -> pb.Result:
    """A result as a message."""
    return pb.Result(winners=result.winners, termination=_TERMINATIONS[result.termination])


def result_from_message(message: pb.Result) -> Result:
    """A result back from its message."""
    return Result(tuple(message.winners), _TERMINATION_OF[message.termination])


def phase_to_message(phase: Phase) -> pb.Phase.ValueType:
    """A phase as a proto enum value: the numbers are the same."""
    return pb.Phase.ValueType(phase)


def _optional(message: Any, field: str) -> int | None:
    """The value of an optional field, or None where it is absent."""
    return getattr(message, field) if message.HasField(field) else None


def _dealt(event: ev.Dealt) -> pb.Dealt:
    hands = zip(event.sizes, event.hands, strict=True)
    return pb.Dealt(hands=[pb.DealtHand(size=size, cards=card_names(hand)) for size, hand in hands])


def _attacked(event: ev.Attacked) -> pb.Attacked:
    return pb.Attacked(
        seat=event.seat,
        source=event.source,
        target=event.target,
        defender=event.defender,
        attacker_dice=event.attacker_dice,
        defender_dice=event.defender_dice,
        attacker_losses=event.attacker_losses,
        defender_losses=event.defender_losses,
    )


def _turn_began(event: ev.TurnBegan) -> pb.TurnBegan:
    return pb.TurnBegan(
        seat=event.seat,
        round=event.round,
        country_chips=event.country_chips,
        continent_chips=event.continent_chips,
        pool=event.pool,
    )


_TO_MESSAGE: dict[type[ev.Event], Callable[[Any], pb.Event]] = {
    ev.Dealt: lambda e: pb.Event(dealt=_dealt(e)),
    ev.Claimed: lambda e: pb.Event(
        claimed=pb.Claimed(seat=e.seat, card=CARD_NAMES[e.card], country=e.country)
    ),
    ev.TurnedNeutral: lambda e: pb.Event(turned_neutral=pb.TurnedNeutral(countries=e.countries)),
    ev.DeckShuffled: lambda _: pb.Event(deck_shuffled=pb.DeckShuffled()),
    ev.OrderRolled: lambda e: pb.Event(
        order_rolled=pb.OrderRolled(
            rolls=[pb.OrderRoll(seat=seat, dice=dice) for seat, dice in e.rolls]
        )
    ),
    ev.OrderSet: lambda e: pb.Event(order_set=pb.OrderSet(order=e.order)),
    ev.TurnBegan: lambda e: pb.Event(turn_began=_turn_began(e)),
    ev.Redeemed: lambda e: pb.Event(
        redeemed=pb.Redeemed(
            seat=e.seat, cards=card_names(e.cards), set_number=e.set_number, pool=e.pool
        )
    ),
    ev.Placed: lambda e: pb.Event(placed=pb.Placed(seat=e.seat, country=e.country, chips=e.chips)),
    ev.PhaseChanged: lambda e: pb.Event(
        phase_changed=pb.PhaseChanged(seat=e.seat, phase=phase_to_message(e.phase))
    ),
    ev.Attacked: lambda e: pb.Event(attacked=_attacked(e)),
    ev.Conquered: lambda e: pb.Event(
        conquered=pb.Conquered(
            seat=e.seat, source=e.source, target=e.target, chips=e.chips, loser=e.loser
        )
    ),
    ev.Invaded: lambda e: pb.Event(
        invaded=pb.Invaded(seat=e.seat, source=e.source, target=e.target, chips=e.chips)
    ),
    ev.Eliminated: lambda e: pb.Event(
        eliminated=pb.Eliminated(
            seat=e.seat, conqueror=e.conqueror, cards_returned=e.cards_returned
        )
    ),
    ev.CardsSurrendered: lambda e: pb.Event(
        cards_surrendered=pb.CardsSurrendered(
            giver=e.giver, taker=e.taker, size=e.size, cards=card_names(e.cards)
        )
    ),
    ev.Adjusted: lambda e: pb.Event(
        adjusted=pb.Adjusted(seat=e.seat, source=e.source, target=e.target, chips=e.chips)
    ),
    ev.CardDrawn: lambda e: pb.Event(
        card_drawn=pb.CardDrawn(seat=e.seat, card="" if e.card is None else CARD_NAMES[e.card])
    ),
    ev.TurnPassed: lambda e: pb.Event(
        turn_passed=pb.TurnPassed(seat=e.seat, next_seat=e.next_seat)
    ),
    ev.SeatForfeited: lambda e: pb.Event(
        seat_forfeited=pb.SeatForfeited(
            seat=e.seat,
            termination=_TERMINATIONS[e.termination],
            cards_returned=e.cards_returned,
        )
    ),
    ev.MatchEnded: lambda e: pb.Event(
        match_ended=pb.MatchEnded(result=result_to_message(e.result))
    ),
}

_FROM_MESSAGE: dict[str, Callable[[Any], ev.Event]] = {
    "dealt": lambda m: ev.Dealt(
        tuple(hand.size for hand in m.hands), tuple(card_numbers(hand.cards) for hand in m.hands)
    ),
    "claimed": lambda m: ev.Claimed(m.seat, CARD_NUMBERS[m.card], m.country),
    "turned_neutral": lambda m: ev.TurnedNeutral(tuple(m.countries)),
    "deck_shuffled": lambda _: ev.DeckShuffled(),
    "order_rolled": lambda m: ev.OrderRolled(tuple((r.seat, tuple(r.dice)) for r in m.rolls)),
    "order_set": lambda m: ev.OrderSet(tuple(m.order)),
    "turn_began": lambda m: ev.TurnBegan(
        m.seat, m.round, m.country_chips, m.continent_chips, m.pool
    ),
    "redeemed": lambda m: ev.Redeemed(m.seat, card_numbers(m.cards), m.set_number, m.pool),
    "placed": lambda m: ev.Placed(m.seat, m.country, m.chips),
    "phase_changed": lambda m: ev.PhaseChanged(m.seat, Phase(m.phase)),
    "attacked": lambda m: ev.Attacked(
        m.seat,
        m.source,
        m.target,
        _optional(m, "defender"),
        tuple(m.attacker_dice),
        tuple(m.defender_dice),
        m.attacker_losses,
        m.defender_losses,
    ),
    "conquered": lambda m: ev.Conquered(m.seat, m.source, m.target, m.chips, _optional(m, "loser")),
    "invaded": lambda m: ev.Invaded(m.seat, m.source, m.target, m.chips),
    "eliminated": lambda m: ev.Eliminated(m.seat, m.conqueror, m.cards_returned),
    "cards_surrendered": lambda m: ev.CardsSurrendered(
        m.giver, m.taker, m.size, card_numbers(m.cards)
    ),
    "adjusted": lambda m: ev.Adjusted(m.seat, m.source, m.target, m.chips),
    "card_drawn": lambda m: ev.CardDrawn(m.seat, CARD_NUMBERS[m.card] if m.card else None),
    "turn_passed": lambda m: ev.TurnPassed(m.seat, m.next_seat),
    "seat_forfeited": lambda m: ev.SeatForfeited(
        m.seat, _TERMINATION_OF[m.termination], m.cards_returned
    ),
    "match_ended": lambda m: ev.MatchEnded(result_from_message(m.result)),
}


def event_to_message(event: ev.Event) -> pb.Event:
    """An event as a message."""
    return _TO_MESSAGE[type(event)](event)


def event_from_message(message: pb.Event) -> ev.Event:
    """An event back from its message."""
    kind = message.WhichOneof("kind")
    if kind is None:
        msg = "a stored event has no kind"
        raise ValueError(msg)
    return _FROM_MESSAGE[kind](getattr(message, kind))

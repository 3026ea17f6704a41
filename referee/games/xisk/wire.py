"""Protobuf and domain of XISK, both ways.

What lives here: settings, actions and legal actions, and ``XiskWire``, which gathers them with
events (``wire_events.py``), states and observations (``wire_views.py``). What must not live here:
rules. What a client sends is checked for being readable: unknown countries and cards are refused
here, a readable action that breaks a rule is left to the rules. Counts are passed on as they are,
never clipped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from referee._gen.xisk.v1 import xisk_pb2 as pb
from referee.errors import InvalidActionError, InvalidSettingsError
from referee.games.xisk.rules.actions import (
    END_ATTACK,
    END_TURN,
    Action,
    Adjust,
    Attack,
    Claim,
    EndAttack,
    EndTurn,
    Invade,
    Place,
    Redeem,
)
from referee.games.xisk.rules.adjust import adjust_pairs
from referee.games.xisk.rules.attack import attack_pairs
from referee.games.xisk.rules.events import Event
from referee.games.xisk.rules.notation import read_card, read_country, shown
from referee.games.xisk.rules.observation import Observation
from referee.games.xisk.rules.setup import claimable
from referee.games.xisk.rules.state import Phase, Settings, State
from referee.games.xisk.rules.supply import placeable, redeemable
from referee.games.xisk.rules.world import WORLDS
from referee.games.xisk.wire_events import (
    card_names,
    card_numbers,
    event_from_message,
    event_to_message,
)
from referee.games.xisk.wire_views import (
    observation_from_message,
    observation_to_message,
    state_from_bytes,
    state_to_bytes,
)

_READ: dict[str, Callable[[Any], Action]] = {
    "claim": lambda m: Claim(read_country(m.country, "claim.country")),
    "redeem": lambda m: Redeem(_read_cards(m.cards)),
    "place": lambda m: Place(read_country(m.country, "place.country"), m.chips),
    "attack": lambda m: Attack(*_read_pair(m, "attack")),
    "invade": lambda m: Invade(m.chips),
    "end_attack": lambda _: END_ATTACK,
    "adjust": lambda m: Adjust(*_read_pair(m, "adjust"), m.chips),
    "end_turn": lambda _: END_TURN,
}


def settings_from_message(message: pb.Settings) -> Settings:
    """Read settings; a missing or default field takes the game's default.

    Raises:
        InvalidSettingsError: The map is unknown.
    """
    map_id = message.map_id or Settings().map_id
    if map_id not in WORLDS:
        text = f"there is no map {shown(map_id)}; maps are {', '.join(WORLDS)}."
        raise InvalidSettingsError("map_id", text)
    return Settings(map_id, message.round_limit)


def action_from_message(message: pb.Action) -> Action:
    """Read an action.

    Raises:
        InvalidActionError: No kind is set, or a country or card is unknown.
    """
    kind = message.WhichOneof("kind")
    if kind is None:
        text = f"no kind of action is set; set one of {', '.join(_READ)}."
        raise InvalidActionError("action", text)
    return _READ[kind](getattr(message, kind))


def _read_cards(names: Sequence[str]) -> tuple[int, ...]:
    """Card numbers, put in claim order; how many and which is for the rules to judge (xisk/10)."""
    return tuple(sorted(read_card(name, "redeem.cards") for name in names))


def _read_pair(message: pb.Attack | pb.Adjust, kind: str) -> tuple[str, str]:
    source = read_country(message.source, f"{kind}.source")
    return source, read_country(message.target, f"{kind}.target")


def action_to_message(action: Action) -> pb.Action:
    """An action as a message."""
    match action:
        case Place(country, chips):
            return pb.Action(place=pb.Place(country=country, chips=chips))
        case Attack(source, target):
            return pb.Action(attack=pb.Attack(source=source, target=target))
        case Invade(chips):
            return pb.Action(invade=pb.Invade(chips=chips))
        case EndAttack():
            return pb.Action(end_attack=pb.EndAttack())
        case Adjust(source, target, chips):
            return pb.Action(adjust=pb.Adjust(source=source, target=target, chips=chips))
        case EndTurn():
            return pb.Action(end_turn=pb.EndTurn())
        case Redeem(cards):
            return pb.Action(redeem=pb.Redeem(cards=card_names(cards)))
        case Claim(country):
            return pb.Action(claim=pb.Claim(country=country))


def legal_actions_to_message(state: State, seat: int) -> pb.LegalActions:
    """The legal actions of a seat, compact; empty if it is not to move."""
    if seat != state.mover:
        return pb.LegalActions()
    ids = WORLDS[state.map_id].ids
    match state.phase:
        case Phase.CLAIM:
            return pb.LegalActions(claim_countries=[ids[number] for number in claimable(state)])
        case Phase.SUPPLY | Phase.CONQUEST_SUPPLY:
            pool = placeable(state)
            owned = [ids[at] for at, owner in enumerate(state.owners) if owner == seat]
            return pb.LegalActions(
                redeem_sets=[pb.CardSet(cards=card_names(cards)) for cards in redeemable(state)],
                place_countries=owned if pool else (),
                place_max=pool,
            )
        case Phase.INVADE:
            return pb.LegalActions(invade_max=state.chips[state.source] - 1)
        case Phase.ATTACK:
            message = pb.LegalActions(end_attack=True)
            for source, targets in _by_source(attack_pairs(state)).items():
                message.attacks.add(source=ids[source], targets=[ids[target] for target in targets])
            return message
        case Phase.ADJUST:
            message = pb.LegalActions(end_turn=True)
            for source, targets in _by_source(adjust_pairs(state)).items():
                message.adjusts.add(
                    source=ids[source],
                    targets=[ids[target] for target in targets],
                    max_chips=state.chips[source] - 1,
                )
            return message
    return pb.LegalActions()


def _by_source(pairs: list[tuple[int, int]]) -> dict[int, list[int]]:
    """Targets by source."""
    grouped: dict[int, list[int]] = {}
    for source, target in pairs:
        grouped.setdefault(source, []).append(target)
    return grouped


def legal_actions_from_message(message: pb.LegalActions) -> Sequence[Action]:
    """The full list that a compact form stands for."""
    legal: list[Action] = [Claim(country) for country in message.claim_countries]
    legal += [Redeem(card_numbers(cards.cards)) for cards in message.redeem_sets]
    counts = range(1, message.place_max + 1)
    legal += [Place(country, chips) for country in message.place_countries for chips in counts]
    legal += [Attack(each.source, target) for each in message.attacks for target in each.targets]
    if message.HasField("invade_max"):
        legal += [Invade(chips) for chips in range(message.invade_max + 1)]
    if message.end_attack:
        legal.append(END_ATTACK)
    for each in message.adjusts:
        counts = range(1, each.max_chips + 1)
        legal += [Adjust(each.source, target, chips) for target in each.targets for chips in counts]
    if message.end_turn:
        legal.append(END_TURN)
    return legal


class XiskWire:
    """Protobuf and domain of XISK; fulfils ``plugin.Wire``."""

    __slots__ = ()

    def settings_from_message(self, message: Any) -> Settings:
        """Read settings.

        Raises:
            InvalidSettingsError: The map is unknown.
        """
        return settings_from_message(message)

    def settings_to_message(self, settings: Settings) -> pb.Settings:
        """Settings as a message, every field spelled out."""
        return pb.Settings(map_id=settings.map_id, round_limit=settings.round_limit)

    def action_from_message(self, message: Any) -> Action:
        """Read an action.

        Raises:
            InvalidActionError: A part is missing or unknown.
        """
        return action_from_message(message)

    def action_to_message(self, action: Action) -> pb.Action:
        """An action as a message."""
        return action_to_message(action)

    def event_to_message(self, event: Event) -> pb.Event:
        """An event as a message."""
        return event_to_message(event)

    def event_from_message(self, message: Any) -> Event:
        """An event back from its message."""
        return event_from_message(message)

    def observation_to_message(self, observation: Observation) -> pb.Observation:
        """An observation as a message."""
        return observation_to_message(observation)

    def observation_from_message(self, message: Any) -> Observation:
        """An observation back from its message."""
        return observation_from_message(message)

    def legal_actions_to_message(self, state: State, seat: int) -> pb.LegalActions:
        """The legal actions of a seat, compact."""
        return legal_actions_to_message(state, seat)

    def legal_actions_from_message(self, message: Any) -> Sequence[Action]:
        """The full list that a compact form stands for."""
        return legal_actions_from_message(message)

    def state_to_bytes(self, state: State) -> bytes:
        """The whole state; equal states give equal bytes."""
        return state_to_bytes(state)

    def state_from_bytes(self, data: bytes) -> State:
        """A state back from its bytes."""
        return state_from_bytes(data)

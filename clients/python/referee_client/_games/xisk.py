"""XISK for the client: the full list of legal actions, and actions as text.

What lives here: the expansion of the compact form, and the notation of xisk/30, such as
``attack:alaska>kamchatka``. What must not live here: whether an action is legal, or which countries
there are; the map belongs to the match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from referee_client._gen.referee.v1.games_pb2 import GameAction
from referee_client._gen.xisk.v1 import xisk_pb2 as pb

_MAX_CHIPS = 2**32 - 1
_RANKS = "AKQJT98765432"
_SUITS = "SHDC"
# xisk/5: the order of claiming.
_CARD_ORDER = {
    rank + suit: at for at, (suit, rank) in enumerate((s, r) for s in _SUITS for r in _RANKS)
}

_COUNTRY = r"([a-z0-9]+(?:-[a-z0-9]+)*)"
_COUNT = r"(0|[1-9][0-9]{0,9})"
_CARD = f"[{_RANKS}][{_SUITS}]"


def expand(compact: pb.LegalActions) -> list[GameAction]:
    """Every action that the compact form stands for, kind by kind."""
    kinds = (_supply(compact), _attack(compact), _adjust(compact))
    return [GameAction(xisk=action) for kind in kinds for action in kind]


def _supply(compact: pb.LegalActions) -> Iterator[pb.Action]:
    for country in compact.claim_countries:
        yield pb.Action(claim=pb.Claim(country=country))
    for card_set in compact.redeem_sets:
        yield pb.Action(redeem=pb.Redeem(cards=card_set.cards))
    for country in compact.place_countries:
        for chips in range(1, compact.place_max + 1):
            yield pb.Action(place=pb.Place(country=country, chips=chips))


def _attack(compact: pb.LegalActions) -> Iterator[pb.Action]:
    for attacker in compact.attacks:
        for target in attacker.targets:
            yield pb.Action(attack=pb.Attack(source=attacker.source, target=target))
    if compact.HasField("invade_max"):
        for chips in range(compact.invade_max + 1):
            yield pb.Action(invade=pb.Invade(chips=chips))
    if compact.end_attack:
        yield pb.Action(end_attack=pb.EndAttack())


def _adjust(compact: pb.LegalActions) -> Iterator[pb.Action]:
    for giver in compact.adjusts:
        for target in giver.targets:
            for chips in range(1, giver.max_chips + 1):
                yield pb.Action(adjust=pb.Adjust(source=giver.source, target=target, chips=chips))
    if compact.end_turn:
        yield pb.Action(end_turn=pb.EndTurn())


def _redeem_text(cards: Iterable[str]) -> str:
    return ",".join(sorted(cards, key=lambda card: _CARD_ORDER.get(card, len(_CARD_ORDER))))


_FORMATS: Mapping[str, Callable[[pb.Action], str]] = {
    "claim": lambda action: f"claim:{action.claim.country}",
    "redeem": lambda action: f"redeem:{_redeem_text(action.redeem.cards)}",
    "place": lambda action: f"place:{action.place.country}:{action.place.chips}",
    "attack": lambda action: f"attack:{action.attack.source}>{action.attack.target}",
    "invade": lambda action: f"invade:{action.invade.chips}",
    "end_attack": lambda _: "end-attack",
    "adjust": lambda action: (
        f"adjust:{action.adjust.source}>{action.adjust.target}:{action.adjust.chips}"
    ),
    "end_turn": lambda _: "end-turn",
}


def format_action(action: pb.Action) -> str:
    """The canonical text of an action; empty for an action without a kind."""
    kind = action.WhichOneof("kind")
    return _FORMATS[kind](action) if kind else ""


_PARSERS: tuple[tuple[re.Pattern[str], Callable[..., pb.Action]], ...] = tuple(
    (re.compile(pattern, re.ASCII), build)
    for pattern, build in (
        (f"claim:{_COUNTRY}", lambda country: pb.Action(claim=pb.Claim(country=country))),
        (
            f"redeem:({_CARD}(?:,{_CARD})*)",
            lambda cards: pb.Action(redeem=pb.Redeem(cards=cards.split(","))),
        ),
        (
            f"place:{_COUNTRY}:{_COUNT}",
            lambda country, chips: pb.Action(place=pb.Place(country=country, chips=int(chips))),
        ),
        (
            f"attack:{_COUNTRY}>{_COUNTRY}",
            lambda source, target: pb.Action(attack=pb.Attack(source=source, target=target)),
        ),
        (f"invade:{_COUNT}", lambda chips: pb.Action(invade=pb.Invade(chips=int(chips)))),
        ("end-attack", lambda: pb.Action(end_attack=pb.EndAttack())),
        (
            f"adjust:{_COUNTRY}>{_COUNTRY}:{_COUNT}",
            lambda source, target, chips: pb.Action(
                adjust=pb.Adjust(source=source, target=target, chips=int(chips))
            ),
        ),
        ("end-turn", lambda: pb.Action(end_turn=pb.EndTurn())),
    )
)


def parse_action(text: str) -> GameAction | None:
    """The action of a canonical text, or None when it is none."""
    for pattern, build in _PARSERS:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        if any(part.isdecimal() and int(part) > _MAX_CHIPS for part in match.groups()):
            return None
        action = build(*match.groups())
        # Reading and writing are exact inverses: cards out of order are not canonical.
        return GameAction(xisk=action) if format_action(action) == text else None
    return None

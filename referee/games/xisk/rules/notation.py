"""Actions as canonical text (xisk/30), and back.

What lives here: the one text form that records, logs, tests and people share: ``claim:alaska``,
``redeem:9C,5C,2C``, ``place:alaska:3``, ``attack:alaska>kamchatka``, ``invade:2``, ``end-attack``,
``adjust:alaska>alberta:2``, ``end-turn``. What must not live here: whether an action is legal.
Writing gives one text an action; reading also takes the cards of a set in any order, for people who
type them.
"""

from __future__ import annotations

import re

from referee.errors import InvalidActionError
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
from referee.games.xisk.rules.cards import CARD_NUMBERS, names_of
from referee.games.xisk.rules.world import COUNTRY_IDS

MAX_COUNT = 2**32 - 1
"""Greatest number of chips that text or a message can name; far more than any match holds."""

_SHOWN = 40
_COUNT = re.compile(r"0|[1-9][0-9]{0,9}", re.ASCII)
_FORMS = (
    "claim:C, redeem:K,K,K, place:C:N, attack:C>C, invade:N, end-attack, adjust:C>C:N, end-turn"
)


def format_action(action: Action) -> str:
    """The canonical text of an action."""
    match action:
        case Place():
            return f"place:{action.country}:{action.chips}"
        case Attack():
            return f"attack:{action.source}>{action.target}"
        case Adjust():
            return f"adjust:{action.source}>{action.target}:{action.chips}"
        case Claim():
            return f"claim:{action.country}"
        case Redeem():
            return f"redeem:{names_of(action.cards)}"
        case Invade():
            return f"invade:{action.chips}"
        case EndAttack():
            return "end-attack"
        case EndTurn():
            return "end-turn"


def parse_action(text: str) -> Action:
    """Read the canonical text of an action.

    Raises:
        InvalidActionError: The text is not an action of XISK.
    """
    kind, _, rest = text.partition(":")
    match kind:
        case "claim":
            return Claim(read_country(rest))
        case "redeem":
            return Redeem(_read_cards(rest))
        case "place":
            country, _, count = rest.partition(":")
            return Place(read_country(country), _read_count(count))
        case "attack":
            return Attack(*_read_pair(rest))
        case "invade":
            return Invade(_read_count(rest))
        case "adjust":
            pair, _, count = rest.partition(":")
            return Adjust(*_read_pair(pair), _read_count(count))
    if text == "end-attack":
        return END_ATTACK
    if text == "end-turn":
        return END_TURN
    message = f"{shown(text)} is not an action. Actions look like {_FORMS}."
    raise InvalidActionError("action", message)


def read_country(text: str, field: str = "action") -> str:
    """A country id, checked to be one of some map.

    Raises:
        InvalidActionError: No map has it.
    """
    if text not in COUNTRY_IDS:
        raise InvalidActionError(field, _no_country(text))
    return text


def _no_country(text: str) -> str:
    """What is wrong with a country that no map has, and which one may have been meant."""
    if not text:
        return "say which country, by its id, such as western-united-states."
    # Names as people write them: "Western United States", "ALASKA".
    meant = "-".join(re.findall("[a-z]+", text[:_SHOWN].lower()))
    known = meant in COUNTRY_IDS
    advice = f'did you mean "{meant}"?' if known else "ids look like western-united-states."
    return f"there is no country {shown(text)}; {advice}"


def read_card(text: str, field: str = "action") -> int:
    """A card number from its name.

    Raises:
        InvalidActionError: No card has that name.
    """
    number = CARD_NUMBERS.get(text)
    if number is None:
        message = f"there is no card {shown(text)}; a card is rank and suit, such as TC."
        raise InvalidActionError(field, message)
    return number


def shown(text: str) -> str:
    """What a caller sent, quoted and cut so that an error stays a sentence."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


def _read_cards(text: str) -> tuple[int, ...]:
    """Card numbers in claim order; how many there are is for xisk/10 to judge."""
    return tuple(sorted(read_card(name) for name in text.split(",")))


def _read_pair(text: str) -> tuple[str, str]:
    source, _, target = text.partition(">")
    return read_country(source), read_country(target)


def _read_count(text: str) -> int:
    if not _COUNT.fullmatch(text) or int(text) > MAX_COUNT:
        message = f"{shown(text)} is not a number of chips; write 0 or more, no leading zero."
        raise InvalidActionError("action", message)
    return int(text)


class XiskNotation:
    """Actions as canonical text; fulfils ``plugin.Notation``."""

    __slots__ = ()

    def format_action(self, action: Action) -> str:
        """The canonical text of an action."""
        return format_action(action)

    def parse_action(self, text: str) -> Action:
        """Read the canonical text of an action.

        Raises:
            InvalidActionError: The text is not an action of XISK.
        """
        return parse_action(text)

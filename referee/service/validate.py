"""Checks of requests as plain functions: a readable value, or an error that names the field.

What must not live here: anything that needs the match. Limits are those that the protos' comments
state.
"""

from __future__ import annotations

import re
import unicodedata

from referee._gen.referee.v1 import match_pb2, match_service_pb2
from referee.chance.seed import MAX_NONCE_BYTES, SEED_BYTES
from referee.errors import InvalidRequestError
from referee.match.model import MatchId, MatchState, Visibility
from referee.wire import enums

MAX_NAME = 40
MAX_REQUEST_ID = 64
MAX_PAGE = 100
DEFAULT_PAGE = 20
_MATCH_ID = re.compile(r"[0-9A-Z]{26}", re.ASCII)
_REQUEST_ID = re.compile(rf"[!-~]{{0,{MAX_REQUEST_ID}}}", re.ASCII)
_BAD_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})


def match_id(text: str, field: str = "match_id") -> MatchId:
    """A match id that could exist.

    Raises:
        InvalidRequestError: No match can have this id.
    """
    if not _MATCH_ID.fullmatch(text):
        raise InvalidRequestError(
            field, "is not a match id: 26 capital letters and digits, as CreateMatch gives them."
        )
    return MatchId(text)


def request_id(text: str) -> str:
    """A request id, or nothing.

    Raises:
        InvalidRequestError: It is too long or has other characters than printable ASCII.
    """
    if not _REQUEST_ID.fullmatch(text):
        message = (
            f"takes at most {MAX_REQUEST_ID} printable ASCII characters without space; a UUID is "
            "a good choice."
        )
        raise InvalidRequestError("request_id", message)
    return text


def display_name(text: str) -> str:
    """A name that is safe to show everywhere, or nothing.

    Raises:
        InvalidRequestError: It is too long, blank, or has characters that are not for showing.
    """
    if len(text) > MAX_NAME:
        raise InvalidRequestError(
            "display_name", f"has {len(text)} characters; at most {MAX_NAME} are shown."
        )
    if any(unicodedata.category(one) in _BAD_CATEGORIES for one in text):
        raise InvalidRequestError(
            "display_name", "has control or invisible characters. Use letters, digits and signs."
        )
    if text and not text.strip():
        raise InvalidRequestError(
            "display_name", "is blank. Leave it empty, or give a name that can be seen."
        )
    return text.strip()


def client_nonce(data: bytes) -> bytes:
    """A seat's share of the salt.

    Raises:
        InvalidRequestError: It is too long.
    """
    if len(data) > MAX_NONCE_BYTES:
        raise InvalidRequestError(
            "client_nonce", f"has {len(data)} bytes; at most {MAX_NONCE_BYTES} are mixed in."
        )
    return data


def server_seed(data: bytes) -> bytes:
    """A server seed that an operator names, or nothing.

    Raises:
        InvalidRequestError: It has another size.
    """
    if data and len(data) != SEED_BYTES:
        raise InvalidRequestError("server_seed", f"has {len(data)} bytes; a seed has {SEED_BYTES}.")
    return data


def colour(value: match_pb2.Colour.ValueType) -> str:
    """A colour's word; empty for no wish.

    Raises:
        InvalidRequestError: No such colour.
    """
    if value == match_pb2.COLOUR_UNSPECIFIED:
        return ""
    word = enums.COLOUR_FROM.get(value)
    if word is None:
        raise InvalidRequestError(
            "colour", f"{value} is not a colour. There are: {', '.join(enums.COLOUR_TO)}."
        )
    return word


def visibility(value: match_pb2.Visibility.ValueType) -> Visibility:
    """Who may find a match; public unless said.

    Raises:
        InvalidRequestError: No such visibility.
    """
    if value == match_pb2.VISIBILITY_UNSPECIFIED:
        return Visibility.PUBLIC
    found = enums.VISIBILITY_FROM.get(value)
    if found is None:
        raise InvalidRequestError("visibility", f"{value} is neither public (1) nor private (2).")
    return found


def listed_state(value: match_pb2.MatchState.ValueType) -> MatchState:
    """The state to list; open unless said.

    Raises:
        InvalidRequestError: No such state.
    """
    if value == match_pb2.MATCH_STATE_UNSPECIFIED:
        return MatchState.OPEN
    found = enums.STATE_FROM.get(value)
    if found is None:
        raise InvalidRequestError("state", f"{value} is not a state of a match.")
    return found


def newest_first(value: match_service_pb2.ListMatchesRequest.Order.ValueType) -> bool:
    """Order of a list; newest first unless said.

    Raises:
        InvalidRequestError: No such order.
    """
    request = match_service_pb2.ListMatchesRequest
    if value not in request.Order.values():
        raise InvalidRequestError(
            "order", f"{value} is neither newest first (1) nor oldest first (2)."
        )
    return value != request.ORDER_OLDEST_FIRST


def page_size(value: int) -> int:
    """Matches a page.

    Raises:
        InvalidRequestError: Too many.
    """
    if value > MAX_PAGE:
        raise InvalidRequestError(
            "page_size", f"{value} is too many; a page holds at most {MAX_PAGE}."
        )
    return value or DEFAULT_PAGE


def page_token(text: str) -> MatchId | None:
    """The id after which a page begins; None for the first page.

    Raises:
        InvalidRequestError: It is not a token that a page gave.
    """
    if not text:
        return None
    if not _MATCH_ID.fullmatch(text):
        raise InvalidRequestError(
            "page_token", "is not a token that a page gave. Begin again without one."
        )
    return MatchId(text)

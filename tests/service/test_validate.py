"""Checks of requests: what is readable comes out as a value, what is not names its field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee._gen.referee.v1 import match_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.errors import InvalidRequestError
from referee.match.model import MatchState, Visibility
from referee.service import validate
from referee.wire import enums

ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
Order = pb.ListMatchesRequest

READABLE: list[tuple[Callable[[Any], Any], Any, Any]] = [
    (validate.match_id, ID, ID),
    (validate.request_id, "", ""),
    (validate.request_id, "r" * 64, "r" * 64),
    (validate.request_id, "!~", "!~"),
    (validate.display_name, "", ""),
    (validate.display_name, " Ann ", "Ann"),
    (validate.display_name, "n" * 40, "n" * 40),
    (validate.display_name, "Zoë 李 🎲", "Zoë 李 🎲"),
    (validate.client_nonce, b"", b""),
    (validate.client_nonce, b"n" * 64, b"n" * 64),
    (validate.server_seed, b"", b""),
    (validate.server_seed, b"s" * 32, b"s" * 32),
    (validate.colour, match_pb2.COLOUR_UNSPECIFIED, ""),
    (validate.colour, match_pb2.COLOUR_RED, "red"),
    (validate.visibility, match_pb2.VISIBILITY_UNSPECIFIED, Visibility.PUBLIC),
    (validate.visibility, match_pb2.VISIBILITY_PRIVATE, Visibility.PRIVATE),
    (validate.listed_state, match_pb2.MATCH_STATE_UNSPECIFIED, MatchState.OPEN),
    (validate.listed_state, match_pb2.MATCH_STATE_ENDED, MatchState.ENDED),
    (validate.newest_first, Order.ORDER_UNSPECIFIED, True),
    (validate.newest_first, Order.ORDER_NEWEST_FIRST, True),
    (validate.newest_first, Order.ORDER_OLDEST_FIRST, False),
    (validate.page_size, 0, 20),
    (validate.page_size, 1, 1),
    (validate.page_size, 100, 100),
    (validate.page_token, "", None),
    (validate.page_token, ID, ID),
]
UNREADABLE: list[tuple[Callable[[Any], Any], Any]] = [
    (validate.match_id, ""),
    (validate.match_id, ID[:-1]),
    (validate.match_id, ID.lower()),
    (validate.match_id, ID + "\n"),
    (validate.match_id, "٣" * 26),
    (validate.request_id, "r" * 65),
    (validate.request_id, "a b"),
    (validate.request_id, "é"),
    (validate.request_id, "a\n"),
    (validate.display_name, "n" * 41),
    (validate.display_name, " "),
    (validate.display_name, "a\x7fb"),
    (validate.display_name, "a\u2066b"),
    (validate.display_name, "a\ue000b"),
    (validate.display_name, "a\uffffb"),
    (validate.client_nonce, b"n" * 65),
    (validate.server_seed, b"s"),
    (validate.server_seed, b"s" * 33),
    (validate.colour, 99),
    (validate.colour, -1),
    (validate.visibility, 3),
    (validate.listed_state, 5),
    (validate.newest_first, 3),
    (validate.page_size, 101),
    (validate.page_token, "x"),
]


def shown(value: Any) -> str:
    """A short name for a case."""
    return value.__name__ if callable(value) else repr(value)[:30]


@pytest.mark.parametrize(("check", "given_value", "expected"), READABLE, ids=shown)
def test_a_readable_value_comes_out(check, given_value, expected):
    assert expected == check(given_value)


@pytest.mark.parametrize(("check", "given_value"), UNREADABLE, ids=shown)
def test_an_unreadable_value_names_its_field(check, given_value):
    with pytest.raises(InvalidRequestError) as caught:
        check(given_value)
    fields = {"listed_state": "state", "newest_first": "order"}
    assert fields.get(check.__name__, check.__name__) == caught.value.field
    assert caught.value.message.isprintable()


def test_a_match_id_inside_another_field_names_that_field():
    with pytest.raises(InvalidRequestError) as caught:
        validate.match_id("x", "open_seat.match_id")
    assert "open_seat.match_id" == caught.value.field


@given(st.text(max_size=60))
def test_a_name_that_passes_can_be_shown_on_one_line(text):
    try:
        name = validate.display_name(text)
    except InvalidRequestError:
        return
    assert name == name.strip()
    assert len(name) <= 40
    assert 1 >= len(name.splitlines())
    assert name == validate.display_name(name)


def test_every_colour_of_the_contract_can_be_wished_for():
    words = [validate.colour(number) for number in match_pb2.Colour.values() if number]
    assert sorted(enums.COLOUR_TO) == sorted(words)

"""Seat tokens and join codes: what was signed is read back, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import InvalidRequestError, UnauthenticatedError
from referee.match.claim import SeatClaim
from referee.match.model import MatchId
from referee.service.tokens import Tokens

TOKENS = Tokens(bytes(range(32)))
MATCH = MatchId("01ARZ3NDEKTSV4RRFFQ69G5FAV")
CLAIM = SeatClaim(MATCH, 1, 3)
ids = st.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", min_size=26, max_size=26).map(MatchId)


@given(ids, st.integers(0, 99), st.integers(1, 999_999_999))
def test_a_token_gives_its_claim_back(match_id, seat, joined_version):
    claim = SeatClaim(match_id, seat, joined_version)
    assert claim == TOKENS.claim(TOKENS.seat_token(claim))


@given(ids, st.integers(0, 99))
def test_a_join_code_gives_its_seat_back(match_id, seat):
    assert (match_id, seat) == TOKENS.invitation(TOKENS.join_code(match_id, seat))


def test_the_same_facts_give_the_same_token_in_every_process():
    assert TOKENS.seat_token(CLAIM) == Tokens(bytes(range(32))).seat_token(CLAIM)
    assert TOKENS.join_code(MATCH, 1) == Tokens(bytes(range(32))).join_code(MATCH, 1)


def test_a_token_of_another_key_is_refused():
    other = Tokens(bytes(32))
    with pytest.raises(UnauthenticatedError):
        TOKENS.claim(other.seat_token(CLAIM))
    with pytest.raises(InvalidRequestError):
        TOKENS.invitation(other.join_code(MATCH, 1))


@given(st.integers(0, 200), st.characters(codec="ascii"))
def test_a_token_with_one_other_character_is_refused(position, new):
    good = TOKENS.seat_token(CLAIM)
    at = position % len(good)
    if good[at] == new:
        assert CLAIM == TOKENS.claim(good)
        return
    with pytest.raises(UnauthenticatedError):
        TOKENS.claim(good[:at] + new + good[at + 1 :])


@given(st.text(max_size=80))
def test_whatever_else_is_no_token_and_no_code(text):
    with pytest.raises(UnauthenticatedError):
        TOKENS.claim(text)
    with pytest.raises(InvalidRequestError):
        TOKENS.invitation(text)


def test_a_token_that_was_refused_is_refused_again_and_a_good_one_stays_good():
    good = TOKENS.seat_token(CLAIM)
    for _ in range(2):
        assert CLAIM == TOKENS.claim(good)
        with pytest.raises(UnauthenticatedError):
            TOKENS.claim(good + "A")


def test_a_seat_taken_again_has_another_token():
    again = SeatClaim(MATCH, 1, 5)
    assert TOKENS.seat_token(CLAIM) != TOKENS.seat_token(again)


def test_a_code_can_not_pass_for_a_token_nor_a_token_for_a_code():
    code_mac = TOKENS.join_code(MATCH, 1).rsplit("-", 1)[1]
    token_mac = TOKENS.seat_token(CLAIM).rsplit(".", 1)[1]
    assert not token_mac.startswith(code_mac)
    with pytest.raises(UnauthenticatedError):
        TOKENS.claim(TOKENS.join_code(MATCH, 1))
    with pytest.raises(InvalidRequestError):
        TOKENS.invitation(TOKENS.seat_token(CLAIM))


@pytest.mark.parametrize("size", [0, 16, 31, 33])
def test_a_key_has_32_bytes(size):
    with pytest.raises(ValueError, match="32 bytes"):
        Tokens(bytes(size))

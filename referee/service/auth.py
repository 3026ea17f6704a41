"""Who is calling: what ``authorization: Bearer <token>`` proves."""

from __future__ import annotations

import hmac
from typing import Any

import grpc

from referee.errors import PermissionDeniedError, UnauthenticatedError
from referee.match.claim import SeatClaim
from referee.match.model import MatchId
from referee.service.tokens import Tokens

_SCHEME = "bearer "


class Auth:
    """Reads callers' tokens."""

    def __init__(self, tokens: Tokens, operator_token: str) -> None:
        self._tokens = tokens
        self._operator_token = operator_token

    def seat(self, context: grpc.aio.ServicerContext[Any, Any], match_id: MatchId) -> SeatClaim:
        """The caller's seat in a match.

        Raises:
            UnauthenticatedError: No token, or one that proves nothing.
            PermissionDeniedError: A good token for another match.
        """
        claim = self.seat_or_public(context, match_id)
        if claim is None:
            message = (
                "This call is for a seat. Send `authorization: Bearer <seat token>`, as "
                "JoinMatch gave it."
            )
            raise UnauthenticatedError(message, missing=True)
        return claim

    def seat_or_public(
        self, context: grpc.aio.ServicerContext[Any, Any], match_id: MatchId
    ) -> SeatClaim | None:
        """The caller's seat in a match, or None for a caller without a token.

        Raises:
            UnauthenticatedError: A token that proves nothing.
            PermissionDeniedError: A good token for another match.
        """
        token = _bearer(context)
        if token is None or self._is_operator(token):
            return None
        return self.claim(token, match_id)

    def claim(self, token: str, match_id: MatchId) -> SeatClaim:
        """The seat that a token proves.

        Raises:
            UnauthenticatedError: A token that proves nothing.
            PermissionDeniedError: A good token for another match.
        """
        claim = self._tokens.claim(token)
        if claim.match_id != match_id:
            message = (
                "This seat token is for another match. Send the token that this match's "
                "JoinMatch gave."
            )
            raise PermissionDeniedError(message)
        return claim

    def require_operator(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        """Let only an operator pass.

        Raises:
            UnauthenticatedError: No token, or one that proves nothing.
            PermissionDeniedError: A seat's token.
        """
        token = _bearer(context)
        if token is None:
            message = "Only an operator may do this. Send `authorization: Bearer <operator token>`."
            raise UnauthenticatedError(message, missing=True)
        if not self._is_operator(token):
            self._tokens.claim(token)
            message = "Only an operator may do this; a seat's token is not enough."
            raise PermissionDeniedError(message)

    def _is_operator(self, token: str) -> bool:
        ours = self._operator_token
        return bool(ours) and hmac.compare_digest(ours.encode(), token.encode())


def _bearer(context: grpc.aio.ServicerContext[Any, Any]) -> str | None:
    """The caller's token, or None where there is no authorization at all.

    Raises:
        UnauthenticatedError: Authorization of another scheme.
    """
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            text = value if isinstance(value, str) else value.decode("ascii", "replace")
            if text[: len(_SCHEME)].lower() != _SCHEME:
                message = "Authorization must read `Bearer <token>`."
                raise UnauthenticatedError(message)
            return text[len(_SCHEME) :].strip()
    return None

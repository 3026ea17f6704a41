"""The whole error tree of the referee, and the reasons it gives.

What lives here: every error that a caller of the service can be shown, each with a stable
``reason``, a sentence that says what to do next, and metadata for programs. What must not live
here: status codes (``service/status.py`` has the one table) and anything that imports a transport.

::

    RefereeError
    ├── InvalidRequestError          can't be read, or is out of range; names the field
    │   ├── InvalidActionError       an action that can't be read (no such country, no such square)
    │   └── InvalidSettingsError     settings that no match could be played with
    ├── IllegalActionError           readable, but against a rule; names the rule
    ├── NotYourTurnError             another seat is to move
    ├── MatchOverError               the match has ended
    ├── MatchNotStartedError         seats are still open
    ├── MatchAlreadyStartedError     too late to join or leave
    ├── SeatTakenError               somebody sits there
    ├── ColourTakenError             another seat has that colour
    ├── FlagFellError                the seat's time was over; says whose and since when
    ├── StaleVersionError            the match has moved on; says to where
    ├── RequestIdReusedError         that request id was used for something else
    ├── NotFoundError
    │   ├── MatchNotFoundError
    │   └── UnknownGameError
    ├── UnauthenticatedError         no token, or one that proves nothing
    ├── PermissionDeniedError        a good token, for something else
    ├── LimitExceededError           a quota; says when to try again
    ├── DeadlineError                the caller's deadline passed first
    └── UnavailableError             safe to retry
        ├── StoreUnavailableError    Redis can't be reached
        │   └── NewerFormatError     a later release wrote what was asked for
        ├── ContendedError           too many change one match at once
        ├── SlowReaderError          a stream that its client does not read
        └── DrainingError            this process is going away

An *invalid* request can't be read; an *illegal* action can, and breaks a rule. The two never mix.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Reason(StrEnum):
    """Stable, machine-readable reasons; the same names as ``referee.v1.ErrorReason``."""

    INVALID_REQUEST = "INVALID_REQUEST"
    INVALID_ACTION = "INVALID_ACTION"
    INVALID_SETTINGS = "INVALID_SETTINGS"
    ILLEGAL_ACTION = "ILLEGAL_ACTION"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    MATCH_OVER = "MATCH_OVER"
    MATCH_NOT_STARTED = "MATCH_NOT_STARTED"
    MATCH_ALREADY_STARTED = "MATCH_ALREADY_STARTED"
    SEAT_TAKEN = "SEAT_TAKEN"
    COLOUR_TAKEN = "COLOUR_TAKEN"
    FLAG_FELL = "FLAG_FELL"
    STALE_VERSION = "STALE_VERSION"
    REQUEST_ID_REUSED = "REQUEST_ID_REUSED"
    MATCH_NOT_FOUND = "MATCH_NOT_FOUND"
    UNKNOWN_GAME = "UNKNOWN_GAME"
    TOKEN_MISSING = "TOKEN_MISSING"  # noqa: S105 - a reason, not a secret
    TOKEN_INVALID = "TOKEN_INVALID"  # noqa: S105 - a reason, not a secret
    PERMISSION_DENIED = "PERMISSION_DENIED"
    LIMIT_EXCEEDED = "LIMIT_EXCEEDED"
    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
    CONTENDED = "CONTENDED"
    SLOW_READER = "SLOW_READER"
    DRAINING = "DRAINING"
    DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"


class RefereeError(Exception):
    """Base of all that a caller may be shown.

    Attributes:
        reason: The stable reason.
        message: One or two sentences for a person: what is wrong and what to do next.
        metadata: Facts for programs, all strings. Never holds a secret.
    """

    reason: Reason

    def __init__(self, message: str, **metadata: str) -> None:
        super().__init__(message)
        self.message = message
        self.metadata: Mapping[str, str] = metadata


class InvalidRequestError(RefereeError):
    """A request that can't be read or holds a value out of range."""

    reason = Reason.INVALID_REQUEST

    def __init__(self, field: str, message: str, **metadata: str) -> None:
        super().__init__(f"{field}: {message}", field=field, **metadata)
        self.field = field
        self.description = message


class InvalidActionError(InvalidRequestError):
    """An action that can't be read: an unknown country, card or square, a missing part."""

    reason = Reason.INVALID_ACTION


class InvalidSettingsError(InvalidRequestError):
    """Settings that no match of this game could be played with."""

    reason = Reason.INVALID_SETTINGS


class IllegalActionError(RefereeError):
    """A readable action that breaks a rule.

    Attributes:
        rule: The rule's number in the game's manual, such as ``xisk/14``.
    """

    reason = Reason.ILLEGAL_ACTION

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message, rule=rule)
        self.rule = rule


class NotYourTurnError(RefereeError):
    """Another seat is to move."""

    reason = Reason.NOT_YOUR_TURN


class MatchOverError(RefereeError):
    """The match has ended; nothing moves it any more."""

    reason = Reason.MATCH_OVER


class MatchNotStartedError(RefereeError):
    """The match still waits for seats to be taken."""

    reason = Reason.MATCH_NOT_STARTED


class MatchAlreadyStartedError(RefereeError):
    """Joining and leaving are over once the match has started."""

    reason = Reason.MATCH_ALREADY_STARTED


class SeatTakenError(RefereeError):
    """Somebody sits there already."""

    reason = Reason.SEAT_TAKEN


class ColourTakenError(RefereeError):
    """Another seat has that colour, or the seat's colour is fixed by the game."""

    reason = Reason.COLOUR_TAKEN


class FlagFellError(RefereeError):
    """The seat's time was over before the call came; what that leads to is committed.

    Attributes:
        seat: The seat whose flag fell.
    """

    reason = Reason.FLAG_FELL

    def __init__(self, seat: int, deadline: int) -> None:
        super().__init__(
            f"The time of seat {seat} was over before this call came. Nothing of it counts; read "
            "what happened since.",
            seat=str(seat),
            deadline_ms=str(deadline),
        )
        self.seat = seat


class StaleVersionError(RefereeError):
    """The match has moved on since the version that the caller named."""

    reason = Reason.STALE_VERSION

    def __init__(self, expected: int, current: int) -> None:
        super().__init__(
            f"The match is at version {current}, not {expected}. Read what happened since, "
            "then decide again.",
            expected_version=str(expected),
            current_version=str(current),
        )
        self.current = current


class RequestIdReusedError(RefereeError):
    """A request id that has stood for a different request of the same seat."""

    reason = Reason.REQUEST_ID_REUSED


class NotFoundError(RefereeError):
    """Something that was named does not exist."""


class MatchNotFoundError(NotFoundError):
    """No such match, or its record's time is over."""

    reason = Reason.MATCH_NOT_FOUND


class UnknownGameError(NotFoundError):
    """No such game; the message lists those that exist."""

    reason = Reason.UNKNOWN_GAME


class UnauthenticatedError(RefereeError):
    """No token where one is needed, or one that proves nothing."""

    reason = Reason.TOKEN_INVALID

    def __init__(self, message: str, *, missing: bool = False) -> None:
        super().__init__(message)
        if missing:
            self.reason = Reason.TOKEN_MISSING


class PermissionDeniedError(RefereeError):
    """A good token, but for another match, another seat or a lesser role."""

    reason = Reason.PERMISSION_DENIED


class LimitExceededError(RefereeError):
    """A quota is used up.

    Attributes:
        retry_after: Seconds after which trying again makes sense.
    """

    reason = Reason.LIMIT_EXCEEDED

    def __init__(self, message: str, *, retry_after: float, **metadata: str) -> None:
        super().__init__(message, **metadata)
        self.retry_after = retry_after


class DeadlineError(RefereeError):
    """The caller's deadline passed before the answer was ready."""

    reason = Reason.DEADLINE_EXCEEDED


class UnavailableError(RefereeError):
    """The referee can't answer now; the same request may be sent again safely."""

    retry_after: float = 0.5


class StoreUnavailableError(UnavailableError):
    """Redis can't be reached or refuses writes."""

    reason = Reason.STORE_UNAVAILABLE


class NewerFormatError(StoreUnavailableError):
    """A later release wrote what was asked for; a process of that release can answer."""


class ContendedError(UnavailableError):
    """Too many requests change the same match at the same moment."""

    reason = Reason.CONTENDED


class SlowReaderError(UnavailableError):
    """A client does not read what its stream brings; it may come back from where it was."""

    reason = Reason.SLOW_READER


class DrainingError(UnavailableError):
    """This process is shutting down; another one will take the call."""

    reason = Reason.DRAINING

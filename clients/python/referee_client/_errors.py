"""Every error that the client raises, as one tree.

What lives here: the classes. What must not live here: how an answer of the referee becomes one
(``_status.py``), and which are tried again (``_retry.py``).

::

    RefereeError
    ├── InvalidRequestError          can't be read, or is out of range; .field
    │   ├── InvalidActionError       an action that can't be read
    │   └── InvalidSettingsError     settings that no match can be played with
    ├── IllegalActionError           readable, but against a rule; .rule
    ├── NotYourTurnError             another seat is to move; .to_move
    ├── MatchOverError               the match has ended
    ├── MatchNotStartedError         seats are still open
    ├── MatchAlreadyStartedError     too late to join or leave
    ├── SeatTakenError               somebody sits there
    ├── ColourTakenError             another seat has that colour; .rule
    ├── FlagFellError                the seat's time was over; .seat
    ├── StaleVersionError            the match has moved on; .current_version
    ├── RequestIdReusedError         that request id was used for something else
    ├── NotFoundError
    │   ├── MatchNotFoundError
    │   └── UnknownGameError         .games lists those there are
    ├── UnauthenticatedError         no token, or one that proves nothing
    ├── PermissionDeniedError        a good token, for something else
    ├── LimitExceededError           a quota is used up; .retry_after
    ├── UnavailableError             no referee can be reached, even after retries; .retry_after
    │   ├── StoreUnavailableError    it can't reach its store
    │   ├── ContendedError           others changed the match again and again meanwhile
    │   ├── SlowReaderError          this side did not read its stream
    │   └── DrainingError            it is going away
    ├── DeadlineExceededError        no answer in time, even after retries
    └── ProtocolError                the referee broke its contract
        └── GapError                 a stream of events left out a version; .expected, .received

A reason that this edition does not know gives a plain ``RefereeError`` with its ``reason`` and
``code``.
"""

from __future__ import annotations

from collections.abc import Mapping

import grpc


class RefereeError(Exception):
    """Base of all errors of this package.

    ::

        try:
            await seat.submit(action, expected_version=version)
        except IllegalActionError as error:
            print(f"{error.rule}: {error.message}")
        except RefereeError as error:
            print(error.code, error.reason, error.message)

    Attributes:
        message: What is wrong and what to do next, for a person.
        code: The gRPC status code; None when the error was found on this side.
        reason: The stable reason, such as ``ILLEGAL_ACTION``; empty when none was given.
        metadata: Facts for programs.
        retry_after: Seconds after which the referee asks to try again; None when it says nothing.
        tries: How often the request was sent before this error was raised.
    """

    def __init__(
        self,
        message: str,
        *,
        code: grpc.StatusCode | None = None,
        reason: str = "",
        metadata: Mapping[str, str] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.reason = reason
        self.metadata: Mapping[str, str] = dict(metadata or {})
        self.retry_after = retry_after
        self.tries = 1


class InvalidRequestError(RefereeError):
    """A request can't be read, or holds a value out of range."""

    @property
    def field(self) -> str:
        """The field at fault, such as ``settings.xisk.map_id``; empty when it was not named."""
        return self.metadata.get("field", "")


class InvalidActionError(InvalidRequestError):
    """An action can't be read: no such country, card or square, or a part is missing."""


class InvalidSettingsError(InvalidRequestError):
    """No match can be played with these settings."""


class IllegalActionError(RefereeError):
    """A readable action breaks a rule."""

    @property
    def rule(self) -> str:
        """The rule's number in the game's manual, such as ``xisk/14``."""
        return self.metadata.get("rule", "")


class NotYourTurnError(RefereeError):
    """Another seat is to move."""

    @property
    def to_move(self) -> tuple[int, ...]:
        """Seats whose action is awaited; empty when they were not named."""
        listed = self.metadata.get("to_move", "").replace(",", " ").split()
        return tuple(int(seat) for seat in listed if seat.isdecimal())


class MatchOverError(RefereeError):
    """The match has ended; nothing moves it any more."""


class MatchNotStartedError(RefereeError):
    """Seats of the match are still open."""


class MatchAlreadyStartedError(RefereeError):
    """Joining and leaving end when the match starts."""


class SeatTakenError(RefereeError):
    """Somebody sits there, or no seat is open."""


class ColourTakenError(RefereeError):
    """Another seat has the colour, or the game fixes it."""

    @property
    def rule(self) -> str:
        """The rule that governs colours, such as ``xisk/1``; empty when none was named."""
        return self.metadata.get("rule", "")


class FlagFellError(RefereeError):
    """The seat's time was over before the call came; the match goes on without it."""

    @property
    def seat(self) -> int | None:
        """The seat whose time was over; None when it was not named."""
        seat = self.metadata.get("seat", "")
        return int(seat) if seat.isdecimal() else None


class StaleVersionError(RefereeError):
    """The match has moved on since the version that the caller decided on."""

    @property
    def current_version(self) -> int:
        """Version of the match now; 0 when it was not named."""
        version = self.metadata.get("current_version", "")
        return int(version) if version.isdecimal() else 0


class RequestIdReusedError(RefereeError):
    """The request id has stood for a different request."""


class NotFoundError(RefereeError):
    """Something that was named does not exist."""


class MatchNotFoundError(NotFoundError):
    """No match has this id, or its record's time is over."""


class UnknownGameError(NotFoundError):
    """No game has this id."""

    @property
    def games(self) -> tuple[str, ...]:
        """Ids of the games there are; empty when they were not named."""
        return tuple(self.metadata.get("games", "").replace(",", " ").split())


class UnauthenticatedError(RefereeError):
    """No token where one is needed, or one that proves nothing."""


class PermissionDeniedError(RefereeError):
    """A good token, but for another match or a lesser role."""


class LimitExceededError(RefereeError):
    """A quota is used up; ``retry_after`` says when it makes sense to try again."""


class UnavailableError(RefereeError):
    """No referee can be reached; the same request may be sent again safely."""


class StoreUnavailableError(UnavailableError):
    """The referee can't reach its store, or the store refuses writes."""


class ContendedError(UnavailableError):
    """Others changed the match again and again while the request was worked on."""


class SlowReaderError(UnavailableError):
    """The referee ended a stream because this side did not read it."""


class DrainingError(UnavailableError):
    """This process of the referee is shutting down; another one takes the call."""


class DeadlineExceededError(RefereeError):
    """No answer came in time; the same request with the same id may be sent again safely."""


class ProtocolError(RefereeError):
    """The referee broke its contract."""


class GapError(ProtocolError):
    """A stream of events left out a version.

    Attributes:
        expected: The version that had to come next.
        received: The version that came, or that a heartbeat claimed.
    """

    def __init__(self, expected: int, received: int) -> None:
        super().__init__(f"Version {expected} had to come next, but the stream is at {received}.")
        self.expected = expected
        self.received = received

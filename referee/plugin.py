"""What a game must offer: the Protocols that every game plug-in fulfils.

What lives here: the seams between a game and everything that serves it. What must not live here:
the name of any game, protobuf, gRPC, Redis, time, or randomness of its own.

A game plug-in is a folder under ``referee/games/`` whose ``plugin.py`` says ``GAME: Game[...] =
Game(...)``:

* ``rules``: pure functions over frozen states. Luck comes in as a ``Chance``; each call of one of
  its methods is ONE numbered chance event.
* ``notation``: actions as text, for records, logs, tests and people.
* ``wire``: protobuf to domain objects and back; no other part of a game imports generated code.
* ``draw``: a board for the terminal, as lines of styled spans.
* ``turns``, if a turn takes several actions: which one it is, and the shortest way to its end.

The type parameters, everywhere: ``C`` settings, ``S`` state, ``A`` action, ``E`` event, ``O``
observation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

C = TypeVar("C")
S = TypeVar("S")
A = TypeVar("A")
E = TypeVar("E")
O = TypeVar("O")  # noqa: E741 - an observation; never a digit here
C_contra = TypeVar("C_contra", contravariant=True)
O_contra = TypeVar("O_contra", contravariant=True)
O_co = TypeVar("O_co", covariant=True)


class Chance(Protocol):
    """Luck from outside. Each call is one chance event of the match, numbered from 0.

    The rules never see seeds or event numbers; they ask, and get outcomes.
    """

    def dice(self, counts: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """Roll groups of six-sided dice as one event; faces in the order rolled, not sorted."""
        ...

    def shuffle(self, items: Iterable[int]) -> tuple[int, ...]:
        """Shuffle distinct items as one event, from ascending order; index 0 is the top."""
        ...

    def pick(self, count: int) -> int:
        """Pick an index, 0 <= index < count, as one event."""
        ...


class Termination(Enum):
    """Why a match ended."""

    COMPLETED = "completed"
    """The game's own end: conquest, an encircled Totem."""
    LIMIT = "limit"
    """A limit that the settings named, such as a round limit."""
    RESIGNATION = "resignation"
    TIME_FORFEIT = "time_forfeit"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class Result:
    """Outcome and termination of an ended match.

    Attributes:
        winners: Seats that won, ascending. One: it won. Several: a draw. None: it was abandoned.
        termination: Why the match ended.
    """

    winners: tuple[int, ...]
    termination: Termination


@dataclass(frozen=True, slots=True)
class Applied(Generic[S, E]):
    """What an accepted action leads to: the new state and what happened on the way, in order."""

    state: S
    events: tuple[E, ...]


class Rules(Protocol[C_contra, S, A, E, O_co]):
    """The rules of one game: pure, total, and deterministic given ``chance``."""

    def initial(self, settings: C_contra, seats: int, chance: Chance) -> Applied[S, E]:
        """Set up a match.

        Raises:
            InvalidSettingsError: No match can be played with these settings and seats.
        """
        ...

    def to_move(self, state: S) -> tuple[int, ...]:
        """Seats whose action is awaited, ascending; empty exactly when there is a result."""
        ...

    def legal_actions(self, state: S, seat: int) -> Sequence[A]:
        """All actions of ``seat`` now, each once; empty for a waiting seat and at the end."""
        ...

    def apply(self, state: S, seat: int, action: A, chance: Chance) -> Applied[S, E]:
        """Apply one action of ``seat``; the state passed in is never changed.

        Raises:
            IllegalActionError: The action breaks a rule, which the error names.
            NotYourTurnError: Another seat is to move.
            MatchOverError: There is a result already.
        """
        ...

    def forfeit(
        self, state: S, seat: int, termination: Termination, chance: Chance
    ) -> Applied[S, E]:
        """Take ``seat`` out of a running match: it resigned, or its flag fell. Needs no turn.

        Raises:
            IllegalActionError: The seat is out already; the error names the rule.
            MatchOverError: There is a result already.
        """
        ...

    def result(self, state: S) -> Result | None:
        """The result, or None while the match goes on."""
        ...

    def observe(self, state: S, seat: int | None) -> O_co:
        """What ``seat`` may see, or the public for None; built by listing what is shown."""
        ...

    def event_for(self, event: E, seat: int | None) -> E:
        """The event as ``seat`` may see it, or the public for None; hidden parts are left empty."""
        ...

    def invariants(self, state: S) -> list[str]:
        """Every way in which the state is impossible, as sentences; empty for a sound one."""
        ...


class Turns(Protocol[S, E]):
    """Turns of several actions: a game that has them is clocked by the turn and offers strikes."""

    def number(self, state: S, seat: int) -> int:
        """Number of the turn that ``seat`` is in; two in a row have different ones."""
        ...

    def finish(self, state: S, seat: int, chance: Chance) -> Applied[S, E]:
        """Finish the turn of ``seat``, who is to move, in the shortest legal way."""
        ...


class Notation(Protocol[A]):
    """Actions as canonical text."""

    def format_action(self, action: A) -> str:
        """The canonical text of an action."""
        ...

    def parse_action(self, text: str) -> A:
        """Read the canonical text of an action.

        Raises:
            InvalidActionError: The text is not an action of this game.
        """
        ...


class Wire(Protocol[C, S, A, E, O]):
    """Protobuf to domain and back. Messages are those of the game's own proto package.

    Whatever comes from a client (settings, action) is checked here for readability, so that the
    rules meet only readable values; whatever comes from the store (state, event) is trusted.
    """

    def settings_from_message(self, message: Any) -> C:
        """Read settings; a missing or default field takes the game's default.

        Raises:
            InvalidSettingsError: A value is unknown or out of range.
        """
        ...

    def settings_to_message(self, settings: C) -> Any:
        """Settings as a message, every field spelled out."""
        ...

    def action_from_message(self, message: Any) -> A:
        """Read an action.

        Raises:
            InvalidActionError: A part is missing, unknown or out of range.
        """
        ...

    def action_to_message(self, action: A) -> Any:
        """An action as a message."""
        ...

    def event_to_message(self, event: E) -> Any:
        """An event as a message."""
        ...

    def event_from_message(self, message: Any) -> E:
        """An event back from its message."""
        ...

    def observation_to_message(self, observation: O) -> Any:
        """An observation as a message."""
        ...

    def observation_from_message(self, message: Any) -> O:
        """An observation back from its message."""
        ...

    def legal_actions_to_message(self, state: S, seat: int) -> Any:
        """The legal actions of a seat in the game's compact form."""
        ...

    def legal_actions_from_message(self, message: Any) -> Sequence[A]:
        """The full list of legal actions that a compact form stands for."""
        ...

    def state_to_bytes(self, state: S) -> bytes:
        """The whole state as bytes: equal states give equal bytes, in every process."""
        ...

    def state_from_bytes(self, data: bytes) -> S:
        """A state back from its bytes."""
        ...


class Span(NamedTuple):
    """A run of text in one style, such as ``Span("7", "bold red")``."""

    text: str
    style: str = ""


Drawing = tuple[tuple[Span, ...], ...]
"""Lines of spans; the text alone must be readable without any style."""


class Draw(Protocol[O_contra]):
    """Draws what a seat sees."""

    def board(
        self, observation: O_contra, seat_names: Sequence[str], seat_colours: Sequence[str] = ()
    ) -> Drawing:
        """The board as lines of at most 80 columns.

        Names and colours are by seat; where no colours are given, each seat gets the one that it
        would get without a wish.
        """
        ...


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What a lobby needs to know of a game without loading its rules.

    Attributes:
        id: Lower-case id, also the name of the oneof field in every ``Game...`` message.
        title: The name as people write it.
        summary: One sentence.
        rules_version: Edition of the rules that new matches keep.
        min_seats: Fewest seats of a match.
        max_seats: Most seats of a match.
        colours: Colours that seats can have, in the order of allotment.
        colour_by_seat: True where seat i always has colour i; False where a seat chooses.
        colour_rule: The rule that governs colours, such as ``xisk/1``.
    """

    id: str
    title: str
    summary: str
    rules_version: int
    min_seats: int
    max_seats: int
    colours: tuple[str, ...]
    colour_by_seat: bool
    colour_rule: str


@dataclass(frozen=True, slots=True)
class Game(Generic[C, S, A, E, O]):
    """A game plug-in: everything the referee needs to serve one game."""

    info: GameInfo
    default_settings: C
    rules: Rules[C, S, A, E, O]
    notation: Notation[A]
    wire: Wire[C, S, A, E, O]
    draw: Draw[O]
    turns: Turns[S, E] | None = None

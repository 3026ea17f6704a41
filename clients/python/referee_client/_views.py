"""What calls give back where one message would not do.

What lives here: small frozen values and the sequence of legal actions. What must not live here:
calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import overload

from referee_client._games import expand_legal_actions
from referee_client._gen.referee.v1.games_pb2 import GameAction, GameLegalActions, GameObservation
from referee_client._gen.referee.v1.match_pb2 import Match, Receipt


class LegalActions(Sequence[GameAction]):
    """All that a seat may do at one version of a match: the full list, and its compact form.

    Empty, and so false, when the seat is not to move. The list is built when it is first looked at.

    Attributes:
        compact: The game's compact form, as the referee sent it.
        version: The version that it holds for; give it to ``submit`` as ``expected_version``.
    """

    __slots__ = ("_actions", "compact", "version")

    def __init__(self, compact: GameLegalActions, version: int) -> None:
        self.compact = compact
        self.version = version
        self._actions: list[GameAction] | None = None

    def _expanded(self) -> list[GameAction]:
        if self._actions is None:
            self._actions = expand_legal_actions(self.compact)
        return self._actions

    @overload
    def __getitem__(self, index: int) -> GameAction: ...

    @overload
    def __getitem__(self, index: slice) -> list[GameAction]: ...

    def __getitem__(self, index: int | slice) -> GameAction | list[GameAction]:
        return self._expanded()[index]

    def __len__(self) -> int:
        return len(self._expanded())

    def __repr__(self) -> str:
        return f"<LegalActions: {len(self)} at version {self.version}>"


@dataclass(frozen=True, slots=True)
class CreatedMatch:
    """A new match.

    Attributes:
        match: The match, with its commitment.
        join_codes: One code per open seat, by seat. Whoever has it can take the seat.
    """

    match: Match
    join_codes: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class View:
    """What the caller may see at one version of a match.

    Attributes:
        match: The match.
        observation: What may be seen of the state; None while the match is open.
        seat: The caller's seat; None for the public.
        legal_actions: The caller's legal actions; None when they were not asked for.
    """

    match: Match
    observation: GameObservation | None
    seat: int | None
    legal_actions: LegalActions | None


@dataclass(frozen=True, slots=True)
class Submitted:
    """An accepted action.

    Attributes:
        receipt: What the action became. A retry gives the same.
        observation: What may be seen afterwards; None when it was not asked for.
        legal_actions: What the seat may do afterwards; None when it was not asked for. Its version
            is that of the receipt. After a retry the match may be further: then it is refused as
            stale, never misread.
    """

    receipt: Receipt
    observation: GameObservation | None
    legal_actions: LegalActions | None

"""Yoxii between protobuf and domain, both ways.

What lives here: the only code of this game that imports generated messages. What comes from a
client (settings, action) is checked for readability; what comes from the store or from this referee
(state, event, observation, legal actions) is trusted. Whether an action is legal is none of this
file's business.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from referee._gen.yoxii.v1 import yoxii_pb2 as pb
from referee.errors import InvalidActionError
from referee.games.yoxii.rules import legal_squares
from referee.games.yoxii.rules.actions import POOL, VALUES, Action
from referee.games.yoxii.rules.board import NAMES, SQUARE_BY_NAME
from referee.games.yoxii.rules.events import (
    Event,
    MatchEnded,
    MatchSetUp,
    PiecePlaced,
    SeatForfeited,
    TotemMoved,
)
from referee.games.yoxii.rules.observation import Observation, Piece
from referee.games.yoxii.rules.placement import values_in_stock
from referee.games.yoxii.rules.scoring import Score
from referee.games.yoxii.rules.state import Settings, State
from referee.plugin import Result, Termination

_TO_TERMINATION = {
    Termination.COMPLETED: pb.TERMINATION_COMPLETED,
    Termination.RESIGNATION: pb.TERMINATION_RESIGNATION,
    Termination.TIME_FORFEIT: pb.TERMINATION_TIME_FORFEIT,
    Termination.ABANDONED: pb.TERMINATION_ABANDONED,
}
_FROM_TERMINATION = {number: termination for termination, number in _TO_TERMINATION.items()}


class YoxiiWire:
    """Messages of ``yoxii.v1``; fulfils ``plugin.Wire``."""

    def settings_from_message(self, message: pb.Settings) -> Settings:  # noqa: ARG002 - the protocol's
        """Read settings: there are none."""
        return Settings()

    def settings_to_message(self, settings: Settings) -> pb.Settings:  # noqa: ARG002 - the protocol's
        """Settings as a message: an empty one."""
        return pb.Settings()

    def action_from_message(self, message: pb.Action) -> Action:
        """Read an action.

        Raises:
            InvalidActionError: A square does not exist, or the value is none of 1 to 4.
        """
        totem = _square("totem", message.totem)
        square = _square("square", message.square)
        value = message.value
        if value not in VALUES:
            raise InvalidActionError("value", f"A piece has a value of 1 to 4, not {value}.")
        return POOL[totem][value - 1][square]

    def action_to_message(self, action: Action) -> pb.Action:
        """An action as a message."""
        return pb.Action(totem=NAMES[action.totem], value=action.value, square=NAMES[action.square])

    def event_to_message(self, event: Event) -> pb.Event:
        """An event as a message."""
        return _WRITE_EVENT[type(event)](event)

    def event_from_message(self, message: pb.Event) -> Event:
        """An event back from its message."""
        kind = message.WhichOneof("kind")
        assert kind is not None, "an event without a kind was stored"  # noqa: S101 - trusted
        return _READ_EVENT[kind](getattr(message, kind))

    def observation_to_message(self, observation: Observation) -> pb.Observation:
        """An observation as a message."""
        return pb.Observation(
            totem=NAMES[observation.totem],
            pieces=[
                pb.Piece(square=NAMES[p.square], seat=p.seat, value=p.value)
                for p in observation.pieces
            ],
            stocks=[pb.Stock(counts=counts) for counts in observation.stocks],
            to_move=observation.to_move,
            ply=observation.ply,
            scores=_write_scores(observation.scores),
            result=_write_result(observation.result),
        )

    def observation_from_message(self, message: pb.Observation) -> Observation:
        """An observation back from its message."""
        return Observation(
            totem=SQUARE_BY_NAME[message.totem],
            pieces=tuple(Piece(SQUARE_BY_NAME[p.square], p.seat, p.value) for p in message.pieces),
            stocks=tuple(tuple(stock.counts) for stock in message.stocks),
            to_move=message.to_move if message.HasField("to_move") else None,
            ply=message.ply,
            scores=_read_scores(message.scores),
            result=_read_result(message.result) if message.HasField("result") else None,
        )

    def legal_actions_to_message(self, state: State, seat: int) -> pb.LegalActions:
        """Where the Totem may go, where a piece may go then, and the values in stock."""
        options = legal_squares(state, seat)
        return pb.LegalActions(
            totems=[
                pb.TotemOptions(totem=NAMES[totem], squares=[NAMES[square] for square in squares])
                for totem, squares in options
            ],
            values=values_in_stock(state, seat) if options else (),
        )

    def legal_actions_from_message(self, message: pb.LegalActions) -> Sequence[Action]:
        """The product of Totem squares, values and placements, in order of notation."""
        return [
            POOL[SQUARE_BY_NAME[options.totem]][value - 1][SQUARE_BY_NAME[square]]
            for options in message.totems
            for value in message.values
            for square in options.squares
        ]

    def state_to_bytes(self, state: State) -> bytes:
        """The whole state as bytes: equal states give equal bytes, in every process."""
        _, twos, threes, fours = state.values
        message = pb.State(
            totem=state.totem,
            white=state.seats[0],
            red=state.seats[1],
            twos=twos,
            threes=threes,
            fours=fours,
            result=_write_result(state.result),
        )
        return message.SerializeToString(deterministic=True)

    def state_from_bytes(self, data: bytes) -> State:
        """A state back from its bytes."""
        message = pb.State.FromString(data)
        white, red = message.white, message.red
        twos, threes, fours = message.twos, message.threes, message.fours
        ones = (white | red) & ~(twos | threes | fours)
        result = _read_result(message.result) if message.HasField("result") else None
        return State(message.totem, (white, red), (ones, twos, threes, fours), result)


def _square(field: str, name: str) -> int:
    square = SQUARE_BY_NAME.get(name)
    if square is None:
        hint = f"{name[:20]!r} is no square" if name else "a square is missing"
        raise InvalidActionError(
            field, f"{hint}; squares are a3 to a5, b2 to b6, c1 to c7 ... g3 to g5."
        )
    return square


def _write_result(result: Result | None) -> pb.Result | None:
    if result is None:
        return None
    return pb.Result(winners=result.winners, termination=_TO_TERMINATION[result.termination])


def _read_result(message: pb.Result) -> Result:
    return Result(tuple(message.winners), _FROM_TERMINATION[message.termination])


def _write_scores(scores: Sequence[Score]) -> list[pb.Score]:
    return [pb.Score(points=score.points, pieces=score.pieces) for score in scores]


def _read_scores(messages: Sequence[pb.Score]) -> tuple[Score, Score]:
    white, red = (Score(message.points, message.pieces) for message in messages)
    return white, red


def _write_set_up(event: MatchSetUp) -> pb.Event:
    return pb.Event(match_set_up=pb.MatchSetUp(totem=NAMES[event.totem], stock=event.stock))


def _write_totem_moved(event: TotemMoved) -> pb.Event:
    return pb.Event(
        totem_moved=pb.TotemMoved(
            seat=event.seat,
            origin=NAMES[event.origin],
            square=NAMES[event.square],
            jumped=[NAMES[square] for square in event.jumped],
        )
    )


def _write_piece_placed(event: PiecePlaced) -> pb.Event:
    placed = pb.PiecePlaced(seat=event.seat, value=event.value, square=NAMES[event.square])
    return pb.Event(piece_placed=placed)


def _write_forfeited(event: SeatForfeited) -> pb.Event:
    termination = _TO_TERMINATION[event.termination]
    return pb.Event(seat_forfeited=pb.SeatForfeited(seat=event.seat, termination=termination))


def _write_ended(event: MatchEnded) -> pb.Event:
    ended = pb.MatchEnded(result=_write_result(event.result), scores=_write_scores(event.scores))
    return pb.Event(match_ended=ended)


def _read_set_up(message: pb.MatchSetUp) -> MatchSetUp:
    return MatchSetUp(SQUARE_BY_NAME[message.totem], tuple(message.stock))


def _read_totem_moved(message: pb.TotemMoved) -> TotemMoved:
    jumped = tuple(SQUARE_BY_NAME[name] for name in message.jumped)
    return TotemMoved(
        message.seat, SQUARE_BY_NAME[message.origin], SQUARE_BY_NAME[message.square], jumped
    )


def _read_piece_placed(message: pb.PiecePlaced) -> PiecePlaced:
    return PiecePlaced(message.seat, message.value, SQUARE_BY_NAME[message.square])


def _read_forfeited(message: pb.SeatForfeited) -> SeatForfeited:
    return SeatForfeited(message.seat, _FROM_TERMINATION[message.termination])


def _read_ended(message: pb.MatchEnded) -> MatchEnded:
    return MatchEnded(_read_result(message.result), _read_scores(message.scores))


# One line per kind of event and direction. The tables know which function fits which kind; types
# can't say it.
_WRITE_EVENT: dict[type[Event], Callable[[Any], pb.Event]] = {
    MatchSetUp: _write_set_up,
    TotemMoved: _write_totem_moved,
    PiecePlaced: _write_piece_placed,
    SeatForfeited: _write_forfeited,
    MatchEnded: _write_ended,
}
_READ_EVENT: dict[str, Callable[[Any], Event]] = {
    "match_set_up": _read_set_up,
    "totem_moved": _read_totem_moved,
    "piece_placed": _read_piece_placed,
    "seat_forfeited": _read_forfeited,
    "match_ended": _read_ended,
}

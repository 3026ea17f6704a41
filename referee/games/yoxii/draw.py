"""The board for a terminal.

What lives here: lines of styled text from an observation; nothing is decided here. Without any
style it still reads: ``W3`` is White's 3, ``R2`` Red's 2, ``<T>`` the Totem. 44 columns, and names
cut to fit into 80.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.games.yoxii.rules.actions import VALUES
from referee.games.yoxii.rules.board import FILES, RANKS
from referee.games.yoxii.rules.notation import RANK_SQUARES
from referee.games.yoxii.rules.observation import Observation, Piece
from referee.games.yoxii.rules.state import COLOURS
from referee.plugin import Drawing, Result, Span

_CELL = 5
_LABEL = 4
_NAME = 20  # columns; a name of wide characters takes twice as many and still fits
_LETTERS = ("W", "R")
_STYLES = ("bold black on white", "bold white on red")
_TEXT_STYLES = ("bold", "bold red")
_TOTEM = Span(" <T> ", "bold black on yellow")
_LINE_STYLE = "dim"
_Line = tuple[Span, ...]


class YoxiiDraw:
    """Draws what is seen of a match; fulfils ``plugin.Draw``."""

    def board(
        self,
        observation: Observation,
        seat_names: Sequence[str],
        seat_colours: Sequence[str] = (),  # noqa: ARG002 - a seat's colour is its number, yoxii/2
    ) -> Drawing:
        """The octagon with files and ranks, then a line or two per seat, then whose turn it is."""
        lines = [_files(), *_grid(observation), _files(), ()]
        for seat, name in enumerate(seat_names):
            lines += _seat_lines(observation, seat, name)
        lines.append(_footer(observation))
        return tuple(lines)


def _files() -> _Line:
    return (Span(" " * _LABEL + "".join(f"   {file}  " for file in FILES).rstrip(), _LINE_STYLE),)


def _grid(observation: Observation) -> list[_Line]:
    """Ranks from 7 to 1 with rules between, each rule as long as the longer rank beside it."""
    pieces = {piece.square: piece for piece in observation.pieces}
    widths = [0, *(len(squares) for squares in RANK_SQUARES), 0]
    lines = [_rule(max(widths[:2]))]
    for row, (rank, squares) in enumerate(zip(reversed(RANKS), RANK_SQUARES, strict=True), start=1):
        lines.append(_rank(rank, squares, pieces, observation.totem))
        lines.append(_rule(max(widths[row : row + 2])))
    return lines


def _indent(squares: int) -> int:
    return _LABEL + (len(FILES) - squares) // 2 * (_CELL + 1)


def _rule(squares: int) -> _Line:
    return (Span(" " * _indent(squares) + "+" + ("-" * _CELL + "+") * squares, _LINE_STYLE),)


def _rank(rank: str, squares: Sequence[int], pieces: dict[int, Piece], totem: int) -> _Line:
    bar = Span("|", _LINE_STYLE)
    spans = [Span(f" {rank}".ljust(_indent(len(squares))), _LINE_STYLE), bar]
    for square in squares:
        spans += [_TOTEM if square == totem else _cell(pieces.get(square)), bar]
    return tuple(spans)


def _cell(piece: Piece | None) -> Span:
    if piece is None:
        return Span(" " * _CELL)
    return Span(f"{_LETTERS[piece.seat]}{piece.value}".center(_CELL), _STYLES[piece.seat])


def _seat_lines(observation: Observation, seat: int, name: str) -> list[_Line]:
    shown = "".join(c if c.isprintable() else "?" for c in name)[:_NAME]
    points, around = observation.scores[seat]
    counts = zip(observation.stocks[seat], VALUES, strict=True)
    stock = "  ".join(f"{count}x {_LETTERS[seat]}{value}" for count, value in counts)
    score = f"points {points}, pieces {around} at the Totem"
    return [
        (Span(f"{COLOURS[seat]:<5}", _TEXT_STYLES[seat]), Span(f" {shown}")),
        (Span(f"      {score}"),),
        (Span(f"      stock: {stock}"),),
    ]


def _footer(observation: Observation) -> _Line:
    if observation.to_move is not None:
        return (Span(f"Ply {observation.ply}: {COLOURS[observation.to_move]} to move."),)
    return (Span(f"Ply {observation.ply}: {_outcome(observation.result)}", "bold"),)


def _outcome(result: Result | None) -> str:
    if result is None:
        return "nobody to move."
    how = result.termination.value.replace("_", " ")
    if len(result.winners) != 1:
        return f"a draw ({how})."
    return f"{COLOURS[result.winners[0]]} wins ({how})."

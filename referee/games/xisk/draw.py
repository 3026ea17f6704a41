"""The world as a board for the terminal.

What lives here: how an observation looks as lines of styled text. What must not live here: anything
that is not in the observation. Continents are sections in two columns; a country's line says who
owns it and with how many chips, so that the text alone can be read without colours.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from referee.games.xisk.rules.cards import CARD_NAMES
from referee.games.xisk.rules.observation import CountryView, Observation
from referee.games.xisk.rules.state import Phase
from referee.games.xisk.rules.world import WORLDS, Region
from referee.plugin import Drawing, Span

WIDTH = 80
_GAP = 2
_COLUMN = (WIDTH - _GAP) // 2
_LABEL = 11
_COUNT = 5
_NAME = _COLUMN - _LABEL - _COUNT - 1

# In the order in which colours are allotted (xisk/1).
_COLOUR_STYLES = {
    "red": "bold red",
    "orange": "bold dark_orange",
    "yellow": "bold yellow",
    "green": "bold green",
    "cyan": "bold cyan",
    "blue": "bold blue",
    "magenta": "bold magenta",
}
_NEUTRAL_STYLE = "bold white"
_FAINT = "dim"
_TITLE = "bold"

_PHASES = {
    Phase.CLAIM: "claiming",
    Phase.SUPPLY: "supply",
    Phase.ATTACK: "attack",
    Phase.INVADE: "invasion",
    Phase.CONQUEST_SUPPLY: "supply after an elimination",
    Phase.ADJUST: "adjust",
    Phase.ENDED: "over",
}

Line = tuple[Span, ...]


class XiskDraw:
    """Draws what a seat sees; fulfils ``plugin.Draw``."""

    __slots__ = ()

    def board(
        self, observation: Observation, seat_names: Sequence[str], seat_colours: Sequence[str] = ()
    ) -> Drawing:
        """The world, the turn and the hands as lines of at most 80 columns."""
        colours = seat_colours or tuple(_COLOUR_STYLES)
        labels = [
            _label(seat, seat_names, _COLOUR_STYLES[colours[seat]])
            for seat in range(len(observation.hand_sizes))
        ]
        return (
            *_turn_lines(observation, labels),
            (Span(""),),
            *_world_lines(observation, labels),
            (Span(""),),
            *_seat_lines(observation, labels),
        )


def _label(seat: int, seat_names: Sequence[str], style: str) -> Span:
    """Seat number and as much of the name as a country's line has room for."""
    name = seat_names[seat] if seat < len(seat_names) else ""
    text = f"{seat} {name}".strip()
    return Span(_fit(text, _LABEL).rstrip(), style)


def _turn_lines(seen: Observation, labels: Sequence[Span]) -> Iterable[Line]:
    """Where the match stands: round, phase, who is to move, what is pending."""
    head = [Span("XISK", _TITLE)]
    if seen.round:
        limit = f" of {seen.round_limit}" if seen.round_limit else ""
        head.append(Span(f"  round {seen.round}{limit}"))
    head.append(Span(f"  phase: {_PHASES[seen.phase]}"))
    if seen.to_move is not None:
        head += [Span("  to move: "), labels[seen.to_move]]
    yield tuple(head)
    if seen.result is not None:
        kind = "Winner" if len(seen.result.winners) == 1 else "Draw between"
        why = Span(f"({seen.result.termination.value.replace('_', ' ')})", _FAINT)
        yield from _flow(f"{kind}: ", [*(labels[seat] for seat in seen.result.winners), why])
    if seen.pool:
        yield (Span(f"Chips to place: {seen.pool}"),)
    if seen.invasion is not None:
        names = dict(zip(WORLDS[seen.map_id].ids, WORLDS[seen.map_id].names, strict=True))
        source, target, most = seen.invasion
        yield (Span(f"Invasion: 0 to {most} chips, {names[source]} > {names[target]}"),)
    if seen.conquered and seen.result is None:
        yield (Span("A country was conquered this turn: a card is drawn at its end."),)


def _world_lines(seen: Observation, labels: Sequence[Span]) -> Iterable[Line]:
    """The continents in two columns."""
    world = WORLDS[seen.map_id]
    columns: tuple[list[Line], list[Line]] = ([], [])
    for region in world.regions:
        column = min(columns, key=len)
        if column:
            column.append((Span(" " * _COLUMN),))
        column.append(
            (Span(_fit(f"{region.name} (bonus {region.bonus})", _COLUMN), _heading(region)),)
        )
        for number in region.members:
            column.append(_country_line(world.names[number], seen.countries[number], labels))
    left, right = columns
    blank = (Span(" " * _COLUMN),)
    for row in range(max(len(left), len(right))):
        one = left[row] if row < len(left) else blank
        other = right[row] if row < len(right) else ()
        yield (*one, Span(" " * _GAP), *other)


def _heading(region: Region) -> str:
    return f"bold underline {region.colour}"


def _country_line(name: str, view: CountryView, labels: Sequence[Span]) -> Line:
    """Name, owner and chips, filled up to the width of a column."""
    if view.seat is not None:
        owner = labels[view.seat]
    elif view.chips:
        owner = Span("neutral", _NEUTRAL_STYLE)
    else:
        owner = Span("unclaimed", _FAINT)
    chips = f"{view.chips:>{_COUNT}}" if view.chips else " " * _COUNT
    return (
        Span(_fit(name, _NAME) + " "),
        Span(_fit(owner.text, _LABEL), owner.style),
        Span(chips, owner.style),
    )


def _seat_lines(seen: Observation, labels: Sequence[Span]) -> Iterable[Line]:
    """Order of play, hands, sets, and the hand of who sees this."""
    if seen.order:
        yield from _flow("Order of play: ", [labels[seat] for seat in seen.order])
    if seen.out:
        yield from _flow("Out: ", [labels[seat] for seat in seen.out])
    held = [
        Span(f"{label.text}: {size}", label.style)
        for label, size in zip(labels, seen.hand_sizes, strict=True)
    ]
    yield from _flow("Cards in hand: ", [*held, Span(f"deck: {seen.deck_size}", _FAINT)])
    yield (Span(f"Sets redeemed: {seen.sets_redeemed}; the next gives {seen.next_set_chips}"),)
    if seen.claims:
        last = seen.claims[-1]
        yield (Span(f"Last claim: {CARD_NAMES[last.card]} took {last.country}"),)
    if seen.seat is not None:
        hand = [Span(CARD_NAMES[card]) for card in seen.hand]
        yield from _flow("Your hand: ", hand or [Span("no cards", _FAINT)])


def _flow(title: str, items: Sequence[Span]) -> Iterable[Line]:
    """A title and items after it, in as many lines as they need, later ones indented."""
    line: list[Span] = [Span(title)]
    used = len(title)
    for item in items:
        width = _width(item.text) + _GAP
        if used + width > WIDTH and len(line) > 1:
            yield tuple(line[:-1])
            line = [Span(" " * len(title))]
            used = len(title)
        line += [item, Span(" " * _GAP)]
        used += width
    yield tuple(line[:-1])


def _width(text: str) -> int:
    """Columns that a text takes in a terminal."""
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _fit(text: str, width: int) -> str:
    """The text cut or filled up to a number of columns; what can't be printed becomes `?`."""
    kept = ""
    used = 0
    for char in text:
        shown = char if char.isprintable() else "?"
        if used + _columns(shown) > width:
            break
        kept += shown
        used += _columns(shown)
    return kept + " " * (width - used)

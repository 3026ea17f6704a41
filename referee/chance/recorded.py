"""Chance events as values, and the three other kinds of chance: recording, recorded, scripted.

What lives here: what a record keeps of luck, how it is collected, and how it is played back. What
must not live here: keys and seeds.

* ``RecordingChance`` passes every request on to another chance and keeps what came of it.
* ``RecordedChance`` gives back what was kept, for replay.
* ``ScriptedChance`` gives what a test says.

The last two refuse a request that differs from what they hold, one too many, and, by ``finish()``,
one too few. A replay that silently drew something else would prove nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from referee.chance.draws import DIE_FACES, ascending, split
from referee.plugin import Chance


class ChanceKind(Enum):
    """The three requests for luck that there are."""

    DICE = "dice"
    SHUFFLE = "shuffle"
    PICK = "pick"


@dataclass(frozen=True, slots=True)
class ChanceEvent:
    """One numbered request for luck and its outcome.

    Attributes:
        number: The event's number in its match, from 0.
        kind: What was asked for.
        request: Dice in each group; or one number, how many items were shuffled; or one number, the
            bound of a pick.
        values: All faces in order; or the items as shuffled, top first; or one index.
    """

    number: int
    kind: ChanceKind
    request: tuple[int, ...]
    values: tuple[int, ...]


class ChanceMismatchError(Exception):
    """A replay or a test asked for other luck than there is.

    Attributes:
        number: The number of the event at which request and script part.
    """

    def __init__(self, number: int, message: str) -> None:
        super().__init__(f"chance event {number}: {message}")
        self.number = number


class RecordingChance:
    """Passes requests to another chance and keeps the events; fulfils ``plugin.Chance``.

    Owns the growing list of events. ``first_event`` has to be the number that ``inner`` gives its
    next event.
    """

    __slots__ = ("_events", "_first_event", "_inner")

    def __init__(self, inner: Chance, first_event: int = 0) -> None:
        self._inner = inner
        self._first_event = first_event
        self._events: list[ChanceEvent] = []

    @property
    def events(self) -> tuple[ChanceEvent, ...]:
        """Everything drawn so far, in order."""
        return tuple(self._events)

    @property
    def next_event(self) -> int:
        """Number of the event that the next call will be."""
        return self._first_event + len(self._events)

    def dice(self, counts: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """Roll groups of dice by the inner chance, and keep the faces."""
        groups = self._inner.dice(counts)
        faces = tuple(face for group in groups for face in group)
        self._keep(ChanceKind.DICE, tuple(counts), faces)
        return groups

    def shuffle(self, items: Iterable[int]) -> tuple[int, ...]:
        """Shuffle by the inner chance, and keep the order."""
        order = self._inner.shuffle(items)
        self._keep(ChanceKind.SHUFFLE, (len(order),), order)
        return order

    def pick(self, count: int) -> int:
        """Pick by the inner chance, and keep the index."""
        index = self._inner.pick(count)
        self._keep(ChanceKind.PICK, (count,), (index,))
        return index

    def _keep(self, kind: ChanceKind, request: tuple[int, ...], values: tuple[int, ...]) -> None:
        self._events.append(ChanceEvent(self.next_event, kind, request, values))


class RecordedChance:
    """Gives recorded events back, in order; fulfils ``plugin.Chance``.

    Owns one piece of mutable state, how many events were used. Outcomes are checked as well as
    requests, since a record may come from anywhere: a die has six faces, a shuffle keeps its items,
    an index is below its bound.

    Raises:
        ChanceMismatchError: The events are not numbered one after another. Every method raises it
            when what is asked for is not what was recorded.
    """

    __slots__ = ("_events", "_first_event", "_used")

    def __init__(self, events: Iterable[ChanceEvent]) -> None:
        self._events = tuple(events)
        self._used = 0
        self._first_event = self._events[0].number if self._events else 0
        for expected, event in enumerate(self._events, self._first_event):
            if event.number != expected:
                raise ChanceMismatchError(
                    expected, f"the record goes on with number {event.number}"
                )

    @property
    def next_event(self) -> int:
        """Number of the event that the next call will be."""
        return self._first_event + self._used

    def dice(self, counts: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """The recorded faces, in groups."""
        event = self._take(ChanceKind.DICE, tuple(counts))
        if len(event.values) != sum(counts) or not all(1 <= v <= DIE_FACES for v in event.values):
            raise ChanceMismatchError(event.number, f"{event.values} are no {sum(counts)} faces")
        return split(event.values, counts)

    def shuffle(self, items: Iterable[int]) -> tuple[int, ...]:
        """The recorded order of the items."""
        order = ascending(items)
        event = self._take(ChanceKind.SHUFFLE, (len(order),))
        if sorted(event.values) != order:
            raise ChanceMismatchError(event.number, f"{event.values} is no order of {order}")
        return event.values

    def pick(self, count: int) -> int:
        """The recorded index."""
        event = self._take(ChanceKind.PICK, (count,))
        if len(event.values) != 1 or not 0 <= event.values[0] < count:
            raise ChanceMismatchError(event.number, f"{event.values} is no index below {count}")
        return event.values[0]

    def finish(self) -> None:
        """Say that nothing more will be asked for.

        Raises:
            ChanceMismatchError: Recorded events are left over.
        """
        _require_none_left(self.next_event, len(self._events) - self._used)

    def _take(self, kind: ChanceKind, request: tuple[int, ...]) -> ChanceEvent:
        if self._used == len(self._events):
            raise ChanceMismatchError(
                self.next_event, f"{kind.value} {request} asked for, none left"
            )
        event = self._events[self._used]
        if (event.kind, event.request) != (kind, request):
            raise ChanceMismatchError(
                event.number,
                f"{kind.value} {request} asked for, {event.kind.value} {event.request} recorded",
            )
        self._used += 1
        return event


class ScriptedDraw(NamedTuple):
    """One outcome in a script; build it with ``rolled``, ``shuffled`` or ``picked``."""

    kind: ChanceKind
    groups: tuple[tuple[int, ...], ...]


def rolled(*groups: Sequence[int]) -> ScriptedDraw:
    """Dice that show these faces, group by group: ``rolled((6, 5, 4), (3, 2))``."""
    return ScriptedDraw(ChanceKind.DICE, tuple(tuple(group) for group in groups))


def shuffled(*top: int) -> ScriptedDraw:
    """A shuffle with these items on top, in this order, and the others ascending below."""
    return ScriptedDraw(ChanceKind.SHUFFLE, (top,))


def picked(index: int) -> ScriptedDraw:
    """A pick that gives this index."""
    return ScriptedDraw(ChanceKind.PICK, ((index,),))


class ScriptedChance:
    """Gives what a test wrote down, in order; fulfils ``plugin.Chance``.

    Owns one piece of mutable state, how many draws were used. Every method raises
    ``ChanceMismatchError`` when what is asked for does not fit the script.

    Example:
        ``ScriptedChance(rolled((6, 1), (5,)), picked(0))``
    """

    __slots__ = ("_draws", "_used")

    def __init__(self, *draws: ScriptedDraw) -> None:
        self._draws = draws
        self._used = 0

    @property
    def next_event(self) -> int:
        """Number of the event that the next call will be."""
        return self._used

    def dice(self, counts: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """The scripted faces; their groups must have the sizes asked for."""
        groups = self._take(ChanceKind.DICE)
        sizes = tuple(len(group) for group in groups)
        faces_exist = all(1 <= face <= DIE_FACES for group in groups for face in group)
        if sizes != tuple(counts) or not faces_exist:
            self._refuse(f"{tuple(counts)} dice asked for, {groups} scripted")
        return groups

    def shuffle(self, items: Iterable[int]) -> tuple[int, ...]:
        """The scripted items on top, the rest ascending below."""
        order = ascending(items)
        (top,) = self._take(ChanceKind.SHUFFLE)
        rest = [item for item in order if item not in top]
        if sorted([*top, *rest]) != order:
            self._refuse(f"{top} scripted on top of other items: {order}")
        return (*top, *rest)

    def pick(self, count: int) -> int:
        """The scripted index, which must be below ``count``."""
        ((index,),) = self._take(ChanceKind.PICK)
        if not 0 <= index < count:
            self._refuse(f"an index below {count} asked for, {index} scripted")
        return index

    def finish(self) -> None:
        """Say that nothing more will be asked for.

        Raises:
            ChanceMismatchError: Scripted draws are left over.
        """
        _require_none_left(self._used, len(self._draws) - self._used)

    def _take(self, kind: ChanceKind) -> tuple[tuple[int, ...], ...]:
        if self._used == len(self._draws):
            raise ChanceMismatchError(
                self._used, f"{kind.value} asked for, nothing left in the script"
            )
        draw = self._draws[self._used]
        if draw.kind is not kind:
            raise ChanceMismatchError(
                self._used, f"{kind.value} asked for, {draw.kind.value} scripted"
            )
        self._used += 1
        return draw.groups

    def _refuse(self, message: str) -> None:
        raise ChanceMismatchError(self._used - 1, message)


def _require_none_left(number: int, left: int) -> None:
    if left:
        raise ChanceMismatchError(number, f"{left} event(s) were never asked for, this one first")

"""Draws from a match key: words, bounded numbers, dice, shuffles.

What lives here: the one construction that turns a match key and an event number into outcomes. What
must not live here: rules, and any other source of luck.

Event ``n`` has a stream of its own: HMAC-SHA256(key, "chance" + uint64 n + uint32 c) for c = 0, 1,
2 ..., each digest read as eight big-endian uint32 words. An event reads as many words as it needs
and throws the rest away; so the outcome of event ``n`` never depends on how many words earlier
events took, and anyone who holds the key can compute one event alone. Bounded numbers come from
rejection, never from a bare remainder, which would favour small numbers.
"""

from __future__ import annotations

import hmac
import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

WORD_RANGE = 2**32
DIE_FACES = 6
_DIE_LIMIT = WORD_RANGE - WORD_RANGE % DIE_FACES
_unpack = struct.Struct(">8I").unpack


def words(match_key: bytes, number: int) -> Iterator[int]:
    """The words of chance event ``number``: integers 0 <= word < 2**32."""
    prefix = b"chance" + number.to_bytes(8, "big")
    for block in range(WORD_RANGE):
        yield from _unpack(hmac.digest(match_key, prefix + block.to_bytes(4, "big"), "sha256"))


def below(stream: Iterator[int], bound: int) -> int:
    """A number from 0 to ``bound - 1``, all equally likely, from the next words of a stream.

    Raises:
        ValueError: The bound is not 1 to 2**32.
    """
    if not 1 <= bound <= WORD_RANGE:
        msg = f"a bound is 1 to {WORD_RANGE}, not {bound}"
        raise ValueError(msg)
    limit = WORD_RANGE - WORD_RANGE % bound
    word = next(stream)
    while word >= limit:
        word = next(stream)
    return word % bound


def roll(stream: Iterator[int], count: int) -> tuple[int, ...]:
    """Faces of ``count`` dice: ``1 + below(stream, 6)`` for each, only faster."""
    faces = (word % DIE_FACES + 1 for word in stream if word < _DIE_LIMIT)
    return tuple(islice(faces, count))


class SeededChance:
    """Chance from a match key; fulfils ``plugin.Chance``.

    Owns one piece of mutable state, the number of the next event. Two objects with the same key and
    number give the same outcomes, in any process.
    """

    __slots__ = ("_key", "_next_event")

    def __init__(self, match_key: bytes, first_event: int = 0) -> None:
        self._key = match_key
        self._next_event = first_event

    @property
    def next_event(self) -> int:
        """Number of the event that the next call will be."""
        return self._next_event

    def dice(self, counts: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """Roll groups of six-sided dice as one event; faces in the order rolled, not sorted.

        Raises:
            ValueError: A group has fewer than no dice.
        """
        if counts and min(counts) < 0:
            msg = f"a group has 0 or more dice: {tuple(counts)}"
            raise ValueError(msg)
        return split(roll(self._event(), sum(counts)), counts)

    def shuffle(self, items: Iterable[int]) -> tuple[int, ...]:
        """Shuffle distinct items as one event, from ascending order; index 0 is the top.

        Raises:
            ValueError: An item occurs twice.
        """
        order = ascending(items)
        stream = self._event()
        for last in range(len(order) - 1, 0, -1):
            other = below(stream, last + 1)
            order[last], order[other] = order[other], order[last]
        return tuple(order)

    def pick(self, count: int) -> int:
        """Pick an index, 0 <= index < count, as one event.

        Raises:
            ValueError: The count is not 1 to 2**32.
        """
        return below(self._event(), count)

    def _event(self) -> Iterator[int]:
        number = self._next_event
        self._next_event = number + 1
        return words(self._key, number)


def split(faces: tuple[int, ...], counts: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Cut faces into groups of the given sizes, in order."""
    groups = []
    start = 0
    for count in counts:
        groups.append(faces[start : start + count])
        start += count
    return tuple(groups)


def ascending(items: Iterable[int]) -> list[int]:
    """Items in the order that a shuffle starts from.

    Raises:
        ValueError: An item occurs twice.
    """
    order = sorted(items)
    if len(set(order)) != len(order):
        msg = f"a shuffle takes distinct items: {order}"
        raise ValueError(msg)
    return order

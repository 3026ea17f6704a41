"""Matches of XISK played in this process by the referee's own steps, and variants of them.

A variant differs from its original in what one seat, or the public, may not see, and in nothing
else: the cards of other hands and of the deck are dealt anew, the private parts of past events,
past luck and digests are other ones. A reseeded story has another seed and key, and counts its
chance events otherwise.
"""

from __future__ import annotations

import time
from base64 import b32encode
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from random import Random
from typing import Any

from referee.chance.recorded import ChanceEvent
from referee.games.xisk.rules.actions import Action, Attack, EndAttack, EndTurn, Invade, Place
from referee.games.xisk.rules.cards import DECK_SIZE
from referee.games.xisk.rules.events import CardDrawn, CardsSurrendered, Dealt
from referee.games.xisk.rules.state import Phase, State, seats_in
from referee.match import lifecycle
from referee.match.lifecycle import NewMatch
from referee.match.model import Event, Joined, Match, MatchId, Millis, SeedOrigin, Visibility
from referee.match.step import Step
from referee.registry import GAMES

XISK = GAMES["xisk"]
BEGAN = time.time_ns() // 1_000_000 - 3_600_000
"""Time of a story's first event, in milliseconds: an hour ago, for silent matches are ended."""

Story = list[Step]


def story(seats: int, seed: int) -> Iterator[Step]:
    """A match from its creation on, played by luck that likes attacks and cards."""
    random = Random(seed)
    match_id = MatchId("".join(random.choices("0123456789ABCDEFGHJKMNPQRSTVWXYZ", k=26)))
    new = NewMatch(
        match_id,
        XISK,
        XISK.default_settings,
        seats,
        Visibility.PUBLIC,
        SeedOrigin.SYSTEM,
        random.randbytes(32),
    )
    step = lifecycle.create(new, Millis(BEGAN))
    yield step
    for seat in range(seats):
        wish = Joined(f"Seat number {seat}", "", random.randbytes(16))
        step = lifecycle.join(step.match, Millis(BEGAN + seat), seat, wish)
        yield step
    while step.match.to_move:
        seat = step.match.to_move[0]
        action = choose(XISK.rules.legal_actions(step.match.game_state, seat), random)
        step = lifecycle.act(step.match, Millis(BEGAN + 1000 * step.match.version), seat, action)
        yield step


def choose(legal: Any, random: Random) -> Action:
    """A legal action of a kind chosen first; whole pools and whole invasions."""
    by_kind: dict[type, list[Action]] = {}
    for action in legal:
        by_kind.setdefault(type(action), []).append(action)
    kinds = list(by_kind)
    weights = [{Attack: 12, EndAttack: 1, EndTurn: 3}.get(kind, 3) for kind in kinds]
    kind = random.choices(kinds, weights)[0]
    if kind is Place or kind is Invade:
        most = max(action.chips for action in by_kind[kind])  # type: ignore[union-attr]
        return random.choice([one for one in by_kind[kind] if one.chips == most])  # type: ignore[union-attr]
    return random.choice(by_kind[kind])


def story_until(seats: int, seed: int, phase: Phase, version: int = 0) -> Story:
    """A story up to the first step in a phase at or after a version, in which hands can differ."""
    steps: Story = []
    for step in story(seats, seed):
        steps.append(step)
        state = step.match.game_state
        if step.match.version >= version and state is not None and state.phase == phase:
            return steps
    message = f"no step of the story {seed} for {seats} is in phase {phase.name}"
    raise AssertionError(message)


def renamed(steps: Story, name: str) -> Story:
    """The story under another match id, made from ``name``: each viewer gets a match of its own."""
    match_id = MatchId(b32encode(sha256(name.encode()).digest())[:26].decode())
    return [
        Step(replace(match, head=replace(match.head, match_id=match_id)), event)
        for match, event in steps
    ]


def edited(steps: Story, **fields: object) -> Story:
    """The story with another last state."""
    last = steps[-1]
    state = last.match.game_state._replace(**fields)
    assert [] == XISK.rules.invariants(state)
    return [*steps[:-1], Step(_with_state(last.match, state), last.event)]


def with_cards(steps: Story, size: int = 4) -> Story:
    """The story with hands filled up from the deck, so that there is much to hide."""
    state: State = steps[-1].match.game_state
    if state.phase == Phase.CLAIM:
        return steps
    hands, deck = list(state.hands), list(state.deck)
    for seat in seats_in(state):
        hand = list(hands[seat])
        while len(hand) < size:
            hand.append(deck.pop())
        hands[seat] = tuple(sorted(hand))
    return edited(steps, hands=tuple(hands), deck=tuple(deck))


def variant(
    steps: Story, viewer: int | None, random: Random, shared: tuple[int, ...] = ()
) -> Story:
    """The same story for ``viewer``, another one in all that it may not see.

    ``shared`` cards stay where they are: those that the viewer is going to see by right.
    """
    match = steps[-1].match
    state = _dealt_anew(match.game_state, viewer, random, shared)
    assert [] == XISK.rules.invariants(state)
    past = [Step(step.match, _hidden_anew(step.event, viewer, random)) for step in steps]
    return [*past[:-1], Step(_with_state(match, state), past[-1].event)]


def reseeded(steps: Story, random: Random) -> Story:
    """The same story under another seed: other commitment, key and next chance event."""
    seed, key, further = random.randbytes(32), random.randbytes(32), random.randrange(1, 99)

    def anew(match: Match) -> Match:
        head = replace(match.head, server_seed=seed, match_key=match.head.match_key and key)
        return replace(match, head=head, next_chance_event=match.next_chance_event + further)

    return [Step(anew(step.match), step.event) for step in steps]


def _with_state(match: Match, state: State) -> Match:
    return replace(match, game_state=state, state_bytes=XISK.wire.state_to_bytes(state))


def _dealt_anew(state: State, viewer: int | None, random: Random, shared: tuple[int, ...]) -> State:
    """Other cards in every hand but the viewer's, of the same sizes, and in the deck."""
    kept = [
        tuple(card for card in hand if seat == viewer or card in shared)
        for seat, hand in enumerate(state.hands)
    ]
    fixed = {card for hand in kept for card in hand} | {card for card, _, _ in state.claims}
    hidden = [card for card in range(DECK_SIZE) if card not in fixed]
    while True:
        random.shuffle(hidden)
        rest = iter(hidden)
        hands = tuple(
            tuple(sorted([*mine, *(next(rest) for _ in range(len(hand) - len(mine)))]))
            for mine, hand in zip(kept, state.hands, strict=True)
        )
        if state.phase != Phase.CLAIM or _turns(hands, shared) == _turns(state.hands, shared):
            return state._replace(hands=hands, deck=tuple(rest))


def _turns(hands: tuple[tuple[int, ...], ...], shared: tuple[int, ...]) -> list[tuple[int, bool]]:
    """The seats that claim now and next, and whether with a shared card: all will see that."""
    holder = {card: seat for seat, hand in enumerate(hands) for card in hand}
    return [(holder[card], card in shared) for card in sorted(holder)[:2]]


def _hidden_anew(event: Event, viewer: int | None, random: Random) -> Event:
    """The event with other private parts, other luck and another digest."""
    return replace(
        event,
        game_events=tuple(_private_anew(one, viewer, random) for one in event.game_events),
        chance_events=tuple(
            ChanceEvent(one.number + 7, one.kind, one.request, one.values[::-1])
            for one in event.chance_events
        ),
        state_digest=random.randbytes(len(event.state_digest)),
    )


def _private_anew(event: Any, viewer: int | None, random: Random) -> Any:
    def other(cards: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(random.sample(range(DECK_SIZE), len(cards))))

    match event:
        case Dealt(sizes, hands):
            return Dealt(
                sizes,
                tuple(hand if seat == viewer else other(hand) for seat, hand in enumerate(hands)),
            )
        case CardDrawn(seat, card) if seat != viewer and card is not None:
            return CardDrawn(seat, (card + random.randrange(1, DECK_SIZE)) % DECK_SIZE)
        case CardsSurrendered(giver, taker, size, cards) if viewer not in (giver, taker):
            return CardsSurrendered(giver, taker, size, other(cards))
    return event

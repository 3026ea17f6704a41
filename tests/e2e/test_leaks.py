"""Nothing that a seat receives depends on what it may not see (xisk/28).

Two real referees hold the same match, one of them a variant that differs in the hidden part alone.
A seat, or the public, asks both everything that can be asked, provokes every kind of error, and
watches others act. All bytes that come back have to be the same.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Awaitable, Iterator
from random import Random
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from redis.asyncio import Redis

from referee._gen.referee.store.v1.store_pb2 import StoredState
from referee._gen.referee.v1 import games_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee._gen.xisk.v1 import xisk_pb2
from referee._gen.yoxii.v1 import yoxii_pb2
from referee.chance.seed import match_key
from referee.games.xisk.rules.cards import DECK_SIZE, names_of, sets_in
from referee.games.xisk.rules.state import Phase, State
from referee.games.xisk.rules.world import WORLDS
from referee.match import lifecycle
from referee.match.model import MatchId, Millis
from referee.store.keys import Keys
from tests.support.api import action, bearer, connected, fault_of, open_table
from tests.support.processes import OPERATOR_TOKEN, RedisProcess
from tests.support.stories import (
    XISK,
    Story,
    edited,
    renamed,
    reseeded,
    story_until,
    variant,
    with_cards,
)
from tests.support.twins import (
    NAMESPACES,
    TOKEN_KEY,
    Question,
    Twins,
    blanked,
    connected_twins,
    join_code_of,
    share_token_key,
    start_twins,
    token_of,
)

WORLD = WORLDS["classic"]
MATCHES = {2: 1, 3: 0, 6: 3}
"""Seeds of stories by seats."""
EARLY, LATER = 20, 70
MOMENTS = [
    (2, Phase.CLAIM, EARLY),
    (3, Phase.CLAIM, 2 * EARLY),
    (6, Phase.CLAIM, EARLY),
    (2, Phase.SUPPLY, LATER),
    (2, Phase.INVADE, LATER),
    (3, Phase.SUPPLY, LATER),
    (3, Phase.ATTACK, LATER),
    (3, Phase.ADJUST, LATER),
    (6, Phase.SUPPLY, LATER),
    (6, Phase.ATTACK, LATER),
    (6, Phase.INVADE, LATER),
    (6, Phase.CONQUEST_SUPPLY, LATER),
]
"""Seats, phase, and the version from which on it is looked for."""


@pytest.fixture(scope="module")
def referees(tmp_path_factory):
    """Two referees on one Redis."""
    folder = tmp_path_factory.mktemp("twins")
    redis = RedisProcess(folder / "redis").start()
    asyncio.run(share_token_key(redis.url))
    processes = start_twins(folder, redis)
    yield redis, processes
    for process in processes:
        process.stop()
    redis.stop()


@pytest.fixture
async def twins(referees):
    """Both referees, connected."""
    redis, processes = referees
    async with connected_twins(redis.url, processes) as found:
        yield found


def moment(seats: int, phase: Phase, version: int = LATER, cards: int = 4) -> Story:
    """A story up to a phase, with cards in all hands."""
    return with_cards(story_until(seats, MATCHES[seats], phase, version), cards)


def state_of(steps: Story) -> State:
    state: State = steps[-1].match.game_state
    return state


def mover_of(steps: Story) -> int:
    return steps[-1].match.to_move[0]


def onlookers(steps: Story, *acting: int) -> list[int | None]:
    """Two seats, if there are two others, and the public."""
    others = [seat for seat in range(state_of(steps).seats) if seat not in acting]
    return [*dict.fromkeys([others[0], others[-1]]), None]


def questions(steps: Story, viewer: int | None, hidden: set[tuple[int, ...]]) -> Iterator[Question]:
    """Everything that a viewer can ask without changing the match."""
    match_id = steps[-1].match.head.match_id
    token = token_of(steps, viewer)
    yield "GetMatch", pb.GetMatchRequest(match_id=match_id), token
    yield "GetObservation", pb.GetObservationRequest(match_id=match_id), token
    legal = pb.GetObservationRequest(match_id=match_id, include_legal_actions=True)
    yield "GetObservation", legal, token
    yield "ListLegalActions", pb.ListLegalActionsRequest(match_id=match_id), token
    yield "GetRecord", pb.GetRecordRequest(match_id=match_id), token
    yield "LeaveMatch", pb.LeaveMatchRequest(match_id=match_id), token
    code = join_code_of(match_id, 0)
    yield "JoinMatch", pb.JoinMatchRequest(join_code=code, request_id=f"{viewer}"), token
    late = pb.JoinMatchRequest(open_seat=pb.OpenSeat(match_id=match_id, seat=99))
    yield "JoinMatch", late, token
    for forged in ("", "rs1.forged", f"{token}X"):
        yield "ListLegalActions", pb.ListLegalActionsRequest(match_id=match_id), forged
    for submit in refused_submits(steps, viewer, hidden):
        yield "SubmitAction", submit, token


def refused_submits(
    steps: Story, viewer: int | None, hidden: set[tuple[int, ...]]
) -> Iterator[pb.SubmitActionRequest]:
    """Submits of every kind that the match has to refuse, unreadable ones among them."""
    match_id, version = steps[-1].match.head.match_id, steps[-1].match.version
    legal: list[str] = []
    if viewer is not None:
        actions = XISK.rules.legal_actions(state_of(steps), viewer)
        legal = [XISK.notation.format_action(one) for one in actions]
    texts = [*fixed_texts(), *(f"redeem:{names_of(cards)}" for cards in sorted(hidden))]
    # Whoever is not to move is refused before anything is looked at: a few of each kind will do.
    for text in texts if legal else texts[::5]:
        if text not in legal:
            yield pb.SubmitActionRequest(match_id=match_id, action=action("xisk", text))
    stale = action("xisk", legal[0] if legal else "end-turn")
    for expected in (1, version + 1):
        yield pb.SubmitActionRequest(match_id=match_id, action=stale, expected_version=expected)
    yield pb.SubmitActionRequest(match_id=match_id, action=stale, request_id="with space")
    for unreadable in (
        games_pb2.GameAction(),
        games_pb2.GameAction(xisk=xisk_pb2.Action()),
        games_pb2.GameAction(xisk=xisk_pb2.Action(claim=xisk_pb2.Claim(country="atlantis"))),
        games_pb2.GameAction(xisk=xisk_pb2.Action(redeem=xisk_pb2.Redeem(cards=["1S"]))),
        games_pb2.GameAction(yoxii=yoxii_pb2.Action()),
    ):
        yield pb.SubmitActionRequest(match_id=match_id, action=unreadable)


def fixed_texts() -> list[str]:
    """Actions of every kind; together the sets that they redeem name every card."""
    ids = WORLD.ids
    triples = [(card, card + 1, card + 2) for card in range(0, DECK_SIZE - 2, 3)]
    triples += [(0, 13, 26), (0, 0, 0), (49, 50, 51), (5, 18, 31)]
    texts = [f"redeem:{names_of(cards)}" for cards in triples]
    texts += ["redeem:AS", "redeem:AS,KS,QS,JS,TS", "invade:0", "invade:99", "end-attack"]
    texts += ["end-turn", *(f"claim:{ids[number]}" for number in (0, 20, 41))]
    for number in (3, 17, 30):
        near = ids[next(iter(WORLD.neighbours[number]))]
        texts += [f"place:{ids[number]}:1", f"place:{ids[number]}:999"]
        texts += [f"attack:{ids[number]}>{near}", f"adjust:{ids[number]}>{near}:99"]
    return texts


def sets_held(*stories: Story) -> set[tuple[int, ...]]:
    """A few sets that some hand holds in some variant."""
    hands = [hand for steps in stories for hand in state_of(steps).hands]
    return {cards for hand in hands for cards in sets_in(hand)[:2]}


@pytest.mark.parametrize(("seats", "phase", "version"), MOMENTS)
async def test_no_answer_depends_on_hidden_cards(twins: Twins, seats, phase, version):
    steps = moment(seats, phase, version)
    mover = mover_of(steps)
    for viewer in (mover, (mover + 1) % seats, None):
        one = renamed(steps, f"{seats} {phase} {viewer}")
        other = variant(one, viewer, Random(seats))
        assert state_of(one).deck != state_of(other).deck
        await twins.stage(one, other)
        asked = list(questions(one, viewer, sets_held(one, other)))
        for question, (first, second) in zip(asked, await twins.ask_all(asked), strict=True):
            assert first == second, (viewer, question)
        last = one[-1].match
        told = await twins.watch(last.head.match_id, token_of(one, viewer), 0, last.version)
        assert told[0] == told[1]


async def test_the_owner_of_a_hand_hears_the_difference(twins: Twins):
    one = renamed(moment(3, Phase.ATTACK), "owner")
    owner = mover_of(one)
    other = variant(one, None, Random(1))
    await twins.stage(one, other)
    request = pb.GetObservationRequest(match_id=one[-1].match.head.match_id)
    seen = [
        pb.GetObservationResponse.FromString(heard.data).observation.xisk
        for heard in await twins.ask("GetObservation", request, token_of(one, owner))
    ]
    held = [names_of(state_of(steps).hands[owner]).split(",") for steps in (one, other)]
    assert held == [list(view.hand) for view in seen]
    assert held[0] != held[1]


@pytest.mark.parametrize("seats", MATCHES)
async def test_no_answer_depends_on_the_seed_but_its_commitment(twins: Twins, seats):
    steps = moment(seats, Phase.ATTACK)
    for viewer in (mover_of(steps), None):
        one = renamed(steps, f"seed {seats} {viewer}")
        other = reseeded(one, Random(seats))
        await twins.stage(one, other)
        asked = list(questions(one, viewer, set()))
        for (method, request, _), heard in zip(asked, await twins.ask_all(asked), strict=True):
            first, second = (blanked(method, answer, "commitment") for answer in heard)
            assert first == second, (viewer, method, request)
        last = one[-1].match
        told = await twins.watch(last.head.match_id, token_of(one, viewer), 0, last.version)
        assert told[0] == told[1]


async def compare_what_follows(
    twins: Twins, one: Story, other: Story, viewer: int | None, acts: list[tuple[int, str]]
) -> None:
    """Let seats act in both matches, and compare what a viewer gets; only the time may differ."""
    await twins.stage(one, other)
    match_id, version = one[-1].match.head.match_id, one[-1].match.version
    token = token_of(one, viewer)
    watching = asyncio.create_task(twins.watch(match_id, token, version, len(acts)))
    for seat, text in acts:
        method: str = "Resign"
        request: Message = pb.ResignRequest(match_id=match_id)
        if text != "resign":
            method, request = (
                "SubmitAction",
                pb.SubmitActionRequest(
                    match_id=match_id,
                    action=action("xisk", text),
                    include_observation=True,
                    include_legal_actions=True,
                ),
            )
        heard = await twins.ask(method, request, token_of(one, seat))
        assert [True, True] == [answer.good for answer in heard], (text, heard)
        if seat == viewer:
            first, second = (blanked(method, answer, "time") for answer in heard)
            assert first == second, text
    told = [[without_time(message) for message in messages] for messages in await watching]
    assert told[0] == told[1]
    for method, request, _ in questions(one, viewer, set()):
        if method != "SubmitAction":
            heard = await twins.ask(method, request, token)
            first, second = (blanked(method, answer, "time", "end_time") for answer in heard)
            assert first == second, method


def without_time(data: bytes) -> bytes:
    message = pb.WatchMatchResponse.FromString(data)
    assert "event" == message.WhichOneof("update")
    message.event.ClearField("time")
    return message.SerializeToString(deterministic=True)


@pytest.mark.parametrize("seats", MATCHES)
async def test_a_claim_shows_its_card_and_no_other(twins: Twins, seats):
    steps = moment(seats, Phase.CLAIM, EARLY)
    mover = mover_of(steps)
    free = next(number for number, chips in enumerate(state_of(steps).chips) if not chips)
    for viewer in onlookers(steps, mover):
        one = renamed(steps, f"claim {seats} {viewer}")
        other = variant(one, viewer, Random(seats), state_of(steps).hands[mover][:1])
        acts = [(mover, f"claim:{WORLD.ids[free]}")]
        await compare_what_follows(twins, one, other, viewer, acts)


@pytest.mark.parametrize("seats", MATCHES)
async def test_a_drawn_card_is_known_to_nobody_else(twins: Twins, seats):
    steps = edited(moment(seats, Phase.ADJUST), conquered=True)
    mover = mover_of(steps)
    for viewer in onlookers(steps, mover):
        one = renamed(steps, f"draw {seats} {viewer}")
        other = variant(one, viewer, Random(seats))
        assert state_of(one).deck[0] != state_of(other).deck[0]
        await compare_what_follows(twins, one, other, viewer, [(mover, "end-turn")])


@pytest.mark.parametrize("seats", MATCHES)
async def test_a_redeemed_set_shows_nothing_of_the_rest_of_the_hand(twins: Twins, seats):
    steps = moment(seats, Phase.SUPPLY, cards=5)
    state, mover = state_of(steps), mover_of(steps)
    cards = sets_in(state.hands[mover])[0]
    acts = [
        (mover, f"redeem:{names_of(cards)}"),
        (mover, f"place:{WORLD.ids[state.owners.index(mover)]}:1"),
    ]
    for viewer in onlookers(steps, mover):
        one = renamed(steps, f"redeem {seats} {viewer}")
        other = variant(one, viewer, Random(seats), cards)
        await compare_what_follows(twins, one, other, viewer, acts)


@pytest.mark.parametrize("seats", [3, 6])
async def test_a_surrendered_hand_is_known_to_giver_and_taker_alone(twins: Twins, seats):
    steps, giver = last_stand(moment(seats, Phase.ATTACK))
    taker = mover_of(steps)
    acts = acts_to_the_end(steps, giver)
    for viewer in onlookers(steps, taker):
        one = renamed(steps, f"surrender {seats} {viewer}")
        # The name of a match is part of no luck that has begun: both still roll the same dice.
        other = variant(one, viewer, Random(seats))
        await compare_what_follows(twins, one, other, viewer, acts)


def last_stand(steps: Story) -> tuple[Story, int]:
    """The story with one seat down to its last country and an army next to it; and that seat."""
    state, mover = state_of(steps), mover_of(steps)
    giver = next(seat for seat in range(state.seats) if seat != mover and seat not in state.out)
    last = state.owners.index(giver)
    army = next(iter(WORLD.neighbours[last]))
    owners = [mover if owner == giver else owner for owner in state.owners]
    chips = list(state.chips)
    owners[last], owners[army] = giver, mover
    chips[last], chips[army] = 1, 30
    return edited(steps, owners=tuple(owners), chips=tuple(chips)), giver


def acts_to_the_end(steps: Story, giver: int) -> list[tuple[int, str]]:
    """The attacks of the seat to move until the giver is out."""
    match, mover = steps[-1].match, mover_of(steps)
    target = state_of(steps).owners.index(giver)
    source = next(
        number for number in WORLD.neighbours[target] if match.game_state.chips[number] == 30
    )
    texts: list[str] = []
    while giver not in match.game_state.out:
        invading = match.game_state.phase == Phase.INVADE
        texts.append("invade:0" if invading else f"attack:{WORLD.ids[source]}>{WORLD.ids[target]}")
        taken = XISK.notation.parse_action(texts[-1])
        match = lifecycle.act(match, Millis(0), mover, taken).match
    return [(mover, text) for text in texts]


@pytest.mark.parametrize("seats", [3, 6])  # of two seats, one that resigns ends the match
@pytest.mark.parametrize("phase", [Phase.CLAIM, Phase.SUPPLY, Phase.INVADE])
async def test_a_resignation_shows_no_hand(twins: Twins, seats, phase):
    steps = moment(seats, phase, EARLY if phase == Phase.CLAIM else LATER)
    mover = mover_of(steps)
    leaver = (mover + 1) % seats if phase == Phase.CLAIM else mover
    for viewer in (mover, (mover + 2) % seats, None):
        one = renamed(steps, f"resign {seats} {phase} {viewer}")
        other = variant(one, viewer, Random(seats))
        await compare_what_follows(twins, one, other, viewer, [(leaver, "resign")])


@pytest.mark.parametrize("seats", MATCHES)
async def test_own_receipts_depend_on_nothing_hidden(twins: Twins, seats):
    steps = moment(seats, Phase.ATTACK)
    mover = mover_of(steps)
    attack = next(
        text
        for one in XISK.rules.legal_actions(state_of(steps), mover)
        if (text := XISK.notation.format_action(one)).startswith("attack")
    )
    one = renamed(steps, f"receipts {seats}")
    other = variant(one, mover, Random(seats))
    await compare_what_follows(twins, one, other, mover, [(mover, attack)])


async def test_no_secret_gets_into_the_log(referees):
    redis_process, processes = referees
    seed, random = Random(7).randbytes(32), Random(8)
    hands: set[tuple[int, ...]] = set()
    async with connected(processes[0].address) as stub, Redis.from_url(redis_process.url) as redis:
        table = await open_table(
            stub,
            "xisk",
            3,
            server_seed=seed,
            metadata=bearer(OPERATOR_TOKEN),
            game_settings=xisk_pb2.Settings(round_limit=2),
        )
        key = Keys(NAMESPACES[0]).match(MatchId(table.match_id))
        while await table.play(7, random):
            data: Any = await redis.hget(key, "state")
            stored = StoredState.FromString(data)
            hands.update(XISK.wire.state_from_bytes(stored.game_state).hands)
            for text in ("end-turn", "redeem:AS,KS,QS", "claim:alaska", "invade:9"):
                await provoke(table.submit(random.randrange(3), text, expected_version=1))
        # Even where the referee itself fails: its store holds what it can't read.
        await redis.hset(key, mapping={"version": "9999", "state": b"\xff" + stored.game_state})
        fault = await fault_of(table.observation(0))
        assert grpc.StatusCode.INTERNAL == fault.code
    logged = processes[0].printed()
    assert "incident" in logged
    nonces = [seat.client_nonce for seat in table.match.seats]
    for secret in (seed, match_key(seed, nonces, MatchId(table.match_id)), TOKEN_KEY):
        assert secret.hex() not in logged
        assert b64encode(secret).decode() not in logged
        assert repr(secret)[2:-1] not in logged
    for hand in hands:
        assert len(hand) < 2 or names_of(hand[:2]) not in logged
        assert len(hand) < 2 or str(hand)[1:-1] not in logged
    for token in [OPERATOR_TOKEN, *table.tokens.values()]:
        assert token.rpartition(".")[2] not in logged


async def provoke(call: Awaitable[object]) -> None:
    """A call that must be refused."""
    fault = await fault_of(call)
    assert fault.code in (grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.ABORTED)

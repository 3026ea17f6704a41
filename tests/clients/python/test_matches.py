"""Whole matches of every game against a real referee, through kills and restarts of it too."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from referee.registry import GAMES
from referee_client import (
    ColourTakenError,
    Event,
    GameAction,
    GameObservation,
    IllegalActionError,
    InvalidActionError,
    InvalidRequestError,
    Match,
    MatchNotFoundError,
    MatchNotStartedError,
    MatchOverError,
    MatchState,
    NotYourTurnError,
    PermissionDeniedError,
    RefereeClient,
    RequestIdReusedError,
    SeatClient,
    SeatTakenError,
    StaleVersionError,
    UnauthenticatedError,
    Visibility,
    is_over,
    parse_action,
)
from referee_client._gen.referee.v1.match_service_pb2 import ListLegalActionsRequest
from referee_client.bots import Bot, GreedyBot, RandomBot, play
from tests.support.processes import RedisProcess, RefereeProcess, free_port

CLIENT = Path(__file__).resolve().parents[3] / "clients/python"
MANY_SEATS = {"xisk": 3}


@pytest.fixture
async def opened(referee_process: RefereeProcess) -> AsyncIterator[RefereeClient]:
    """A client of the shared referee."""
    async with RefereeClient(referee_process.address) as client:
        yield client


async def seated(client: RefereeClient, game: str, seats: int = 0) -> list[SeatClient]:
    created = await client.create_match(game, seats=seats)
    codes = sorted(created.join_codes.items())
    return [await client.join_match(join_code=code) for _, code in codes]


def bots_for(seats: list[SeatClient], seed: int = 1) -> list[Bot]:
    return [(GreedyBot, RandomBot)[seat.seat % 2](seed + seat.seat) for seat in seats]


async def played(
    client: RefereeClient, game: str, seats: int = 0
) -> tuple[list[SeatClient], Match]:
    """A match played to its end by both kinds of bots."""
    sitting = await seated(client, game, seats)
    ends = await asyncio.gather(*map(play, sitting, bots_for(sitting)))
    assert [ends[0]] * len(ends) == ends
    return sitting, ends[0]


@pytest.mark.parametrize("game_id", sorted(GAMES))
async def test_the_bots_play_a_match_to_its_end_and_watchers_see_all_of_it(opened, game_id):
    seats = await seated(opened, game_id, MANY_SEATS.get(game_id, 0))
    heard: list[Event] = []
    watch = opened.watch(seats[0].match_id)
    watching = asyncio.ensure_future(_collect(watch, heard))
    match, *_ = await asyncio.gather(*map(play, seats, bots_for(seats)))
    await watching
    assert is_over(match)
    assert match.result.winners
    assert list(range(1, match.version + 1)) == [event.version for event in heard]
    assert match.ply == sum(event.HasField("action") for event in heard)
    assert match.result == heard[-1].result


async def _collect(watch: AsyncIterator[Event], heard: list[Event]) -> None:
    async for event in watch:
        heard.append(event)  # noqa: PERF401 - what came before an error is worth seeing


async def test_the_record_of_a_match_is_whole_once_it_has_ended(opened):
    seats, match = await played(opened, "yoxii")
    record = await opened.record(match.match_id)
    assert record == await seats[0].record()
    assert (match, 32) == (record.match, len(record.server_seed))
    assert all(16 == len(seat.client_nonce) for seat in record.match.seats)


def run(*arguments: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, *arguments], stdout=pipe, stderr=pipe, text=True)


@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_the_examples_play_each_other(referee_process, game_id):
    examples = CLIENT / "examples"
    address = referee_process.address
    with run(str(examples / "random_bot.py"), address, "--create", game_id) as random_bot:
        assert random_bot.stdout is not None
        code = random_bot.stdout.readline().split()[-1]
        with run(str(examples / "greedy_bot.py"), address, "--join", code) as greedy_bot:
            told, _ = greedy_bot.communicate(timeout=60)
        summary, _ = random_bot.communicate(timeout=60)
    assert (0, 0) == (random_bot.returncode, greedy_bot.returncode)
    assert re.search(r"seat 0 (won|lost|drew) match \w{26} after \d+ actions", summary)
    assert "you are seat 1; winners: [" in told.splitlines()[-1]


def test_an_example_says_in_a_line_what_the_referee_refuses(referee_process):
    program = str(CLIENT / "examples/greedy_bot.py")
    with run(program, referee_process.address, "--join", "nonsense") as done:
        told, complaint = done.communicate(timeout=60)
    assert (1, "", 1) == (done.returncode, told, len(complaint.splitlines()))


def test_the_first_example_of_the_page_runs(referee_process):
    page = (CLIENT / "README.md").read_text(encoding="utf-8")
    (program, *_) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    with run("-c", program.replace("localhost:50051", referee_process.address)) as done:
        told, _ = done.communicate(timeout=60)
    assert 0 == done.returncode
    assert re.fullmatch(r"winners: \[.*\] after \d+ actions\n", told)


@pytest.mark.parametrize("game_id", sorted(GAMES))
async def test_the_list_is_as_long_as_the_referee_counts(opened, game_id):
    seats = await seated(opened, game_id)
    bot = RandomBot(3)
    connection = opened._connection
    for _ in range(60):
        view = await seats[0].observation()
        if is_over(view.match):
            break
        mover = seats[view.match.to_move[0]]
        legal = await mover.legal_actions()
        answer = await connection.unary(
            connection.stub.ListLegalActions,
            ListLegalActionsRequest(match_id=mover.match_id),
            token=mover.token,
        )
        assert (answer.version, answer.count) == (legal.version, len(legal))
        assert view.observation is not None
        await mover.submit(bot.choose(view.observation, legal), expected_version=legal.version)


async def test_a_seat_is_resumed_from_its_token(opened):
    white, red = await seated(opened, "yoxii")
    again = await opened.resume(red.match_id, red.token)
    assert (red.match_id, red.seat, red.token) == (again.match_id, again.seat, again.token)
    with pytest.raises(PermissionDeniedError):
        await opened.resume((await seated(opened, "yoxii"))[0].match_id, white.token)
    with pytest.raises(UnauthenticatedError):
        await opened.resume(red.match_id, "nonsense")


async def test_the_same_request_id_gives_the_same_receipt_and_stands_for_one_action(opened):
    white, _ = await seated(opened, "yoxii")
    legal = await white.legal_actions()
    first = await white.submit(legal[0], request_id="one")
    assert first.receipt == (await white.submit(legal[0], request_id="one")).receipt
    with pytest.raises(RequestIdReusedError):
        await white.submit(legal[1], request_id="one")


async def test_what_comes_with_a_submit_is_what_comes_when_asked_for(opened):
    seats = await seated(opened, "xisk")
    mover = seats[(await seats[0].match()).to_move[0]]
    legal = await mover.legal_actions()
    done = await mover.submit(legal[0], include_observation=True, include_legal_actions=True)
    view = await mover.observation(include_legal_actions=True)
    assert done.observation == view.observation
    assert done.legal_actions is not None
    assert view.legal_actions is not None
    assert list(done.legal_actions) == list(view.legal_actions)
    assert done.legal_actions.version == view.legal_actions.version


async def test_refusals_are_typed(opened):
    white, red = await seated(opened, "yoxii")
    version = (await white.match()).version
    with pytest.raises(NotYourTurnError) as turn:
        await red.submit(parse_action("yoxii", "d5/1@d6"))
    assert (0,) == turn.value.to_move
    with pytest.raises(IllegalActionError) as illegal:
        await white.submit(parse_action("yoxii", "g5/1@g4"))
    assert re.fullmatch(r"yoxii/\d+", illegal.value.rule)
    with pytest.raises(InvalidActionError):
        await white.submit(parse_action("xisk", "end-turn"))
    with pytest.raises(StaleVersionError) as stale:
        await white.submit(parse_action("yoxii", "d5/1@d6"), expected_version=version - 1)
    assert version == stale.value.current_version
    await red.resign()
    with pytest.raises(MatchOverError):
        await white.submit(parse_action("yoxii", "d5/1@d6"))


async def test_refusals_at_the_door_are_typed(opened):
    with pytest.raises(MatchNotFoundError):
        await opened.get_match("01ARZ3NDEKTSV4RRFFQ69G5FAV")
    with pytest.raises(InvalidRequestError) as caught:
        await opened.join_match(join_code="nonsense")
    assert "join_code" == caught.value.field
    created = await opened.create_match("xisk", seats=3)
    taken = await opened.join_match(join_code=created.join_codes[0])
    red = (await taken.match()).seats[0].colour
    with pytest.raises(SeatTakenError):
        await opened.join_match(join_code=created.join_codes[0])
    with pytest.raises(ColourTakenError):
        await opened.join_match(join_code=created.join_codes[1], colour=red)
    with pytest.raises(MatchNotStartedError):
        await taken.submit(parse_action("xisk", "claim:alaska"))


async def test_a_seat_is_left_and_taken_again_by_match_id(opened):
    created = await opened.create_match("xisk", seats=3)
    match_id = created.match.match_id
    seat = await opened.join_match(match_id=match_id, seat=2, display_name="Here and gone")
    assert 2 == seat.seat
    match = await seat.leave()
    assert [False] * 3 == [one.taken for one in match.seats]
    with pytest.raises(UnauthenticatedError):
        await seat.observation()
    assert 0 == (await opened.join_match(match_id=match_id)).seat


async def test_a_seat_waits_for_the_others_to_sit_down(opened):
    created = await opened.create_match("yoxii")
    white = await opened.join_match(join_code=created.join_codes[0])
    playing = asyncio.ensure_future(play(white, GreedyBot(1)))
    await asyncio.sleep(0.1)
    red = await opened.join_match(join_code=created.join_codes[1])
    assert await play(red, RandomBot(1)) == await playing


async def test_a_match_that_has_ended_is_played_at_once(opened):
    seats, match = await played(opened, "yoxii")
    assert match == await play(seats[0], GreedyBot(1))


async def test_a_bot_wins_when_the_other_resigns_while_it_waits(opened):
    white, red = await seated(opened, "yoxii")
    playing = asyncio.ensure_future(play(red, GreedyBot(1)))
    await asyncio.sleep(0.1)
    await white.resign()
    assert [1] == list((await playing).result.winners)


async def test_public_matches_are_listed_and_private_ones_are_not(opened):
    public = await opened.create_match("yoxii")
    private = await opened.create_match("yoxii", visibility=Visibility.VISIBILITY_PRIVATE)
    ids = [match.match_id async for match in opened.list_matches(game="yoxii", page_size=2)]
    assert public.match.match_id in ids
    assert private.match.match_id not in ids
    ended = [m async for m in opened.list_matches(state=MatchState.MATCH_STATE_ENDED, page_size=1)]
    assert all(is_over(match) for match in ended)


async def test_the_games_are_listed(opened):
    games = await opened.list_games()
    assert sorted(GAMES) == [game.game for game in games]


async def test_the_public_sees_a_match_without_a_seat(opened):
    white, _ = await seated(opened, "yoxii")
    view = await opened.get_observation(white.match_id)
    assert (None, None) == (view.seat, view.legal_actions)
    assert view.observation is not None


class KillsTheReferee:
    """Kills and restarts the referee at some of its choices, right before it submits."""

    def __init__(self, bot: Bot, referee: RefereeProcess, choices: set[int]) -> None:
        self._bot = bot
        self._referee = referee
        self._choices = choices
        self._made = 0
        self.restarts: list[asyncio.Future[RefereeProcess]] = []

    def choose(
        self, observation: GameObservation, legal_actions: Sequence[GameAction]
    ) -> GameAction:
        """What the bot chooses."""
        self._made += 1
        if self._made in self._choices:
            self._referee.kill()
            loop = asyncio.get_running_loop()
            self.restarts.append(loop.run_in_executor(None, self._referee.start))
        return self._bot.choose(observation, legal_actions)


@pytest.mark.parametrize("game_id", sorted(GAMES))
async def test_a_match_goes_on_through_kills_of_the_referee(
    redis_server: RedisProcess, tmp_path, game_id
):
    referee = RefereeProcess(tmp_path, redis_url=redis_server.url, port=free_port()).start()
    async with RefereeClient(referee.address, timeout=30.0) as client:
        seats = await seated(client, game_id)
        killer = KillsTheReferee(GreedyBot(1), referee, {2, 4})
        heard: list[Event] = []
        match, *_ = await asyncio.gather(
            play(seats[0], killer),
            play(seats[1], RandomBot(2)),
            _collect(client.watch(seats[0].match_id), heard),
        )
        await asyncio.gather(*killer.restarts)
    assert 0 == await asyncio.to_thread(referee.stop)
    assert 2 == len(killer.restarts)
    assert is_over(match)
    assert list(range(1, match.version + 1)) == [event.version for event in heard]

"""The checker finds what is broken: in broken commit paths, and in good histories that were spoilt.

The broken commit paths are real: two referees on a real Redis run a commit script with one fault.
"""

from __future__ import annotations

import asyncio
import copy
import re
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest

from referee._gen.referee.v1 import match_pb2
from referee.app import running
from referee.config import Config
from referee.store import match_store
from referee.store.scripts import load_script, script_of
from tests.history.checker import UNDESERVED_REASON, check
from tests.history.clients import Habits, connections
from tests.history.history import Call, History, Kind, Outcome, Stream, Watch
from tests.history.traffic import run

# Much goes wrong at once, so that a short run shows it.
HARSH = Habits(twice=0.1, lost=0.15, again=0.1, reuse=0.05, rivals=1.0, stale=0.4, plies=40)
ACTIONS = 150


async def short_run(redis_url: str, *, finish_seconds: float = 30.0) -> History:
    """A history of two referees on one Redis that nobody troubles."""
    config = Config(port=0, grace=0.2, redis_url=redis_url)
    async with AsyncExitStack() as stack:
        ups = [await stack.enter_async_context(running(config)) for _ in range(2)]
        addresses = [up.address for up in ups]
        stubs = await stack.enter_async_context(connections(addresses, 4))
        return await run(
            stubs, ACTIONS, habits=HARSH, tables=6, finish_seconds=finish_seconds, seed=5
        )


@pytest.fixture
def break_script(monkeypatch) -> Callable[[Callable[[str], str]], None]:
    """Make every store that is built from now on use another commit script."""

    def break_it(change: Callable[[str], str]) -> None:
        def load(name):
            script = load_script(name)
            if name != "commit":
                return script
            broken = change(script.text)
            assert broken != script.text
            return script_of(broken)

        monkeypatch.setattr(match_store, "load_script", load)

    return break_it


def without_version_check(script: str) -> str:
    return script.replace(
        "if (at[1] or '0') ~= ARGV[1] or (at[2] or '') ~= ARGV[9] then", "if false then"
    )


def without_request_ids(script: str) -> str:
    return script.replace("if request ~= '' then", "if false then")


def published_and_sometimes_dropped(script: str) -> str:
    """Publish first; then every ninth version is acknowledged and never stored."""
    publish = re.findall(r"redis\.call\('SPUBLISH'.*\n", script)[-1]
    early = (
        publish
        + "if tonumber(ARGV[2]) > 6 and tonumber(ARGV[2]) % 9 == 0 and ARGV[4] == '' "
        + "and redis.call('INCR', KEYS[1] .. ':dropped') % 2 == 1 then return {'ok'} end\n"
    )
    body = script.replace(publish, "")
    return body.replace("if ARGV[4] == '' then\n", early + "if ARGV[4] == '' then\n", 1)


def promises(history: History) -> set[str]:
    """The promises that the checker found broken."""
    return {violation.promise for violation in check(history)}


async def test_a_commit_path_that_is_whole_passes(redis_server):
    history = await short_run(redis_server.url)
    assert [] == list(map(str, check(history)))
    figures = history.summary()
    assert ACTIONS <= figures["acknowledged"] < figures["tries"]
    assert min(figures["retries answered again"], figures["tries refused as stale"]) > 10


async def test_a_script_that_ignores_the_version_is_found(redis_server, break_script):
    break_script(without_version_check)
    history = await short_run(redis_server.url, finish_seconds=1.5)
    assert {"P2", "P4"} <= promises(history)


async def test_a_script_that_forgets_request_ids_is_found(redis_server, break_script):
    break_script(without_request_ids)
    assert "P3" in promises(await short_run(redis_server.url, finish_seconds=1.5))


async def test_a_script_that_publishes_first_and_drops_a_commit_is_found(
    redis_server, break_script
):
    break_script(published_and_sometimes_dropped)
    history = await short_run(redis_server.url, finish_seconds=1.5)
    assert {"P2", "P8"} <= promises(history)


# --- good histories, spoilt by hand -------------------------------------------------------------


@pytest.fixture(scope="module")
def good(redis_server) -> History:
    """A good history; whoever spoils it takes a copy."""
    return asyncio.run(short_run(redis_server.url))


def a_match(history: History) -> str:
    """The match that got furthest."""
    return max(history.records, key=lambda match_id: len(record_of(history, match_id).events))


def record_of(history: History, match_id: str) -> match_pb2.Record:
    record = history.records[match_id]
    assert record is not None
    return record


def acknowledged(history: History, match_id: str) -> list[Call]:
    """Calls of a match that were acknowledged at the first try, by version."""
    found = [
        call
        for call in history.calls
        if (call.match_id, call.kind, call.outcome) == (match_id, Kind.ACT, Outcome.OK)
        and call.request
        and call.request.action
    ]
    tries = Counter(call.request.key for call in history.calls if call.request)
    return sorted(
        (call for call in found if call.request and tries[call.request.key] == 1),
        key=lambda call: call.version,
    )


def whole_watch(history: History, match_id: str) -> Watch:
    return next(watch for watch in history.watches if watch.match_id == match_id)


def another_receipt(call: Call) -> bytes:
    receipt = match_pb2.Receipt.FromString(call.receipt)
    receipt.event.time.seconds += 1
    return receipt.SerializeToString(deterministic=True)


def spoil_a_receipt(history: History) -> None:
    call = acknowledged(history, a_match(history))[3]
    call.receipt = another_receipt(call)


def lose_a_commit(history: History) -> None:
    del record_of(history, a_match(history)).events[10]


def store_a_commit_twice(history: History) -> None:
    events = record_of(history, a_match(history)).events
    events.insert(10, events[9])


def swap_two_commits(history: History) -> None:
    events = record_of(history, a_match(history)).events
    first, second = copy.deepcopy(events[9]), copy.deepcopy(events[10])
    events[9].CopyFrom(second)
    events[10].CopyFrom(first)


def lose_a_match(history: History) -> None:
    history.records[a_match(history)] = None


def acknowledge_two_requests_with_one_commit(history: History) -> None:
    first, second = acknowledged(history, a_match(history))[3:5]
    second.version, second.receipt = first.version, first.receipt


def answer_a_retry_otherwise(history: History) -> None:
    call = acknowledged(history, a_match(history))[3]
    history.calls.append(replace(call, receipt=another_receipt(call), start=call.end + 1))


def refuse_a_retry(history: History) -> None:
    call = acknowledged(history, a_match(history))[3]
    again = replace(call, outcome=Outcome.REFUSED, reason="STALE_VERSION", start=call.end + 1)
    history.calls.append(again)


def store_what_was_refused(history: History) -> None:
    call = acknowledged(history, a_match(history))[3]
    call.outcome, call.reason, call.version = Outcome.REFUSED, "ILLEGAL_ACTION", 0


def store_what_nobody_asked_for(history: History) -> None:
    history.calls.remove(acknowledged(history, a_match(history))[3])


def take_an_id_for_another_action(history: History) -> None:
    call = next(call for call in history.calls if call.kind is Kind.REUSE)
    call.outcome = Outcome.OK


def decide_on_another_version(history: History) -> None:
    call = acknowledged(history, a_match(history))[3]
    assert call.request is not None
    call.request = replace(call.request, expected=call.version - 2)


def commit_before_what_had_ended(history: History) -> None:
    call = acknowledged(history, a_match(history))[3]
    late = max(call.end for call in history.calls)
    call.start, call.end = late + 1, late + 2


def read_less_than_was_known(history: History) -> None:
    match_id = a_match(history)
    late = max(call.end for call in history.calls)
    history.calls.append(Call(Kind.READ, match_id, late + 1, late + 2, Outcome.OK, version=5))


def change_what_was_rolled(history: History) -> None:
    for record in history.records.values():
        for event in record.events if record else ():
            for chance in event.chance_events:
                chance.values[0] = chance.values[0] % 6 + 1
                return


def stop_before_the_end(history: History) -> None:
    record_of(history, a_match(history)).match.state = match_pb2.MATCH_STATE_ACTIVE


def answer_with_an_incident(history: History) -> None:
    call = next(call for call in history.calls if call.kind is Kind.READ)
    call.outcome, call.reason = Outcome.UNKNOWN, UNDESERVED_REASON


def refuse_without_cause(history: History) -> None:
    call = next(call for call in history.calls if call.reason == "STALE_VERSION")
    call.reason = "TOKEN_INVALID"


def leave_out_an_event(history: History) -> None:
    del longest_stream(history).events[2]


def tell_an_event_twice(history: History) -> None:
    stream = longest_stream(history)
    stream.events.insert(3, stream.events[2])


def tell_an_event_of_another_match(history: History) -> None:
    stream = longest_stream(history)
    version = match_pb2.Event.FromString(stream.events[2]).version
    other = next(one for one in history.records if one != a_match(history))
    event = copy.deepcopy(record_of(history, other).events[version - 1])
    event.ClearField("chance_events")
    event.ClearField("state_digest")
    stream.events[2] = event.SerializeToString(deterministic=True)


def keep_the_end_from_a_watcher(history: History) -> None:
    whole_watch(history, a_match(history)).streams[-1].events.pop()


def beat_ahead(history: History) -> None:
    longest_stream(history).beats.append((9, 8))


def give_a_wrong_hint(history: History) -> None:
    longest_stream(history).hint = 1_000


def longest_stream(history: History) -> Stream:
    """The longest stream of the match that got furthest."""
    streams = [
        stream
        for watch in history.watches
        if watch.match_id == a_match(history)
        for stream in watch.streams
    ]
    return max(streams, key=lambda stream: len(stream.events))


@pytest.mark.parametrize(
    ("promise", "spoil"),
    [
        ("P2", spoil_a_receipt),
        ("P2", lose_a_commit),
        ("P4", lose_a_commit),
        ("P4", store_a_commit_twice),
        ("P4", swap_two_commits),
        ("P2", lose_a_match),
        ("P3", acknowledge_two_requests_with_one_commit),
        ("P3", answer_a_retry_otherwise),
        ("P3", refuse_a_retry),
        ("P3", store_what_was_refused),
        ("P3", store_what_nobody_asked_for),
        ("P3", take_an_id_for_another_action),
        ("P4", decide_on_another_version),
        ("P4", commit_before_what_had_ended),
        ("P4", read_less_than_was_known),
        ("P7", change_what_was_rolled),
        ("P7", stop_before_the_end),
        ("P8", leave_out_an_event),
        ("P8", tell_an_event_twice),
        ("P8", tell_an_event_of_another_match),
        ("P8", keep_the_end_from_a_watcher),
        ("P8", beat_ahead),
        ("P8", give_a_wrong_hint),
        ("P10", answer_with_an_incident),
        ("P10", refuse_without_cause),
    ],
)
def test_one_wrong_thing_in_a_good_history_is_found(good, promise, spoil):
    spoilt = copy.deepcopy(good)
    spoil(spoilt)
    assert promise in promises(spoilt)

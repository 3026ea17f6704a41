"""What stands around handlers, with handlers of the test's own on a real gRPC server."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest

from referee._gen.referee.v1 import match_pb2
from referee._gen.referee.v1 import match_service_pb2 as pb
from referee.errors import IllegalActionError
from referee.service.edge import Edge
from tests.support.api import connected, fault_of, read_to_fault

SERVICE = pb.DESCRIPTOR.services_by_name["MatchService"]
SECRET = "the hand holds AS and KS"  # noqa: S105 - of a test
LONG = "x" * 30_000


class Handlers:
    """Handlers that go wrong in every way; methods without one of their own get GetMatch's."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.go_on = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return self.GetMatch

    async def GetMatch(self, request: Any, context: Any) -> Any:  # noqa: N802, ARG002 - gRPC's
        """A fault of ours."""
        raise ValueError(SECRET)

    async def ListGames(self, request: Any, context: Any) -> Any:  # noqa: N802, ARG002 - gRPC's
        """Waits until it may go on, and tells when it is cancelled."""
        self.begun.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return pb.ListGamesResponse()

    async def WatchMatch(  # noqa: N802 - gRPC's
        self,
        request: pb.WatchMatchRequest,
        context: Any,  # noqa: ARG002 - gRPC's
    ) -> AsyncIterator[pb.WatchMatchResponse]:
        """Sends as many long events as the version says, then fails, or waits for ever."""
        try:
            for version in range(request.after_version):
                joined = match_pb2.SeatJoined(display_name=LONG)
                yield pb.WatchMatchResponse(event=match_pb2.Event(version=version, joined=joined))
            self.begun.set()
            if request.match_id == "broken":
                raise ValueError(SECRET)
            if request.match_id == "refused":
                rule = "xisk/14"
                raise IllegalActionError(rule, "One chip can't attack.")
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise


@asynccontextmanager
async def serving(handlers: Handlers) -> AsyncIterator[tuple[Edge, Any]]:
    """An edge around the handlers, and a stub to call them."""
    edge = Edge()
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((edge.handlers(SERVICE, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with connected(f"127.0.0.1:{port}") as stub:
        yield edge, stub
    await server.stop(0)


async def until(condition: Any) -> None:
    """Wait until a condition holds."""
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110 - it is about what other tasks leave behind
            await asyncio.sleep(0.01)


def watch(stub: Any, match_id: str = "", count: int = 0) -> Any:
    """A stream of some long events."""
    return stub.WatchMatch(pb.WatchMatchRequest(match_id=match_id, after_version=count))


async def test_a_fault_of_ours_gives_an_incident_number_and_nothing_else(caplog):
    async with serving(Handlers()) as (_, stub):
        fault = await fault_of(stub.GetMatch(pb.GetMatchRequest()))
    assert (grpc.StatusCode.INTERNAL, "", ()) == (fault.code, fault.reason, fault.fields)
    found = re.search(r"incident ([0-9a-f]{8})", fault.message)
    assert found is not None
    assert SECRET not in fault.message
    assert "ValueError" not in fault.message
    (record,) = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert found[1] in record.getMessage()
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], ValueError)


async def test_two_incidents_have_two_numbers(caplog):
    async with serving(Handlers()) as (_, stub):
        calls = [stub.GetMatch(pb.GetMatchRequest()) for _ in range(2)]
        messages = {(await fault_of(call)).message for call in calls}
    assert 2 == len(messages)
    assert 2 == len(caplog.records)


async def test_a_stream_that_breaks_keeps_what_it_sent_and_tells_an_incident(caplog):
    async with serving(Handlers()) as (edge, stub):
        stream = watch(stub, "broken", 2)
        assert [0, 1] == [(await stream.read()).event.version for _ in range(2)]
        fault = await fault_of(stream.read())
        assert 0 == edge.open_streams
    assert grpc.StatusCode.INTERNAL == fault.code
    assert "incident" in fault.message
    assert SECRET not in fault.message
    assert 1 == len(caplog.records)


async def test_a_stream_is_refused_as_a_call_is(caplog):
    async with serving(Handlers()) as (_, stub):
        fault = await fault_of(watch(stub, "refused").read())
    assert ("ILLEGAL_ACTION", {"rule": "xisk/14"}) == (fault.reason, fault.metadata)
    assert [] == caplog.records


async def test_a_call_that_is_cancelled_tells_its_handler_and_is_no_incident(caplog):
    handlers = Handlers()
    async with serving(handlers) as (_, stub):
        call = stub.ListGames(pb.ListGamesRequest())
        task = asyncio.ensure_future(call.wait_for_connection())
        await handlers.begun.wait()
        call.cancel()
        await until(handlers.cancelled.is_set)
        task.cancel()
    assert [] == [one for one in caplog.records if one.levelno >= logging.WARNING]


async def test_a_stream_whose_caller_goes_away_is_let_go(caplog):
    handlers = Handlers()
    async with serving(handlers) as (edge, stub):
        stream = watch(stub, "", 1)
        await stream.read()
        await handlers.begun.wait()
        assert 1 == edge.open_streams
        stream.cancel()
        await until(handlers.cancelled.is_set)
        await until(lambda: edge.open_streams == 0)
    assert [] == [one for one in caplog.records if one.levelno >= logging.WARNING]


async def test_a_call_that_comes_too_late_is_not_begun():
    handlers = Handlers()
    async with serving(handlers) as (_, stub):
        await fault_of(stub.GetMatch(pb.GetMatchRequest()))  # connects
        call = stub.ListGames(pb.ListGamesRequest(), timeout=0.05)
        time.sleep(0.2)  # noqa: ASYNC251 - the server's loop is the one to be held up
        fault = await fault_of(call)
        assert grpc.StatusCode.DEADLINE_EXCEEDED == fault.code
        assert not handlers.begun.is_set()


async def test_a_drain_refuses_new_calls_and_lets_those_in_flight_finish():
    handlers = Handlers()
    async with serving(handlers) as (edge, stub):
        call = asyncio.ensure_future(stub.ListGames(pb.ListGamesRequest()))
        await handlers.begun.wait()
        edge.drain()
        for late in (stub.GetMatch(pb.GetMatchRequest()), watch(stub).read()):
            fault = await fault_of(late)
            assert (grpc.StatusCode.UNAVAILABLE, "DRAINING") == (fault.code, fault.reason)
            assert 0.5 == fault.retry_after
        handlers.go_on.set()
        assert pb.ListGamesResponse() == await call
        assert not handlers.cancelled.is_set()


async def test_a_drain_ends_streams_that_wait_and_their_handlers_know():
    handlers = Handlers()
    async with serving(handlers) as (edge, stub):
        streams = [watch(stub, "", count) for count in (0, 1, 2)]
        await until(lambda: edge.open_streams == 3)
        for count, stream in enumerate(streams):
            for _ in range(count):
                await stream.read()
        await asyncio.sleep(0.05)
        edge.drain()
        for stream in streams:
            assert "DRAINING" == (await fault_of(stream.read())).reason
        assert handlers.cancelled.is_set()
        assert 0 == edge.open_streams


async def test_a_drain_ends_a_stream_whose_reader_is_slow_once_it_has_read():
    handlers = Handlers()
    async with serving(handlers) as (edge, stub):
        stream = watch(stub, "", 500)
        await stream.read()
        await asyncio.sleep(0.1)
        # The window is full: the stream hangs in the sending of an event.
        assert not handlers.begun.is_set()
        edge.drain()
        assert 1 == edge.open_streams
        messages, fault = await read_to_fault(stream)
        assert 0 < len(messages) < 499
        assert list(range(1, 1 + len(messages))) == [one.event.version for one in messages]
        assert "DRAINING" == fault.reason
        assert 0 == edge.open_streams


@pytest.mark.parametrize("data", [b"\xff", b"\x0a\x05abc"])
async def test_bytes_that_are_no_message_never_reach_a_handler(data):
    handlers = Handlers()
    async with serving(handlers) as (_, stub):
        stub.ListGames._request_serializer = lambda _: data
        fault = await fault_of(stub.ListGames(pb.ListGamesRequest()))
    assert ("INVALID_REQUEST", ("request",)) == (fault.reason, fault.fields)
    assert not handlers.begun.is_set()

"""What stands around every handler: reading requests, deadlines, draining, errors.

Handlers are wrapped when they are registered, all of them and by one piece of code, so that none
can be forgotten. Two things that the stock wiring does otherwise:

* A request that can't be parsed becomes INVALID_ARGUMENT. The stock deserializer would answer
  INTERNAL, which says that the referee is at fault.
* An exception that is not a ``RefereeError`` becomes INTERNAL with an incident number and nothing
  else; the log has the rest under the same number.

Ordering hazards in streams: when the process drains, their tasks are cancelled, and so they are
when the caller goes away. The drain's flag is set before the first task is cancelled, and only a
task that finds it set answers DRAINING; any other lets the cancellation through, for a swallowed
CancelledError keeps the call's memory for ever. And only a task that waits for its handler is
cancelled: one that is just sending would be cancelled inside gRPC, out of reach of this code, and
never answer at all; it finds the flag when it has sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, NoReturn

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from referee.errors import DeadlineError, DrainingError, InvalidRequestError, RefereeError
from referee.service.resume import with_hint
from referee.service.status import log_incident, status_of

Context = grpc.aio.ServicerContext[Any, Any]
Unary = Callable[[Any, Context], Awaitable[Message]]
Streaming = Callable[[Any, Context], AsyncIterator[Message]]
BothWays = Callable[[Any, Context], Awaitable[None]]


def _no_hint(error: RefereeError) -> RefereeError:
    return error


class Malformed:
    """Stands in for a request that can't be parsed."""


class Edge:
    """Wraps handlers. Owns the drain's flag, and which streams are open and which just wait."""

    def __init__(self) -> None:
        self._draining = False
        self._streams: set[asyncio.Task[Any]] = set()
        self._waiting: set[asyncio.Task[Any]] = set()

    @property
    def open_streams(self) -> int:
        """Number of streams that are open."""
        return len(self._streams)

    def drain(self) -> None:
        """Refuse new calls and end the streams with a hint to go on elsewhere."""
        self._draining = True
        for task in self._waiting:
            task.cancel()

    def handlers(self, service: ServiceDescriptor, servicer: object) -> grpc.GenericRpcHandler:
        """All methods of a service, wrapped."""
        methods = {
            method.name: self._handler(method, getattr(servicer, method.name))
            for method in service.methods
        }
        return grpc.method_handlers_generic_handler(service.full_name, methods)

    def _handler(self, method: MethodDescriptor, behaviour: Any) -> grpc.RpcMethodHandler[Any, Any]:
        if method.client_streaming:
            kind, wrapped = grpc.stream_stream_rpc_method_handler, self._both_ways(behaviour)
        elif method.server_streaming:
            kind, wrapped = grpc.unary_stream_rpc_method_handler, self._streaming(behaviour)
        else:
            kind, wrapped = grpc.unary_unary_rpc_method_handler, self._unary(behaviour)
        return kind(
            wrapped,
            request_deserializer=_reader(GetMessageClass(method.input_type)),
            response_serializer=_bytes_of,
        )

    def _unary(self, behaviour: Unary) -> Any:
        async def call(request: Any, context: Context) -> Message:
            try:
                self._admit(request)
                _require_time(context)
                return await behaviour(request, context)
            except RefereeError as error:
                await _abort(context, error)
            except Exception as error:  # the last line of defence
                await _abort_incident(context, error)

        return call

    def _streaming(self, behaviour: Streaming) -> Any:
        async def call(request: Any, context: Context) -> AsyncIterator[Message]:
            last: Any = None

            def hint(error: RefereeError) -> RefereeError:
                return with_hint(error, request, last)

            async with self._stream(context, hint) as task:
                self._admit(request)
                self._waiting.add(task)
                async for message in behaviour(request, context):
                    self._waiting.discard(task)
                    yield message
                    last = message
                    self._admit(request)
                    self._waiting.add(task)

        return call

    def _both_ways(self, behaviour: BothWays) -> Any:
        async def call(requests: Any, context: Context) -> None:
            async with self._stream(context) as task:
                self._admit(None)
                # The handler itself never reads or writes: it has tasks for that, and just waits.
                self._waiting.add(task)
                await behaviour(requests, context)

        return call

    @asynccontextmanager
    async def _stream(
        self, context: Context, hint: Callable[[RefereeError], RefereeError] = _no_hint
    ) -> AsyncIterator[asyncio.Task[Any]]:
        """What stands around every stream; how it ended becomes its status, with a hint."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a handler always runs in a task
        self._streams.add(task)
        try:
            yield task
        except asyncio.CancelledError:
            if not self._draining or context.cancelled():
                raise
            task.uncancel()
            await _abort(context, hint(_draining()))
        except RefereeError as error:
            await _abort(context, hint(error))
        except Exception as error:  # the last line of defence
            await _abort_incident(context, error)
        finally:
            self._waiting.discard(task)
            self._streams.discard(task)

    def _admit(self, request: Any) -> None:
        if self._draining:
            raise _draining()
        if isinstance(request, Malformed):
            raise InvalidRequestError(
                "request", "can't be parsed as the message that this method takes."
            )


def _reader(kind: type[Message]) -> Callable[[bytes], Message | Malformed]:
    def read(data: bytes) -> Message | Malformed:
        try:
            return kind.FromString(data)
        except DecodeError:
            return Malformed()

    return read


def _bytes_of(message: Message | bytes) -> bytes:
    """A message's bytes; a handler may have made them itself."""
    return message if isinstance(message, bytes) else message.SerializeToString()


def _draining() -> DrainingError:
    return DrainingError(
        "This process is shutting down. Try again with the same request; another one answers."
    )


def _require_time(context: Context) -> None:
    """Refuse a call that comes too late; one that runs late is cancelled by gRPC."""
    left: float | None = context.time_remaining()  # the stubs forget that there may be none
    if left is not None and left <= 0:
        message = "The deadline had passed when the call came. Retry with the same request id."
        raise DeadlineError(message)


async def _abort(context: Context, error: RefereeError) -> NoReturn:
    status = status_of(error)
    await context.abort(status.code, status.details, status.trailing_metadata)
    raise AssertionError


async def _abort_incident(context: Context, error: Exception) -> NoReturn:
    if isinstance(error, grpc.aio.AbortError):
        raise error
    await context.abort(grpc.StatusCode.INTERNAL, log_incident(error))
    raise AssertionError

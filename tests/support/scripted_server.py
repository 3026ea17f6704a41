"""A real gRPC server that says what a test tells it to, step by step.

It stands where a referee would and does to a client what a sound referee never does on purpose:
lose streams, stay silent, repeat and leave out events, answer with any status. What a client must
make of the rules is tested against the real referee instead.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import status_pb2

from referee_client._gen.referee.v1 import match_service_pb2 as pb

SERVICE = pb.DESCRIPTOR.services_by_name["MatchService"]
METHODS = {method.name: method for method in SERVICE.methods}


@dataclass(frozen=True)
class Fail:
    """Ends the call with a status; ``raw_details`` go out as they are, broken or not."""

    code: grpc.StatusCode
    message: str = "scripted"
    details: Sequence[Message] = ()
    raw_details: bytes | None = None


@dataclass(frozen=True)
class Silence:
    """Says nothing until the caller gives up."""


@dataclass(frozen=True)
class Pause:
    """Leaves a stream quiet for a while."""

    seconds: float


Step = Message | Fail | Silence | Pause


@dataclass(frozen=True)
class Call:
    """A call that came in.

    Attributes:
        request: What was asked.
        metadata: What was sent along.
    """

    request: Any
    metadata: dict[str, str | bytes]


class ScriptedServer:
    """Answers each call of a method with the next script of it; a call too many is UNIMPLEMENTED.

    Attributes:
        address: host:port, once entered.
    """

    def __init__(self) -> None:
        self.address = ""
        self._calls: dict[str, list[Call]] = defaultdict(list)
        self._scripts: dict[str, deque[tuple[Step, ...]]] = defaultdict(deque)
        self._server: grpc.aio.Server | None = None

    def on(self, method: str, *steps: Step) -> None:
        """Add the script of one more call: one step for a unary method, any number for a stream."""
        assert method in METHODS
        self._scripts[method].append(steps)

    def calls(self, method: str) -> list[Call]:
        """Calls of a method so far."""
        return self._calls[method]

    async def __aenter__(self) -> ScriptedServer:
        self._server = grpc.aio.server()
        handlers = {name: self._handler(name) for name in METHODS}
        generic = grpc.method_handlers_generic_handler(SERVICE.full_name, handlers)
        self._server.add_generic_rpc_handlers((generic,))
        port = self._server.add_insecure_port("127.0.0.1:0")
        self.address = f"127.0.0.1:{port}"
        await self._server.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        await self._server.stop(None)

    def _handler(self, name: str) -> grpc.RpcMethodHandler[Any, Any]:
        method = METHODS[name]
        reader = GetMessageClass(method.input_type).FromString
        writer = GetMessageClass(method.output_type).SerializeToString

        async def unary(request: Message, context: grpc.aio.ServicerContext[Any, Any]) -> Message:
            (step,) = await self._called(name, request, context)
            return await _play(step, context)

        async def stream(
            request: Message, context: grpc.aio.ServicerContext[Any, Any]
        ) -> AsyncIterator[Message]:
            for step in await self._called(name, request, context):
                if isinstance(step, Pause):
                    await asyncio.sleep(step.seconds)
                else:
                    yield await _play(step, context)

        if method.server_streaming:
            return grpc.unary_stream_rpc_method_handler(stream, reader, writer)
        return grpc.unary_unary_rpc_method_handler(unary, reader, writer)

    async def _called(
        self, name: str, request: Message, context: grpc.aio.ServicerContext[Any, Any]
    ) -> tuple[Step, ...]:
        metadata = dict(context.invocation_metadata() or ())
        self._calls[name].append(Call(request, metadata))
        if not self._scripts[name]:
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, f"{name}: no script is left")
        return self._scripts[name].popleft()


async def _play(step: Step, context: grpc.aio.ServicerContext[Any, Any]) -> Message:
    if isinstance(step, Silence):
        await asyncio.Event().wait()
    if isinstance(step, Fail):
        details = step.raw_details
        if details is None:
            status = status_pb2.Status(code=step.code.value[0], message=step.message)
            status.details.extend(map(_packed, step.details))
            details = status.SerializeToString()
        await context.abort(step.code, step.message, (("grpc-status-details-bin", details),))
    assert isinstance(step, Message)
    return step


def _packed(message: Message) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(message)
    return packed

"""The ceiling: a bare grpc.aio server that answers and does nothing else.

The first four bytes of a request say how long the answer has to be, so that both directions carry
what SubmitAction carries.
"""

from __future__ import annotations

import asyncio
import sys

import grpc

ANSWER = b"\x00" * 65_536


async def echo(request: bytes, context: object) -> bytes:  # noqa: ARG001 - gRPC passes it
    """Answer with the length asked for."""
    return ANSWER[: int.from_bytes(request[:4], "big")]


async def stream(request: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:  # noqa: ARG001 - gRPC passes it
    """Answer each message of a stream."""
    while isinstance(message := await context.read(), bytes):
        await context.write(ANSWER[: int.from_bytes(message[:4], "big")])


async def main() -> None:
    """Serve on a free port until killed; the first line printed is the address."""
    server = grpc.aio.server()
    method: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(echo)
    both: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(stream)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("bench.Echo", {"Echo": method, "Stream": both}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"The referee listens on 127.0.0.1:{port}", flush=True)
    await server.wait_for_termination()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

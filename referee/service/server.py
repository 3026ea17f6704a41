"""The gRPC server of one process: listeners, limits, reflection, and a graceful end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

import grpc
from grpc_health.v1 import health_pb2
from grpc_health.v1.health_pb2_grpc import add_HealthServicer_to_server
from grpc_reflection.v1alpha import reflection

from referee._gen.referee.v1 import match_service_pb2
from referee.config import Config
from referee.service.address import ListenError, free_address
from referee.service.edge import Edge
from referee.service.health import HealthServicer
from referee.service.match_servicer import MatchServicer
from referee.tasks import end

log = logging.getLogger(__name__)

HEALTH_SECONDS = 1.0
_SERVICE = match_service_pb2.DESCRIPTOR.services_by_name["MatchService"]


class RefereeServer:
    """Owns the gRPC server and the task that watches the store."""

    def __init__(
        self, config: Config, servicer: MatchServicer, store_answers: Callable[[], Awaitable[bool]]
    ) -> None:
        self._config = config
        self._edge = Edge()
        self._health = HealthServicer((_SERVICE.full_name,))
        self._store_answers = store_answers
        self._watcher: asyncio.Task[None] | None = None
        self._server = grpc.aio.server(options=_options(config))
        self._server.add_generic_rpc_handlers((self._edge.handlers(_SERVICE, servicer),))
        add_HealthServicer_to_server(self._health, self._server)
        reflection.enable_server_reflection(
            (
                _SERVICE.full_name,
                health_pb2.DESCRIPTOR.services_by_name["Health"].full_name,
                reflection.SERVICE_NAME,
            ),
            self._server,
        )

    async def start(self) -> str:
        """Listen; gives the address. Who shares a port has made sure that it is free.

        Raises:
            ListenError: The address is taken or not ours.
        """
        wanted = f"{self._config.host}:{self._config.port}"
        if not self._config.share_port:
            free_address(self._config.host, self._config.port)
        try:
            port = self._server.add_insecure_port(wanted)
        except RuntimeError as error:
            message = f"Can't listen on {wanted}. Choose another --host or --port."
            raise ListenError(message) from error
        await self._server.start()
        self._watcher = asyncio.create_task(self._watch_store(), name="watch-store")
        return f"{self._config.host}:{port}"

    async def stop(self) -> None:
        """Say that we go, let the calls in flight finish within the grace period, then go."""
        self._health.leave()
        self._edge.drain()
        if self._watcher is not None:
            await end(self._watcher)
        await self._server.stop(self._config.grace)

    async def _watch_store(self) -> None:
        """Keep the health in step with the store."""
        before: bool | None = None
        while True:
            answers = await self._store_answers()
            if answers is not before:
                self._health.tell(serving=answers)
                if before is not None or not answers:
                    log.warning(
                        "redis is %s", "back" if answers else "lost: not serving until it is back"
                    )
                before = answers
            await asyncio.sleep(HEALTH_SECONDS)


def _options(config: Config) -> list[tuple[str, int]]:
    limits = config.limits
    return [
        ("grpc.so_reuseport", int(config.share_port)),
        ("grpc.max_receive_message_length", limits.message_bytes),
        ("grpc.max_metadata_size", limits.metadata_bytes),
        ("grpc.max_concurrent_streams", limits.streams_per_connection),
        ("grpc.keepalive_time_ms", 60_000),
        ("grpc.keepalive_timeout_ms", 20_000),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
        ("grpc.keepalive_permit_without_calls", 1),
    ]

"""``grpc.health.v1``: SERVING while Redis answers, NOT_SERVING while it does not and in a drain.

In place of the stock servicer for two reasons: its watches never end, so that each of them would
hold a drain back for the whole grace period; and a change of status waits for the slowest watcher.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

Status = health_pb2.HealthCheckResponse


class HealthServicer(health_pb2_grpc.HealthServicer):
    """One status for all services of the process."""

    def __init__(self, services: tuple[str, ...]) -> None:
        self._services = ("", *services)
        self._serving = True
        self._leaving = False
        self._changed = asyncio.Event()

    def tell(self, *, serving: bool) -> None:
        """Say whether calls can be answered."""
        self._serving = serving
        self._wake()

    def leave(self) -> None:
        """Say NOT_SERVING for good, and end the watches."""
        self._leaving = True
        self._wake()

    async def Check(  # noqa: N802 - gRPC names its methods
        self, request: health_pb2.HealthCheckRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> health_pb2.HealthCheckResponse:
        """The status now."""
        if request.service not in self._services:
            await context.abort(grpc.StatusCode.NOT_FOUND, "There is no such service here.")
        return Status(status=self._status(request.service))

    async def Watch(  # noqa: N802 - gRPC names its methods
        self, request: health_pb2.HealthCheckRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[health_pb2.HealthCheckResponse]:
        """The status now and whenever it changes, until the process drains."""
        told: int | None = None
        while True:
            changed = self._changed
            status = self._status(request.service)
            if status != told:
                yield Status(status=status)
                told = status
            elif self._leaving:
                await context.abort(grpc.StatusCode.UNAVAILABLE, "This process is shutting down.")
            else:
                await changed.wait()

    def _status(self, service: str) -> int:
        if service not in self._services:
            return Status.SERVICE_UNKNOWN
        return Status.SERVING if self._serving and not self._leaving else Status.NOT_SERVING

    def _wake(self) -> None:
        """Wake every watch; those that begin to wait from now on wait for the next change."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

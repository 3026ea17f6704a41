"""One connection to Redis for commands by the thousand: packed by hiredis, answered in order.

redis-py makes the connection, and so TLS, passwords, databases and its handshake are as everywhere
else. But its way of packing commands and handing out replies, one command at a time and through
many layers, costs more than all the rest of a commit. Here a batch is packed by hiredis' C code,
sent in one write, and its replies are read one after another.

A connection that failed is thrown away, and the next batch makes a new one. Nothing is sent twice.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import Any

import hiredis
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

Word = bytes | str | int
Command = tuple[Word, ...]

_pack: Any = hiredis.pack_command  # its stub knows tuples of one element only


class BatchConnection:
    """A connection of its own with the settings of a client."""

    def __init__(self, redis: Redis, timeout: float) -> None:
        self._pool: Any = redis.connection_pool
        self._timeout = timeout
        self._connection: Any = None

    async def run(self, commands: Sequence[Command]) -> list[Any]:
        """The replies of a batch, in order; an error of one command stands in its place.

        Raises:
            RedisError: The batch was not answered. Which commands were run is not known.
        """
        packed = b"".join([_pack(command) for command in commands])
        try:
            async with asyncio.timeout(self._timeout):
                connection = await self._ready()
                await connection.send_packed_command(packed, check_health=False)
                return [await _reply(connection) for _ in commands]
        except TimeoutError as error:
            await self.close()
            message = "Redis did not answer in time"
            raise RedisTimeoutError(message) from error
        except OSError as error:
            await self.close()
            raise RedisConnectionError(str(error)) from error
        except BaseException:
            # A reply that was not read would be taken for the next batch's.
            await self.close()
            raise

    async def close(self) -> None:
        """Throw the connection away."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.disconnect(nowait=True)

    async def _ready(self) -> Any:
        if self._connection is not None and await self._connection.can_read():
            await self.close()  # the other side has hung up meanwhile
        if self._connection is None:
            connection: Any = self._pool.make_connection()
            await connection.connect()
            self._connection = connection
        return self._connection


async def _reply(connection: Any) -> Any:
    try:
        return await connection.read_response(disable_decoding=True, timeout=math.inf)
    except ResponseError as error:
        return error

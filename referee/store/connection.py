"""One connection to Redis for commands by the thousand: packed by hiredis, answered in order.

redis-py makes the connection, and so TLS, passwords, databases and its handshake are as everywhere
else. But its way of packing commands and handing out replies, one command at a time and through
many layers, costs more than all the rest of a commit. Here a batch is packed by hiredis' C code,
sent in one write, and its replies are taken from the parser as they lie there.

A connection that failed is thrown away, and the next batch makes a new one. Nothing is sent twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import hiredis
from redis._parsers import _AsyncHiredisParser
from redis._parsers.hiredis import NOT_ENOUGH_DATA
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

Word = bytes | str | int
Command = tuple[Word, ...]

_pack: Any = hiredis.pack_command  # its stub knows tuples of one element only


class BatchParser(_AsyncHiredisParser):
    """redis-py's parser, which can give several replies at once."""

    async def read_many(self, count: int) -> list[Any]:
        """So many replies, in order; an error of one command stands in its place."""
        replies: list[Any] = []
        take: Any = self._reader.gets  # type: ignore[attr-defined]  # the same
        while len(replies) < count:
            reply = take(False)  # noqa: FBT003 - bytes, not text
            if reply is NOT_ENOUGH_DATA:
                await self.read_from_socket()  # type: ignore[no-untyped-call]  # redis-py has no types there
            else:
                replies.append(reply)
        return replies


class BatchConnection:
    """A connection of its own with the settings of a client."""

    def __init__(self, redis: Redis, timeout: float) -> None:
        self._pool: Any = redis.connection_pool
        self._timeout = timeout
        self._connection: Any = None
        self._parser: BatchParser

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
                return await self._parser.read_many(len(commands))
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
            connection = self._pool.connection_class(
                # Whole batches have one time limit, which is ours; and RESP2 has no messages that
                # nobody asked for.
                **self._pool.connection_kwargs
                | {"parser_class": self._make_parser, "protocol": 2, "socket_timeout": None}
            )
            await connection.connect()
            self._connection = connection
        return self._connection

    def _make_parser(self, socket_read_size: int) -> BatchParser:
        self._parser = BatchParser(socket_read_size)
        return self._parser

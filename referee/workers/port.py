"""One port for several processes (SO_REUSEPORT): found free, and kept while workers come and go."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from referee.service.address import free_address


@contextmanager
def shared_port(host: str, port: int) -> Iterator[int]:
    """The port, which other sockets may share until the block is left; 0 takes a free one.

    The socket that keeps it never listens, so it gets no connections. That nobody else listens on
    the port is found out first, with a socket that would not share it.

    Raises:
        ListenError: It is taken, or not an address of this machine.
    """
    family, address = free_address(host, port)
    with contextlib.closing(socket.socket(family, socket.SOCK_STREAM)) as keeper:
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        keeper.bind(address)
        yield int(address[1])

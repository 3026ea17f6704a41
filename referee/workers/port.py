"""One port for several processes (SO_REUSEPORT): found free, and kept while workers come and go."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from referee.service.server import ListenError


@contextmanager
def shared_port(host: str, port: int) -> Iterator[int]:
    """The port, which other sockets may share until the block is left; 0 takes a free one.

    The socket that keeps it never listens, so it gets no connections. That nobody else listens on
    the port is found out first, with a socket that would not share it.

    Raises:
        ListenError: It is taken, or not an address of this machine.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM
        )[0]
        with contextlib.closing(socket.socket(family, kind, protocol)) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen()
            address = probe.getsockname()
        keeper = socket.socket(family, kind, protocol)
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        keeper.bind(address)
    except OSError as error:
        message = (
            f"Can't listen on {host}:{port}: it is taken, or not an address of this machine. "
            "Choose another --port."
        )
        raise ListenError(message) from error
    with contextlib.closing(keeper):
        yield int(address[1])

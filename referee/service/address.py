"""Addresses to listen on: found free, or refused with a sentence that says what to do."""

from __future__ import annotations

import errno
import socket
from typing import Any


class ListenError(Exception):
    """The address can't be listened on; the message says what to do."""


def free_address(host: str, port: int) -> tuple[socket.AddressFamily, Any]:
    """An address that nobody listens on, for a socket of its family; 0 takes a free port.

    Finds out why an address can't be had: gRPC does not say, and logs a line of its own.

    Raises:
        ListenError: The address is taken or not ours.
    """
    try:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            return family, probe.getsockname()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            advice = "something else listens there. Stop it, or choose another --port."
        elif error.errno == errno.EACCES:
            advice = "that takes more rights than this process has. Choose a --port from 1024 on."
        else:
            advice = "it is not an address of this machine. Choose another --host."
        message = f"Can't listen on {host}:{port}: {advice}"
        raise ListenError(message) from error

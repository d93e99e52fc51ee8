"""A connection on which every step ends by one deadline, however slowly the other side sends."""

from __future__ import annotations

import io
import socket
import ssl
import threading
import time
from collections.abc import Sequence
from typing import Any

from autourdf_ros.plugins.service_address import ServiceAddress

_Address = tuple[int, Any]


class Deadline:
    """A moment that a request must not outlast."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self, most: float) -> float:
        """Return the seconds until the deadline, at most `most`.

        Raises:
            TimeoutError: None are left.
        """
        left = min(most, self._end - time.monotonic())
        if left <= 0:
            raise TimeoutError
        return left


class BoundedSocket:
    """The part of a socket that `http.client` uses, with limits on time.

    Args:
        sock: Connected.
        deadline: Of the whole request.
        read_seconds: Between two pieces.
    """

    def __init__(self, sock: socket.socket, deadline: Deadline, read_seconds: float) -> None:
        self._sock = sock
        self._deadline = deadline
        self._read_seconds = read_seconds

    def sendall(self, data: bytes) -> None:
        """Send everything by the deadline."""
        self._sock.settimeout(self._deadline.left(float("inf")))
        self._sock.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return a reader of the answer."""
        return io.BufferedReader(_BoundedReader(self._sock, self._deadline, self._read_seconds))

    def close(self) -> None:
        """Close the connection."""
        self._sock.close()


class _BoundedReader(io.RawIOBase):
    """Reads from a socket; every read waits until the deadline at most."""

    def __init__(self, sock: socket.socket, deadline: Deadline, read_seconds: float) -> None:
        super().__init__()
        self._sock = sock
        self._deadline = deadline
        self._read_seconds = read_seconds

    def readable(self) -> bool:
        """Return that it can be read from."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what has arrived; 0 bytes at the end."""
        self._sock.settimeout(self._deadline.left(self._read_seconds))
        return self._sock.recv_into(buffer)


def connect(
    address: ServiceAddress, deadline: Deadline, connect_seconds: float, read_seconds: float
) -> BoundedSocket:
    """Open a connection; over TLS, verify the certificate and the host's name.

    Proxies that the environment names are not used.

    Raises:
        TimeoutError: A limit on time is reached.
        OSError: The host has no address or refuses, or TLS fails.
    """
    opening = Deadline(deadline.left(connect_seconds))
    sock = _opened(_resolved(address, opening), opening)
    if not address.secure:
        return BoundedSocket(sock, deadline, read_seconds)
    try:
        sock.settimeout(opening.left(float("inf")))
        context = ssl.create_default_context()
        return BoundedSocket(
            context.wrap_socket(sock, server_hostname=address.host), deadline, read_seconds
        )
    except BaseException:
        sock.close()
        raise


def _resolved(address: ServiceAddress, opening: Deadline) -> Sequence[_Address]:
    """Addresses of the host. The system's resolver has no limit on time: it gets a thread."""
    found: list[_Address] = []
    failed: list[OSError] = []

    def resolve() -> None:
        try:
            for family, _, _, _, place in socket.getaddrinfo(
                address.host, address.port, type=socket.SOCK_STREAM
            ):
                found.append((family, place))
        except (OSError, UnicodeError) as error:
            failed.append(error if isinstance(error, OSError) else OSError("no legal host name"))

    thread = threading.Thread(target=resolve, daemon=True)
    thread.start()
    thread.join(opening.left(float("inf")))
    if thread.is_alive():
        raise TimeoutError
    if failed:
        raise failed[0]
    return found


def _opened(places: Sequence[_Address], opening: Deadline) -> socket.socket:
    """The first connection that opens."""
    error: OSError = OSError("no address")
    for family, place in places:
        sock = socket.socket(family, socket.SOCK_STREAM)
        try:
            sock.settimeout(opening.left(float("inf")))
            sock.connect(place)
            return sock
        except OSError as refused:
            sock.close()
            error = refused
    raise error

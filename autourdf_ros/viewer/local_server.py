"""A viser server that listens at one address, accepts only its own pages and opens no tunnel."""

from __future__ import annotations

import contextlib
import io
import socket
from collections.abc import Iterator
from typing import Any

import viser

from autourdf_ros.errors import InputError
from autourdf_ros.viewer.own_pages import open_to_own_pages_only

LOCALHOST = "127.0.0.1"


class _ClosedServer(viser.ViserServer):
    """A server that refuses to become public, which any page in the browser could request."""

    def request_share_url(self, *args: Any, **options: Any) -> None:
        """Open no tunnel."""


def start_server(host: str = LOCALHOST, port: int = 8080) -> viser.ViserServer:
    """Listen at host:port.

    Args:
        host: Address or name of this machine.
        port: 0 is any free one, which `get_port()` returns.

    Raises:
        InputError: The server cannot listen there.
    """
    _check_address(host, port)
    # Without viser's banner.
    with open_to_own_pages_only(host), contextlib.redirect_stdout(io.StringIO()):
        server = _ClosedServer(host, port, verbose=False)
    # viser itself moves on to the next free port.
    if port and server.get_port() != port:
        found = server.get_port()
        stop_server(server)
        raise InputError(f"--port: {port} was taken, viser went to {found}; give another, or 0")
    return server


@contextlib.contextmanager
def served(host: str, port: int) -> Iterator[viser.ViserServer]:
    """Listen at host:port while the context lasts; raise as `start_server`."""
    server = start_server(host, port)
    try:
        yield server
    finally:
        stop_server(server)


def stop_server(server: viser.ViserServer) -> None:
    """Stop the server and close its connections."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


def _check_address(host: str, port: int) -> None:
    """Bind the address once, as viser tries a thousand ports in a row and then waits for ever."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise InputError(f"--host: {host!r} is no address or name ({error})") from error
    with socket.socket(family, kind, protocol) as probe:
        # As the server does: a port with only old connections is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen()
        except OSError as error:
            raise InputError(
                f"--port: {port} of {host} cannot be listened at ({error.strerror}); accepted is a "
                "free port of an address of this machine, 0 for any free one"
            ) from error

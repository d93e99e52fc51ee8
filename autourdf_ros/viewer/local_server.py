"""A viser server that listens only where it is told to, to its own pages, and opens no tunnel."""

from __future__ import annotations

import contextlib
import io
import socket
from typing import Any

import viser

from autourdf_ros.errors import InputError
from autourdf_ros.viewer.own_pages import open_to_own_pages_only

LOCALHOST = "127.0.0.1"


class _ClosedServer(viser.ViserServer):
    """Any page in the browser could ask a viser server to make itself public: this one refuses."""

    def request_share_url(self, *args: Any, **options: Any) -> None:
        """Give no address and open nothing."""


def start_server(host: str = LOCALHOST, port: int = 8080) -> viser.ViserServer:
    """Listen at host:port; port 0 is any free one (`get_port()` tells which).

    Raises InputError where that is not possible.
    """
    _check_address(host, port)
    # viser's banner is not printed.
    with open_to_own_pages_only(host), contextlib.redirect_stdout(io.StringIO()):
        server = _ClosedServer(host, port, verbose=False)
    # viser itself goes on to the next port that is free.
    if port and server.get_port() != port:
        found = server.get_port()
        stop_server(server)
        raise InputError(f"--port: {port} was taken, viser went to {found}; give another, or 0")
    return server


def stop_server(server: viser.ViserServer) -> None:
    """Stop it and hang up."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


def _check_address(host: str, port: int) -> None:
    """Bind it once, as viser tries a thousand ports in a row and then waits for ever."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise InputError(f"--host: {host!r} is no address or name ({error})") from error
    with socket.socket(family, kind, protocol) as probe:
        # As the server will: a port of which only old connections are left is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen()
        except OSError as error:
            raise InputError(
                f"--port: {port} of {host} cannot be listened at ({error.strerror}); accepted is a "
                "free port of an address of this machine, 0 for any free one"
            ) from error

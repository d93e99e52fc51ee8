"""A web socket that only the pages of its own server may open.

Browsers let a page of any site open a socket to localhost and send the page's origin
(RFC 6455, section 10.2); viser does not check it.
"""

from __future__ import annotations

import http
import ipaddress
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import websockets.asyncio.server
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response


@contextmanager
def open_to_own_pages_only(host: str) -> Iterator[None]:
    """Let servers of web sockets that start within this context refuse pages of other servers.

    Args:
        host: At which they listen.

    Raises:
        RuntimeError: No server started in the way that viser starts it, so that it would be open
            to all.
    """
    serve, started = websockets.asyncio.server.serve, []

    def guarded(*args: Any, process_request: Callable[..., Any], **options: Any) -> Any:
        def answered(connection: ServerConnection, request: Request) -> Any:
            origin, asked = request.headers.get("Origin"), request.headers.get("Host", "")
            if not is_own_page(origin, asked, host):
                return _refused(connection, origin)
            return process_request(connection, request)

        started.append(True)
        return serve(*args, process_request=answered, **options)

    websockets.asyncio.server.serve = guarded  # type: ignore[assignment, misc]
    try:
        yield
    finally:
        websockets.asyncio.server.serve = serve  # type: ignore[misc]
    if not started:
        raise RuntimeError("viser started its server in a way that is not known to be closed")


def is_own_page(origin: str | None, asked: str, host: str) -> bool:
    """Return whether a request comes from a page of the server itself.

    Programs other than browsers send no origin, or any. A name must be one of this machine, as
    another site's name could resolve to this machine (DNS rebinding).

    Args:
        origin: The request's Origin; None without one.
        asked: The request's Host.
        host: At which the server listens.
    """
    if origin is None:
        return True
    try:
        name = urlsplit(origin).hostname or ""
    except ValueError:
        return False
    return origin.lower() in _origins(asked.lower()) and (_is_address(name) or name in _names(host))


def _origins(asked: str) -> tuple[str, str]:
    return f"http://{asked}", f"https://{asked}"


def _names(host: str) -> set[str]:
    own = socket.gethostname().lower()
    return {"localhost", host.lower(), own, f"{own}.local", socket.getfqdn().lower()}


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _refused(connection: ServerConnection, origin: str | None) -> Response:
    return connection.respond(
        http.HTTPStatus.FORBIDDEN, f"Pages of {origin} may not open this robot's socket.\n"
    )

"""Addresses of services: http(s) only, without a secret in them."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from autourdf_ros.errors import InputError

ACCEPTED = "http(s)://HOST[:PORT][/PATH]"


@dataclass(frozen=True)
class ServiceAddress:
    """Where a service is.

    Attributes:
        secure: Whether it is HTTPS.
        host: Name or number.
        port: Of TCP.
        target: Path and query, which may hold a key: never printed.
    """

    secure: bool
    host: str
    port: int
    target: str

    @classmethod
    def of(cls, url: str) -> Self:
        """Return the parsed address.

        Raises:
            InputError: It is not of http or https, or has a user, a password or a fragment.
        """
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:  # of a port or an IPv6 address; its text is not repeated
            raise InputError(f"plug-in: malformed URL; accepted is {ACCEPTED}") from None
        if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
            raise InputError(
                f"plug-in: a URL of scheme {parts.scheme[:20]!r} without a use here; accepted is "
                f"{ACCEPTED}"
            )
        if parts.username is not None or parts.password is not None or parts.fragment:
            raise InputError(
                f"plug-in {parts.hostname}: the URL has a user, a password or a fragment; accepted "
                f"is {ACCEPTED}, and a token from the environment"
            )
        if not (url.isascii() and url.isprintable()) or " " in url:
            raise InputError(
                f"plug-in: the URL has letters that are not printable ASCII; accepted is {ACCEPTED}"
            )
        secure = parts.scheme == "https"
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return cls(secure, parts.hostname, port or (443 if secure else 80), target)

    @property
    def shown(self) -> str:
        """What messages and results name: scheme, host and port, without path and query."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'s' if self.secure else ''}://{host}:{self.port}"

    @property
    def local(self) -> bool:
        """Whether the host is this machine, by its number or as `localhost`."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def is_url(reference: str) -> bool:
    """Return whether a plug-in's reference is a URL rather than the name of an entry point."""
    return "://" in reference

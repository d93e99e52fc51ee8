"""A service's token: read from the environment for one request, shown and stored nowhere."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from autourdf_ros.errors import InputError
from autourdf_ros.plugins.plugin_options import HttpBounds
from autourdf_ros.plugins.service_address import ServiceAddress


def read_token(variable: str, address: ServiceAddress, bounds: HttpBounds) -> str:
    """Return the token that an environment variable holds.

    Raises:
        InputError: It is not set, is no token, or would go over the network unencrypted.
    """
    if not address.secure and not address.local:
        raise InputError(
            f"plug-in {address.shown}: a token would be sent unencrypted; accepted is https, or a "
            "service on this machine"
        )
    token = os.environ.get(variable)
    accepted = f"accepted are {bounds.token_letters} or more printable ASCII letters without spaces"
    if token is None:
        raise InputError(f"plug-in {address.shown}: environment variable {variable} is not set")
    if (
        len(token) < bounds.token_letters
        or not (token.isascii() and token.isprintable())
        or " " in token
    ):
        raise InputError(
            f"plug-in {address.shown}: environment variable {variable} holds no token; {accepted}"
        )
    return token


def holds_token(answer: Any, token: str) -> bool:
    """Return whether any text of a parsed JSON answer holds the token."""
    rest = [answer]
    while rest:
        one = rest.pop()
        if isinstance(one, str):
            if token in one:
                return True
        elif isinstance(one, Mapping):
            rest += [*one.keys(), *one.values()]
        elif isinstance(one, Sequence):
            rest += one
    return False

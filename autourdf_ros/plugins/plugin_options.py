"""Choices of the user for a plug-in, and the bounds of what is sent and received."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PluginOptions:
    """Choices of the user.

    Attributes:
        token_variable: Name of the environment variable with the service's token; None without.
            The token itself is read when a request is sent, and kept nowhere.
        total_seconds: Bound of time of one request, from the connection to the end of the answer.
    """

    token_variable: str | None = None
    total_seconds: float = 300.0


@dataclass(frozen=True)
class HttpBounds:
    """Bounds of one request. All are bounds of time or memory.

    Attributes:
        connect_seconds: For the address to resolve and the connection to open.
        read_seconds: Between two pieces of an answer; a model computes for long before the first.
        request_bytes: Of a request's body.
        answer_bytes: Of an answer's body.
        piece_bytes: Read at once.
        token_letters: Least length of a token, so that its occurrence in an answer is no chance.
    """

    connect_seconds: float = 10.0
    read_seconds: float = 300.0
    request_bytes: int = 2**26
    answer_bytes: int = 2**28
    piece_bytes: int = 2**16
    token_letters: int = 8

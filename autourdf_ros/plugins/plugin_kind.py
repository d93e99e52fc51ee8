"""What kinds of plug-ins there are: the protocol of each, and how HTTP offers it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from autourdf_ros.plugins.http_service import HttpService

Plugin = TypeVar("Plugin")


@dataclass(frozen=True)
class PluginKind(Generic[Plugin]):
    """A kind of plug-in.

    Attributes:
        name: For messages, such as `part model`.
        protocol: A runtime-checkable protocol, defined where it is used.
        over_http: Returns an object of that protocol that asks a service.
    """

    name: str
    protocol: Any
    over_http: Callable[[HttpService], Plugin]

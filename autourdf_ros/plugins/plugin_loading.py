"""Find a plug-in: an object that an installed package offers, or a service at a URL."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.plugins.http_service import HttpService
from autourdf_ros.plugins.plugin_kind import Plugin, PluginKind
from autourdf_ros.plugins.plugin_options import HttpBounds, PluginOptions
from autourdf_ros.plugins.service_address import ServiceAddress, is_url
from autourdf_ros.plugins.service_token import read_token

GROUP = "autourdf_ros.plugins"
"""Of the entry points by which installed packages offer plug-ins."""


def load_plugin(
    kind: PluginKind[Plugin],
    reference: str,
    options: PluginOptions = PluginOptions(),  # noqa: B008
) -> Plugin:
    """Return the plug-in that a user names. Nothing is sent yet.

    Args:
        kind: What it must be.
        reference: A URL, or the name of an entry point of `GROUP`.
        options: Of a service.

    Raises:
        InputError: There is none, or it is of another kind.
    """
    if is_url(reference):
        address = ServiceAddress.of(reference)
        if options.token_variable is not None:
            read_token(options.token_variable, address, HttpBounds())  # report faults at once
        return kind.over_http(HttpService(address, options))
    if options.token_variable is not None:
        raise InputError(f"{kind.name} {reference}: a token goes to a URL only; accepted is a URL")
    return _object(kind, _entry_point(kind.name, reference))


def _entry_point(kind: str, name: str) -> EntryPoint:
    offered = entry_points(group=GROUP)
    found = [one for one in offered if one.name == name]
    if len({one.value for one in found}) != 1:
        known = ", ".join(sorted({one.name for one in offered})) or "none is installed"
        fault = "several packages offer it" if found else "is no installed plug-in"
        raise InputError(
            f"{kind} {name}: {fault}; accepted are a URL and the entry points of group {GROUP}: "
            f"{known}"
        )
    return found[0]


def _object(kind: PluginKind[Plugin], point: EntryPoint) -> Plugin:
    """The object, or an object of the class, that an entry point names."""
    try:
        offered = point.load()
        plugin: Plugin = offered() if isinstance(offered, type) else offered
    except AutourdfError:
        raise
    except Exception as error:  # of code that is not ours
        raise InputError(
            f"{kind.name} {point.name} ({point.value}): cannot be loaded: {type(error).__name__}"
        ) from error
    if not isinstance(plugin, kind.protocol):
        raise InputError(
            f"{kind.name} {point.name} ({point.value}): is no {kind.name}; accepted is an object "
            f"of the protocol {kind.protocol.__name__}"
        )
    return plugin

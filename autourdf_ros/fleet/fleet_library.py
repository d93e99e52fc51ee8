"""The libraries of the extra `fleet`, which a machine without it lacks."""

from __future__ import annotations

import importlib
from types import ModuleType

from autourdf_ros.errors import InputError


def fleet_library(name: str) -> ModuleType:
    """Return a module of the extra.

    Raises:
        InputError: It is not installed; the error says how to install it.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(
            f"{error.name or name} is not installed; install the extra 'fleet': "
            "pip install 'autourdf_ros[fleet]'"
        ) from error

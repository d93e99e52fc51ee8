"""Parses untrusted YAML: plain data, without aliases, which make a small file large."""

from __future__ import annotations

from typing import Any

import yaml

from autourdf_ros.errors import InputError

_MOST_DEEP = 64
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parse_yaml(text: str, where: str) -> Any:
    """Parse YAML of at most 64 levels without aliases, which ROS 2 parameter files lack as well.

    Args:
        where: names the file in errors.

    Raises:
        InputError: names what is wrong and where.
    """
    try:
        _check(text, where)
        return yaml.load(text, Loader=_LOADER)
    except (yaml.YAMLError, ValueError, OverflowError, TypeError) as error:
        raise InputError(f"{where}: not readable as YAML: {error}") from error


def _check(text: str, where: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.AliasEvent):
            raise InputError(f"{where}: has the alias *{event.anchor}; accepted are none")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MOST_DEEP:
            raise InputError(f"{where}: is more than {_MOST_DEEP} levels deep")

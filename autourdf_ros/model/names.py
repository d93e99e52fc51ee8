"""Names that URDF, SRDF, TF and MoveIt all accept."""

from __future__ import annotations

import re
from collections.abc import Iterable


def legal_names(names: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Return a legal, unique name for each of `names`, not in `taken`.

    Of ASCII letters, digits and underscores, no digit first: `autourdf check` asks the same.
    """
    used = set(taken)
    legal: dict[str, str] = {}
    for name in names:
        stem = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_") or "unnamed"
        stem = f"_{stem}" if stem[0].isdigit() else stem
        candidate, count = stem, 2
        while candidate in used:
            candidate, count = f"{stem}_{count}", count + 1
        used.add(candidate)
        legal[name] = candidate
    return legal


def package_name(robot: str) -> str:
    """Return a ROS package name for a robot: lower case, a letter first, no doubled underscore.

    The rules are those of REP 144. `robot` has letters, digits and underscores only.
    """
    name = re.sub("_+", "_", robot.lower()).strip("_")
    return name if name[:1].isalpha() else f"robot_{name}".strip("_")

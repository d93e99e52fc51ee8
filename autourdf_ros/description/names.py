"""Names that URDF, SRDF, TF and MoveIt all accept."""

from __future__ import annotations

import re
from collections.abc import Iterable


def legal_names(names: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Legal, unique name for each of `names`: letters, digits and underscores, not in `taken`."""
    used = set(taken)
    legal: dict[str, str] = {}
    for name in names:
        stem = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_") or "unnamed"
        candidate, count = stem, 2
        while candidate in used:
            candidate, count = f"{stem}_{count}", count + 1
        used.add(candidate)
        legal[name] = candidate
    return legal


def package_name(robot: str) -> str:
    """ROS package name for a robot: lower case, begins with a letter, no doubled underscore.

    The rules are those of REP 144. `robot` has letters, digits and underscores only.
    """
    name = re.sub("_+", "_", robot.lower()).strip("_")
    return name if name[:1].isalpha() else f"robot_{name}".strip("_")

"""A payload on the terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

_LASTING = 2.0
"""Records over which noise lasts from which that is said: it is no longer white."""


def print_payload(document: Mapping[str, Any]) -> None:
    """Print mass, centre of mass and inertia, of the whole and of its links, and the verdict.

    Args:
        document: Content of payload.json.
    """
    print(f"mass            {_mass(document)}")
    print(f"centre of mass  {_centre(document)} in {document['frame']}")
    print(f"inertia         {_inertia(document)}")
    if volume := document.get("shape", {}).get("volume"):
        print(f"mean density    {document['mass'] / volume:.3g} kg/m³")
    if joints := document.get("joints"):
        stated = ", ".join(f"{name}={value:g}" for name, value in joints.items())
        print(f"joints          {stated}")
    for name, link in document.get("links", {}).items():
        print(f"  {name:12s}  {_mass(link)} at {_centre(link)}")
    lasting = max(document.get("sensor", {}).get("correlation") or (1.0,))
    if lasting > _LASTING:
        print(f"noise           lasts over {lasting:.0f} records, which the deviations count")
    print(f"verdict         {document['verdict']}")
    for warning in document["warnings"]:
        print(f"  ! {warning}")


def _mass(entry: Mapping[str, Any]) -> str:
    std = entry["std"]
    spread = None if std is None else 1e3 * std["mass"]
    return f"{_measured([1e3 * entry['mass']], spread)} g"


def _centre(entry: Mapping[str, Any]) -> str:
    std = entry["std"]
    spread = None if std is None else 1e3 * math.hypot(*std["centre_of_mass"])
    return f"{_measured([1e3 * value for value in entry['centre_of_mass']], spread)} mm"


def _inertia(entry: Mapping[str, Any]) -> str:
    std, names = entry["std"], ("ixx", "iyy", "izz")
    spread = None if std is None else 1e6 * max(std["inertia"][name] for name in names)
    values = [1e6 * entry["inertia"][name] for name in names]
    return f"{_measured(values, spread)} kg mm² (xx, yy, zz, about it)"


def _measured(values: Sequence[float], std: float | None) -> str:
    """Numbers with two digits of their standard deviation, so that none is stated as 0."""
    known = std is not None and 0 < std < math.inf
    decimals = max(0, 1 - math.floor(math.log10(std))) if std is not None and known else 1
    # Zero is added to what is rounded: it takes the sign off -0.0.
    text = ", ".join(f"{round(value, decimals) + 0.0:.{decimals}f}" for value in values)
    return f"{text} ± {std:.{decimals}f}" if known else text

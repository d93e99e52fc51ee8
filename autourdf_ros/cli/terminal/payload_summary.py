"""A payload on the terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

_LASTING = 2.0
"""Records over which noise lasts from which that is said: it is no longer white."""


def print_payload(document: Mapping[str, Any]) -> None:
    """Print mass and centre of mass, of the whole and of its links, and the verdict.

    Args:
        document: Content of payload.json.
    """
    print(f"mass            {_mass(document)}")
    print(f"centre of mass  {_centre(document)} in {document['frame']}")
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
    deviation = "" if std is None else f" ± {1e3 * std['mass']:.1f}"
    return f"{1e3 * entry['mass']:.1f}{deviation} g"


def _centre(entry: Mapping[str, Any]) -> str:
    std = entry["std"]
    centre = ", ".join(f"{1e3 * value:.1f}" for value in entry["centre_of_mass"])
    about = "" if std is None else f" ± {1e3 * math.hypot(*std['centre_of_mass']):.1f}"
    return f"{centre}{about} mm"

"""Lists the licences of all installed packages, and fails where one is not accepted.

What is accepted, and why: requirements/licences.toml. Read is what a package declares; what its
wheel holds of others in binary form is not looked into.
"""

from __future__ import annotations

import re
import sys
import tomllib
from fnmatch import fnmatch
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

LIST = Path(__file__).resolve().parents[1] / "requirements" / "licences.toml"


def installed() -> list[Distribution]:
    """What an installer put there, but what this repository made of itself, by name."""
    found = [one for one in distributions() if one.read_text("INSTALLER")]
    foreign = [one for one in found if not _is_own(one) and not _is_vendored(one)]
    return sorted(foreign, key=lambda one: str(one.metadata["Name"]).lower())


def declared(distribution: Distribution, known: dict[str, Any]) -> str:
    """An SPDX expression, or whatever else a package declares; empty where that is nothing."""
    metadata = distribution.metadata
    name = str(metadata["Name"]).lower()
    stated = next((text for one, text in known["stated"].items() if fnmatch(name, one)), None)
    if stated is not None:
        return str(stated)
    if metadata.get("License-Expression"):  # dask brings importlib_metadata, which is strict
        return str(metadata["License-Expression"])
    classifiers = metadata.get_all("Classifier") or []
    texts = [one.rpartition("::")[2].strip() for one in classifiers if one.startswith("License")]
    text = str(metadata.get("License") or "").strip()
    texts = texts or ([text] if text and "\n" not in text else []) or _of_ros(distribution)
    return " AND ".join(known["spellings"].get(one.lower(), one) for one in texts)


def is_accepted(expression: str, known: dict[str, Any]) -> bool:
    """Whether every part of an SPDX expression is accepted, or one of its alternatives."""
    parts = re.split(r"\s+(?:AND|WITH)\s+", expression.replace("(", "").replace(")", ""))
    return all(any(one in known["accepted"] for one in part.split(" OR ")) for part in parts)


def _is_own(distribution: Distribution) -> bool:
    return distribution.metadata["Name"] == "autourdf_ros" or "autourdf" in distribution.version


def _is_vendored(distribution: Distribution) -> bool:
    """Whether another wheel brings it, which setuptools shows as soon as it is imported."""
    return Path(str(distribution.locate_file(""))).name == "_vendor"


def _of_ros(distribution: Distribution) -> list[str]:
    """Of a ROS package, which declares it in its package.xml."""
    files = [file for file in distribution.files or () if file.name == "package.xml"]
    roots = [ElementTree.parse(str(distribution.locate_file(file))).getroot() for file in files]
    return [str(one.text) for root in roots for one in root.iterfind("license")]


def main() -> int:
    """Exit code 1 where a licence is unknown or not accepted."""
    known = tomllib.loads(LIST.read_text())
    refused = 0
    for one in installed():
        expression = declared(one, known)
        good = is_accepted(expression, known)
        refused += not good
        mark = "" if good else "  <- not accepted: see requirements/licences.toml"
        print(f"{one.metadata['Name']} {one.version}: {expression or 'says nothing'}{mark}")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())

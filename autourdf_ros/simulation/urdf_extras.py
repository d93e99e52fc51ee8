"""What Pinocchio does not read of a robot's description: mimic joints, and the SRDF beside it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from autourdf_ros.errors import InputError


def read_mimics(urdf: Path) -> dict[str, tuple[str, float, float]]:
    """(followed joint, multiplier, offset) by the name of the joint that follows."""
    mimics = {}
    for joint in _parse(urdf).iter("joint"):
        mimic = joint.find("mimic")
        if mimic is not None:
            multiplier = float(mimic.get("multiplier", 1.0))
            offset = float(mimic.get("offset", 0.0))
            mimics[joint.get("name", "")] = (mimic.get("joint", ""), multiplier, offset)
    return mimics


def disabled_collisions(urdf: Path) -> set[frozenset[str]]:
    """Pairs of link names that an SRDF of the same name says may touch; empty without one.

    It is looked for beside the URDF, and in a folder `srdf` beside it or beside its folder.
    """
    for folder in (urdf.parent, urdf.parent / "srdf", urdf.parent.parent / "srdf"):
        srdf = folder / f"{urdf.stem}.srdf"
        if srdf.is_file():
            pairs = _parse(srdf).iter("disable_collisions")
            return {frozenset((pair.get("link1", ""), pair.get("link2", ""))) for pair in pairs}
    return set()


def _parse(path: Path) -> ElementTree.Element:
    try:
        return ElementTree.parse(path).getroot()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except ElementTree.ParseError as error:
        raise InputError(f"{path}: not readable as XML ({error})") from error

"""What Pinocchio does not read of a robot's description: mimic joints, and the SRDF beside it."""

from __future__ import annotations

import math
from pathlib import Path

from autourdf_ros.errors import InputError
from autourdf_ros.files.xml_reading import read_xml


def read_mimics(urdf: Path) -> dict[str, tuple[str, float, float]]:
    """Read (followed joint, multiplier, offset) by the name of the joint that follows.

    Raises InputError where the file is no XML, a number is none, or joints follow in a circle.
    """
    mimics = {}
    for joint in read_xml(urdf).iter("joint"):
        mimic = joint.find("mimic")
        if mimic is not None:
            name = joint.get("name", "")
            where = f"{urdf}: joint '{name}', mimic"
            multiplier = _number(mimic.get("multiplier", "1"), f"{where} multiplier")
            offset = _number(mimic.get("offset", "0"), f"{where} offset")
            mimics[name] = (mimic.get("joint", ""), multiplier, offset)
    _refuse_circle(mimics, urdf)
    return mimics


def disabled_collisions(urdf: Path) -> set[frozenset[str]]:
    """Return pairs of links that an SRDF of the same name lets touch; empty without one.

    It is looked for beside the URDF, and in a folder `srdf` beside it or beside its folder.
    """
    for folder in (urdf.parent, urdf.parent / "srdf", urdf.parent.parent / "srdf"):
        srdf = folder / f"{urdf.stem}.srdf"
        if srdf.is_file():
            pairs = read_xml(srdf).iter("disable_collisions")
            return {frozenset((pair.get("link1", ""), pair.get("link2", ""))) for pair in pairs}
    return set()


def _number(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{where} is '{text}'; accepted is a finite number")
    return value


def _refuse_circle(mimics: dict[str, tuple[str, float, float]], urdf: Path) -> None:
    for name in mimics:
        passed, follower = {name}, name
        while follower in mimics:
            follower = mimics[follower][0]
            if follower in passed:
                raise InputError(f"{urdf}: joint '{follower}' follows itself by mimic elements")
            passed.add(follower)

"""The pairs of links that may overlap, by an SRDF or by sampling the robot."""

from __future__ import annotations

from pathlib import Path

from autourdf_ros.assessment.checks.subject import Subject
from autourdf_ros.files.xml_reading import parse_xml
from autourdf_ros.model.result_files import SRDF
from autourdf_ros.shape.collision.collision_pairs import collision_pairs

_SAMPLES = 500  # configurations: enough to find the pairs that nearly always touch

Pairs = frozenset[frozenset[str]]


def disabled_pairs(subject: Subject) -> Pairs:
    """Return pairs of names of links whose overlap is no collision.

    They come from the SRDF beside the URDF, or else from sampling as MoveIt's assistant does.

    Raises:
        InputError: The SRDF or the URDF cannot be used.
    """
    urdf = subject.robot.path
    for srdf in (urdf.with_name(SRDF), urdf.with_suffix(".srdf")):
        if srdf.is_file():
            return _written(srdf)
    found = collision_pairs(urdf, subject.reference, _SAMPLES)
    return frozenset(
        frozenset((pair.link1, pair.link2)) for pair in found if pair.reason != "Never"
    )


def _written(srdf: Path) -> Pairs:
    root = parse_xml(srdf.read_bytes(), srdf)
    return frozenset(
        frozenset((pair.get("link1", ""), pair.get("link2", "")))
        for pair in root.iter("disable_collisions")
        if pair.get("reason") != "Never"  # in random configurations; a recorded one may differ
    )

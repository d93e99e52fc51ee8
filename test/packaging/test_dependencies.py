"""What the package imports is what its requirements and its package.xml name."""

from __future__ import annotations

import ast
import re
import sys
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
STAND_INS = {"autourdf_msgs", "control_msgs", "sensor_msgs_py", "tf2_msgs", "tf2_ros"}
# Of what only `ros2 launch` imports, which is not in the wheels.
LAUNCH = {"launch", "launch_ros"}
ROS_KEYS = {"tf2_ros": "tf2_ros_py"}
# Distribution names of PyPI and the rosdep keys of the same thing.
ROSDEP_KEYS = {
    "open3d-cpu": "python3-open3d-pip",
    "pillow": "python3-pil",
    "pin": "pinocchio",
    "pycollada": "python3-collada",
    "pyyaml": "python3-yaml",
    "rosbags": "python3-rosbags-pip",
    "trimesh": "python3-trimesh-pip",
    "urchin": "python3-urchin-pip",
}
# numba has a key, but not on the Ubuntu of a ROS 2 of today; websockets is too old there.
WITHOUT_KEY = {
    *("apted", "manifold3d", "mcap", "mujoco", "numba", "threadpoolctl", "viser", "yourdfpy"),
    *("websockets", "zstandard"),
}
# What setup.py names as extras, and what these bring.
EXTRAS = {
    *("clarabel", "cma", "coacd", "cvxpy", "emcee", "imageio-ffmpeg", "pybullet"),
    "distributed",
    "pycolmap",
    "urdf-usd-converter",
    "usd-exchange",
}
# Packages of the suite `parts`, which docs/install.md names.
SUITE = {"articulatearena", "scene-synthesizer"}
# Their wheels do not say which modules they give, or they are not installed.
SILENT = {
    "articulatearena": "articulatearena",
    "cma": "cma",
    "coal": "pin",
    "emcee": "emcee",
    "imageio_ffmpeg": "imageio-ffmpeg",
    "manifold3d": "manifold3d",
    "pinocchio": "pin",
    "pycolmap": "pycolmap",
    "scene_synthesizer": "scene-synthesizer",
}


def imported(folder: Path) -> set[str]:
    """Top-level modules that the files below a folder import."""
    names: set[str] = set()
    for file in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names.add(node.module.partition(".")[0])
    return names - set(sys.stdlib_module_names)


def required(*groups: str) -> set[str]:
    """Distributions that requirements files name, in the form of the index."""
    text = "\n".join((ROOT / "requirements" / f"{group}.in").read_text() for group in groups)
    return {name.lower() for name in re.findall(r"^([A-Za-z][\w.-]*)", text, re.M)}


def is_ros(distribution: str) -> bool:
    """Whether it is one of the ROS wheels, whose requirements name collections of them."""
    return distribution.startswith("ros-") or "ros_" in distribution


def distributions(modules: set[str]) -> dict[str, set[str]]:
    """Distributions by the module that they give."""
    given = metadata.packages_distributions()
    return {
        module: {name.lower() for name in given.get(module, [SILENT.get(module, "")])}
        for module in modules
    }


def test_every_import_is_required() -> None:
    modules = imported(ROOT / "autourdf_ros") - {"autourdf_ros"} - STAND_INS - LAUNCH
    named = required("core", "demo")
    for module, names in distributions(modules).items():
        ros = any(is_ros(name) for name in names)
        optional = module == "torch" or names & (EXTRAS | SUITE)
        assert ros or optional or names & named, f"{module} of {sorted(names)} is not required"


def test_every_requirement_is_imported() -> None:
    modules = imported(ROOT / "autourdf_ros")
    given = {name for names in distributions(modules).values() for name in names}
    assert required("core") - given == set()


def test_the_manifest_names_what_is_imported() -> None:
    manifest = ElementTree.parse(ROOT / "package.xml").getroot()
    keys = {element.text for element in manifest.iter("exec_depend")}
    modules = imported(ROOT / "autourdf_ros") | imported(ROOT / "launch")
    ros = {
        module
        for module, names in distributions(modules).items()
        if module in STAND_INS | LAUNCH or any(is_ros(name) for name in names)
    }
    assert {ROS_KEYS.get(module, module) for module in ros} <= keys
    for name in required("core") - WITHOUT_KEY:
        assert ROSDEP_KEYS.get(name, f"python3-{name}") in keys

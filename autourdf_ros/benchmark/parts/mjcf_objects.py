"""Everyday objects in the MJCF files of installed packages."""

from __future__ import annotations

from dataclasses import dataclass

from autourdf_ros.benchmark.parts.case_source import CaseSource, package_folder
from autourdf_ros.data.parts.erased.mechanism import Mechanism


@dataclass(frozen=True)
class _Scene:
    """Where a package keeps its files. file: with a place for the name of a scene."""

    package: str
    module: str
    file: str


_KITCHEN = _Scene(
    "gymnasium-robotics",
    "gymnasium_robotics",
    "envs/assets/kitchen_franka/kitchen_assets/{}.xml",
)
_ADROIT = _Scene("gymnasium-robotics", "gymnasium_robotics", "envs/assets/adroit_hand/{}.xml")
_SAWYER = _Scene("metaworld", "metaworld", "assets/sawyer_xyz/sawyer_{}.xml")
# Bodies that sink when a light is switched: they stand for its colour.
_LIGHTS = (*(f"Burner {number}" for number in range(1, 5)), "lightblock_hinge")

# Case, where, scene, body that is kept, bodies that are left out. Not here, because nothing of
# theirs stands still beside what moves: dial, kettle; because it lies loose: the box with a lid.
_OBJECTS: tuple[tuple[str, _Scene, str, str, tuple[str, ...]], ...] = (
    ("kitchen_microwave", _KITCHEN, "kitchen_env_model", "microroot", ()),
    ("kitchen_hinge_cabinet", _KITCHEN, "kitchen_env_model", "hingecab", ()),
    ("kitchen_slide_cabinet", _KITCHEN, "kitchen_env_model", "slide", ()),
    ("kitchen_oven", _KITCHEN, "kitchen_env_model", "oven", _LIGHTS),
    ("adroit_door", _ADROIT, "adroit_door", "frame", ()),
    ("adroit_nail", _ADROIT, "adroit_hammer", "nail_board", ()),
    ("button", _SAWYER, "button_press", "box", ()),
    ("coffee_machine", _SAWYER, "coffee", "coffee_machine", ()),
    ("door_lock", _SAWYER, "door_lock", "door", ()),
    ("door", _SAWYER, "door_pull", "door", ()),
    ("drawer", _SAWYER, "drawer", "drawer", ()),
    ("faucet", _SAWYER, "faucet", "faucetBase", ()),
    ("handle", _SAWYER, "handle_press", "box", ()),
    ("laptop", _SAWYER, "laptop", "laptop", ()),
    ("lever", _SAWYER, "lever_pull", "lever", ()),
    ("window", _SAWYER, "window", "window", ()),
    ("window_horizontal", _SAWYER, "window_horizontal", "window", ()),
    ("nail", _SAWYER, "hammer", "box", ()),
)


def mjcf_objects() -> tuple[CaseSource, ...]:
    """Return all objects, whether their packages are installed or not."""
    return tuple(_source(*one) for one in _OBJECTS)


def _source(name: str, scene: _Scene, stem: str, keep: str, drop: tuple[str, ...]) -> CaseSource:
    def read() -> Mechanism:
        from autourdf_ros.data.parts.erased.mjcf_mechanism import mjcf_mechanism

        path = package_folder(scene.module) / scene.file.format(stem)
        return mjcf_mechanism(path, None, (keep,), drop)

    return CaseSource(name, "object", scene.package, read)

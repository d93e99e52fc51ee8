"""A URDF or MJCF with its joints erased: a part for each of its bodies."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from autourdf_ros.data.parts.erased.erasing import erase_joints
from autourdf_ros.data.parts.erased.mechanism import Mechanism
from autourdf_ros.data.parts.formats.mesh_bounds import check_triangles
from autourdf_ros.data.parts.formats.raw_scene import RawPart, RawScene
from autourdf_ros.errors import InputError
from autourdf_ros.files.xml_reading import read_xml


def read_erased(path: Path) -> RawScene:
    """Read the bodies of a robot description at its zero pose, and forget its joints.

    Links that fixed joints connect are one part. The order of the parts says nothing.

    Raises:
        InputError: It is neither URDF nor MJCF, or cannot be read.
    """
    model = erase_joints(_mechanism(path))
    check_triangles(path, sum(len(mesh.faces) for mesh in model.meshes))
    parts = tuple(
        RawPart(
            name,
            np.asarray(mesh.vertices, np.float64),
            np.asarray(mesh.faces, np.int64),
            metres=1.0,
            up="z",
        )
        for name, mesh in zip(model.links, model.meshes, strict=True)
    )
    erased = f"{len(model.joints)} joints of {path.name} are not used."
    return RawScene(parts, rigid=True, notes=(erased, *model.notes))


def _mechanism(path: Path) -> Mechanism:
    root = read_xml(path)
    if root.tag == "robot":
        from autourdf_ros.data.parts.erased.urdf_mechanism import urdf_mechanism

        return urdf_mechanism(path)
    if root.tag == "mujoco":
        from autourdf_ros.data.parts.erased.mjcf_mechanism import mjcf_mechanism

        return mjcf_mechanism(path)
    raise InputError(
        f"{path}: has the root element '{str(root.tag)[:60]}'; accepted are <robot> (URDF) and "
        "<mujoco> (MJCF)"
    )

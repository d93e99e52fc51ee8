"""Copies a URDF with the meshes that it names into one folder."""

from __future__ import annotations

import shutil
from pathlib import Path

from lxml import etree

from autourdf_ros.errors import InputError
from autourdf_ros.files.xml_reading import read_xml
from autourdf_ros.model.urdf.mesh_location import MeshError, locate

ROBOT_FILE = "robot.urdf"
_MESHES = "meshes"


def copy_robot(urdf: Path, folder: Path) -> Path:
    """Copy a URDF and its meshes; names of packages become paths in the folder.

    Args:
        urdf: Of the robot.
        folder: That gets ROBOT_FILE and the meshes.

    Returns:
        Path of the copy.

    Raises:
        InputError: A mesh is missing.
    """
    root = read_xml(urdf)
    copied: dict[Path, str] = {}
    for mesh in root.iter("mesh"):
        try:
            found = locate(mesh.get("filename", ""), urdf)
        except MeshError as error:
            raise InputError(f"{urdf}: {error}") from error
        if found not in copied:
            copied[found] = f"{_MESHES}/{len(copied):03d}_{found.name}"
            (folder / _MESHES).mkdir(exist_ok=True)
            shutil.copyfile(found, folder / copied[found])
        mesh.set("filename", copied[found])
    path = folder / ROBOT_FILE
    path.write_bytes(etree.tostring(root, encoding="utf-8", xml_declaration=True))
    return path

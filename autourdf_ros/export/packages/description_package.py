"""The ROS package with a robot's description, for `colcon build`."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from autourdf_ros.export.formats.end_frames import EndFrame
from autourdf_ros.export.formats.urdf import BASE_LINK
from autourdf_ros.export.formats.xacro import packaged_urdf, write_xml, xacro_file, xacro_macro
from autourdf_ros.export.packages.package_templates import render_package
from autourdf_ros.model.names import package_name
from autourdf_ros.model.result_files import MESHES, URDF, description_package


def write_description_package(robot: str, folder: Path, frames: Sequence[EndFrame] = ()) -> Path:
    """Write the package beside the URDF and meshes in `folder`, with copies; returns its path.

    Args:
        robot: Its name in the URDF.
        folder: With URDF and meshes.
        frames: Where tools are mounted.
    """
    macro, package = package_name(robot), description_package(robot)
    out = folder / package
    render_package("description_package", out, package=package, robot=robot, base_link=BASE_LINK)
    shutil.copytree(folder / MESHES, out / MESHES)
    urdf = out / "urdf"
    urdf.mkdir()
    macro_file, arguments = f"{robot}.macro.xacro", {"prefix": "", "mesh_package": package}
    write_xml(packaged_urdf(folder / URDF, package, frames), urdf / f"{robot}.urdf")
    write_xml(xacro_macro(folder / URDF, macro, package, frames), urdf / macro_file)
    write_xml(xacro_file(robot, macro, macro_file, arguments), urdf / f"{robot}.urdf.xacro")
    return out

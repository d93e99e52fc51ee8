"""The estimate of a result folder, read back from its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autourdf_ros.errors import InputError
from autourdf_ros.model.result_files import DOCUMENT, URDF, result_document
from autourdf_ros.model.skeleton import Skeleton
from autourdf_ros.model.urdf.posed_urdf import UrdfRobot, read_urdf


@dataclass(frozen=True)
class Estimate:
    """A reconstructed robot as its files describe it.

    Attributes:
        folder: The result folder.
        robot: Its URDF.
        skeleton: Its joints at the reference configuration.
        readings: Motor readings of the reference frame by motor name; None without readings.
        report: The content of reconstruction.json.
    """

    folder: Path
    robot: UrdfRobot
    skeleton: Skeleton
    readings: Mapping[str, float] | None
    report: Mapping[str, Any]


def load_estimate(folder: Path) -> Estimate:
    """Read a result folder.

    Raises:
        InputError: A file is missing, malformed or of another version.
    """
    report = result_document(folder)
    try:
        reference = {str(k): float(v) for k, v in report["reference_configuration"].items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{folder / DOCUMENT}: expected an object with reference_configuration "
            f"({type(error).__name__}: {error})"
        ) from error
    robot = read_urdf(folder / URDF)
    moving = {name: value for name, value in reference.items() if name in robot.joint_names}
    return Estimate(
        folder=folder,
        robot=robot,
        skeleton=robot.skeleton(moving),
        readings=report.get("reference_readings"),
        report=report,
    )

"""The true robot of a recording."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.errors import InputError
from autourdf_ros.files.file_version import TRUTH_VERSION
from autourdf_ros.model.result_files import DOCUMENT, FORMAT
from autourdf_ros.model.skeleton import MotionType, Skeleton, SkeletonJoint, extent, joint_points
from autourdf_ros.model.urdf.posed_urdf import UrdfRobot, read_urdf

MOTION_TYPES: dict[str, MotionType] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
}

_ACCEPTED = "accepted is a truth.json or a URDF file"


@dataclass(frozen=True)
class TrueModel:
    """The true joints, posed.

    Attributes:
        skeleton: At `configuration`.
        robot: The URDF, with which other configurations are possible; None without.
        configuration: Joint values (rad or m) by name; None where unknown.
    """

    skeleton: Skeleton
    robot: UrdfRobot | None = None
    configuration: Mapping[str, float] | None = field(default=None)

    def at(self, configuration: Mapping[str, float]) -> TrueModel:
        """Return the same robot at other joint values.

        Rigid joints stay rigid.

        Args:
            configuration: Joint values (rad or m) by name; other joints keep theirs.

        Raises:
            InputError: The URDF is not known.
        """
        if self.robot is None:
            raise InputError("a truth without its URDF file cannot be posed at other joint values")
        kept = {
            name: value
            for name, value in (self.configuration or {}).items()
            if name not in self.robot.mimics
        }
        values = {**kept, **configuration}
        return urdf_truth(self.robot, values, moving=self.skeleton.names)


def urdf_truth(
    robot: UrdfRobot, configuration: Mapping[str, float], moving: Collection[str] | None = None
) -> TrueModel:
    """Return the truth by a URDF at joint values by name; joints not in `moving` are rigid."""
    skeleton = robot.skeleton(configuration)
    if moving is not None:
        skeleton = skeleton.frozen(set(skeleton.names) - set(moving))
    return TrueModel(skeleton, robot, dict(configuration))


def load_truth(path: Path, configuration: Mapping[str, float] | None = None) -> TrueModel:
    """Read a `truth.json` (see docs/data_formats.md) or a URDF file.

    Args:
        path: The file.
        configuration: Joint values (rad or m) by name; those missing are 0 for a URDF. Without it,
            a truth.json has its recorded configuration.

    Raises:
        InputError: The file is missing or malformed.
    """
    _check_file(path)
    if path.suffix != ".json":
        return urdf_truth(read_urdf(path), configuration or {})
    try:
        content = json.loads(path.read_text())
        if content.get("format") == FORMAT:
            raise InputError(f"is the {DOCUMENT} of a result; {_ACCEPTED}")
        if (version := content.get("version", TRUTH_VERSION)) != TRUTH_VERSION:
            raise InputError(f"has version {version!r}; accepted is {TRUTH_VERSION}, or none")
        joints = tuple(_joint(entry) for entry in content["joints"])
        skeleton = Skeleton(joints, extent(joint_points(joints)))
        robot = _robot_beside(path, content.get("urdf"))
        given = content.get("reference_configuration")
        reference = None if given is None else {k: float(v) for k, v in given.items()}
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
        OverflowError,
        RecursionError,
    ) as error:
        raise InputError(
            f"{path}: is no truth: expected joints with name, type, axis, point, parent and child "
            f"({type(error).__name__}: {error})"
        ) from error
    truth = TrueModel(skeleton, robot, reference)
    return truth if configuration is None else truth.at(configuration)


def _check_file(path: Path) -> None:
    """Raise InputError where a truth is no file."""
    if path.is_dir():
        hint = f"; give {path / 'truth.json'}" if (path / "truth.json").is_file() else ""
        raise InputError(f"{path}: is a folder; {_ACCEPTED}{hint}")
    if not path.exists():
        raise InputError(f"{path}: cannot be read: it does not exist; {_ACCEPTED}")


def _joint(entry: Mapping[str, Any]) -> SkeletonJoint:
    axis = np.asarray(entry["axis"], dtype=float).reshape(3)
    point = np.asarray(entry["point"], dtype=float).reshape(3)
    length = float(np.linalg.norm(axis))
    if not (np.isfinite(point).all() and 0 < length < np.inf):
        raise ValueError(f"joint {entry['name']!r} has the axis {axis} through {point}")
    return SkeletonJoint(
        name=str(entry["name"]),
        type=MOTION_TYPES[entry["type"]],
        axis=axis / length,
        point=point,
        parent=int(entry["parent"]),
        child=int(entry["child"]),
    )


def _robot_beside(path: Path, urdf: str | None) -> UrdfRobot | None:
    """Return the URDF that a truth names, absolute or beside it; None where it does not exist."""
    if not urdf or not (path.parent / urdf).is_file():
        return None
    return read_urdf(path.parent / urdf)


def truth_for(
    path: Path,
    configuration: Mapping[str, float] | None,
    readings: Mapping[str, float] | None,
) -> TrueModel:
    """Read the truth of a result, at the configuration of the result's reference frame.

    Args:
        path: truth.json or a URDF.
        configuration: The user's joint values (rad or m) by name, if given.
        readings: Of the motors at the reference frame. Those that name true joints set the
            configuration of a truth with its URDF; otherwise a truth.json keeps its recorded
            configuration, and a URDF stands at zero.
    """
    truth = load_truth(path)
    if configuration is not None:
        return truth.at(configuration)
    if readings is None or truth.robot is None:
        return truth
    return truth.at({k: v for k, v in readings.items() if k in truth.robot.joint_names})

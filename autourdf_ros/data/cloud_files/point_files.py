"""Reads one cloud from a PLY, PCD or NPZ file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.cloud_files.npz_reading import read_npz
from autourdf_ros.data.cloud_files.pcd_reading import read_pcd
from autourdf_ros.data.cloud_files.ply_reading import read_ply
from autourdf_ros.data.frame import Frame
from autourdf_ros.errors import InputError

SUFFIXES = (".ply", ".pcd", ".npz")

_ARRAYS = ("points", "colors", "joint_names", "joint_positions")
_Content = tuple[NDArray[Any], NDArray[Any] | None, Mapping[str, float] | None]


def read_points(file: Path, stamp: float = 0.0) -> Frame:
    """Read one cloud as a frame. Points that are not finite are dropped.

    Args:
        file: PLY, PCD or NPZ. NPZ holds `points` (N, 3), optional `colors` (N, 3) uint8, optional
            `joint_positions` with `joint_names`.
        stamp: of the frame, seconds.

    Raises:
        InputError: the file is empty, cut off, or has no finite point.
    """
    try:
        size = file.stat().st_size
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error
    if size == 0:
        raise InputError(f"{file}: is empty; accepted is a cloud of points")
    try:
        points, colors, joints = _READERS[file.suffix.lower()](file)
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from error
    return finite_frame(str(file), Frame(points, colors, stamp, joints))


def finite_frame(where: str, frame: Frame) -> Frame:
    """Keep the finite points of a frame, as float32.

    Args:
        where: begins the error message.

    Raises:
        InputError: no point is finite, or an array has a wrong shape or type.
    """
    points, joints = frame.points, frame.joint_positions
    if points.ndim != 2 or points.shape[1] != 3 or points.dtype.kind not in "fiu":
        raise InputError(
            f"{where}: points are {points.dtype} of shape {points.shape}; "
            "accepted is numbers (N, 3)"
        )
    if not len(points):
        raise InputError(f"{where}: has no points")
    for name, array, shape in (
        ("colors", frame.colors, points.shape),
        ("cameras", frame.cameras, points.shape[:1]),
    ):
        if array is not None and (array.shape != shape or array.dtype != np.uint8):
            raise InputError(
                f"{where}: {name} are {array.dtype} of shape {array.shape}; "
                f"accepted is uint8 of shape {shape}"
            )
    poses, cameras = frame.camera_poses, frame.cameras
    if poses is not None:
        least = 0 if cameras is None else int(cameras.max()) + 1
        if len(poses) < least or not np.isfinite(poses).all():
            raise InputError(
                f"{where}: has the poses of {len(poses)} cameras; accepted are finite ones of all "
                f"{least} that its points were seen by"
            )
    if joints is not None and not np.isfinite(list(joints.values())).all():
        raise InputError(f"{where}: joint positions {dict(joints)} are not all finite")
    finite = np.isfinite(points).all(axis=1)
    if not finite.any():
        raise InputError(f"{where}: none of its {len(points)} points is finite")
    if finite.all():
        return replace(frame, points=np.ascontiguousarray(points, np.float32))
    return replace(
        frame,
        points=np.ascontiguousarray(points[finite], np.float32),
        colors=None if frame.colors is None else frame.colors[finite],
        cameras=None if frame.cameras is None else frame.cameras[finite],
    )


def _read_npz(file: Path) -> _Content:
    content = read_npz(file, _ARRAYS)
    if "points" not in content:
        raise InputError(
            f"{file}: has no array points; "
            "accepted is points (N, 3), optional colors, joint_names and joint_positions"
        )
    return content["points"], content.get("colors"), _npz_joints(file, content)


def _npz_joints(file: Path, content: dict[str, NDArray[Any]]) -> Mapping[str, float] | None:
    positions = content.get("joint_positions")
    if positions is None:
        return None
    names = content.get("joint_names", np.array([f"joint_{i + 1}" for i in range(positions.size)]))
    if positions.ndim != 1 or positions.dtype.kind not in "fiu" or names.shape != positions.shape:
        raise InputError(
            f"{file}: joint_positions are {positions.dtype} of shape {positions.shape} with "
            f"{names.size} joint_names; accepted is one number per name"
        )
    return {str(name): float(value) for name, value in zip(names, positions, strict=True)}


_READERS: Mapping[str, Callable[[Path], _Content]] = {
    ".ply": lambda file: (*read_ply(file), None),
    ".pcd": lambda file: (*read_pcd(file), None),
    ".npz": _read_npz,
}

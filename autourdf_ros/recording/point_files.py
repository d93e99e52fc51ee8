"""Reads one cloud from a PLY, PCD or NPZ file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.recording.frame import Frame

SUFFIXES = (".ply", ".pcd", ".npz")


def read_points(file: Path, stamp: float = 0.0) -> Frame:
    """Read one cloud as a frame without points that are not finite.

    NPZ: `points` (N, 3), optional `colors` (N, 3) uint8, optional `joint_positions` with
    `joint_names`, or a saved dictionary of them.
    Raises InputError when the file is empty, cut off, or has no finite point.
    """
    try:
        size = file.stat().st_size
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error
    if size == 0:
        raise InputError(f"{file}: is empty; accepted is a cloud of points")
    points, colors, joints = _READERS[file.suffix.lower()](file)
    return finite_frame(str(file), Frame(points, colors, stamp, joints))


def finite_frame(where: str, frame: Frame) -> Frame:
    """Keep the points of a frame that are finite, as float32.

    Raises InputError, beginning with `where`, when none is, or an array has a wrong shape or type.
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


_Content = tuple[NDArray[Any], NDArray[Any] | None, Mapping[str, float] | None]


def _read_ply(file: Path) -> _Content:
    import trimesh

    try:
        loaded: Any = trimesh.load(file, process=False)
        points = np.asarray(loaded.vertices)
        colors = getattr(loaded, "colors", None)
        if colors is None:
            visual = getattr(loaded, "visual", None)
            if visual is not None and visual.kind == "vertex":
                colors = visual.vertex_colors
    except Exception as error:  # trimesh lets through whatever its parser stumbles on
        raise InputError(f"{file}: not a readable PLY file: {error}") from error
    declared = re.search(rb"^element vertex (\d+)\s", file.read_bytes()[:4096], re.MULTILINE)
    if declared is None or len(points) != int(declared[1]):
        raise InputError(
            f"{file}: is cut off: {len(points)} readable points, "
            f"{int(declared[1]) if declared else 'no number'} declared"
        )
    usable = colors is not None and np.shape(colors)[:1] == (len(points),) and len(points) > 0
    return points, np.asarray(colors, np.uint8)[:, :3] if usable else None, None


def _read_pcd(file: Path) -> _Content:
    import open3d

    with file.open("rb") as stream:
        header = stream.read(4096)
    declared = re.search(rb"^POINTS\s+(\d+)", header, re.MULTILINE)
    if declared is None or b"\nDATA" not in header:
        raise InputError(f"{file}: not a readable PCD file: its header is incomplete")
    with open3d.utility.VerbosityContextManager(open3d.utility.VerbosityLevel.Error):
        cloud = open3d.io.read_point_cloud(file)
    points = np.asarray(cloud.points)
    if len(points) != int(declared[1]):
        raise InputError(
            f"{file}: is cut off: {len(points)} readable points, {int(declared[1])} declared"
        )
    colors = np.rint(np.asarray(cloud.colors) * 255).astype(np.uint8)
    return points, colors if len(colors) else None, None


def _read_npz(file: Path) -> _Content:
    try:
        with np.load(file, allow_pickle=False) as archive:
            content = {name: archive[name] for name in archive.files}
    except Exception as error:  # zipfile, zlib and numpy each raise their own
        raise InputError(f"{file}: not a readable NPZ file: {error}") from error
    if "points" not in content:
        raise InputError(
            f"{file}: has {', '.join(content) or 'no arrays'}; "
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


_READERS = {".ply": _read_ply, ".pcd": _read_pcd, ".npz": _read_npz}

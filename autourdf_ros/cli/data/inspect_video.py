"""`autourdf inspect` of a video of a mechanism."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autourdf_ros.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autourdf_ros.data.video.camera_video import CameraVideo
    from autourdf_ros.data.video.video_shape import VideoShape

_LOW, _HIGH = 0.02, 0.98  # quantiles of the depths that are printed


def add_video_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of a video."""
    parser.add_argument(
        "--video",
        action="store_true",
        help="RECORDING is a bag with a video of a mechanism; folders with transforms.json and "
        "video files are recognised",
    )
    parser.add_argument(
        "--shapes",
        type=Path,
        metavar="FOLDER",
        help="compare the shapes of a folder with shapes.yaml with what a video shows",
    )


def is_video(args: argparse.Namespace) -> bool:
    """Return whether the input is a video.

    Raises:
        InputError: An option of videos is given with something else.
    """
    from autourdf_ros.data.images.transforms_file import TRANSFORMS_FILE
    from autourdf_ros.data.video.video_file import VIDEO_SUFFIXES

    path = args.recording
    found = args.video or path.suffix.lower() in VIDEO_SUFFIXES
    found = found or (path / TRANSFORMS_FILE).is_file()
    if args.shapes is not None and not found:
        raise InputError(f"--shapes is given with {path}; accepted is a video, or --video")
    if args.sheet is not None and found:
        raise InputError(f"--sheet is given with the video {path}; accepted is a recording")
    return bool(found)


def inspect_video(args: argparse.Namespace) -> int:
    """Print what a video holds."""
    from autourdf_ros.data.video.shape_folder import read_shapes
    from autourdf_ros.data.video.video_checks import check_shapes
    from autourdf_ros.data.video.video_loading import load_video

    video = load_video(args.recording)
    shapes = () if args.shapes is None else read_shapes(args.shapes)
    check_shapes(video, shapes)
    found = _figures(video, shapes)
    forces = _forces(args.recording)
    found |= {} if forces is None else {"forces": forces}
    print(json.dumps(found, indent=2) if args.json else _text(found))
    return 0


def _figures(video: CameraVideo, shapes: Sequence[VideoShape]) -> dict[str, Any]:
    import numpy as np

    from autourdf_ros.data.video.stillness.background_stillness import camera_remarks
    from autourdf_ros.data.video.video_checks import video_remarks

    camera, periods = video.camera, np.diff(video.stamps)
    found: dict[str, Any] = {
        "source": str(video.source),
        "frames": len(video.stamps),
        "size": [camera.width, camera.height],
        "duration": float(np.ptp(video.stamps)),
        "period": float(np.median(periods)) if len(periods) else None,
        "camera": camera.pose[:3, 3].tolist(),
        "field_of_view": np.degrees(
            2 * np.arctan(np.array([camera.width, camera.height]) / 2 / np.array(camera.focal))
        ).tolist(),
        "has_colors": video.colors is not None,
        "masks": [],
        "shapes": {s.name: float(np.linalg.norm(np.ptp(s.mesh.vertices, axis=0))) for s in shapes},
        "warnings": [*video_remarks(video), *camera_remarks(video)],
    }
    if video.depth is not None:
        seen = video.depth[np.isfinite(video.depth)]
        found["depth"] = np.quantile(seen, [_LOW, 0.5, _HIGH]).tolist()
        found["depth_share"] = len(seen) / video.depth.size
    if video.masks is not None:
        found["masks"] = np.flatnonzero(np.bincount(video.masks.ravel()))[1:].tolist()
    if shapes and video.masks is not None:
        lacking = [s.name for n, s in enumerate(shapes, 1) if n not in found["masks"]]
        found["warnings"] += [f"no mask has the number of shape {name!r}" for name in lacking]
    return found


def _forces(path: Path) -> dict[str, Any] | None:
    """Return what the table of forces in a video's folder holds, or None without one."""
    from autourdf_ros.data.video.force_table import FORCES_FILE, read_forces

    file = path / FORCES_FILE
    if not file.is_file():
        return None
    table = read_forces(file)
    return {
        "from": float(table.stamps[0]),
        "to": float(table.stamps[-1]),
        "bodies": list(table.forces),
        "joints": list(table.efforts),
    }


def _text(found: dict[str, Any]) -> str:
    width, height = found["size"]
    rate = "" if not found["period"] else f", every {found['period'] * 1e3:.1f} ms"
    place = ", ".join(f"{value:.3f}" for value in found["camera"])
    view = " x ".join(f"{value:.0f}" for value in found["field_of_view"])
    lines = [
        f"{found['source']}: {found['frames']} frames of {width} x {height} pixels in "
        f"{found['duration']:.2f} s{rate}",
        f"  camera     at {place} m, field of view {view} degrees",
    ]
    if "depth" in found:
        low, middle, high = found["depth"]
        share = f"in {found['depth_share']:.0%} of the pixels"
        lines.append(f"  depth      {low:.2f} to {high:.2f} m, median {middle:.2f} m, {share}")
    lines.append(f"  colours    {'yes' if found['has_colors'] else 'no'}")
    lines.append(f"  masks      {', '.join(map(str, found['masks'])) or 'none'}")
    if found["shapes"]:
        sizes = [f"{name} ({size:.3g} m)" for name, size in found["shapes"].items()]
        lines.append(f"  shapes     {', '.join(sizes)}")
    if "forces" in found:
        forces = found["forces"]
        names = ", ".join([*forces["bodies"], *forces["joints"]])
        lines.append(f"  forces     on {names}, {forces['from']:.2f} to {forces['to']:.2f} s")
    lines += [f"warning: {warning}" for warning in found["warnings"]]
    return "\n".join([*lines, *([] if found["warnings"] else ["no problem was found"])])

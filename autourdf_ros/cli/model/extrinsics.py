"""`autourdf extrinsics`: the cameras' poses, estimated from a recording."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from autourdf_ros.errors import InputError

if TYPE_CHECKING:
    from autourdf_ros.estimation.extrinsics.estimate import Extrinsics

HELP = "refine the cameras' extrinsics from a recording, or find them from nothing"

EPILOG = """Given extrinsics may be off by some centimetres and degrees. Where they are not known,
give any (all zero), and record the robot alone: wide crop, no ground removal, no connect_gap, a
background; excitation one_joint, 15 frames or more, every camera seeing several links move. Then
call this with --unknown. The pose of camera 1 is kept: no recording determines its error."""

TRANSFORMS = "extrinsics.yaml"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument(
        "recording",
        type=Path,
        metavar="RECORDING",
        help="of the capture or of 'autourdf extract', with two standing cameras or more",
    )
    parser.add_argument(
        "-o",
        "--out",
        type=Path,
        metavar="FOLDER",
        help=f"new folder for the corrected recording and {TRANSFORMS}",
    )
    parser.add_argument(
        "--unknown",
        action="store_true",
        help="use no given pose but camera 1's: each camera by itself follows the moving links, "
        "which determine its pose (half a minute a camera)",
    )
    parser.add_argument(
        "--frames",
        nargs="+",
        default=[],
        metavar="FRAME",
        help="names of the cameras' optical frames (default: camera_1_optical_frame, ...)",
    )


def run(args: argparse.Namespace) -> int:
    """Estimate the poses, print them, and write what the arguments request."""
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.cli.terminal.termination import let_terminate_clean_up
    from autourdf_ros.data.load import load_recording
    from autourdf_ros.estimation.extrinsics.camera_views import given_poses
    from autourdf_ros.estimation.extrinsics.corrected_recording import write_corrected
    from autourdf_ros.estimation.extrinsics.estimate import estimate_extrinsics
    from autourdf_ros.estimation.extrinsics.static_transforms import (
        as_yaml,
        default_frames,
        publisher_lines,
    )
    from autourdf_ros.files.atomic_folder import replacing
    from autourdf_ros.files.writer_lock import lock_beside

    out: Path | None = args.out
    if out is not None and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out}: exists and is not an empty folder; accepted is a new one")
    recording = load_recording(args.recording)
    count = len(given_poses(recording))
    frames = args.frames or default_frames(count)
    if len(frames) != count:
        raise InputError(
            f"--frames: {len(frames)} name(s); accepted is one for each of {count} cameras"
        )
    let_terminate_clean_up()
    with nullcontext() if out is None else lock_beside(out):
        with progress_bar() as progress:
            found = estimate_extrinsics(recording, unknown=args.unknown, progress=progress)
        _report(found)
        for line in publisher_lines(found.poses, recording.fixed_frame, frames):
            print(line)
        if out is not None:
            with replacing(out) as folder:
                write_corrected(recording, found.poses, folder)
                (folder / TRANSFORMS).write_text(as_yaml(found, recording.fixed_frame, frames))
            print(out)
    return 0


def _report(found: Extrinsics) -> None:
    import numpy as np

    from autourdf_ros.geometry.rigid_motion import inverse, log_so3

    moved = inverse(found.given) @ found.poses
    turns = np.degrees(np.linalg.norm(log_so3(moved[:, :3, :3]), axis=1))
    shifts = 1e3 * np.linalg.norm(moved[:, :3, 3], axis=1)
    print("camera  corrected by          ± at the robot      points seen by others, too")
    for camera in range(len(found.poses)):
        deviation = "held"
        if camera:
            turn, shift = np.degrees(found.turn_stds[camera]), 1e3 * found.shift_stds[camera]
            deviation = f"{turn:.2f}° {shift:.1f} mm"
        print(
            f"{camera + 1:6}  {turns[camera]:7.2f}° {shifts[camera]:8.1f} mm  {deviation:18}  "
            f"{found.matches[camera].sum()}"
        )
    print(
        f"surfaces seen by two cameras, in frames held out: {1e3 * found.before:.1f} mm apart "
        f"before, {1e3 * found.after:.1f} mm after"
    )
    print(f"verdict: {found.verdict}")
    for doubt in found.doubts:
        print(f"  ! {doubt}", file=sys.stderr)
    if found.doubts:
        print(
            "  what helps: more frames, in which joints of different axes move one after the "
            "other; cameras that see more of the same links",
            file=sys.stderr,
        )

"""`autourdf cameras`: where the cameras of images stand, by what stands still in them."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from autourdf_ros.errors import InputError

if TYPE_CHECKING:
    from autourdf_ros.workflows.appearance.finding.find_cameras import FoundCameras, StatedLength

HELP = "find the cameras of images whose poses are unknown, in metres"

EPILOG = """IMAGES is a folder with transforms.json whose frames need no transform_matrix and
no lens; frames with the same 'camera' are of one camera that stands still. Pixels of the robot, by
mask_path, are not used to find cameras: the rest of the scene stands still and needs texture.
With --model, the robot of RESULT is found in the masks, which gives metres and its base frame.
With --length, metres come from a distance that you measured; what is up is a guess then.
OUT gets the images whose cameras were found, with their poses; 'autourdf splat OUT' reads it.
exit codes: 0 written, 1 written but doubtful, 2 unusable input"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument(
        "images", type=Path, metavar="IMAGES", help="folder with transforms.json without poses"
    )
    parser.add_argument(
        "-o", "--out", type=Path, required=True, metavar="OUT", help="new folder with the poses"
    )
    scale = parser.add_mutually_exclusive_group(required=True)
    scale.add_argument(
        "--model", type=Path, metavar="RESULT", help="result folder of the robot in the images"
    )
    scale.add_argument(
        "--length",
        nargs=3,
        metavar=("FIRST", "SECOND", "METRES"),
        help="distance of two cameras, named by 'camera' or file_path of their frames",
    )
    parser.add_argument(
        "--colmap",
        type=Path,
        metavar="FOLDER",
        help="cameras that COLMAP has found: cameras.txt, images.txt, points3D.txt (default: they "
        "are found by pycolmap, which the extra cameras brings)",
    )


def run(args: argparse.Namespace) -> int:
    """Find cameras and write the images with them; return 1 where they are doubtful."""
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.cli.terminal.termination import let_terminate_clean_up
    from autourdf_ros.files.atomic_folder import check_writable
    from autourdf_ros.files.writer_lock import lock_beside
    from autourdf_ros.workflows.appearance.finding.find_cameras import find_cameras_to_folder

    scale = args.model if args.length is None else _length(args.length)
    if args.out.exists() and (not args.out.is_dir() or any(args.out.iterdir())):
        raise InputError(f"{args.out}: exists and is not an empty folder; cameras need a new one")
    check_writable(args.out)
    let_terminate_clean_up()
    with lock_beside(args.out), progress_bar() as progress:
        found = find_cameras_to_folder(args.images, args.out, scale, args.colmap, progress)
    print(summary(found))
    model = "-o RESULT" if args.model is None else f"--model {shlex.quote(str(args.model))}"
    print(f"next: autourdf splat {shlex.quote(str(args.out))} {model}")
    return 0 if found.verdict.trust == "trusted" else 1


def _length(given: list[str]) -> StatedLength:
    from autourdf_ros.workflows.appearance.finding.find_cameras import StatedLength

    first, second, text = given
    try:
        metres = float(text)
    except ValueError:
        metres = 0.0
    if not 0 < metres < float("inf"):
        raise InputError(f"--length: {text!r} metres; accepted is a number above 0")
    return StatedLength(first, second, metres)


def summary(found: FoundCameras) -> str:
    """Return what was found, in lines."""
    lines = [
        f"{found.views - len(found.left_out)} of {found.views} views have a camera, "
        f"{len(found.cameras)} images",
        f"  points of the scene are off by {found.error:.2f} pixels",
        f"  1 unit of COLMAP is {found.scale:.4g} m",
    ]
    if found.overlap is not None:
        lines.append(f"  the robot as drawn and its masks overlap by {found.overlap:.1%}")
    lines += [f"  left out: {name}" for name in found.left_out]
    lines += [f"  {note}" for note in found.notes]
    lines.append(f"verdict: {found.verdict.trust}")
    return "\n".join([*lines, *(f"  ! {reason}" for reason in found.verdict.reasons)])

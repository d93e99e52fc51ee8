"""`autourdf render`: an image of a robot's model as a camera would see it, or its splats."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from autourdf_ros.cli.appearance.joint_arguments import joint_positions
from autourdf_ros.cli.number_arguments import number, whole_number
from autourdf_ros.errors import InputError

if TYPE_CHECKING:
    from autourdf_ros.data.images.posed_camera import PinholeCamera
    from autourdf_ros.workflows.appearance.drawn_robot import DrawnRobot

HELP = "draw the robot as a camera would see it, with its splats; or write them for other programs"

EPILOG = """OUT is a result folder to which 'autourdf splat' has added splats.
Splats are written under the light of the images in the configuration of --joints.
exit codes: 0 written, 2 unusable input"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument("result", type=Path, metavar="OUT", help="result folder with splats")
    parser.add_argument(
        "-o", "--out", type=Path, metavar="FILE", help="PNG file to write; this or --splats"
    )
    parser.add_argument(
        "--joints",
        nargs="+",
        default=[],
        metavar="NAME=VALUE",
        help="positions (rad or m); others stand at their reference",
    )
    parser.add_argument(
        "--camera",
        nargs=3,
        type=number,
        metavar=("X", "Y", "Z"),
        help="where the camera stands, in the base frame (m); it faces the robot (default: where "
        "it sees all of it)",
    )
    parser.add_argument(
        "--size",
        nargs=2,
        type=whole_number,
        default=(640, 480),
        metavar=("W", "H"),
        help="of the image (default: 640 480)",
    )
    parser.add_argument(
        "--field-of-view",
        type=number,
        default=45.0,
        metavar="DEGREES",
        help="of the shorter side (default: 45)",
    )
    parser.add_argument(
        "--depth", type=Path, metavar="FILE", help="depths, too: a PNG of 16 bits in 0.1 mm"
    )
    parser.add_argument(
        "--links", type=Path, metavar="FILE", help="link numbers from 1, too: a PNG of 16 bits"
    )
    parser.add_argument(
        "--splats",
        type=Path,
        metavar="FILE",
        help="all splats in one file: .ply as viewers of Gaussian splats read it, with the links "
        "posed; .glb with a node for every link, as KHR_gaussian_splatting has it",
    )


def run(args: argparse.Namespace) -> int:
    """Draw and write."""
    if args.out is None and args.splats is None:
        raise InputError("neither --out nor --splats is given; accepted is one of them, or both")
    if args.out is None and not (args.depth is None and args.links is None):
        raise InputError("--depth and --links are of an image; accepted are they with --out")
    for file in (args.out, args.depth, args.links, args.splats):
        if file is not None and not file.parent.is_dir():
            raise InputError(f"{file}: {file.parent} is no folder; accepted is a file in a folder")
    positions = joint_positions(args.joints, "--joints")
    if args.splats is not None:
        from autourdf_ros.workflows.appearance.showing.splat_export import export_splats

        export_splats(args.result, positions, args.splats)
        print(args.splats)
    if args.out is not None:
        _draw(args, positions)
    return 0


def _draw(args: argparse.Namespace, positions: dict[str, float]) -> None:
    """Draw and write the image, and what goes with it."""
    import numpy as np
    from PIL import Image

    from autourdf_ros.workflows.appearance.drawn_robot import DrawnRobot

    robot = DrawnRobot(args.result)
    drawn = robot.draw(positions, _camera(args, robot, positions))
    assert drawn.color is not None  # splats have colours
    Image.fromarray(drawn.color).save(args.out, "PNG")
    if args.depth is not None:
        steps = np.nan_to_num(drawn.depth / 1e-4).clip(0, np.iinfo(np.uint16).max)
        Image.fromarray(steps.round().astype(np.uint16)).save(args.depth, "PNG")
    if args.links is not None:
        Image.fromarray((drawn.link + 1).astype(np.uint16)).save(args.links, "PNG")
    print(args.out)


def _camera(
    args: argparse.Namespace, robot: DrawnRobot, positions: dict[str, float]
) -> PinholeCamera:
    """Return a camera that faces the middle of the robot."""
    import numpy as np

    from autourdf_ros.data.images.posed_camera import PinholeCamera, look_at

    width, height = args.size
    if not (0 < width <= 8192 and 0 < height <= 8192):
        raise InputError(f"--size: {width} x {height}; accepted are 1 to 8192 pixels a side")
    if not 1 <= args.field_of_view <= 150:
        raise InputError(f"--field-of-view: {args.field_of_view}; accepted are 1 to 150 degrees")
    focal = min(width, height) / 2 / float(np.tan(np.radians(args.field_of_view) / 2))
    points = robot.points(positions)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    radius = float(np.linalg.norm(points - middle, axis=1).max())
    if args.camera is None:
        way = np.array([1.0, 0.6, 0.5]) / np.linalg.norm([1.0, 0.6, 0.5])
        eye = middle + way * radius / np.sin(np.radians(args.field_of_view) / 2)
    else:
        eye = np.array(args.camera, float)
    if np.linalg.norm(eye - middle) < 1e-6:
        raise InputError(f"--camera: {eye.tolist()} is the robot's middle; accepted is elsewhere")
    lens = (focal, focal), ((width - 1) / 2, (height - 1) / 2)
    return PinholeCamera(width, height, *lens, look_at(eye, middle))

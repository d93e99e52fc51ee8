"""`autourdf simulate --images`: colour images of a simulated robot."""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import TYPE_CHECKING

from autourdf_ros.cli.number_arguments import above_zero, whole_number
from autourdf_ros.errors import InputError

if TYPE_CHECKING:
    from autourdf_ros.simulation.images.image_recording import ImageOptions

RENDERERS = ("sun", "pybullet")
_OF_CLOUDS = (
    "sequences",
    "frames",
    "cameras",
    "points",
    "excitation",
    "shift",
    "mechanism",
)


def add_image_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of images of a robot."""
    group = parser.add_argument_group("colour images of ROBOT instead of clouds")
    group.add_argument(
        "--images",
        type=whole_number,
        metavar="N",
        help="number of images, each from another side in another random configuration",
    )
    group.add_argument(
        "--rest", type=whole_number, default=0, metavar="N", help="images at rest before them"
    )
    group.add_argument(
        "--single",
        type=whole_number,
        default=0,
        metavar="N",
        help="images of every joint, which moves alone, before them",
    )
    group.add_argument(
        "--reach",
        type=above_zero("degrees"),
        metavar="DEGREES",
        help="greatest distance of a revolute joint from 0, which grows from a third of it "
        "(default: the joints' limits)",
    )
    group.add_argument(
        "--size", type=whole_number, default=400, metavar="PIXELS", help="width and height"
    )
    group.add_argument(
        "--azimuths",
        type=float,
        nargs=2,
        metavar=("LEAST", "GREATEST"),
        help="cameras stand between these degrees from x to y around the robot (default: 0 360)",
    )
    group.add_argument(
        "--renderer",
        choices=RENDERERS,
        default=RENDERERS[0],
        help="sun: a sun and an even sky; pybullet: PyBullet's, which needs the extra check",
    )
    group.add_argument("--no-shadows", action="store_true", help="no part shades another")
    group.add_argument(
        "--room",
        action="store_true",
        help="the robot stands in a room of random texture, by which cameras can be found",
    )


def refuse_without_images(args: argparse.Namespace) -> None:
    """Raise InputError naming an option of images that would be ignored."""
    for name in ("rest", "single", "reach", "azimuths", "no_shadows", "room"):
        if getattr(args, name):
            raise InputError(f"--{name.replace('_', '-')} without --images; accepted is with it")


def simulate_images(args: argparse.Namespace) -> int:
    """Write the images with the robot."""
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.cli.terminal.termination import let_terminate_clean_up
    from autourdf_ros.files.atomic_folder import check_writable
    from autourdf_ros.files.writer_lock import lock_beside
    from autourdf_ros.model.urdf.robot_library import find_urdf
    from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
    from autourdf_ros.simulation.images.image_noise import ImageNoise
    from autourdf_ros.simulation.images.image_recording import record_images
    from autourdf_ros.simulation.images.image_set_files import (
        refuse_used,
        write_image_set,
        write_noisy_image_set,
    )
    from autourdf_ros.simulation.images.robot_copy import ROBOT_FILE

    options = _options(args)
    check_writable(args.out)
    refuse_used(args.out)
    robot = SimulatedRobot(find_urdf(args.robot))
    let_terminate_clean_up()
    with lock_beside(args.out), progress_bar() as progress:
        images = record_images(robot, options, progress)
        if args.noise == "real":
            write_noisy_image_set(images, robot, ImageNoise(), options.seed, args.out)
        else:
            write_image_set(images, robot.urdf, args.out)
    print(args.out)
    out = shlex.quote(str(args.out))
    print(
        f"robot: {args.out / ROBOT_FILE}\nnext: autourdf splat {out} --model RESULT",
        file=sys.stderr,
    )
    return 0


def _options(args: argparse.Namespace) -> ImageOptions:
    import numpy as np

    from autourdf_ros.simulation.images.image_motions import ImageMotion
    from autourdf_ros.simulation.images.image_recording import ImageOptions

    for name in _OF_CLOUDS:
        if getattr(args, name) is not None:
            raise InputError(f"--{name} with --images; accepted is one of both")
    for name in ("scene", "colors"):
        if getattr(args, name):
            raise InputError(f"--{name} with --images; accepted is one of both")
    if args.noise == "paper":
        raise InputError("--noise is paper; accepted with --images are real and none (default)")
    if args.robot is None:
        raise InputError("--images without ROBOT; accepted is a URDF file or a name")
    least = {"images": 1, "rest": 0, "single": 0, "size": 16, "seed": 0}
    for name, lowest in least.items():
        value = getattr(args, name)
        if value is not None and value < lowest:
            raise InputError(f"--{name} is {value}; accepted is {lowest} or more")
    reach = None if args.reach is None else float(np.radians(args.reach))
    return ImageOptions(
        motion=ImageMotion(args.images, args.rest, args.single, reach),
        size=args.size,
        azimuths=tuple(args.azimuths or (0.0, 360.0)),
        renderer=args.renderer,
        shadows=not args.no_shadows,
        room=args.room,
        seed=args.seed or 0,
    )

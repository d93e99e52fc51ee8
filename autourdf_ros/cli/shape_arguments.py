"""Arguments of masses and collision shapes, which several commands take."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from autourdf_ros.cli.number_arguments import above_zero

if TYPE_CHECKING:
    from autourdf_ros.shape.urdf_options import UrdfOptions

_SHAPES = ("mesh", "box", "cylinder", "capsule", "sphere")  # primitives.py imports slowly


def add_shape_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    mass = parser.add_mutually_exclusive_group()
    mass.add_argument(
        "--density",
        type=above_zero("kg/m³"),
        metavar="KG_PER_M3",
        help="of all links, by which their masses are estimated (default: 1000)",
    )
    mass.add_argument(
        "--mass",
        type=above_zero("kg"),
        metavar="KG",
        help="of the whole robot with its base, instead; shared out by the links' volumes",
    )
    parser.add_argument(
        "--shapes",
        choices=_SHAPES,
        default="mesh",
        help="collision shapes of the links: light meshes, or for every link the smallest such "
        "body around it; a capsule is a cylinder and two balls, as URDF has no capsules",
    )
    parser.add_argument(
        "--show-shapes", action="store_true", help="show the bodies of --shapes, not the meshes"
    )
    parser.add_argument(
        "--collision",
        choices=("auto", "hull", "coacd"),
        default="auto",
        help="convex meshes of a link: auto: several where one hull would be much larger than the "
        "link; hull: one; coacd: the parts of CoACD, which take minutes (default: auto)",
    )


def check_shapes(args: argparse.Namespace) -> None:
    """Raise InputError where the arguments contradict each other, or need what is missing."""
    from autourdf_ros.errors import InputError
    from autourdf_ros.shape.collision.collision_mesh import check_collision_kind

    if args.show_shapes and args.shapes == "mesh":
        raise InputError(
            "--show-shapes: there are none with --shapes mesh; accepted is it with --shapes "
            f"{', '.join(_SHAPES[1:])}"
        )
    check_collision_kind(args.collision)
    if args.collision != "auto" and args.shapes != "mesh":
        raise InputError(
            f"--collision {args.collision}: is for --shapes mesh; --shapes is {args.shapes}"
        )


def shape_options(args: argparse.Namespace, triangles: int | None = None) -> UrdfOptions:
    """Return how a model is written.

    Args:
        args: With those that `add_shape_arguments` declares.
        triangles: Of all visual meshes together; None for the default.
    """
    from autourdf_ros.shape.urdf_options import UrdfOptions

    given = {
        "density": args.density,
        "total_mass": args.mass,
        "visual_triangles": triangles,
        "collision": args.collision,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    return UrdfOptions(shapes=args.shapes, show_shapes=args.show_shapes, **chosen)


def robot_name(text: str) -> str:
    """Parse the name of a robot.

    Raises:
        ArgumentTypeError: It is empty.
    """
    if not text.strip():
        raise argparse.ArgumentTypeError(f"is {text!r}; accepted is a name that is not empty")
    return text

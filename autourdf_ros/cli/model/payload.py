"""`autourdf payload`: mass, centre of mass and inertia of a held object."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from autourdf_ros.errors import InputError

if TYPE_CHECKING:
    from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
    from autourdf_ros.estimation.inertia.payload.moment_equations import KnownLoad
    from autourdf_ros.progress import Progress
    from autourdf_ros.workflows.payloads.payload_result import HeldObject, PayloadChoices

HELP = "find mass, centre of mass and inertia of a held object from its shape and wrenches"

EPILOG = """SHAPE shows the object from all sides, in its own frame (m), or on a table. WRENCHES
record a motion that turns it into several orientations, slowly, with stops. OUT gets payload.yaml
and payload.json (with the fields of set_payload), payload.urdf and report.html.
exit codes: 0 written, 1 written but doubtful, 2 unusable input (nothing is written)"""

METHODS = ("field", "hps", "ols", "geo")
_POSE = ("X", "Y", "Z", "ROLL", "PITCH", "YAW")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument(
        "shape",
        type=Path,
        metavar="SHAPE",
        help="a cloud (.ply, .pcd, .npz), a mesh (.stl, .obj, .off, .glb, or .ply with faces), or "
        "a recording: of a camera that moves around the object on a table, whose views are "
        "stitched, else its first frame is taken; or the .urdf of an object with joints",
    )
    parser.add_argument(
        "wrenches",
        type=Path,
        metavar="WRENCHES",
        help=".csv or .npz with pose and wrench, or a bag with WrenchStamped and transforms "
        "(docs/payload.md); with --urdf, joint efforts instead",
    )
    parser.add_argument(
        "-o", "--out", type=Path, required=True, metavar="OUT", help="folder to write"
    )
    parser.add_argument(
        "--pose",
        type=float,
        nargs=6,
        default=(0.0,) * 6,
        metavar=_POSE,
        help="of the object's frame in the sensor's frame (m, rad; default: the same frame)",
    )
    parser.add_argument(
        "--grasp",
        type=float,
        nargs=6,
        metavar=_POSE,
        help="instead: the sensor's pose in the object's frame as it grasped; for a scan in the "
        "robot's base frame, what the robot states",
    )
    parser.add_argument(
        "--table",
        action="store_true",
        help="SHAPE shows the object on a table: it is cut out, and closed down to the table "
        "(a moving camera's recording always is)",
    )
    parser.add_argument(
        "--joints",
        nargs="+",
        metavar="NAME=VALUE",
        help="of a .urdf: joint values while it is weighed (rad or m; default: 0)",
    )
    parser.add_argument(
        "--method",
        choices=METHODS,
        default="field",
        help="field: ours; hps, ols, geo: of the literature (default: field)",
    )
    parser.add_argument(
        "--materials", action="store_true", help="also weigh common materials for each colour"
    )
    _add_sensor_arguments(parser)
    parser.add_argument("--frame", default="sensor", help="name of the sensor's frame")
    parser.add_argument(
        "--attach",
        nargs=2,
        metavar=("RESULT", "LINK"),
        help="also write the payload as the inertia of a link of a result folder",
    )


def _add_sensor_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--topic", help="of the wrenches in a bag (default: the only one)")
    parser.add_argument("--world", metavar="FRAME", help="of a bag: a frame that does not move")
    parser.add_argument(
        "--tared", action="store_true", help="the sensor has no bias (default: it is estimated)"
    )
    parser.add_argument(
        "--delay",
        type=float,
        metavar="SECONDS",
        help="of the wrenches behind the motion (default: estimated)",
    )
    parser.add_argument(
        "--gain",
        type=float,
        metavar="SHARE",
        help="standard deviation of each channel's calibration, as a share of the load; a data "
        "sheet states it (default: 0.01; 0: exact)",
    )
    parser.add_argument(
        "--reaction",
        action="store_true",
        help="the sensor states what it exerts on the load, not what the load exerts on it",
    )
    parser.add_argument(
        "--empty",
        type=Path,
        metavar="WRENCHES",
        help="records of the empty gripper, whose inertia is taken off",
    )
    parser.add_argument(
        "--gripper",
        nargs=2,
        metavar=("URDF", "LINK"),
        help="a description of the gripper, whose inertia is taken off: of LINK, whose frame is "
        "the sensor's, and all that hangs on it",
    )
    parser.add_argument(
        "--urdf", type=Path, help="of a robot without a sensor: WRENCHES are efforts of its joints"
    )
    parser.add_argument("--link", help="of the URDF: that holds the object")


def run(args: argparse.Namespace) -> int:
    """Find the payload; return 0 where nothing speaks against it, otherwise 1."""
    import json

    from autourdf_ros.cli.terminal.payload_summary import print_payload
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.cli.terminal.termination import let_terminate_clean_up
    from autourdf_ros.export.payload.payload_files import (
        DESCRIPTION,
        DOCUMENT,
        PLAIN,
        check_payload_output,
    )
    from autourdf_ros.files.atomic_folder import check_writable
    from autourdf_ros.workflows.payloads.payload_result import payload_to_folder

    _check_options(args)
    out = check_payload_output(args.out)
    if args.attach is not None:
        check_writable(Path(args.attach[0]))
    let_terminate_clean_up()
    with progress_bar() as progress:
        recording = _wrenches(args, args.wrenches)
        choices = _choices(args)
        held = _held(args, progress)
        payload_to_folder(held, recording, out, choices, progress)
    document = json.loads((out / DOCUMENT).read_text())
    print_payload(document)
    for what, name in (("values", PLAIN), ("URDF", DESCRIPTION), ("report", "report.html")):
        print(f"{what:14s}  {out / name}")
    return 0 if document["verdict"] == "trusted" else 1


def _check_options(args: argparse.Namespace) -> None:
    """Refuse options that would be ignored."""
    from autourdf_ros.data.wrenches.wrench_reading import TABLES

    if not args.frame.strip():
        raise InputError("--frame: is empty; accepted is the name of the sensor's frame")
    if args.materials and args.method != "field":
        raise InputError(f"--materials: --method is {args.method}; accepted is field")
    for name in ("topic", "world"):
        if getattr(args, name) is not None and args.wrenches.suffix in TABLES:
            raise InputError(f"--{name}: {args.wrenches} is a table; accepted is a bag")
    for name in ("gain", "reaction"):
        if getattr(args, name) and args.urdf is not None:
            raise InputError(f"--{name}: is of a sensor of wrenches; accepted without --urdf")


def _held(args: argparse.Namespace, progress: Progress) -> HeldObject:
    """The object that SHAPE shows."""
    from autourdf_ros.export.payload.jointed_files import check_frame
    from autourdf_ros.model.inertial.jointed_description import joint_values, jointed_description
    from autourdf_ros.workflows.payloads.held_shape import read_held_shape
    from autourdf_ros.workflows.payloads.jointed_shape import jointed_object

    values = joint_values(args.joints or (), "--joints")
    if args.shape.suffix.lower() != ".urdf":
        if args.joints is not None:
            raise InputError(f"--joints: {args.shape} has no joints; accepted is a .urdf")
        return read_held_shape(args.shape, args.table, progress)
    if args.table:
        raise InputError(f"--table: {args.shape} is a description; accepted is a cloud")
    jointed = jointed_description(args.shape, values, "--joints")
    check_frame(jointed, args.frame)
    return jointed_object(jointed)


def _wrenches(args: argparse.Namespace, path: Path) -> WrenchRecording:
    from autourdf_ros.data.wrenches.wrench_reading import reaction, read_wrenches

    if (args.urdf is None) != (args.link is None):
        raise InputError("--urdf and --link: accepted are both or neither")
    if args.urdf is not None:
        from autourdf_ros.data.efforts.effort_reading import read_efforts
        from autourdf_ros.data.wrenches.effort_wrenches import wrenches_from_efforts

        return wrenches_from_efforts(read_efforts(path, args.topic), args.urdf, args.link)
    recording = read_wrenches(path, args.topic, args.world)
    return reaction(recording) if args.reaction else recording


def _choices(args: argparse.Namespace) -> PayloadChoices:
    from autourdf_ros.estimation.inertia.payload.field.field_method import FieldOptions
    from autourdf_ros.estimation.inertia.payload.payload_estimation import PayloadOptions
    from autourdf_ros.estimation.inertia.payload.payload_pipeline import IdentifyOptions
    from autourdf_ros.estimation.inertia.payload.sensor.record_preparation import SensorOptions
    from autourdf_ros.workflows.payloads.payload_result import PayloadChoices

    pose = _pose(args)
    gripper = _gripper(args)
    gain = SensorOptions.gain if args.gain is None else args.gain
    sensor = SensorOptions(not args.tared, args.delay, gripper, gain)
    method = PayloadOptions(args.method, field=FieldOptions(materials=args.materials))
    result = None if args.attach is None else (Path(args.attach[0]), args.attach[1])
    return PayloadChoices(IdentifyOptions(sensor, method), pose, args.frame, result)


def _gripper(args: argparse.Namespace) -> KnownLoad:
    """What hangs on the sensor beside the object."""
    from autourdf_ros.estimation.inertia.payload.moment_equations import NOTHING_ELSE, KnownLoad
    from autourdf_ros.estimation.inertia.payload.sensor.own_load import measured_gripper
    from autourdf_ros.model.inertial.link_inertias import parameters_below

    if args.gripper is not None and args.empty is not None:
        raise InputError("--empty and --gripper: accepted is one of them")
    if args.gripper is not None:
        return KnownLoad(parameters_below(Path(args.gripper[0]), args.gripper[1]))
    if args.empty is not None:
        return measured_gripper(_wrenches(args, args.empty), args.delay)
    return NOTHING_ELSE


def _pose(args: argparse.Namespace) -> Any:
    """The object's frame (4, 4) in the sensor's frame."""
    from scipy.spatial.transform import Rotation

    name, given = ("--pose", args.pose) if args.grasp is None else ("--grasp", args.grasp)
    if args.grasp is not None and any(args.pose):
        raise InputError("--pose and --grasp: accepted is one of them")
    if not np.isfinite(given).all():
        raise InputError(f"{name} {given}; accepted are finite numbers (m, rad)")
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("xyz", given[3:]).as_matrix()
    pose[:3, 3] = given[:3]
    return pose if args.grasp is None else np.linalg.inv(pose)

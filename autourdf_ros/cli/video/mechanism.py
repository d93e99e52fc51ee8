"""`autourdf mechanism`: from a video to a mechanism's result folder and its dynamics."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autourdf_ros.cli.number_arguments import whole_number
from autourdf_ros.cli.shape_arguments import robot_name

if TYPE_CHECKING:
    from autourdf_ros.progress import Progress
    from autourdf_ros.workflows.mechanisms.find_mechanism import FoundMechanism

HELP = "find a mechanism's joints, masses and friction in a depth video"

EPILOG = """VIDEO shows depth from a camera that stands still: a folder with transforms.json, a
bag, or a video file with a YAML; SHAPES is a folder with shapes.yaml (docs/mechanisms.md). Without
shapes, bodies are what moves as one. Without forces, masses are known but for their overall scale,
which is that of the density.
exit codes: 0 written, 1 written but the verdict is failed, 2 unusable input"""

SHAPES, FORCES = "shapes", "forces.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument("video", type=Path, metavar="VIDEO", help="folder, bag or video file")
    parser.add_argument(
        "-o",
        "--out",
        type=Path,
        required=True,
        metavar="OUT",
        help="folder to write; an earlier result there is replaced, anything else is refused",
    )
    parser.add_argument(
        "--shapes",
        type=Path,
        metavar="FOLDER",
        help="with shapes.yaml: meshes or primitives, and rough first poses (default: the folder "
        f"{SHAPES} in VIDEO; without it, bodies are found by how they move)",
    )
    parser.add_argument(
        "--method",
        choices=("likelihood", "ransac"),
        default="likelihood",
        help="of the joints; likelihood: ours; ransac: as Heiden et al. (default: likelihood)",
    )
    parser.add_argument(
        "--forces",
        type=Path,
        metavar="FILE.csv",
        help=f"known forces and efforts (default: {FORCES} in VIDEO, if it is there)",
    )
    parser.add_argument(
        "--no-dynamics", action="store_true", help="do not find masses and friction"
    )
    parser.add_argument(
        "--seed", type=whole_number, default=0, help="of random choices (default: 0)"
    )
    parser.add_argument(
        "--name", type=robot_name, help="of the mechanism (default: the name of VIDEO)"
    )


def run(args: argparse.Namespace) -> int:
    """Run the command; return 1 where the verdict of the written result is failed, otherwise 0."""
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.cli.terminal.termination import let_terminate_clean_up
    from autourdf_ros.files.writer_lock import lock_beside
    from autourdf_ros.model.result_files import REPORT, URDF, check_output, result_document

    let_terminate_clean_up()
    out = check_output(args.out)
    with progress_bar() as progress, lock_beside(out):
        done = _found(args, out, progress)
    document = result_document(out)
    print(summary(document, done.reason))
    print(f"\nURDF    {out / URDF}\nreport  {out / REPORT}")
    if done.posterior is not None:
        print(f"see what comes: autourdf forecast {shlex.quote(str(args.out))}")
    return 1 if document["verdict"] == "failed" else 0


def _found(args: argparse.Namespace, out: Path, progress: Progress) -> FoundMechanism:
    from autourdf_ros.data.video.force_table import read_forces
    from autourdf_ros.data.video.shape_folder import read_shapes
    from autourdf_ros.data.video.video_loading import load_video
    from autourdf_ros.estimation.video.joints.joints_options import JointsOptions
    from autourdf_ros.progress import part
    from autourdf_ros.workflows.mechanisms.find_mechanism import (
        MechanismOptions,
        mechanism_to_folder,
    )
    from autourdf_ros.workflows.mechanisms.mechanism_dynamics import MechanismDynamicsOptions
    from autourdf_ros.workflows.mechanisms.mechanism_result import WrittenMechanism

    video = load_video(args.video, progress=part(progress, 0.0, 0.05))
    folder = args.shapes or args.video / SHAPES
    shapes = read_shapes(folder) if args.shapes or folder.is_dir() else None
    file = args.forces or args.video / FORCES
    forces = read_forces(file) if args.forces is not None or file.is_file() else None
    options = MechanismOptions(
        joints=JointsOptions(method=args.method, seed=args.seed),
        dynamics=None if args.no_dynamics else MechanismDynamicsOptions(),
        record=_record(args),
    )
    written = WrittenMechanism(args.name or args.video.resolve().name)
    return mechanism_to_folder(
        video, shapes, out, written, options, forces, part(progress, 0.05, 1.0)
    )


def _record(args: argparse.Namespace) -> dict[str, Any]:
    return {
        "method": args.method,
        "shapes": None if args.shapes is None else str(args.shapes),
        "forces": None if args.forces is None else str(args.forces),
        "dynamics": not args.no_dynamics,
        "seed": args.seed,
    }


def summary(document: dict[str, Any], reason: str) -> str:
    """Return what was found, in lines.

    Args:
        document: Of the result.
        reason: Why there are no dynamics; empty where there are, or where none were asked for.
    """
    lines = []
    for joint in document["joints"]:
        scale, unit = (1e3, "mm") if joint["type"] == "prismatic" else (57.2958, "°")
        low, high = joint["observed"]
        span = "-" if low is None else f"{scale * low:.1f} .. {scale * high:.1f} {unit}"
        lines.append(
            f"{joint['name']}: {joint['type']}, {joint['parent']} -> {joint['child']}, {span}"
        )
    if parameters := _of_dynamics(document, "parameters"):
        lines.append("")
        lines += [
            f"{one['name']}: {one['value']:.4g} ({one['lower']:.3g} .. {one['upper']:.3g}) "
            f"{one['unit']}"
            for one in parameters
            if one["learned"] > 0.5
        ]
    if reason:
        lines.append(f"\nno dynamics: {reason}")
    lines.append(f"\nverdict: {document['verdict']}")
    doubts = [*document["warnings"], *_of_dynamics(document, "warnings")]
    return "\n".join([*lines, *(f"  ! {reason}" for reason in doubts)])


def _of_dynamics(document: dict[str, Any], key: str) -> list[Any]:
    """An entry of the dynamics; empty where they were not found."""
    dynamics: dict[str, list[Any]] = document["mechanism"].get("dynamics") or {}
    return dynamics.get(key, [])

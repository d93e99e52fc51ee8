"""`autourdf reconstruct`: writes a result folder with the URDF of a recording."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from autourdf_ros.cli.number_arguments import above_zero, at_least, whole_number
from autourdf_ros.cli.shape_arguments import (
    add_shape_arguments,
    check_shapes,
    robot_name,
    shape_options,
)
from autourdf_ros.cli.terminal.termination import let_terminate_clean_up

if TYPE_CHECKING:
    from autourdf_ros.data.frame import Recording
    from autourdf_ros.estimation.motion.reconstruction import Reconstruction, ReconstructionOptions
    from autourdf_ros.progress import Progress

HELP = "reconstruct a robot from a recording: its URDF with meshes, and a report"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "input",
        type=Path,
        metavar="INPUT",
        help="a recording (rosbag2 folder or .mcap), a folder SEQUENCE/FRAME/robot.ply with "
        "optional joint_cfg.txt, or a folder of PLY, PCD or NPZ frames",
    )
    parser.add_argument(
        "-o",
        "--out",
        type=Path,
        required=True,
        metavar="OUT",
        help="folder to write; an earlier result there is replaced, anything else is refused",
    )
    parser.add_argument(
        "--no-readings", action="store_true", help="ignore the joint readings of the recording"
    )
    parser.add_argument(
        "--links",
        type=at_least(2),
        metavar="N",
        help="number of rigid bodies, the fixed one included (default: found from the data)",
    )
    parser.add_argument(
        "--prior",
        type=Path,
        metavar="MODEL",
        help="begin from a robot that is known: a result folder (of parts, or of last month), or a "
        "URDF with meshes, whose base stands where the recording's does; the frames decide",
    )
    parser.add_argument(
        "--method",
        choices=("engine", "autourdf"),
        default="engine",
        help="engine: ours; autourdf: the published method of AutoURDF (Lin et al., CVPR 2025), "
        "which needs the extra 'neural' and takes minutes (default: engine)",
    )
    parser.add_argument(
        "--registration",
        choices=("graph", "neural"),
        default="graph",
        help="how the engine tracks the first frames: with a deformation graph, or with AutoURDF's "
        "networks, which need the extra 'neural' (default: graph)",
    )
    parser.add_argument(
        "--clusters",
        type=at_least(2),
        metavar="N",
        help="of --method autourdf (default: one for 150 points)",
    )
    parser.add_argument(
        "--rates",
        type=above_zero("per step"),
        nargs=2,
        metavar=("STEP", "ANCHOR"),
        help="learning rates of AutoURDF's two models (default: those of its code, 2e-4 1e-4; its "
        "text says 1e-4 5e-5)",
    )
    parser.add_argument("--device", help="of AutoURDF's networks, as torch names it (default: cpu)")
    parser.add_argument("--seed", type=whole_number, help="of AutoURDF's networks (default: 0)")
    parser.add_argument(
        "--name", type=robot_name, help="of the robot in its URDF (default: the name of INPUT)"
    )
    parser.add_argument("--usd", action="store_true", help="also write USD (needs the extra 'usd')")
    parser.add_argument(
        "--points",
        type=at_least(500),
        metavar="N",
        help="points used of a frame at most (default: 5000)",
    )
    add_shape_arguments(parser)
    parser.add_argument(
        "--triangles",
        type=at_least(100),
        metavar="N",
        help="of all visual meshes together, about (default: 30000)",
    )
    parser.add_argument(
        "--limits",
        type=Path,
        metavar="YAML",
        help="joint limits, by motor or joint, as the capture takes them (config/robots), with or "
        "without effort; without lower and upper a joint is continuous (default: as observed)",
    )
    parser.add_argument(
        "--progress",
        choices=("bar", "json"),
        default="bar",
        help="bar: on a terminal; json: one line on standard output for each step, for programs",
    )


def run(args: argparse.Namespace) -> int:
    """Run the command; return 1 where the verdict of the written result is failed, otherwise 0."""
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.cli.terminal.progress_lines import ProgressLines, terminate_without_reader
    from autourdf_ros.model.result_files import result_document

    let_terminate_clean_up()
    if args.progress == "json":
        terminate_without_reader(sys.stdout)
        lines = ProgressLines(sys.stdout)
        _, out = _reconstruct(args, lines)
        document = result_document(out)
        said = {name: document[name] for name in ("verdict", "warnings")}
        lines.write(json.dumps({"result": str(out), **said}))
    else:
        from autourdf_ros.cli.terminal.summary import checks_summary, summary

        with progress_bar() as progress:
            reconstruction, out = _reconstruct(args, progress)
        document = result_document(out)
        print(summary(reconstruction, document, out))
        print(checks_summary(document))
        if args.name and document["name"] != args.name:
            print(f"name    {document['name']}: the legal form of {args.name!r}")
        print(f"see it: autourdf view {shlex.quote(str(args.out))}")
    return 1 if document["verdict"] == "failed" else 0


def _reconstruct(args: argparse.Namespace, progress: Progress) -> tuple[Reconstruction, Path]:
    progress("loading", 0.0)
    from autourdf_ros.files.writer_lock import lock_beside
    from autourdf_ros.model.result_files import check_output

    out = check_output(args.out)
    with lock_beside(out):
        return _written(args, out, progress), out


def _written(args: argparse.Namespace, out: Path, progress: Progress) -> Reconstruction:
    from autourdf_ros.data.load import load_recording
    from autourdf_ros.export.formats.usd import check_usd
    from autourdf_ros.export.given_limits import check_names, read_given_limits

    given = read_given_limits(args.limits) if args.limits else {}
    if args.usd:
        check_usd()
    check_shapes(args)
    _check_networks(args)
    _check_prior(args)
    recording = load_recording(args.input)
    check_names(given, set() if args.no_readings else _motors(recording), args.limits)
    # Imports that take seconds come last: unusable arguments are reported at once.
    from autourdf_ros.progress import part
    from autourdf_ros.workflows.reconstruct import ResultOptions, reconstruct_to_folder

    name = args.name or args.input.resolve().stem
    options = ResultOptions(
        engine_options(args),
        shape_options(args, args.triangles),
        given,
        args.limits,
        args.usd,
    )
    begun = getattr(args, "begun", None)  # by `ready_engine`
    share = part(progress, 0.05, 1.0)
    return reconstruct_to_folder(recording, out, name, options, share, begun)


def _check_networks(args: argparse.Namespace) -> None:
    """Refuse options of AutoURDF's networks where nothing uses the networks."""
    from autourdf_ros.errors import InputError

    if args.clusters is not None and args.method != "autourdf":
        raise InputError("--clusters: is for --method autourdf")
    used = args.method == "autourdf" or args.registration == "neural"
    for name in ("rates", "device", "seed"):
        if getattr(args, name) is not None and not used:
            raise InputError(f"--{name}: is for --method autourdf, and for --registration neural")


def _check_prior(args: argparse.Namespace) -> None:
    """Refuse a known robot beside options that say how to find one."""
    from autourdf_ros.errors import InputError

    if args.prior is None:
        return
    if args.links is not None:
        raise InputError("--links: is not for --prior, which has its links")
    if args.method != "engine":
        raise InputError("--prior: is for --method engine")
    if not args.prior.exists():
        raise InputError(f"--prior {args.prior}: does not exist")


def _motors(recording: Recording) -> set[str]:
    return {name for frame in recording.frames for name in frame.joint_positions or {}}


def engine_options(args: argparse.Namespace) -> ReconstructionOptions:
    """Return the choices of the user, from the arguments of the command."""
    from autourdf_ros.estimation.motion.network_options import NeuralOptions
    from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions

    of_networks = {
        "clusters": args.clusters,
        "rates": None if args.rates is None else tuple(args.rates),
        "device": args.device,
        "seed": args.seed,
    }
    given = {name: value for name, value in of_networks.items() if value is not None}
    chosen = {} if args.points is None else {"points": args.points}
    return ReconstructionOptions(
        links=args.links,
        use_readings=not args.no_readings,
        method=args.method,
        registration=args.registration,
        neural=NeuralOptions(**given),
        prior=None if args.prior is None else str(args.prior),
        **chosen,
    )

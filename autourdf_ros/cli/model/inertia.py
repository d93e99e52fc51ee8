"""`autourdf inertia`: masses and friction of a robot's links from joint efforts."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "find masses and friction of the robot's links from joint efforts, and write them"

_DURATION = 20.0  # s, of a planned motion

EPILOG = """BAG holds sensor_msgs/JointState messages with positions and efforts while the robot
moves; 'autourdf inertia OUT --plan MOTION.csv --limits LIMITS' plans a motion that shows much.
OUT is replaced whole or not at all; 'autourdf rollback' brings the version before back.
exit codes: 0 written, or planned, 1 written but doubtful, 2 unusable input"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument("result", type=Path, metavar="OUT", help="result folder")
    parser.add_argument(
        "efforts", type=Path, metavar="BAG", nargs="?", help="bag, .csv or .npz of joint efforts"
    )
    parser.add_argument("--topic", help="of the JointState messages, where BAG has several")
    parser.add_argument(
        "--joints", nargs="+", metavar="JOINT", help="use these joints only (default: all)"
    )
    parser.add_argument(
        "--solver",
        choices=("log-cholesky", "lmi"),
        default="log-cholesky",
        help="lmi: linear matrix inequalities, needs the extra 'inertia' (default: log-cholesky)",
    )
    parser.add_argument(
        "--filter",
        choices=("butterworth", "savitzky-golay"),
        default="butterworth",
        help="of the positions (default: butterworth)",
    )
    parser.add_argument("--cutoff", type=float, metavar="HZ", help="of the filter (default: found)")
    parser.add_argument(
        "--density",
        type=float,
        metavar="KG/M3",
        help="about which the links' own are sought (default: 1000)",
    )
    plan = parser.add_argument_group("plan a motion, instead of BAG; nothing moves")
    plan.add_argument("--plan", type=Path, metavar="MOTION.csv", help="write a motion to this file")
    plan.add_argument("--limits", type=Path, metavar="LIMITS", help="YAML of the joints' limits")
    plan.add_argument(
        "--obstacles",
        type=Path,
        metavar="OBSTACLES",
        help="YAML of keep_out, minimum_height, clearance and forbidden, as nodes take them",
    )
    plan.add_argument(
        "--motion",
        choices=("fourier", "stop-and-go"),
        default="fourier",
        help="a Fourier series, or rests joined by quintics (default: fourier)",
    )
    plan.add_argument("--duration", type=float, metavar="S", help="(default: 20)")
    plan.add_argument("--seed", type=int, default=0, help="of the search (default: 0)")


def run(args: argparse.Namespace) -> int:
    """Identify, or plan; return 1 where the verdict is doubtful."""
    from autourdf_ros.errors import InputError
    from autourdf_ros.model.result_files import result_document

    result_document(args.result)
    if (args.plan is None) == (args.efforts is None):
        raise InputError("accepted is either BAG or --plan MOTION.csv")
    return _identify(args) if args.plan is None else _plan(args)


def _identify(args: argparse.Namespace) -> int:
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.cli.terminal.termination import let_terminate_clean_up
    from autourdf_ros.data.efforts.effort_reading import read_efforts
    from autourdf_ros.errors import InputError
    from autourdf_ros.estimation.inertia.links.link_options import LinkOptions
    from autourdf_ros.estimation.inertia.links.motion_filter import FilterOptions
    from autourdf_ros.model.result_files import REPORT, URDF
    from autourdf_ros.shape.mass_properties import DENSITY
    from autourdf_ros.workflows.link_inertia import identify_result

    for name in ("cutoff", "density"):
        value = getattr(args, name)
        if value is not None and not 0 < value < float("inf"):
            raise InputError(f"--{name}: is {value}; accepted is a finite number above 0")
    low, high = LinkOptions().possible
    if args.density is not None and not low <= args.density <= high:
        raise InputError(f"--density: is {args.density:g}; accepted is {low:g} to {high:g} kg/m³")
    for name in ("duration", "limits", "obstacles"):
        if getattr(args, name) is not None:
            raise InputError(f"--{name}: is of --plan MOTION.csv; accepted with BAG is none")
    if args.topic is not None and args.efforts.suffix in (".csv", ".npz"):
        raise InputError(f"--topic: {args.efforts} is a table; accepted is a bag")
    let_terminate_clean_up()
    options = LinkOptions(solver=args.solver, filter=FilterOptions(args.filter, args.cutoff))
    with progress_bar() as progress:
        recording = read_efforts(args.efforts, args.topic, progress)
        if args.joints:
            if lacking := [name for name in args.joints if name not in recording.joints]:
                raise InputError(
                    f"--joints: {recording.source} has no {lacking[0]!r}; it has "
                    f"{', '.join(recording.joints)}"
                )
            recording = recording.of(tuple(args.joints))
        done = identify_result(args.result, recording, options, args.density or DENSITY, progress)
    print(_summary(done))
    print(f"\nURDF    {args.result / URDF}\nreport  {args.result / REPORT}")
    return 0 if done.verdict.trust == "trusted" else 1


def _summary(done: object) -> str:
    """What was found, in lines."""
    from autourdf_ros.workflows.link_account import IdentifiedRobot

    assert isinstance(done, IdentifiedRobot)
    found, report = done.found, done.found.identifiability
    lines = []
    for number, (name, own) in enumerate(
        zip(found.model.links, found.link_parameters, strict=True)
    ):
        std = found.posterior.covariance[10 * number, 10 * number] ** 0.5
        source = {"data": "the data", "both": "data and shape", "prior": "the shape"}
        lines.append(
            f"{name}: {own[0]:.3g} ± {std:.2g} kg, by {source[report.sources[10 * number]]}"
        )
    lines.append(f"\n{report.determined_share:.0%} of what efforts can show is known")
    lines += [
        f"  more by: swing {one.joint} by ±{one.amplitude:.2g} rad or m, at "
        f"up to {one.speed:.2g} per second "
        f"({', '.join(name for name, _ in one.learned[:2])})"
        for one in done.swings[:3]
    ]
    lines += [f"  note: {text}" for text in done.warnings]
    lines.append(f"\nverdict: {done.verdict.trust}")
    lines += [f"  ! {reason}" for reason in done.verdict.reasons]
    return "\n".join(lines)


def _plan(args: argparse.Namespace) -> int:
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.commanding.screening.obstacle_entries import read_obstacles
    from autourdf_ros.commanding.screening.obstacles import NO_OBSTACLES
    from autourdf_ros.errors import InputError
    from autourdf_ros.model.limits.motion_limits import read_limits
    from autourdf_ros.workflows.excitation_plan import plan_excitation, write_motion

    if args.limits is None:
        raise InputError("--plan needs --limits: nothing is planned without limits")
    duration = _DURATION if args.duration is None else args.duration
    if not 1.0 <= duration <= 600.0:
        raise InputError(f"--duration: is {duration}; accepted is 1 to 600 s")
    limits = read_limits(args.limits)
    given = None if args.obstacles is None else read_obstacles(args.obstacles, limits)
    with progress_bar() as progress:
        planned = plan_excitation(
            *(args.result, limits, args.motion, duration, args.seed, progress),
            given or NO_OBSTACLES,
        )
    write_motion(planned.trajectory, args.plan)
    print(f"{planned.trajectory.duration:.1f} s, {planned.information:.0f} nats are expected")
    unknown = () if given else ("of the room nothing is known but the robot itself: --obstacles",)
    for note in (*planned.notes, *unknown):
        print(f"  note: {note}")
    print(f"\nmotion  {args.plan}")
    return 0

"""`autourdf dynamics`: friction, damping and armature of a robot's joints, by simulation."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "find friction, damping and armature of the robot's joints, and write them"

EPILOG = """BAG holds sensor_msgs/JointState messages with positions and efforts while the robot
moves. Masses of links are those of OUT: 'autourdf inertia' measures them. The last quarter of BAG
is held out and predicted. OUT is replaced whole or not at all; 'autourdf rollback' brings the
version before back.
exit codes: 0 written, 1 written but doubtful, 2 unusable input"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument("result", type=Path, metavar="OUT", help="result folder")
    parser.add_argument(
        "bag", type=Path, metavar="BAG", help="bag, .csv or .npz of positions and efforts"
    )
    parser.add_argument("--topic", help="of the JointState messages, where BAG has several")
    parser.add_argument(
        "--joints", nargs="+", metavar="JOINT", help="use these joints only (default: all)"
    )
    parser.add_argument(
        "--masses",
        choices=("fixed", "free"),
        default="fixed",
        help="of links: as OUT states them, or free within their uncertainty (default: fixed)",
    )
    parser.add_argument(
        "--efforts",
        choices=("read", "commanded"),
        default="read",
        help="what BAG has: readings at their stamps, with noise, or what the drives give, "
        "exactly, from each stamp to the next, as in a simulator (default: read)",
    )
    parser.add_argument(
        "--step", type=float, default=0.002, metavar="S", help="of the simulator (default: 0.002)"
    )


def run(args: argparse.Namespace) -> int:
    """Identify; return 1 where the verdict is doubtful."""
    from dataclasses import replace

    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.cli.terminal.termination import let_terminate_clean_up
    from autourdf_ros.data.efforts.effort_reading import read_efforts
    from autourdf_ros.errors import InputError
    from autourdf_ros.model.result_files import URDF, result_document
    from autourdf_ros.workflows.mechanisms.link_dynamics import DynamicsChoices, identify_joints

    result_document(args.result)
    if not 1e-5 <= args.step <= 0.02:
        raise InputError(f"--step: is {args.step}; accepted is 0.00001 to 0.02 s")
    let_terminate_clean_up()
    choices = DynamicsChoices(free_masses=args.masses == "free")
    choices = replace(
        choices,
        simulation=replace(choices.simulation, step=args.step),
        cutting=replace(choices.cutting, commanded=args.efforts == "commanded"),
    )
    with progress_bar() as progress:
        recording = read_efforts(args.bag, args.topic, progress)
        if args.joints:
            if lacking := [name for name in args.joints if name not in recording.joints]:
                raise InputError(
                    f"--joints: {recording.source} has no {lacking[0]!r}; it has "
                    f"{', '.join(recording.joints)}"
                )
            recording = recording.of(tuple(args.joints))
        done = identify_joints(args.result, recording, choices, progress)
    print(_summary(done))
    print(f"\nURDF    {args.result / URDF}")
    return 0 if done.verdict.trust == "trusted" else 1


def _summary(done: object) -> str:
    """What was found, in lines."""
    from autourdf_ros.workflows.mechanisms.link_dynamics import IdentifiedJoints

    assert isinstance(done, IdentifiedJoints)
    posterior, report = done.found.posterior, done.found.identifiability
    source = {"data": "the data", "both": "data and prior", "prior": "the prior alone"}
    lines = [
        f"{name}: {value:.3g} ± {std:.2g} {unit}, by {source[origin]}"
        for name, value, std, unit, origin in zip(
            posterior.names,
            posterior.values,
            posterior.natural_stds,
            posterior.units,
            report.sources,
            strict=True,
        )
    ]
    lines.append(f"\nheld-out motion of {done.found.duration:.2g} s, of the range:")
    lines += [f"  {name}: {share:.2%}" for name, share in done.shares.items()]
    lines += [f"  note: {text}" for text in done.warnings]
    lines.append(f"\nverdict: {done.verdict.trust}")
    lines += [f"  ! {reason}" for reason in done.verdict.reasons]
    return "\n".join(lines)

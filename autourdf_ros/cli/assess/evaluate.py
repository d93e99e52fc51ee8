"""`autourdf evaluate`: the errors of a result against the truth, as JSON."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

HELP = "compare a result folder with the true robot, and print the errors as JSON"

EPILOG = """units: `angle` (E_JA) in degrees; `line_distance` (E_JD), `perpendicular` (E_perp),
`shifted` and `global_shift` in mm"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument("result", type=Path, metavar="OUT", help="result folder")
    parser.add_argument(
        "--truth",
        type=Path,
        required=True,
        metavar="FILE",
        help="truth.json of a recording, or the URDF of the true robot",
    )
    parser.add_argument(
        "--configuration",
        type=joint_values,
        metavar="NAME:VALUE,...",
        help="joint values (rad or m) to pose the true robot at; "
        "without it: the readings at the result's reference frame, or else the truth's own",
    )
    parser.add_argument(
        "--recording",
        type=Path,
        metavar="REC",
        help="the recording that the result comes from: determines which joints are observable; "
        "needs a truth with its URDF and meshes",
    )
    parser.add_argument(
        "--collisions",
        action="store_true",
        help="also compare self-collisions in 5000 configurations; needs a truth with its URDF "
        "and meshes",
    )


def run(args: argparse.Namespace) -> int:
    """Print the evaluation."""
    from autourdf_ros.assessment.metrics.estimate_reading import load_estimate
    from autourdf_ros.assessment.metrics.evaluation import evaluate
    from autourdf_ros.assessment.metrics.truth.observability import observable_joints
    from autourdf_ros.assessment.metrics.truth.truth import truth_for

    estimate = load_estimate(args.result)
    truth = truth_for(args.truth, args.configuration, estimate.readings)
    observable = observable_joints(args.truth, truth, args.recording) if args.recording else None
    errors = evaluate(estimate.skeleton, truth, observable).to_dict()
    if args.collisions:
        from autourdf_ros.assessment.metrics.self_collision_error import self_collisions

        errors["self_collisions"] = self_collisions(estimate, truth)
    print(json.dumps(errors, indent=2))
    return 0


def joint_values(text: str) -> dict[str, float]:
    """Parse `name:value,name:value`.

    Raises:
        ArgumentTypeError: The text has another form.
    """
    values = {}
    for item in text.split(","):
        name, separator, value = item.rpartition(":")
        try:
            values[name.strip()] = float(value)
        except ValueError:
            separator = ""
        if not separator or not name.strip():
            raise argparse.ArgumentTypeError(f"is {text!r}; accepted is NAME:VALUE,...")
    return values

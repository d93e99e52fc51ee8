"""How good descriptions are: their checks, their shape in new poses, and their self-collisions.

Reconstructs robots of the benchmark's full suite, without joint readings, and compares what is
written with the true robots. Recordings are those of the benchmark's cache. Prints a line a robot:

- checks: of `autourdf check`, and below what fails,
- CD_r, floor: mean Chamfer distance (mm) between model and robot in new configurations, and of two
  samplings of the robot itself; their ratio,
- recall, false: shares of the colliding and of the free ones of 5,000 configurations in which the
  model collides with itself, by the robot's visible surface and by its maker's collision shapes.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from autourdf_ros.assessment.checks.finding import Finding
from autourdf_ros.assessment.checks.findings_table import verdict
from autourdf_ros.assessment.checks.gate import failed
from autourdf_ros.assessment.metrics.estimate_reading import load_estimate
from autourdf_ros.assessment.metrics.evaluation import MILLIMETRES
from autourdf_ros.assessment.metrics.self_collision_error import (
    SelfCollisionError,
    self_collision_error,
)
from autourdf_ros.assessment.metrics.truth.truth import TrueModel, truth_for
from autourdf_ros.benchmark.cache import recording_of
from autourdf_ros.benchmark.cases.reposed import reposed_error
from autourdf_ros.benchmark.cases.suites import Case, suite
from autourdf_ros.cli.fleet.scheduler_argument import add_scheduler_argument, asked_cluster
from autourdf_ros.data.load import load_recording
from autourdf_ros.estimation.motion.pipeline import reconstruct
from autourdf_ros.estimation.motion.reconstruction import Reconstruction, ReconstructionOptions
from autourdf_ros.fleet.submission import each_of
from autourdf_ros.model.result_files import result_document
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.progress import silent
from autourdf_ros.workflows.reconstruct import write_reconstruction

ROBOTS = ("ur5_gripper", "panda", "solo", "allegro_right_hand", "so101")
SEQUENCES = 5


def main() -> None:
    """Study the robots named, or those of issue 5."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, metavar="OUT", help="folder for the results, by robot")
    parser.add_argument("robots", nargs="*", default=ROBOTS, metavar="ROBOT")
    parser.add_argument(
        "--configurations", type=int, default=100, help="new ones for CD_r, 0: none (default: 100)"
    )
    add_scheduler_argument(parser, "one robot after the other")
    args = parser.parse_args()
    cases = suite("full", SEQUENCES, args.robots)
    pieces = [(case, args.out.absolute() / case.name, args.configurations) for case in cases]
    with asked_cluster(args) as connect:
        for _, text in each_of(_study, pieces, connect):
            print(text, flush=True)


def _study(case: Case, out: Path, configurations: int) -> str:
    folder = recording_of(case, silent)
    recording = load_recording(folder)
    options = replace(ReconstructionOptions(), use_readings=False)
    model = reconstruct(recording, options, silent)
    write_reconstruction(model, out, name=case.name, recording=recording)
    truth = truth_for(folder / "truth.json", None, None)
    findings = tuple(Finding(**check) for check in result_document(out)["checks"])
    figures = [
        f"{case.name} ({model.verdict}): checks {verdict(findings)}",
        _reposed(case, model, truth, configurations),
        _collisions(out, truth),
    ]
    reasons = [f"  ✗ {finding.check}: {finding.message}" for finding in failed(findings)]
    return "\n".join(["; ".join(filter(None, figures)), *reasons])


def _reposed(
    case: Case, model: Reconstruction, truth: TrueModel, configurations: int
) -> str | None:
    if not configurations or case.options is None or truth.robot is None:
        return None
    robot = SimulatedRobot(truth.robot.path)
    error = reposed_error(model.model, truth, robot, case.options, configurations)
    return (
        f"CD_r {MILLIMETRES * error.distance:.2f} mm, floor {MILLIMETRES * error.floor:.2f} mm, "
        f"ratio {error.distance / error.floor:.2f}"
    )


def _collisions(out: Path, truth: TrueModel) -> str:
    estimate = load_estimate(out)
    seen = self_collision_error(estimate, truth, "visual")
    made = self_collision_error(estimate, truth, "collision")
    return f"recall, false: {_shares(seen)} by the surface, {_shares(made)} by the maker's shapes"


def _shares(error: SelfCollisionError) -> str:
    shares = (error.recall, error.false_positive_rate)
    texts = ["-" if share is None else f"{100 * share:.1f} %" for share in shares]
    return f"{', '.join(texts)} ({error.colliding} of {error.samples} collide)"


if __name__ == "__main__":
    main()

"""How right the joints of mechanisms are that are found in pose tracks.

`python studies/mechanism_joints_study.py [--seeds 20] [--scenes NAME...] [--methods ...]
[--outliers 0.01] [--gaps 0.05] [--correlation 0.0] [--factor 1.0]`: poses are the truth with
errors as a tracker makes them. For each scene and method: runs with all types and the tree right
(bodies that stand still against each other count as one), medians of the largest error of an axis
(degrees) and of a pivot (mm) in runs that are right, share of errors within two standard
deviations (of all components), and seconds.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "support"))

from mechanism_scenes import SCENES, scene
from mechanism_tracks import TrackNoise, TrueMechanism, joint_line_errors, observed_track

from autourdf_ros.cli.fleet.scheduler_argument import add_scheduler_argument, asked_cluster
from autourdf_ros.estimation.video.joints.fitting.pair_motion import WORLD
from autourdf_ros.estimation.video.joints.joints_options import JointsOptions
from autourdf_ros.estimation.video.joints.mechanism_joints import MechanismJoints, find_joints
from autourdf_ros.fleet.submission import each_of

METHODS = ("likelihood", "ransac")


def parents_and_types(mechanism: TrueMechanism) -> dict[str, tuple[str, str]]:
    """Parent and type of every body; bodies fixed to the world have the world's name."""
    return contracted({j.body: (j.parent, j.kind) for j in mechanism.joints})


def found_parents_and_types(found: MechanismJoints, bodies: tuple[str, ...]):
    """The same of a result."""
    names = {WORLD: "world", **dict(enumerate(bodies))}
    return contracted(
        {names[edge.child]: (names[edge.parent], edge.kind) for edge in found.trace.tree}
    )


def contracted(joints: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Parents replaced by what they are fixed to."""

    def base(body: str) -> str:
        while body in joints and joints[body][1] == "fixed":
            body = joints[body][0]
        return body

    return {body: (base(parent), kind) for body, (parent, kind) in joints.items()}


def line_errors(mechanism: TrueMechanism, found: MechanismJoints, bodies):
    """Errors (degrees, m) of all joints that have an axis, and those in standard deviations."""
    true = {joint.body: joint for joint in mechanism.joints}
    edges = {bodies[edge.child]: n for n, edge in enumerate(found.trace.adjusted.fit.edges)}
    rows, scaled = [], []
    for body, joint in true.items():
        edge = found.trace.adjusted.fit.edges[edges[body]]
        same = (edge.parent >= 0 and bodies[edge.parent] == joint.parent) or joint.parent == "world"
        if joint.kind in ("fixed", "free") or not same:
            continue
        rows.append(joint_line_errors(joint, edge.frame))
        covariance = found.trace.adjusted.frame_covariances[edges[body]]
        scaled += standardised(joint, edge.frame, covariance)
    return rows, scaled


def standardised(joint, frame: np.ndarray, covariance: np.ndarray) -> list[float]:
    """Components of a frame's error, in standard deviations."""
    axis = joint.frame[:3, 2] * np.sign(joint.frame[:3, 2] @ frame[:3, 2])
    turn = np.cross(frame[:3, 2], axis) @ frame[:3, :3]
    away = (joint.frame[:3, 3] - frame[:3, 3]) @ frame[:3, :3]
    if joint.kind in ("revolute", "cylindrical"):  # the true line's point nearest to the frame
        along = frame[:3, :3].T @ axis
        away = away - along * (away[2] / along[2])
    errors = np.concatenate([turn, away])
    known = np.diag(covariance) > 0
    return list(errors[known] / np.sqrt(np.diag(covariance)[known]))


def measure(name: str, method: str, seed: int, noise: TrackNoise):
    """Whether all is right, errors, standardised errors, seconds."""
    rng = np.random.default_rng(seed)
    mechanism = scene(name, rng)
    track = observed_track(mechanism, rng, noise)
    started = time.perf_counter()
    found = find_joints(track, (), JointsOptions(method, seed), lambda *_: None)
    seconds = time.perf_counter() - started
    wanted = parents_and_types(mechanism)
    got = found_parents_and_types(found, track.bodies)
    rows, scaled = line_errors(mechanism, found, track.bodies)
    return wanted == got, rows, scaled, seconds, (got, found.warnings)


def report(name: str, method: str, runs: list, *, failures: bool) -> None:
    """Print one row."""
    right = [run for run in runs if run[0]]
    angles = [max(row[0] for row in run[1]) for run in right if run[1]]
    pivots = [1000 * max(row[1] for row in run[1]) for run in right if run[1]]
    scaled = np.abs([value for run in right for value in run[2]])
    inside = f"{np.mean(scaled < 2):.2f}" if len(scaled) and method != "ransac" else "-"
    numbers = [f"{np.median(x):.3f}" if x else "-" for x in (angles, pivots)]
    print(
        f"{name:12s} {method:10s} right {len(right)}/{len(runs)}, axis {numbers[0]} deg, "
        f"pivot {numbers[1]} mm, within 2 std {inside}, {np.median([r[3] for r in runs]):.2f} s",
        flush=True,
    )
    if failures:
        for number, run in enumerate(runs):
            if not run[0]:
                print(f"   run {number}: {run[4]}")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--scenes", nargs="*", default=list(SCENES))
    parser.add_argument("--methods", nargs="*", default=list(METHODS))
    parser.add_argument("--outliers", type=float, default=0.01)
    parser.add_argument("--gaps", type=float, default=0.05)
    parser.add_argument("--correlation", type=float, default=0.0)
    parser.add_argument("--factor", type=float, default=1.0)
    parser.add_argument("--failures", action="store_true", help="a line for each wrong run")
    add_scheduler_argument(parser, "one run after the other")
    options = parser.parse_args()
    noise = TrackNoise(
        correlation=options.correlation,
        outliers=options.outliers,
        gaps=options.gaps,
        factor=options.factor,
    )
    with asked_cluster(options) as connect:
        for name, method in product(options.scenes, options.methods):
            pieces = [(name, method, seed, noise) for seed in range(options.seeds)]
            runs = dict(each_of(measure, pieces, connect))
            report(name, method, [runs[piece] for piece in pieces], failures=options.failures)


if __name__ == "__main__":
    main()

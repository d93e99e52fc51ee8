"""Accuracy of axes after daily work: `studies/refining_study.py FOLDER`.

FOLDER/ROBOT is the robot's model (a missing one is that of the suite `monitoring`). Two depth
cameras with real-like noise observe the robot at work, and the model is refined. Printed before and
after: E_JA, the mean angle of the revolute joints to the true axes, and E_perp, the mean distance
of these axes from the true joints, at ten readings, with the base frame where these joints fit best
(the fixed frame of a recording is off by its cameras' calibration); the angle of the prismatic
joints, of which a finger is hardly known; the mean standard deviations of the revolute ones; and
the errors of all axes at the reference in their standard deviations (rms, 1 where the deviations
are right, and the largest). The robot needs at least four joints.
"""

from __future__ import annotations

import argparse
import tempfile
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.benchmark.monitoring.robot_models import model_in
from autourdf_ros.benchmark.monitoring.watched_cell import CELL, RATE, watched_cell
from autourdf_ros.estimation.common.joint_fit import across_basis, line_perturbations
from autourdf_ros.geometry.rigid_motion import adjoint, inverse, log_se3
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.monitoring.continual.daily_use import MOST, PERIOD
from autourdf_ros.monitoring.observing.observation_comparison import compare_observation
from autourdf_ros.monitoring.observing.watched_model import WatchedModel, load_watched_model
from autourdf_ros.monitoring.repairing.refined_axes import refine_axes, write_refined
from autourdf_ros.simulation.damage import undamaged

Array = NDArray[np.float64]

STRIDE = round(PERIOD * RATE)  # one of so many observations of the robot at work is gathered
STEP, REACH = 0.01, 0.3  # rad or m; m: at which a turn counts as much as a shift
IGNORED = 1e3  # rad, m: deviation of a joint that does not determine the base's pose


def driven(model: WatchedModel, robot: SimulatedRobot) -> NDArray[np.int64]:
    """Numbers of the joints that are the robot's own by name, of which the truth is asked.

    One that follows another by a mimic has none there.
    """
    return np.flatnonzero([name in robot.names for name in model.joints])


def line_errors(model: WatchedModel, robot: SimulatedRobot, row: Array) -> tuple[Array, Array]:
    """((J, 4) turns and shifts across that the `driven` axes lack at readings (D,), (J, 4, 6) how a
    small motion of the model adds to them). A joint that slides has no shifts: they are 0."""
    poses = model.poses(model.values(dict(zip(robot.names, row.tolist(), strict=True))))
    standing = robot.body_poses(row)
    errors, moves = [], []
    for number in driven(model, robot):
        joint = robot.names.index(model.joints[number])
        moved = robot.body_poses(row + STEP * np.eye(len(row))[joint])[joint + 1]
        true = log_se3(moved @ inverse(standing[joint + 1])) / STEP
        here = poses[model.articulation.parents[number]]
        twist = adjoint(here) @ model.articulation.twists[number]
        turns = model.articulation.revolute[number]
        own = slice(0, 3) if turns else slice(3, 6)
        axis, way = twist[own] / np.linalg.norm(twist[own]), true[own] / np.linalg.norm(true[own])
        way *= np.sign(way @ axis)
        point = here[:3, :3] @ model.articulation.anchors[number] + here[:3, 3]
        there = standing[joint + 1][:3, 3]
        gap = turns * (there + ((point - there) @ way) * way - point)
        basis = across_basis(axis)
        errors.append([*(basis @ np.cross(axis, way)), *(basis @ gap)])
        lines = line_perturbations(twist, point, turns)
        moves.append(np.linalg.pinv(lines))
    return np.array(errors), np.array(moves)


def aligned(errors: Array, moves: Array, deviations: Array) -> Array:
    """(F, J, 4) errors without what one small motion of the base explains."""
    weighted = moves / deviations[..., None]
    motion = np.linalg.lstsq(weighted.reshape(-1, 6), (errors / deviations).ravel(), rcond=None)[0]
    return np.asarray(errors - moves @ motion)


def judged(model: WatchedModel, robot: SimulatedRobot, rows: Array) -> str:
    """E_JA, E_perp, and the errors in standard deviations."""
    found = [
        np.stack(part) for part in zip(*(line_errors(model, robot, r) for r in rows), strict=True)
    ]
    own = driven(model, robot)
    turns, line_std = model.articulation.revolute[own], model.line_std[own]
    even = np.where(turns[:, None], [1.0, 1.0, REACH, REACH], IGNORED)
    errors = aligned(*found, np.broadcast_to(even, found[0].shape))
    angles = np.degrees(np.linalg.norm(errors[..., :2], axis=-1)).mean(axis=0)
    distance = 1e3 * np.linalg.norm(errors[:, turns, 2:], axis=-1).mean()
    slides = f"{angles[~turns].mean():.2f}°" if (~turns).any() else "-"
    given = dict(zip(model.motors, model.transmission.readings_at_reference, strict=True))
    reference = line_errors(model, robot, np.array([given.get(n, 0.0) for n in robot.names]))
    stds = np.repeat(np.where(line_std > 0, line_std, 1.0), 2, axis=1)[None]
    squares = (aligned(reference[0][None], reference[1][None], stds) / stds) ** 2
    sure = np.sqrt(squares.sum() / (2 * np.count_nonzero(line_std) - 6))
    worst = np.sqrt(squares.max())
    means = line_std[turns].mean(axis=0)
    known = f"{np.degrees(means[0]):.3f}° {1e3 * means[1]:.3f} mm | {sure:.2f}, {worst:.1f}"
    return f"{angles[turns].mean():.3f}° {distance:.3f} mm | {slides} | {known}"


def study(name: str, seed: int, folder: Path, observations: int) -> None:
    """Print two lines."""
    model = load_watched_model(model_in(folder, name))
    cell = watched_cell(name, STRIDE * observations, seed)
    rng = np.random.default_rng([seed, 4])
    empty = cell.background(rng)
    rows = range(0, STRIDE * observations, STRIDE)
    work = cell.observations(rows, undamaged(cell.robot), rng)
    seen = [compare_observation(model, one, empty) for one in work]
    some = cell.path[:: max(1, len(cell.path) // 10)]
    print(f"| {name} | {seed} | before | {judged(model, cell.robot, some)} | - |", flush=True)
    cameras = [f"camera_{number}" for number in range(CELL.cameras)]
    made = refine_axes(model, cameras, seen, model)
    with tempfile.TemporaryDirectory() as out:
        new = load_watched_model(write_refined(folder / name, Path(out) / "new", made))
    reported = f"{judged(new, cell.robot, some)} | {made.accepted} |"
    print(f"| {name} | {seed} | refined | {reported}", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="models")
    parser.add_argument("--robots", nargs="+", default=["ur5_gripper", "panda"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--observations", type=int, default=MOST, help="of each camera")
    args = parser.parse_args()
    print("| robot | seed | model | E_JA, E_perp | slides | deviations | errors | accepted |")
    print("|---" * 8 + "|")
    for seed, robot in product(args.seeds, args.robots):
        study(robot, seed, args.folder, args.observations)


if __name__ == "__main__":
    main()

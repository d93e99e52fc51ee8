"""How right axes are after daily work: `tools/refining_study.py FOLDER --robots ur5_gripper`.

FOLDER/ROBOT is the robot's model (`tools/monitoring_study.py` makes it where it is missing), best
one from few frames. Two depth cameras with real-like noise look at the robot at work, and the model
is refined by that. Before and after: E_JA, the mean angle to the true axes, and E_perp, the mean
distance of the axes from the true joints, at ten readings, with the base frame where it fits best
(the fixed frame of a recording is off by its cameras' calibration); and how large the errors of the
axes at the reference are, in their standard deviations (rms; 1 where these are honest).
"""

from __future__ import annotations

import argparse
import tempfile
from itertools import product
from pathlib import Path

import numpy as np
from monitoring_study import CELL, model_of, watched_cell
from numpy.typing import NDArray

from autourdf_ros.kinematics.joint_fit import across_basis, line_perturbations
from autourdf_ros.kinematics.rigid_motion import adjoint, inverse, log_se3
from autourdf_ros.monitoring.comparison import compare_observation
from autourdf_ros.monitoring.refined_axes import refine_axes, write_refined
from autourdf_ros.monitoring.watched_model import WatchedModel, load_watched_model
from autourdf_ros.simulation.damage import undamaged
from autourdf_ros.simulation.robot import SimulatedRobot

Array = NDArray[np.float64]

STRIDE = 6  # looks of the robot at work between two that are gathered
STEP, REACH = 0.01, 0.3  # rad or m; m: at which a turn counts as much as a shift


def line_errors(model: WatchedModel, robot: SimulatedRobot, row: Array) -> tuple[Array, Array]:
    """((J, 4) turns and shifts across that the axes lack at readings (D,), (J, 4, 6) how a small
    motion of the model adds to them)."""
    poses = model.poses(model.values(dict(zip(robot.names, row.tolist(), strict=True))))
    standing = robot.body_poses(row)
    errors, moves = [], []
    for number, name in enumerate(model.joints):
        joint = robot.names.index(name)
        moved = robot.body_poses(row + STEP * np.eye(len(row))[joint])[joint + 1]
        true = log_se3(moved @ inverse(standing[joint + 1])) / STEP
        here = poses[model.articulation.parents[number]]
        twist = adjoint(here) @ model.articulation.twists[number]
        axis = twist[:3] / np.linalg.norm(twist[:3])
        true = true * np.sign(true[:3] @ axis) / np.linalg.norm(true[:3])
        point = here[:3, :3] @ model.articulation.anchors[number] + here[:3, 3]
        there = standing[joint + 1][:3, 3]
        gap = there + ((point - there) @ true[:3]) * true[:3] - point
        basis = across_basis(axis)
        errors.append([*(basis @ np.cross(axis, true[:3])), *(basis @ gap)])
        lines = line_perturbations(twist, point, np.True_)
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
    even = np.broadcast_to([1.0, 1.0, REACH, REACH], found[0].shape)
    errors = aligned(*found, even)
    angle = np.degrees(np.linalg.norm(errors[..., :2], axis=-1)).mean()
    distance = 1e3 * np.linalg.norm(errors[..., 2:], axis=-1).mean()
    given = dict(zip(model.motors, model.readings_at_reference, strict=True))
    reference = line_errors(model, robot, np.array([given.get(n, 0.0) for n in robot.names]))
    stds = np.repeat(model.line_std, 2, axis=1)[None]
    own = aligned(reference[0][None], reference[1][None], stds) / stds
    sure = np.sqrt((own**2).sum() / (own.size - 6))
    mean = np.degrees(model.line_std[:, 0].mean()), 1e3 * model.line_std[:, 1].mean()
    return f"{angle:.3f}° {distance:.3f} mm | {mean[0]:.3f}° {mean[1]:.3f} mm | {sure:.2f}"


def study(name: str, seed: int, folder: Path, looks: int) -> None:
    """Print two lines."""
    model = model_of(name, folder)
    cell = watched_cell(name, STRIDE * looks, seed)
    rng = np.random.default_rng([seed, 4])
    empty = cell.background(rng)
    rows = range(0, STRIDE * looks, STRIDE)
    work = cell.looks(rows, undamaged(cell.robot), rng)
    seen = [compare_observation(model, one, empty) for one in work]
    some = cell.path[:: max(1, len(cell.path) // 10)]
    print(f"| {name} | {seed} | before | {judged(model, cell.robot, some)} | - |", flush=True)
    cameras = [f"camera_{number}" for number in range(CELL.cameras)]
    made = refine_axes(model, cameras, seen, model)
    with tempfile.TemporaryDirectory() as out:
        new = load_watched_model(write_refined(folder / name, Path(out) / "new", made))
    told = f"{judged(new, cell.robot, some)} | {made.accepted} |"
    print(f"| {name} | {seed} | refined | {told}", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="models")
    parser.add_argument("--robots", nargs="+", default=["ur5_gripper"], help="of turning joints")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--looks", type=int, default=40, help="of each camera")
    args = parser.parse_args()
    print("| robot | seed | model | E_JA, E_perp | deviations | errors in them | accepted |")
    print("|---" * 7 + "|")
    for seed, robot in product(args.seeds, args.robots):
        study(robot, seed, args.folder, args.looks)


if __name__ == "__main__":
    main()

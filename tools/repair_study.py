"""How right a model is after a repair: `tools/repair_study.py FOLDER`.

FOLDER/ROBOT is the robot's model (`tools/monitoring_study.py` makes it where it is missing). Two
depth cameras with real-like noise look at the robot ten times each as it was, and ten times with
one thing changed; the change is given as it truly is, and repaired. Every model's joint axes are
compared with the true ones at ten readings: E_JA, the mean angle, and E_perp, the mean distance of
the true joint from the axis; `before` is the old model on the robot as it was.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
from monitoring_study import faults, model_of, watched_cell
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.kinematics.joint_fit import line_point
from autourdf_ros.kinematics.rigid_motion import adjoint, inverse, log_se3
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.comparison import compare_observation
from autourdf_ros.monitoring.repair import repair, write_repair
from autourdf_ros.monitoring.watched_model import WatchedModel, load_watched_model
from autourdf_ros.simulation.damage import DamagedRobot, undamaged

Array = NDArray[np.float64]

STRIDE = 3  # looks of the robot at work between two that are used
LOOKS = 10
STEP = 0.01  # rad or m


def errors(model: WatchedModel, robot: DamagedRobot, rows: Array) -> tuple[float, float]:
    """(E_JA in degrees, E_perp in mm) at readings, (F, J), of the joints that the model knows."""
    names = robot.robot.names
    angles, distances = [], []
    for row in rows:
        readings = dict(zip(names, row.tolist(), strict=True))
        poses = model.poses(model.values(readings))
        standing = robot.body_poses(row)
        for number, name in enumerate(model.joints):
            if name not in names:  # the mount of an attached link
                continue
            joint = names.index(name)
            step = np.zeros(len(row))
            step[joint] = STEP
            child = joint + 1
            moved = robot.body_poses(row + step)[child] @ inverse(standing[child])
            true = log_se3(moved) / STEP
            parent = model.articulation.parents[number]
            found = adjoint(poses[parent]) @ model.articulation.twists[number]
            kind = slice(0, 3) if model.articulation.revolute[number] else slice(3, 6)
            cosine = abs(found[kind] @ true[kind]) / np.linalg.norm(true[kind])
            angles.append(np.degrees(np.arccos(min(cosine, 1.0))))
            if model.articulation.revolute[number]:
                off = standing[child][:3, 3] - line_point(found)
                across = off - (off @ found[:3]) * found[:3]
                distances.append(1e3 * np.linalg.norm(across))
    return float(np.mean(angles)), float(np.mean(distances))


def study(name: str, seed: int, folder: Path, wanted: Sequence[str]) -> None:
    """Print a line for every fault."""
    model = model_of(name, folder)
    cell = watched_cell(name, 2 * STRIDE * LOOKS, seed)
    rng = np.random.default_rng([seed, 2])
    empty = cell.background(rng)
    whole = undamaged(cell.robot)
    early, late = range(0, STRIDE * LOOKS, STRIDE), range(STRIDE * LOOKS, len(cell.path), STRIDE)
    healthy = [compare_observation(model, one, empty) for one in cell.looks(early, whole, rng)]
    rows = cell.path[::6]
    before = errors(model, whole, rows)
    for fault_name, fault in faults(cell, model, late, seed):
        if fault_name not in wanted or fault.truth is None:
            continue
        seen = cell.looks(late, fault.robot, rng, cameras=fault.cameras, beside=fault.beside)
        recent = [compare_observation(model, one, empty) for one in seen]
        began = time.monotonic()
        try:
            made = repair(model, Change(*fault.truth, (), 0.0, "given"), healthy, recent)
        except InputError as error:
            print(f"| {name} | {seed} | {fault_name} | {error} |", flush=True)
            continue
        took = time.monotonic() - began
        old, new = errors(model, fault.robot, rows), None
        if made.for_model:
            with tempfile.TemporaryDirectory() as out:
                written = write_repair(folder / name, Path(out) / "new", made)
                new = errors(load_watched_model(written), fault.robot, rows)
        told = " | ".join(
            "-" if pair is None else f"{pair[0]:.2f}° {pair[1]:.2f} mm"
            for pair in (before, old, new)
        )
        cells = f"{name} | {seed} | {fault_name} | {told} | {made.accepted} | {took:.0f} s"
        print(f"| {cells} | {made.told} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="models")
    parser.add_argument("--robots", nargs="+", default=["ur5_gripper", "panda"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    kinds = ("joint_zero", "bent", "shortened", "tool", "camera")
    parser.add_argument("--faults", nargs="+", choices=kinds, default=kinds)
    args = parser.parse_args()
    print("| robot | seed | fault | before | old model | repaired | accepted | in | what |")
    print("|---" * 9 + "|")
    for seed, robot in product(args.seeds, args.robots):
        study(robot, seed, args.folder, args.faults)


if __name__ == "__main__":
    main()

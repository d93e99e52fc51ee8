"""Accuracy of a model after a repair: `studies/repair_study.py FOLDER`.

FOLDER/ROBOT is the robot's model (a missing one is that of the suite `monitoring`). Two depth
cameras with real-like noise observe the robot ten times each before one change, and ten times after
it; the change is given as it truly is, and repaired. Every model's joint axes are compared with the
true ones at ten readings: E_JA, the mean angle, and E_perp, the mean distance of the true joint
from the axis; `before` is the old model on the unchanged robot.

`--observations 5+5` repairs with five observations of the robot at work, and five at configurations
nearby that are chosen as by the monitor with `allow_motion`; the first of them is where the robot
stands. The estimate of the change that chooses and screens them comes from ten observations at
work. With `--reach 0.001` the robot practically stands still.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.benchmark.monitoring.monitoring_faults import FAULTS, Fault, FaultDrawer
from autourdf_ros.benchmark.monitoring.robot_models import model_in
from autourdf_ros.benchmark.monitoring.watched_cell import WatchedCell, watched_cell
from autourdf_ros.commanding.screening.obstacles import Obstacles
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.common.joint_fit import line_point
from autourdf_ros.geometry.rigid_motion import adjoint, inverse, log_se3
from autourdf_ros.model.limits.motion_limits import JointLimits
from autourdf_ros.monitoring.change import Change, Quantity
from autourdf_ros.monitoring.diagnosis.baseline import learn_baseline
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.diagnosis.change_wording import quantities_of
from autourdf_ros.monitoring.motions.clearance import largest_displacement
from autourdf_ros.monitoring.motions.informative_motions import question_of
from autourdf_ros.monitoring.motions.motion_screen import MotionScreen
from autourdf_ros.monitoring.motions.observation_plan import MotionBounds, plan_observations
from autourdf_ros.monitoring.observing.observation_comparison import Comparison, compare_observation
from autourdf_ros.monitoring.observing.watched_model import WatchedModel, load_watched_model
from autourdf_ros.monitoring.repairing.model_repair import repair, write_repair
from autourdf_ros.monitoring.repairing.refit import Refit, refit
from autourdf_ros.simulation.damage import DamagedRobot, undamaged

Array = NDArray[np.float64]

STRIDE = 3  # one of so many observations of the robot at work is used
COUNT = 10
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


class Bench:
    """A robot at work before cameras, its model, and observations before the change."""

    def __init__(self, name: str, seed: int, folder: Path, reach: float) -> None:
        """Prepare a robot; chosen configurations are within `reach` (rad)."""
        self.name, self.seed, self.folder, self.reach = name, seed, folder, reach
        self.model = load_watched_model(model_in(folder, name))
        self.cell = watched_cell(name, 2 * STRIDE * COUNT, seed)
        self.rng = np.random.default_rng([seed, 2])
        self._empty = self.cell.background(self.rng)
        early = range(0, STRIDE * COUNT, STRIDE)
        self.late = range(STRIDE * COUNT, len(self.cell.path), STRIDE)
        self.healthy = self.seen(self.cell, early, Fault(undamaged(self.cell.robot)))

    def seen(self, cell: WatchedCell, rows: range, fault: Fault) -> list[Comparison]:
        """Return the observations in rows of the cell's path."""
        observations = cell.observations(
            rows, fault.robot, self.rng, cameras=fault.cameras, beside=fault.beside
        )
        return [compare_observation(self.model, one, self._empty) for one in observations]

    def summary(self, change: Change, recent: Sequence[Comparison]) -> Change:
        """Return the change with its estimated size."""
        causes = Causes(self.model, tuple(sorted({one.observation.camera for one in self.healthy})))
        baseline = learn_baseline(causes, self.healthy)
        found = refit(causes, change.kind, change.subject, recent, baseline)
        return (
            change if found is None else replace(change, quantities=_quantities(found, self.model))
        )

    def chosen(
        self, change: Change, recent: Sequence[Comparison], start: Array, count: int
    ) -> tuple[WatchedCell, str]:
        """Return the cell with a path of `start` and chosen rows, and a text about them."""
        robot, names = self.cell.robot, self.cell.robot.names
        bounds = dict(zip(names, zip(robot.lower, robot.upper, strict=True), strict=True))
        limits = {one: JointLimits(*bounds[one], 1.0, 1.0) for one in self.model.motors}
        here = dict(zip(names, start.tolist(), strict=True))
        question = question_of(self.model, change, self.healthy, recent)
        values = np.array([self.model.values(here)])
        camera_positions = {one.camera: one.pose[:3, 3] for one in question.cameras}
        clearance = largest_displacement(question.causes, change, values, camera_positions)
        found = plan_observations(
            question,
            [change],
            MotionScreen(self.folder / self.name, list(limits), "base_link", Obstacles()),
            {name: here[name] for name in limits},
            dict,
            MotionBounds(limits, self.reach, count - 1),
        )
        rows = [start, *([{**here, **one}[name] for name in names] for one in found.targets)]
        text = f"{len(found.targets)} places with {1e3 * clearance:.0f} mm of clearance"
        return replace(self.cell, path=np.array(rows)), text


def recent_observations(
    bench: Bench, change: Change, fault: Fault, work: list[Comparison], normal: int, chosen: int
) -> tuple[list[Comparison], str]:
    """Return observations since the change, at work and at chosen places, and a text."""
    cameras = len({one.observation.camera for one in work})
    recent = work[: cameras * normal]
    if not chosen:
        return recent, "at work"
    change, refusal = bench.reported(change, work), InputError("nowhere")
    for row in bench.late:
        standing = bench.seen(bench.cell, range(row, row + 1), fault)
        try:
            cell, text = bench.chosen(change, [*recent, *standing], bench.cell.path[row], chosen)
        except InputError as error:  # it may not move from there
            refusal = error
            continue
        new = bench.seen(cell, range(1, len(cell.path)), fault)
        return [*recent, *standing, *new], f"{text}, the {row // STRIDE - COUNT + 1}. tried"
    raise refusal


def study(
    bench: Bench, wanted: Sequence[str], mixes: Sequence[tuple[int, int]]
) -> Iterator[list[str]]:
    """Return the cells of a line for every fault and mix of observations."""
    rows, model = bench.cell.path[::6], bench.model
    before = errors(model, undamaged(bench.cell.robot), rows)
    drawer = FaultDrawer(bench.cell, model, bench.late, bench.seed)
    for fault_name in FAULTS:
        fault = drawer.fault(fault_name)
        if fault_name not in wanted or fault is None or len(fault.truths) != 1:
            continue
        work = bench.seen(bench.cell, bench.late, fault)
        change = Change(*fault.truths[0], (), 0.0, "given")
        for normal, chosen in mixes:
            cells = [bench.name, str(bench.seed), fault_name, f"{normal}+{chosen}"]
            try:
                recent, where = recent_observations(bench, change, fault, work, normal, chosen)
                began = time.monotonic()
                made = repair(model, change, bench.healthy, recent)
            except InputError as error:
                yield [*cells, str(error)]
                continue
            took = time.monotonic() - began
            old, new = errors(model, fault.robot, rows), None
            if made.for_model:
                with tempfile.TemporaryDirectory() as out:
                    written = write_repair(bench.folder / bench.name, Path(out) / "new", made)
                    new = errors(load_watched_model(written), fault.robot, rows)
            reported = [
                "-" if pair is None else f"{pair[0]:.2f}° {pair[1]:.2f} mm"
                for pair in (before, old, new)
            ]
            yield [
                *cells,
                *reported,
                str(made.accepted),
                f"{took:.0f} s",
                f"{where}; {made.summary}",
            ]


def mix_of(text: str) -> tuple[int, int]:
    """Parse a mix such as 5+5: observations at work, and at chosen places."""
    normal, chosen = (int(part) for part in text.split("+"))
    if not 0 <= normal <= COUNT or chosen < 0 or normal + chosen < 1:
        raise ValueError(text)
    return normal, chosen


def _quantities(found: Refit, model: WatchedModel) -> tuple[Quantity, ...]:
    return quantities_of(found.cause, found.parameters, found.covariance, model)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="models")
    parser.add_argument("--robots", nargs="+", default=["ur5_gripper", "panda"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    kinds = ("joint_zero", "bent", "shortened", "tool", "camera")
    parser.add_argument("--faults", nargs="+", choices=kinds, default=kinds)
    parser.add_argument("--observations", type=mix_of, nargs="+", default=[(COUNT, 0)], help="N+M")
    parser.add_argument("--reach", type=float, default=0.2, help="of chosen places (rad)")
    args = parser.parse_args()
    print("| robot | seed | fault | seen | before | old model | repaired | accepted | in | what |")
    print("|---" * 10 + "|")
    for seed, robot in product(args.seeds, args.robots):
        for cells in study(
            Bench(robot, seed, args.folder, args.reach), args.faults, args.observations
        ):
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

"""Whether the monitor names what happened to a robot: `studies/monitoring_study.py FOLDER`.

FOLDER/ROBOT is the robot's model as `autourdf reconstruct` makes it; a missing one is made from a
simulated recording. Then two depth cameras with real-like noise observe the robot at work, five
times a second: for some seconds unchanged, in which the monitor learns its baseline, and for
`--before` more, which are in its window when something happens; then, for `--seconds`, with one
change. FOLDER/runs.jsonl gets one line for every run; runs that it holds with the same `--before`,
`--seconds` and `--healthy` are not repeated. Then a table of these is printed.
"""

from __future__ import annotations

import argparse
import copy
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from watched_cell import CELL, RATE, WatchedCell, watched_cell

from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh, from_trimesh
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.monitoring.monitor import Monitor, MonitorOptions
from autourdf_ros.monitoring.observing.watched_model import WatchedModel, load_watched_model
from autourdf_ros.simulation import damage
from autourdf_ros.simulation.cameras.pinhole_camera import Camera
from autourdf_ros.simulation.damage import DamagedRobot
from autourdf_ros.simulation.simulated_cell import workspace_of

FAULTS = ("none", "joint_zero", "bent", "shortened", "tool", "camera", "box")
LEAST_LENGTH = 0.06  # m, of a link that is bent
NEAREST_BOX = 0.04  # m, from the arm
BOX_COLOR = np.array([160, 120, 60], dtype=np.uint8)


@dataclass(frozen=True)
class Fault:
    """A change of the robot, a camera or the scene.

    Attributes:
        truth: Kind and subject of the change to name; None without a change.
        robot: As it truly is.
        cameras: True cameras; None: of the cell.
        beside: New object in the scene.
    """

    truth: tuple[str, str] | None
    robot: DamagedRobot
    cameras: Sequence[Camera] | None = None
    beside: SurfaceMesh | None = None


def faults(
    cell: WatchedCell, model: WatchedModel, rows: range, seed: int
) -> Iterator[tuple[str, Fault]]:
    """Yield all faults of a seed, by name; joints, links and cameras alternate with the seeds."""
    rng = np.random.default_rng([seed, 7])
    robot = cell.robot
    whole = damage.undamaged(robot)
    yield "none", Fault(None, whole)
    turning = [place for place, joint in enumerate(robot.joints) if joint.kind != "prismatic"]
    joint = turning[seed % len(turning)]
    sign = rng.choice([-1.0, 1.0])
    slipped = damage.with_zero_off(robot, joint, sign * np.radians(1.0))
    yield "joint_zero", Fault(("joint_zero", robot.names[joint]), slipped)
    long = [body for body in range(1, len(robot.surfaces)) if _can_bend(robot, body)]
    body = long[seed % len(long)]
    link = model.links[1 + model.joints.index(robot.names[body - 1])]
    way = rng.uniform(0.0, 2 * np.pi)
    turn = np.radians(3.0) * np.array([np.cos(way), np.sin(way), 0.0])
    share = rng.uniform(0.3, 0.7)
    bend = damage.bent(robot, body, share, np.concatenate([turn, np.zeros(3)]))
    yield "bent", Fault(("link_shape", link), bend)
    shorter = damage.bent(robot, body, share, np.array([0.0, 0.0, 0.0, 0.0, 0.0, -0.01]))
    yield "shortened", Fault(("link_shape", link), shorter)
    flange = turning[-1] + 1
    tool = damage.with_tool(robot, flange, 0.1)
    end = model.links[1 + model.joints.index(robot.names[flange - 1])]
    yield "tool", Fault(("attachment", end), tool)
    cameras, number = list(cell.cell.true_cameras), seed % CELL.cameras
    axis = rng.normal(size=3)
    knocked = np.radians(1.0) * axis / np.linalg.norm(axis)
    cameras[number] = cameras[number].perturbed(np.zeros(3), knocked)
    yield "camera", Fault(("camera_pose", f"camera_{number}"), whole, cameras)
    yield "box", Fault(("object", ""), whole, beside=box_beside(cell, rows, rng))


def _can_bend(robot: SimulatedRobot, body: int) -> bool:
    """Whether a body is turned by a joint and long enough."""
    if robot.surfaces[body] is None or robot.joints[body - 1].kind == "prismatic":
        return False
    return float(np.linalg.norm(damage.body_way(robot, body)[1])) > LEAST_LENGTH


def box_beside(cell: WatchedCell, rows: range, rng: np.random.Generator) -> SurfaceMesh:
    """Return a box on the ground that the moving arm comes near to and does not touch."""
    robot = cell.robot
    points = []
    for row in rows[::3]:
        poses = robot.body_poses(cell.path[row])
        for surface, pose in zip(robot.surfaces[1:], poses[1:], strict=True):
            if surface is not None:
                points.append(transform(pose, surface.vertices[::20].astype(float)))
    arm = np.concatenate(points)
    ground = workspace_of(robot, CELL).ground
    middle = arm[:, :2].mean(axis=0)
    best, gap = np.zeros(3), np.inf
    size = np.array([0.15, 0.15, 0.35])
    for _ in range(500):
        place = np.array([*(middle + rng.uniform(-0.8, 0.8, 2)), ground + size[2] / 2])
        outside = np.maximum(np.abs(arm - place) - size / 2, 0.0)
        near = float(np.linalg.norm(outside, axis=1).min())
        from_base = np.abs(place[:2]).max()
        if near > NEAREST_BOX and from_base > 0.25 and near < gap:
            best, gap = place, near
    box = trimesh.creation.box(size)
    box.apply_translation(best)
    return from_trimesh(box, BOX_COLOR)


def run(
    name: str, model: WatchedModel, seed: int, wanted: Collection[str], args: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """Learn the baseline once, then apply every wanted fault to a copy of the monitor."""
    options = MonitorOptions()
    learning = int(np.ceil((options.learning + args.before) * RATE)) + 2
    healthy, hurt = int(args.healthy * RATE), int(args.seconds * RATE)
    cell = watched_cell(name, learning + max(healthy, hurt), seed)
    rng = np.random.default_rng([seed, 1])
    cameras = [f"camera_{number}" for number in range(CELL.cameras)]
    learnt = Monitor(model, cameras, options, cell.background(rng))
    for observation in cell.observations(range(learning), damage.undamaged(cell.robot), rng):
        learnt.update(observation)
    for fault_name, fault in faults(cell, model, range(learning, learning + hurt), seed):
        if fault_name not in wanted:
            continue
        monitor = copy.deepcopy(learnt)
        rows = range(learning, learning + (healthy if fault.truth is None else hurt))
        reported, times = [], []
        observations = cell.observations(
            rows, fault.robot, rng, cameras=fault.cameras, beside=fault.beside
        )
        for observation in observations:
            began = time.process_time()
            report = monitor.update(observation)
            times.append(time.process_time() - began)
            reported.append([(change.kind, change.subject) for change in report.changes])
        first = next((place for place, changes in enumerate(reported) if changes), None)
        right = fault.truth is None if first is None else reported[-1][:1] == [fault.truth]
        yield {
            "robot": name,
            "seed": seed,
            "fault": fault_name,
            "truth": fault.truth,
            "reported": reported[-1]
            if fault.truth
            else sorted({one for row in reported for one in row}),
            "right": right,
            "first_s": None if first is None else round(first / len(cameras) / RATE, 1),
            "alarms": sum(map(bool, reported)),
            "before": args.before,
            "seconds": len(rows) / RATE,
            "evidence": [change.summary for change in report.changes],
            "cpu_ms": round(1e3 * float(np.median(times)), 1),
            "cpu_ms_most": round(1e3 * max(times)),
        }


def table(runs: Sequence[dict[str, Any]]) -> str:
    """Return how often changes were named, by robot and fault."""
    lines = [
        "| robot | fault | named | first report after, median | reported instead |",
        "|---" * 5 + "|",
    ]
    for robot, fault in product(dict.fromkeys(run["robot"] for run in runs), FAULTS):
        own = [run for run in runs if (run["robot"], run["fault"]) == (robot, fault)]
        if not own:
            continue
        after = [run["first_s"] for run in own if run["first_s"] is not None]
        wrong = Counter(str(run["reported"]) for run in own if not run["right"])
        cells = [
            robot,
            fault if fault != "none" else f"none, {sum(run['seconds'] for run in own):.0f} s",
            f"{sum(run['right'] for run in own)} of {len(own)}",
            f"{np.median(after):.1f} s" if after else "-",
            "; ".join(f"{reported} {times}x" for reported, times in wrong.items()),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    times = [run["cpu_ms"] for run in runs]
    lines.append(f"\nCPU of an observation, median of the runs: {np.median(times):.0f} ms")
    return "\n".join(lines)


def model_of(name: str, folder: Path) -> WatchedModel:
    """Return the robot's model; a missing one is made from a simulated recording."""
    if not (folder / name).exists():
        command = [sys.executable, "-m", "autourdf_ros"]
        recording = folder / f"{name}_recording"
        simulate = ["simulate", name, "-o", recording, "--noise", "real", "--shift", "0"]
        subprocess.run([*command, *simulate], check=True)
        subprocess.run([*command, "reconstruct", recording, "-o", folder / name], check=True)
    return load_watched_model(folder / name)


def runs_of(file: Path, args: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the runs of a file with the same times; none without a file."""
    lines = file.read_text().splitlines() if file.exists() else []
    return [one for one in map(json.loads, lines) if _same_times(one, args)]


def _same_times(run: dict[str, Any], args: argparse.Namespace) -> bool:
    wanted = args.healthy if run["fault"] == "none" else args.seconds
    return run.get("before") == args.before and run["seconds"] == int(wanted * RATE) / RATE


def main() -> int:
    """Make the runs that the file lacks, and print all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="models and results")
    parser.add_argument("--robots", nargs="+", default=["ur5_gripper", "panda"])
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(20)))
    parser.add_argument("--faults", nargs="+", choices=FAULTS, default=FAULTS)
    parser.add_argument("--before", type=float, default=5.0, help="seconds between learning and it")
    parser.add_argument("--seconds", type=float, default=5.0, help="after a fault")
    parser.add_argument("--healthy", type=float, default=90.0, help="seconds without one")
    args = parser.parse_args()
    file = args.folder / "runs.jsonl"
    done = {(run["robot"], run["seed"], run["fault"]) for run in runs_of(file, args)}
    for seed, robot in product(args.seeds, args.robots):
        wanted = [name for name in args.faults if (robot, seed, name) not in done]
        if wanted:
            for result in run(robot, model_of(robot, args.folder), seed, wanted, args):
                with file.open("a") as out:
                    out.write(json.dumps(result) + "\n")
    print(table(runs_of(file, args)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Whether live colour images name what happened to a robot: `studies/color_watch_study.py FOLDER`.

Splats are fitted to images of a simulated Panda (the suite's case `panda_sun`; FOLDER keeps the
fit). Then two cameras of 640 x 480, calibrated to 1 mm and 0.1 degrees an axis, see the robot at
work before ground and clutter with the noise of a sensor, one image each every two seconds: a
minute unchanged, then with one change, and as long without any. FOLDER/runs.jsonl has a line for
every run.
"""

from __future__ import annotations

import argparse
import copy
import json
import pickle
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.benchmark.appearance.appearance_case import AppearanceCase
from autourdf_ros.benchmark.appearance.known_tree import known_tree
from autourdf_ros.benchmark.appearance.measure_appearance import (
    case_images,
    first_surfaces,
    posed_by,
)
from autourdf_ros.benchmark.monitoring.monitoring_faults import LEAST_LENGTH
from autourdf_ros.benchmark.monitoring.watched_cell import (
    ENCODER_NOISE,
    RATE,
    WatchedCell,
    watched_cell,
)
from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.robot_images import RobotImage
from autourdf_ros.estimation.appearance.appearance_options import AppearanceOptions
from autourdf_ros.estimation.appearance.estimate_splats import FittedAppearance, estimate_splats
from autourdf_ros.estimation.appearance.pose.splat_robot import SplatRobot
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.monitoring.images.image_watch import ImageWatch, ImageWatchOptions
from autourdf_ros.simulation import damage
from autourdf_ros.simulation.cameras.pinhole_camera import Camera
from autourdf_ros.simulation.cameras.renderer import Renderer
from autourdf_ros.simulation.damage import DamagedRobot
from autourdf_ros.simulation.images.image_noise import ImageNoise
from autourdf_ros.simulation.images.sunlit_renderer import Sunlight, SunlitRenderer

PERIOD = 2.0
"""Seconds between two images of a camera."""
CASE = "panda_sun"


class _Watched(SimulatedRobot):
    """A damaged robot, for the renderer."""

    def __init__(self, damaged: DamagedRobot) -> None:
        vars(self).update(vars(damaged.robot))
        self.surfaces = damaged.surfaces  # type: ignore[assignment]
        self.body_poses = damaged.body_poses  # type: ignore[method-assign]


def fitted(folder: Path) -> FittedAppearance:
    """Return the splats, which the folder keeps."""
    path = folder / f"{CASE}.splats"
    if path.exists():
        found: FittedAppearance = pickle.loads(path.read_bytes())
        return found
    case, options = AppearanceCase(CASE), AppearanceOptions()
    robot, images, _ = case_images(case)
    surfaces = first_surfaces(robot, known_tree(robot)[0].links, options.splats, case.seed)
    found = estimate_splats(posed_by(robot, images), surfaces, options)
    path.write_bytes(pickle.dumps(found))
    return found


def faults(robot: SimulatedRobot, seed: int) -> Iterator[tuple[str, str, DamagedRobot]]:
    """Yield name, joint to be named, and robot; joints and links alternate with the seeds."""
    rng = np.random.default_rng([seed, 7])
    yield "none", "", damage.undamaged(robot)
    turning = [place for place, joint in enumerate(robot.joints) if joint.kind != "prismatic"]
    joint, sign = turning[seed % len(turning)], rng.choice([-1.0, 1.0])
    for degrees in (1.0, 2.0):
        off = damage.with_zero_off(robot, joint, sign * np.radians(degrees))
        yield f"zero {degrees:g}", robot.names[joint], off
    long = [body for body in range(1, len(robot.surfaces)) if _can_bend(robot, body)]
    body, way = long[seed % len(long)], rng.uniform(0.0, 2 * np.pi)
    turn = np.radians(3.0) * np.array([np.cos(way), np.sin(way), 0.0])
    bend = damage.bent(robot, body, 0.5, np.concatenate([turn, np.zeros(3)]))
    yield "bent 3", robot.names[body - 1], bend


def _can_bend(robot: SimulatedRobot, body: int) -> bool:
    if robot.surfaces[body] is None or robot.joints[body - 1].kind == "prismatic":
        return False
    return float(np.linalg.norm(damage.body_way(robot, body)[1])) > LEAST_LENGTH


def images(
    cell: WatchedCell, robot: DamagedRobot, row: int, rng: np.random.Generator, light: Sunlight
) -> Iterator[tuple[str, RobotImage]]:
    """Yield what the cameras see, with cameras and joint positions as they are stated."""
    sunlit = SunlitRenderer(_Watched(robot), light)
    nothing = [None] * len(robot.surfaces)
    values, noise = cell.path[row], ImageNoise()
    for number, true in enumerate(cell.cell.true_cameras):
        behind = Renderer(nothing, [true], cell.surroundings).render(robot.body_poses(values), 0)
        seen = sunlit.draw(values, _pinhole(true))
        assert seen.mask is not None and seen.depth is not None
        share = (seen.mask / 255.0 * ~(behind.depth < seen.depth))[..., None]
        # Beside the robot the renderer's colour is that of the robot before black already.
        color = np.where(share > 0, seen.color, 0) / 255.0 + (1 - share) * behind.color / 255.0
        color *= np.exp(rng.normal(0, noise.exposure))
        color += rng.normal(size=color.shape) * np.sqrt(noise.read**2 + noise.shot**2 * color)
        read = values + rng.normal(0.0, ENCODER_NOISE, len(values))
        yield (
            f"camera_{number}",
            RobotImage(
                _pinhole(cell.cell.cameras[number]),
                np.round(255 * color.clip(0, 1)).astype(np.uint8),
                dict(zip(cell.robot.names, read.tolist(), strict=True)),
            ),
        )


def _pinhole(camera: Camera) -> PinholeCamera:
    inner = camera.intrinsics
    focal = (inner.focal, inner.focal)
    return PinholeCamera(inner.width, inner.height, focal, inner.center, camera.pose)


def runs(found: FittedAppearance, seed: int, args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Learn once, then watch every fault."""
    step, options = int(PERIOD * RATE), ImageWatchOptions()
    learning = int(options.learning / PERIOD) + 2
    cell = watched_cell("panda", step * (learning + args.rounds), seed)
    rng = np.random.default_rng([seed, 1])
    tree, frames = known_tree(cell.robot)
    robot = SplatRobot(tree, frames, found.splats, found.links)
    learnt = ImageWatch(robot, np.sqrt(found.errors.links), options)

    def see(watch: ImageWatch, damaged: DamagedRobot, number: int, light: Sunlight) -> None:
        for camera, image in images(cell, damaged, number * step, rng, light):
            watch.take(camera, number * PERIOD, image)

    for number in range(learning):
        see(learnt, damage.undamaged(cell.robot), number, Sunlight())
        learnt.judge()
    for name, joint, damaged in faults(cell.robot, seed):
        watch, said, seconds = copy.deepcopy(learnt), [], []
        for number in range(learning, learning + args.rounds):
            see(watch, damaged, number, Sunlight())
            begin = time.process_time()
            watch.judge()
            seconds.append(time.process_time() - begin)
            assert watch.report is not None
            said.append((watch.report.wrong, watch.report.joint))
        report = watch.report
        assert report is not None
        first = next((place for place, (wrong, _) in enumerate(said) if wrong), None)
        yield {
            "seed": seed,
            "fault": name,
            "joint": joint,
            "named": report.joint,
            "alarms": sum(wrong for wrong, _ in said),
            "causes": sorted({own for _, own in said if own}),
            "first_s": None if first is None else (first + 1) * PERIOD,
            "text": report.text,
            "ratio": max(report.ratios.values(), default=0.0),
            "processor_s": [round(min(seconds), 2), round(max(seconds), 2)],
        }


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(8)))
    parser.add_argument("--rounds", type=int, default=6, help="images of each camera with a change")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    found, rows = fitted(args.folder), []
    with (args.folder / "runs.jsonl").open("a") as file:
        for seed in args.seeds:
            for row in runs(found, seed, args):
                rows.append(row)
                file.write(json.dumps(row) + "\n")
                file.flush()
                print(row, flush=True)
    for name in dict.fromkeys(row["fault"] for row in rows):
        own = [row for row in rows if row["fault"] == name]
        right = sum(row["named"] == row["joint"] for row in own)
        wrong = sum(bool(row["named"]) and row["named"] != row["joint"] for row in own)
        alarms = sum(bool(row["alarms"]) for row in own)
        print(f"{name}: {right} of {len(own)} right, {wrong} another joint, {alarms} alarms")


if __name__ == "__main__":
    main()

"""Find a simulated robot's joint values in one or two images, and count what is right.

`.venv/bin/python studies/pose_study.py --rows FILE` fits splats to the images of a case of the
suite `appearance` (`panda`: 300 of 400 x 400), draws other configurations, each by two cameras, and
lets `autourdf pose`'s estimator find them from a start with every turning joint 30 degrees off,
one way or the other. Rows are written as they come. `--fit FILE` keeps the fit.
"""

from __future__ import annotations

import argparse
import json
import pickle
import time
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.benchmark.appearance.appearance_case import CASE_NAMES, AppearanceCase
from autourdf_ros.benchmark.appearance.known_tree import known_tree
from autourdf_ros.benchmark.appearance.measure_appearance import (
    case_images,
    first_surfaces,
    joint_values,
    posed_by,
)
from autourdf_ros.estimation.appearance.appearance_options import AppearanceOptions
from autourdf_ros.estimation.appearance.estimate_splats import FittedAppearance, estimate_splats
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.held_out_images import psnr
from autourdf_ros.estimation.appearance.pose.estimate_pose import ExpectedErrors, estimate_pose
from autourdf_ros.estimation.appearance.pose.splat_robot import SplatRobot
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.images.image_recording import renderer_of
from autourdf_ros.workflows.appearance.image_poses import masked_image

APART = 9  # the cameras of one configuration, of those in turn
RIGHT = np.radians(5)
"""Error of every turning joint below which a search has succeeded."""
SLIDE = 0.02  # m that a start is off


def main() -> None:
    """Fit, or read the fit; find and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", choices=CASE_NAMES, default=CASE_NAMES[0])
    parser.add_argument("--configurations", type=int, default=20)
    parser.add_argument("--views", type=int, nargs="+", default=[2, 1])
    parser.add_argument("--off", type=float, default=30.0, help="degrees that every start is off")
    parser.add_argument("--fit", type=Path, help="file that keeps the fit")
    parser.add_argument("--rows", type=Path, required=True)
    args = parser.parse_args()
    case = AppearanceCase(args.case)
    if args.fit is not None and args.fit.exists():
        made = pickle.loads(args.fit.read_bytes())
    else:
        made = _fitted(case)
        if args.fit is not None:
            args.fit.write_bytes(pickle.dumps(made))
    found, views, values, urdf = made
    rows = []
    for count in args.views:
        for number in range(args.configurations):
            row = _row(SimulatedRobot(urdf), found, views[number][:count], values[number], args.off)
            rows.append({"views": count, "configuration": number, **row})
            args.rows.write_text("".join(json.dumps(row) + "\n" for row in rows))
            print(rows[-1], flush=True)
    for count in args.views:
        print(_summary([row for row in rows if row["views"] == count]))


def _fitted(
    case: AppearanceCase,
) -> tuple[FittedAppearance, list[list[PosedImage]], Array, Path]:
    """Return the splats, images of each other configuration, its values, and the robot's file."""
    robot, fitted, tested = case_images(case)
    options = AppearanceOptions()
    names = tuple(links[0] for links in robot.links)
    surfaces = first_surfaces(robot, names, options.splats, case.seed)
    found = estimate_splats(posed_by(robot, fitted), surfaces, options)
    renderer = renderer_of(robot, case.options(1, case.seed))
    cameras = [image.camera for image in tested.images]
    values = joint_values(robot, tested)
    views = [
        [
            masked_image(
                renderer.draw(own, cameras[(number + APART * view) % len(cameras)]),
                robot.body_poses(own),
            )
            for view in range(2)
        ]
        for number, own in enumerate(values)
    ]
    return found, views, values, robot.urdf


def _row(
    robot: SimulatedRobot,
    found: FittedAppearance,
    images: list[PosedImage],
    values: Array,
    off: float,
) -> dict[str, Any]:
    tree, frames = known_tree(robot)
    drawn = SplatRobot(tree, frames, found.splats, found.links)
    errors = found.errors
    expected = ExpectedErrors(
        float(np.nanmin(psnr(errors.robot))), float(np.nanmin(errors.overlap))
    )
    true = values[drawn.free]
    rng = np.random.default_rng([len(images), int(1e6 * abs(true[0]))])
    away = rng.choice([-1.0, 1.0], len(true)) * np.where(drawn.slides, SLIDE, np.radians(off))
    begin, busy = time.perf_counter(), time.process_time()
    pose = estimate_pose(drawn, images, expected, start=true + away)
    apart = pose.free - true
    turns = ~drawn.slides
    return {
        "degrees": np.degrees(apart[turns]).tolist(),
        "std_degrees": np.degrees(pose.stds[turns]).tolist(),
        "metres": apart[drawn.slides].tolist(),
        "right": bool((np.abs(apart[turns]) < RIGHT).all()),
        "trust": pose.verdict.trust,
        "reasons": list(pose.verdict.reasons),
        "psnr": pose.psnr,
        "seconds": time.perf_counter() - begin,
        "processor_seconds": time.process_time() - busy,
    }


def _summary(rows: list[dict[str, Any]]) -> str:
    degrees = np.abs([row["degrees"] for row in rows])
    right = np.array([row["right"] for row in rows])
    trusted = np.array([row["trust"] == "trusted" for row in rows])
    deviations = degrees / np.array([row["std_degrees"] for row in rows])
    return (
        f"{rows[0]['views']} images, {len(rows)} configurations: right {right.mean():.0%}, median "
        f"of a joint {np.median(degrees):.3f} degrees, of the worst joint "
        f"{np.median(degrees.max(axis=1)):.3f}; within two deviations "
        f"{(deviations[right] < 2).mean():.0%}; trusted {trusted.mean():.0%}, wrong and trusted "
        f"{(trusted & ~right).sum()}; {np.median([row['processor_seconds'] for row in rows]):.0f} "
        "processor seconds"
    )


if __name__ == "__main__":
    main()

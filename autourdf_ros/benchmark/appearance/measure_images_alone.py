"""Measure a self-model from images alone, in a process of its own.

As a program, it reads a case on standard input (pickle) and prints its row as the last line (JSON).
"""

from __future__ import annotations

import json
import pickle
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.assessment.metrics.truth.truth import load_truth
from autourdf_ros.benchmark.appearance.appearance_case import REAL, AppearanceCase
from autourdf_ros.benchmark.peak_memory import peak_memory
from autourdf_ros.data.images.image_folder import read_image_folder
from autourdf_ros.data.images.robot_images import RobotImages
from autourdf_ros.estimation.appearance.held_out_images import psnr
from autourdf_ros.estimation.appearance.unknown.estimate_self_model import FoundSelfModel
from autourdf_ros.estimation.appearance.unknown.self_model_options import SelfModelOptions
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.lines import perpendicular_distance
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.skeleton import Skeleton
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.images.image_motions import ImageMotion
from autourdf_ros.simulation.images.image_noise import with_noise
from autourdf_ros.simulation.images.image_recording import ImageOptions, record_images
from autourdf_ros.simulation.images.robot_copy import ROBOT_FILE
from autourdf_ros.workflows.appearance.images_alone import self_model_of

REST, SINGLE, MOST = 40, 12, 450
"""Images at rest and of every motor alone; of all, the others being random."""


def measure_images_alone(case: AppearanceCase) -> dict[str, Any]:
    """Return the row of a case.

    Raises:
        InputError: A folder cannot be used, or a robot is not known.
    """
    urdf, images = recorded_images(case)
    begin, busy = time.perf_counter(), time.process_time()
    found = self_model_of(images, SelfModelOptions())
    seconds, busy = time.perf_counter() - begin, time.process_time() - busy
    true = load_truth(urdf, found.motors.rest).skeleton.frozen(
        [name for name in load_truth(urdf).skeleton.names if name not in found.motors.values]
    )
    errors = found.appearance.errors
    return {
        **case.title(),
        "images": len(images.images),
        **joint_errors(found.robot.state.tree, true),
        "psnr": float(np.nanmean(psnr(errors.whole))),
        "robot_psnr": float(np.nanmean(psnr(errors.robot))),
        "overlap": float(np.nanmean(errors.overlap)),
        "exists": _by_name(found, found.support.exists),
        "trust": found.appearance.verdict.trust,
        "reasons": list(found.appearance.verdict.reasons),
        "seconds": {"fit": seconds, "processors": busy, **found.timings},
        "memory": peak_memory(),
    }


def joint_errors(tree: KinematicTree, true: Skeleton) -> dict[str, Any]:
    """Return what of the true joints was found, and how well, by name.

    A joint turns as its motor does: the angle is between directions, up to 180 degrees. It has the
    right parent where the joint before it, of those that were found, is the true one.

    Args:
        tree: That was found; its joints have the names of the motors.
        true: Skeleton of the robot at the same rest.
    """
    found = {joint.name: joint for joint in tree.joints}
    missing = [joint.name for joint in true.joints if joint.name not in found]
    kept = true.frozen(missing)
    before = {joint.child: joint.name for joint in kept.joints}
    angles, distances, wrong = {}, {}, []
    for joint in kept.joints:
        own = found[joint.name]
        above = tree.joint_of(own.parent)
        right = before.get(joint.parent) == (None if above is None else above.name)
        if not right or (own.type == "prismatic") != (joint.type == "prismatic"):
            wrong.append(joint.name)
        sine = np.linalg.norm(np.cross(own.axis, joint.axis))
        angles[joint.name] = float(np.degrees(np.arctan2(sine, own.axis @ joint.axis)))
        if joint.type != "prismatic":
            distances[joint.name] = perpendicular_distance(joint.point, own.point, own.axis)
    return {
        "joints": len(true.joints),
        "missing": missing,
        "wrong": wrong,
        "angles": angles,
        "distances": distances,
    }


def recorded_images(case: AppearanceCase) -> tuple[Path, RobotImages]:
    """Return a case's robot and images: at rest, of every motor alone, and random ones.

    Raises:
        InputError: A folder cannot be used, or a robot is not known.
    """
    if case.folder is not None:
        return case.folder / ROBOT_FILE, read_image_folder(case.folder)
    robot = SimulatedRobot(find_urdf(case.name.removesuffix(REAL)))
    motors = int(np.sum(robot.driven))
    motion = ImageMotion(MOST - REST - SINGLE * motors, REST, SINGLE, reach=None)
    images = record_images(robot, ImageOptions(motion, case.size, seed=case.seed))
    if case.noise is not None:
        images = with_noise(images, robot, case.noise, case.seed).images
    return robot.urdf, images


def _by_name(found: FoundSelfModel, values: Array) -> dict[str, float]:
    names = found.robot.state.tree.joint_names
    return dict(zip(names, map(float, values), strict=True))


def main() -> None:
    """Read a case and print its row."""
    print(json.dumps(measure_images_alone(pickle.loads(sys.stdin.buffer.read()))))


if __name__ == "__main__":
    main()

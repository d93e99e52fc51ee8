"""Measure the paper's own method, neural bones, in a process of its own.

As a program, it reads a case on standard input (pickle) and prints its row as the last line (JSON).
It is scaled down to `AppearanceCase.seconds` and, without CUDA, to small images.
"""

from __future__ import annotations

import json
import pickle
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autourdf_ros.benchmark.appearance.appearance_case import AppearanceCase
from autourdf_ros.benchmark.appearance.bones.bone_errors import image_errors, shape_distance
from autourdf_ros.benchmark.appearance.measure_appearance import joint_values
from autourdf_ros.benchmark.appearance.measure_images_alone import recorded_images
from autourdf_ros.benchmark.peak_memory import peak_memory
from autourdf_ros.data.images.robot_images import RobotImages
from autourdf_ros.estimation.appearance.bones.bone_images import (
    PositionRange,
    bone_images,
    posed_images,
)
from autourdf_ros.estimation.appearance.bones.bone_options import BoneOptions, StaticOptions
from autourdf_ros.estimation.appearance.bones.fit_bones import BoneRobot, fit_bones
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot

TESTED = 10
"""Every so many images, one is held out and predicted."""


@dataclass(frozen=True)
class Scale:
    """How far the method is scaled down.

    Attributes:
        halvings: Of the images' size.
        points: Of splats, at first and at most.
        steps: Of the splats at rest; those in motion end with the time.
        images: In a step.
        rate: First rate of the networks: the paper's, or larger for fewer steps.
    """

    halvings: int
    points: int
    steps: int
    images: int
    rate: float


SCALES = {"cuda": Scale(0, 50_000, 7000, 8, 5e-4), "cpu": Scale(2, 4_000, 600, 1, 1e-3)}
"""By device."""


def measure_bones(case: AppearanceCase) -> dict[str, Any]:
    """Return the row of a case.

    Raises:
        InputError: A folder cannot be used, a robot is not known, or no image is at rest.
    """
    urdf, images = recorded_images(case)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(case.seed)
    begin, busy = time.perf_counter(), time.process_time()
    fit = _part(images, tested=False)
    robot, spans = _fitted(fit, device, case)
    seconds, busy = time.perf_counter() - begin, time.process_time() - busy
    tested = _part(images, tested=True)
    posed, positions = posed_images(tested)
    posed = _halved(posed, SCALES[device.type].halvings)
    data = bone_images(posed, positions, spans, device)
    with torch.no_grad():
        drawn = [
            robot.drawn(data.positions[k : k + 1], data.batch(torch.tensor([k]))[0])[0]
            for k in range(len(posed))
        ]
        true = SimulatedRobot(urdf)
        chamfer = shape_distance(robot, data, true, joint_values(true, tested))
    return {
        **case.title(),
        "device": device.type,
        "images": len(fit.images),
        "width": posed[0].color.shape[1],
        "splats": len(robot.splats.means),
        **image_errors(posed, [one.cpu().numpy() for one in drawn]),
        "chamfer": chamfer if np.isfinite(chamfer) else None,
        "seconds": {"fit": seconds, "processors": busy},
        "memory": peak_memory(),
    }


def _fitted(
    images: RobotImages, device: torch.device, case: AppearanceCase
) -> tuple[BoneRobot, PositionRange]:
    scale = SCALES[device.type]
    posed, positions = posed_images(images)
    spans = PositionRange.about_rest(positions)
    data = bone_images(_halved(posed, scale.halvings), positions, spans, device)
    static = StaticOptions(
        scale.steps, min(scale.images, 2), points=scale.points, most=scale.points
    )
    options = BoneOptions(
        static, seconds=case.seconds, images=scale.images, rate=scale.rate, seed=case.seed
    )
    return fit_bones(data, options), spans


def _part(images: RobotImages, *, tested: bool) -> RobotImages:
    """Those that are held out, or the others."""
    chosen = [one for k, one in enumerate(images.images) if (k % TESTED == TESTED // 2) == tested]
    return replace(images, images=tuple(chosen))


def _halved(images: Sequence[PosedImage], times: int) -> list[PosedImage]:
    halved = list(images)
    for _ in range(times):
        halved = [image.halved() for image in halved]
    return halved


def main() -> None:
    """Read a case and print its row."""
    print(json.dumps(measure_bones(pickle.loads(sys.stdin.buffer.read()))))


if __name__ == "__main__":
    main()

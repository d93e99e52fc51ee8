"""Measure one case of appearance, in a process of its own so that time and memory are its own.

As a program, it reads a case on standard input (pickle) and prints its row as the last line (JSON).
"""

from __future__ import annotations

import json
import pickle
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.metrics.mechanisms.image_error import ssim
from autourdf_ros.benchmark.appearance.appearance_case import AppearanceCase
from autourdf_ros.benchmark.appearance.recorded_errors import camera_errors, recorded_errors
from autourdf_ros.benchmark.appearance.splat_shape import shape_error
from autourdf_ros.benchmark.peak_memory import peak_memory
from autourdf_ros.data.images.image_folder import read_image_folder
from autourdf_ros.data.images.robot_images import RobotImage, RobotImages
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.appearance_options import AppearanceOptions
from autourdf_ros.estimation.appearance.estimate_splats import (
    FittedAppearance,
    LinkSurfaces,
    estimate_splats,
)
from autourdf_ros.estimation.appearance.fitting.fit_options import REFINED_CAMERAS
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.held_out_images import (
    COVERED,
    held_out_errors,
    psnr,
)
from autourdf_ros.estimation.appearance.rasterizer.rasterize import rasterize
from autourdf_ros.estimation.appearance.splats.splat_model import posed
from autourdf_ros.estimation.motion.networks.device import check_torch
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.images.image_noise import with_noise
from autourdf_ros.simulation.images.image_recording import record_images
from autourdf_ros.simulation.images.robot_copy import ROBOT_FILE
from autourdf_ros.workflows.appearance.image_poses import masked_image
from autourdf_ros.workflows.appearance.link_surfaces import spread_surfaces

if TYPE_CHECKING:
    from autourdf_ros.benchmark.appearance.perceptual_distance import PerceptualDistance

ROBOT = "panda"
NOISE = 1e-3
"""Standard deviation (m) of the points to begin with, as fused depth images would give them; they
are grey."""
_TESTED = 40  # other images and configurations, which are predicted
_OTHER = 100_000  # added to their seed
_APART = 10  # every so-manieth image of a folder is predicted
_POSES = 4  # whose shapes are compared, as in the paper
_GREY = 0.6


def measure_appearance(case: AppearanceCase) -> dict[str, Any]:
    """Return the row of a case.

    Raises:
        InputError: A folder cannot be used, or PyBullet is missing.
    """
    robot, true, tested = true_images(case)
    fitted, recorded = as_recorded(case, robot, true, tested)
    options = AppearanceOptions()
    if case.refined:
        fit = replace(options.fit, exposure=True, cameras=REFINED_CAMERAS)
        options = replace(options, fit=fit)
    names = tuple(links[0] for links in robot.links)
    surfaces = first_surfaces(robot, names, options.splats, case.seed)
    used = posed_by(robot, fitted)
    begin, busy = time.perf_counter(), time.process_time()
    found = estimate_splats(used, surfaces, options)
    seconds, busy = time.perf_counter() - begin, time.process_time() - busy
    others = posed_by(robot, tested)
    row = {
        **case.title(),
        "splats": len(found.links),
        "coverage": float(np.mean([image.mask.mean() for image in others])),
        **_errors(found, others, [background_color(one) for one in tested.images], case.lpips),
        "chamfer": _chamfer(robot, found, tested, case.seed),
        "trust": found.verdict.trust,
        "reasons": list(found.verdict.reasons),
        "seconds": {"fit": seconds, "processors": busy, **_drawing(found, others)},
        "memory": peak_memory(),
    }
    if case.noise is None:
        return row
    real = recorded_errors(found, posed_by(robot, recorded), options.fit)
    return row | real | camera_errors(found, used, posed_by(robot, true))


def case_images(case: AppearanceCase) -> tuple[SimulatedRobot, RobotImages, RobotImages]:
    """Return the robot, the images that are fitted, and those that are predicted, as recorded."""
    robot, fitted, tested = true_images(case)
    return robot, *as_recorded(case, robot, fitted, tested)


def as_recorded(
    case: AppearanceCase, robot: SimulatedRobot, fitted: RobotImages, tested: RobotImages
) -> tuple[RobotImages, RobotImages]:
    """Return images with the noise of the case."""
    if case.noise is None:
        return fitted, tested
    return (
        with_noise(fitted, robot, case.noise, case.seed).images,
        with_noise(tested, robot, case.noise, case.seed + _OTHER).images,
    )


def true_images(case: AppearanceCase) -> tuple[SimulatedRobot, RobotImages, RobotImages]:
    """Return the robot, the images that are fitted, and those that are predicted, without noise."""
    if case.folder is None:
        robot = SimulatedRobot(find_urdf(ROBOT))
        fitted = record_images(robot, case.options(case.images, case.seed))
        return robot, fitted, record_images(robot, case.options(_TESTED, case.seed + _OTHER))
    every = read_image_folder(case.folder)
    if any(image.mask is None for image in every.images):
        raise InputError(f"{case.folder}: an image has no mask; accepted are images with mask_path")
    apart = set(range(_APART // 2, len(every.images), _APART))
    groups = [
        replace(
            every,
            images=tuple(one for n, one in enumerate(every.images) if (n in apart) == predicted),
        )
        for predicted in (False, True)
    ]
    return SimulatedRobot(case.folder / ROBOT_FILE), groups[0], groups[1]


def joint_values(robot: SimulatedRobot, images: RobotImages) -> NDArray[np.float64]:
    """Return the joints' positions (F, J) in the robot's order; those not named are neutral."""
    values = np.tile(robot.neutral, (len(images.images), 1))
    for number, image in enumerate(images.images):
        for name, value in image.joint_positions.items():
            if name not in robot.names:
                raise InputError(
                    f"{images.source}: joint {name!r} is none of {robot.urdf}; accepted are "
                    f"{', '.join(robot.names)}"
                )
            values[number, robot.names.index(name)] = value
    return np.array([robot.follow_mimics(one) for one in values])


def posed_by(robot: SimulatedRobot, images: RobotImages) -> list[PosedImage]:
    """Return the images with the poses of the robot's links, black around it."""
    values = joint_values(robot, images)
    return [
        masked_image(image, robot.body_poses(own))
        for image, own in zip(images.images, values, strict=True)
    ]


def first_surfaces(
    robot: SimulatedRobot, names: tuple[str, ...], count: int, seed: int
) -> LinkSurfaces:
    """Return about `count` points to begin with: grey, and with noise."""
    meshes = {
        name: mesh for name, mesh in zip(names, robot.surfaces, strict=True) if mesh is not None
    }
    exact = spread_surfaces(meshes, names, count)
    noise = np.random.default_rng(seed).normal(0, NOISE, exact.points.shape)
    return replace(exact, points=exact.points + noise, colors=np.full_like(exact.points, _GREY))


def background_color(image: RobotImage) -> NDArray[np.float32]:
    """Return the median colour (3,) in [0, 1] of what is not the robot; black without any."""
    assert image.mask is not None
    around = image.color[image.mask == 0]
    median = np.median(around, axis=0) / 255 if len(around) else np.zeros(3)
    return np.asarray(median, np.float32)


def _errors(
    found: FittedAppearance,
    images: Sequence[PosedImage],
    backgrounds: Sequence[NDArray[np.float32]],
    lpips: Path | None,
) -> dict[str, Any]:
    """Return the errors before the recorded backgrounds, each of one colour, and before black."""
    perceptual = None if lpips is None else lpips_with(lpips)
    distances = []
    errors = held_out_errors(found.splats, found.links, images)
    whole, robot, similar = [], [], []
    for image, background in zip(images, backgrounds, strict=True):
        drawn = rasterize(posed(found.splats, found.links, image.poses), image.camera).pixels
        one = (drawn[..., :3] + drawn[..., 3:] * background).clip(0, 1).astype(float)
        two = (image.color + (1 - image.mask[..., None]) * background).astype(float)
        squares = ((one - two) ** 2).mean(axis=2)
        whole.append(squares.mean())
        if (shown := image.mask > COVERED).any():
            robot.append(squares[shown].mean())
        similar.append(ssim(one, two))
        if perceptual is not None:
            distances.append(perceptual(one, two))
    return {
        **({"lpips": float(np.mean(distances))} if distances else {}),
        "psnr": float(np.mean(psnr(np.array(whole)))),
        "robot_psnr": float(np.mean(psnr(np.array(robot)))),
        "black_psnr": float(np.mean(psnr(errors.whole))),
        "ssim": float(np.mean(similar)),
        "overlap": float(np.nanmean(errors.overlap)),
        "link_psnr": {
            name: float(ratio) if np.isfinite(ratio) else None
            for name, ratio in zip(found.names, psnr(errors.links), strict=True)
        },
    }


def lpips_with(weights: Path) -> PerceptualDistance:
    """Return LPIPS with weights of a file.

    Raises:
        InputError: PyTorch is missing, or the file cannot be used.
    """
    check_torch("distances of LPIPS")
    from autourdf_ros.benchmark.appearance.perceptual_distance import PerceptualDistance

    return PerceptualDistance(weights)


def _drawing(found: FittedAppearance, images: Sequence[PosedImage]) -> dict[str, float]:
    """Return the median seconds of drawing an image, and of a thread's processor time."""
    seconds = []
    for image in images:
        begin, busy = time.perf_counter(), time.thread_time()
        rasterize(posed(found.splats, found.links, image.poses), image.camera)
        seconds.append((time.perf_counter() - begin, time.thread_time() - busy))
    wall, thread = np.median(seconds, axis=0)
    return {"image": float(wall), "image_thread": float(thread)}


def _chamfer(
    robot: SimulatedRobot, found: FittedAppearance, images: RobotImages, seed: int
) -> float:
    poses = [robot.body_poses(values) for values in joint_values(robot, images)[:_POSES]]
    return shape_error(found, robot.surfaces, poses, seed)


def main() -> None:
    """Read a case and print its row."""
    print(json.dumps(measure_appearance(pickle.loads(sys.stdin.buffer.read()))))


if __name__ == "__main__":
    main()

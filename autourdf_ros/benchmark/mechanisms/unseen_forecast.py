"""Forecasts of a motion that was not used: 150 depth images from the first 10."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.metrics.mechanisms.image_error import (
    ForecastErrors,
    forecast_errors,
    scaled_depth,
)
from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.derived.static_background import static_background
from autourdf_ros.estimation.dynamics.forecast.state_fit import fitted_state
from autourdf_ros.estimation.dynamics.forecast.state_forecast import simulated_path
from autourdf_ros.estimation.dynamics.posterior.dynamics_posterior import DynamicsPosterior
from autourdf_ros.estimation.video.joint_values import joint_values_of
from autourdf_ros.estimation.video.tracking.track_bodies import track_bodies
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.estimation.video.video_mechanism import VideoMechanism
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.progress import silent
from autourdf_ros.simulation.mechanisms.mechanism_files import first_shapes, forces_of
from autourdf_ros.simulation.mechanisms.mechanism_recording import VideoOptions, record
from autourdf_ros.simulation.mechanisms.mechanism_scene import MechanismScene
from autourdf_ros.simulation.mechanisms.mechanism_truth import MechanismTruth
from autourdf_ros.workflows.mechanisms.mechanism_dynamics import ObservedMechanism
from autourdf_ros.workflows.mechanisms.predicted_frames import DepthPainter

KNOWN, AHEAD = 10, 150
"""Images that are seen, and that are forecast, as in Heiden et al., section V-B."""
OTHER = 100_000
"""Is added to the seed of a first motion for an unseen one."""


@dataclass(frozen=True)
class LearnedMechanism:
    """What was learned from the first video.

    Attributes:
        found: Bodies and joints.
        model: As it is written, with masses.
        posterior: Of the dynamics.
    """

    found: VideoMechanism
    model: SelfModel
    posterior: DynamicsPosterior


def unseen_forecast(learned: LearnedMechanism, scene: MechanismScene, seed: int) -> ForecastErrors:
    """Return the errors of a forecast of another motion of the same mechanism.

    Known forces act in the forecast, too. True images are without noise: they are rendered at the
    true poses, as the forecast ones at those that are forecast.

    Args:
        learned: From a first video.
        scene: With the true parameters.
        seed: Of the first video.
    """
    other = scene.sample(seed + OTHER)
    moved = replace(scene, start=other.start, speeds=other.speeds)
    camera = learned.found.video.camera
    options = VideoOptions(frames=KNOWN + AHEAD, size=(camera.width, camera.height))
    video, truth = record(moved, seed + OTHER, options)
    first = CameraVideo(video.camera, video.stamps[:KNOWN], _depth(video)[:KNOWN])
    shapes = first_shapes(moved, truth, seed + OTHER)
    track, _ = track_bodies(first, shapes, TrackOptions(), silent)
    tree, references = learned.model.tree, learned.found.reference_poses
    values, stds = joint_values_of(tree, references, track)
    path = _path(learned, moved, truth, (first.stamps, values, stds))
    background = static_background(learned.found.video)
    painter = DepthPainter(video.camera, [shape.mesh for shape in shapes], background)
    true = _true_images(moved, video, truth, background)
    near, far = float(np.nanmin(true)), float(np.nanmax(true))
    links = [tree.links.index(body) for body in track.bodies]
    ahead = [painter.depth(motion[links] @ references) for motion in tree.motions(path)]
    return forecast_errors(
        scaled_depth(np.stack(ahead), near, far),
        scaled_depth(true[KNOWN:], near, far),
        scaled_depth(true[KNOWN - 1], near, far),
    )


def _depth(video: CameraVideo) -> NDArray[np.float32]:
    assert video.depth is not None
    return video.depth


def _path(
    learned: LearnedMechanism,
    scene: MechanismScene,
    truth: MechanismTruth,
    seen: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """(AHEAD, all joints) that are forecast from what was seen: stamps, values, deviations."""
    model, joints = learned.model, learned.posterior.mechanism.joints
    origins = dict(zip(learned.found.track.bodies, learned.found.reference_poses, strict=True))
    motion = ObservedMechanism(model, origins, *seen).motion(joints, forces_of(scene, truth))
    simulator = learned.posterior.simulator()
    state, _ = fitted_state(simulator, motion)
    start = float(motion.stamps[0])
    moving = simulated_path(simulator, state, start, truth.stamps[KNOWN:], motion)
    path = np.tile(model.tree.reference_values, (len(moving), 1))
    path[:, [model.tree.joint_names.index(name) for name in joints]] = moving
    return path


def _true_images(
    scene: MechanismScene,
    video: CameraVideo,
    truth: MechanismTruth,
    background: NDArray[np.float32] | None,
) -> NDArray[np.float32]:
    """(KNOWN + AHEAD, H, W) without noise, before the same background."""
    own = [number for number, body in enumerate(scene.bodies) if not body.is_driver]
    painter = DepthPainter(video.camera, [scene.bodies[n].mesh for n in own], background)
    return np.stack([painter.depth(truth.poses[own, frame]) for frame in range(KNOWN + AHEAD)])

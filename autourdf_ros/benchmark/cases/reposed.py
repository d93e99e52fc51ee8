"""CD_r: the model in configurations that its recording does not contain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.metrics.assignment import assign_joints
from autourdf_ros.assessment.metrics.truth.truth import TrueModel
from autourdf_ros.geometry.chamfer_distance import chamfer_distance
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.model.forward_kinematics import configuration, link_motions
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.skeleton import skeleton_of
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.random_motion import start_configuration
from autourdf_ros.simulation.recordings.recorder import RecorderOptions
from autourdf_ros.simulation.recordings.thinning import thin
from autourdf_ros.simulation.simulated_cell import Cell, workspace_of

DENSE = 20  # points drawn for each that is kept, so that two draws differ


@dataclass(frozen=True)
class ReposedError:
    """Means over the new configurations, metres.

    Attributes:
        distance: CD_r, between the re-posed model and the true robot.
        floor: The same between two independent samplings of the true robot with the recording's
            noise.
    """

    distance: float
    floor: float


def reposed_error(
    model: SelfModel,
    truth: TrueModel,
    robot: SimulatedRobot,
    options: RecorderOptions,
    configurations: int = 5,
    seed: int = 0,
) -> ReposedError:
    """Re-pose the model and the true robot at random free configurations, and compare them.

    The true robot is sampled as in the recording: by the same cameras, thinned to the same number
    of points, with the same noise. Source: AutoURDF's re-posed Chamfer distance (Lin et al., CVPR
    2025).

    Args:
        model: The estimate.
        truth: The true joints at the model's reference configuration.
        robot: The true robot.
        options: Of the recording.
        configurations: Number of new configurations.
        seed: Of the configurations and the noise.
    """
    rng = np.random.default_rng(seed)
    workspace = workspace_of(robot, options.cell)
    chosen = np.stack([start_configuration(workspace, rng) for _ in range(configurations)])
    cell = Cell(workspace, chosen, options.cell, rng)
    pairs = _joint_pairs(model, truth)
    start = truth.configuration or {}
    distances, floors = [], []
    for values in chosen:
        clouds = cell.clouds(values, rng)
        # Ground and clutter, which a recording is cleaned of, are no part of the robot.
        seen = np.concatenate([cloud.points[cloud.body >= 0] for cloud in clouds])
        seen = seen[np.isfinite(seen).all(axis=1)]
        first, second = (_sampled(seen, options, rng) for _ in range(2))
        turned = {
            estimate: reference + sign * (value - start.get(name, 0.0))
            for name, value in zip(robot.names, values, strict=True)
            if name in pairs
            for estimate, sign, reference in [pairs[name]]
        }
        points = _posed_points(model, turned)
        distances.append(chamfer_distance(points[thin(points, options.points)], first))
        floors.append(chamfer_distance(first, second))
    return ReposedError(float(np.mean(distances)), float(np.mean(floors)))


def _joint_pairs(model: SelfModel, truth: TrueModel) -> dict[str, tuple[str, float, float]]:
    """Return the estimated joint, its direction (+1 or -1) and reference value by true joint."""
    estimate = skeleton_of(model)
    references = model.reference_configuration
    pairs = {}
    for e, t in assign_joints(estimate, truth.skeleton).pairs:
        guess, true = estimate.joints[e], truth.skeleton.joints[t]
        sign = float(np.sign(np.dot(guess.axis, true.axis)))
        pairs[true.name] = guess.name, sign, references[guess.name]
    return pairs


def _posed_points(model: SelfModel, values: Mapping[str, float]) -> NDArray[np.float64]:
    motions = link_motions(model.tree, configuration(model.tree, values))
    clouds = [
        transform(motion, link.surface.points)
        for motion, link in zip(motions, model.links, strict=True)
        if len(link.surface.points)
    ]
    return np.concatenate(clouds) if clouds else np.empty((0, 3))


def _sampled(
    points: NDArray[np.floating], options: RecorderOptions, rng: np.random.Generator
) -> NDArray[np.float64]:
    drawn = points[rng.permutation(len(points))[: DENSE * options.points]]
    kept = drawn[thin(drawn, options.points)].astype(float)
    return kept + rng.normal(0.0, options.point_sigma, kept.shape)

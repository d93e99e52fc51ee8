"""Place an assembly in the frame of a recording."""

from __future__ import annotations

from itertools import product

import numpy as np

from autourdf_ros.estimation.parts.confirmation.confirmation_options import ConfirmationOptions
from autourdf_ros.estimation.parts.confirmation.tracking.observed_frame import ObservedFrame
from autourdf_ros.estimation.parts.confirmation.tracking.pose_scoring import agreement, refined
from autourdf_ros.estimation.parts.confirmation.tracking.surface_samples import PartSamples
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import exp_se3, from_translation, transform
from autourdf_ros.geometry.sampling import farthest_point_indices

TURNS = 12
"""Starts about the vertical."""
REFINED = 6
"""Starts that are refined."""
PREFERENCE = 0.15
"""Agreement that another start must have more than the given frame."""

ANCHOR = 1e-4
"""Information about a start, of the mean: starts are far from the pose, and say little of it."""


def register_base(
    samples: PartSamples, frame: ObservedFrame, size: float, options: ConfirmationOptions
) -> Array:
    """Return the pose (4, 4) of the assembly's frame at which it agrees best with a frame.

    Starts are the frame itself, and the middle of the points with turns about the vertical and
    quarter turns.

    Args:
        samples: Of the assembly.
        frame: In which all joints are near the given pose.
        size: Of the assembly (m).
        options: Constants.
    """
    chosen = farthest_point_indices(samples.points, samples.count * options.search_samples)
    own = samples.points[chosen], samples.normals[chosen]
    starts = _starts(own[0], frame.cloud.points)
    wide = 3 * options.coarse * size
    order = np.argsort(-agreement(frame, starts, own, wide))[:REFINED]
    poses = starts[np.unique([0, *order])]
    for _ in range(3):
        poses = refined(frame, poses, own, (wide, options.coarse * size / 4), ANCHOR)
    scores = agreement(frame, poses, own, options.coarse * size / 2)
    scores[0] += PREFERENCE
    best = poses[int(scores.argmax())][None]
    last = options.coarse * size / 2, options.coarse * size / 8
    return refined(frame, best, own, last, ANCHOR)[0]


def _starts(points: Array, seen: Array) -> Array:
    """Poses (S, 4, 4), the identity first."""
    about_z = [(0.0, 0.0, 2 * np.pi * k / TURNS) for k in range(TURNS)]
    quarters = [tuple(np.pi / 2 * np.array(turn)) for turn in product(range(-1, 3), repeat=3)]
    turns = np.zeros((len(about_z) + len(quarters), 6))
    turns[:, :3] = np.array([*about_z, *quarters])
    poses = exp_se3(turns)
    middle, seen_middle = _middle(points), _middle(seen)
    poses[:, :3, 3] = seen_middle - transform(poses, middle)
    return np.concatenate([np.eye(4)[None], from_translation(seen_middle - middle)[None], poses])


def _middle(points: Array) -> Array:
    return (points.min(axis=0) + points.max(axis=0)) / 2

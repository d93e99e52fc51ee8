"""Move every part freely until it agrees with the points of a frame that are nearest to it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.normal_equations import normal_equations, point_information
from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.estimation.common.surface_matching import Matches, match, warped_surface
from autourdf_ros.estimation.common.visibility import visible_information
from autourdf_ros.estimation.parts.confirmation.confirmation_options import ConfirmationOptions
from autourdf_ros.estimation.parts.confirmation.tracking.observed_frame import ObservedFrame
from autourdf_ros.estimation.parts.confirmation.tracking.pose_scoring import displacement
from autourdf_ros.estimation.parts.confirmation.tracking.surface_samples import PartSamples
from autourdf_ros.geometry.arrays import Array, group_sum
from autourdf_ros.geometry.rigid_motion import moved_about

ITERATIONS = 20
NARROWER = 0.7  # of the kernel from one iteration to the next
ANCHOR = 3e-3
"""Information about the starting pose, of the mean: motions that hardly anything shows stay out."""
MAD = 1.4826  # standard deviations a median absolute deviation
ALIGNED = 0.7  # cosine of the normals of a sample and of the point that shows it


@dataclass(frozen=True)
class TrackedParts:
    """The parts in all frames.

    Attributes:
        bodies: Their motions, and the information about them (1/m^2 a unit of variance).
        tracked: (F, P) whether the frame shows the part where it is placed.
        explained: (F,) share of the frame's points that lie on a part.
        noise: Standard deviation of a point along its normal (m).
    """

    bodies: Bodies
    tracked: NDArray[np.bool_]
    explained: Array
    noise: float


def refine_parts(
    samples: PartSamples, frame: ObservedFrame, poses: Array, widths: tuple[float, float]
) -> Array:
    """Return the poses (P, 4, 4) at which every part fits the points nearest to it.

    Each point of the frame counts for one part alone, so that what is hidden does no harm.

    Args:
        samples: Of the parts.
        frame: In the frame of the assembly.
        poses: (P, 4, 4) to start from.
        widths: Of the kernel, at the start and at least (m).
    """
    width, starts = widths[0], poses
    for _ in range(ITERATIONS):
        matches = _matches(samples, frame, poses, width)
        groups = samples.owners[matches.source]
        counts = np.maximum(group_sum(matches.weights, groups, samples.count), 1e-9)
        sums = group_sum(matches.moved * matches.weights[:, None], groups, samples.count)
        centres = sums / counts[:, None]
        information, gradient = normal_equations(matches, groups, centres)
        gone = displacement(starts, poses, centres)
        steps = _steps(information, gradient, gone, samples.sizes)
        poses = moved_about(centres, steps, poses)
        width = max(width * NARROWER, widths[1])
    return poses


def shown(
    samples: PartSamples, frame: ObservedFrame, poses: Array, reach: tuple[float, float]
) -> NDArray[np.bool_]:
    """Return (N,) whether a frame shows each sample at the parts' poses.

    Args:
        samples: Of the parts.
        frame: In the frame of the assembly.
        poses: (P, 4, 4).
        reach: Distance to the point that shows it, and along the normal (m): points lie apart, and
            a wall has a back.
    """
    return np.asarray(np.abs(_cosines(samples, frame, poses, reach)) > ALIGNED)


def facing(
    samples: PartSamples, frame: ObservedFrame, poses: Array, reach: tuple[float, float]
) -> PartSamples:
    """Return the samples with normals on the side from which a frame shows them."""
    against = _cosines(samples, frame, poses, reach) < 0
    return samples.facing(np.where(against[:, None], -samples.normals, samples.normals))


def _cosines(
    samples: PartSamples, frame: ObservedFrame, poses: Array, reach: tuple[float, float]
) -> Array:
    """Cosines (N,) of the normals of samples and of the nearest points; 0 where none is near."""
    points, normals = warped_surface(poses, samples.owners, samples.points, samples.normals)
    distances, numbers = frame.cloud.grid.query(points, reach[0])
    found = np.flatnonzero(np.isfinite(distances))
    offsets = frame.cloud.points[numbers[found]] - points[found]
    found = found[np.abs(np.einsum("ni,ni->n", offsets, normals[found])) <= reach[1]]
    cosine = np.zeros(len(points))
    cosine[found] = np.einsum("ni,ni->n", frame.cloud.normals[numbers[found]], normals[found])
    return cosine


def measured_noise(samples: PartSamples, frame: ObservedFrame, poses: Array, gate: float) -> float:
    """Return the standard deviation (m) of a frame's points along the normals of the parts."""
    distances = _matches(samples, frame, poses, gate).distances
    return float(MAD * np.median(np.abs(distances))) if len(distances) else 0.0


def gathered(
    samples: PartSamples,
    frames: list[ObservedFrame],
    poses: Array,
    noise: float,
    options: ConfirmationOptions,
) -> TrackedParts:
    """Return the parts in all frames with what the frames show of their motions.

    Args:
        samples: Of the parts, with what the first frame shows.
        frames: In the frame of the assembly.
        poses: (F, P, 4, 4).
        noise: Standard deviation of a point along its normal (m).
        options: Constants.
    """
    information, weights = np.zeros((*poses.shape[:2], 6, 6)), np.zeros(poses.shape[:2])
    tracked, explained = np.zeros(poses.shape[:2], bool), np.zeros(len(frames))
    seen = np.maximum(group_sum(samples.seen.astype(float), samples.owners, samples.count), 1e-9)
    for number, frame in enumerate(frames):
        matches = _matches(samples, frame, poses[number], options.gate * noise)
        own = matches.source
        turned = np.einsum(
            "nij,ni->nj", poses[number, samples.owners[own], :3, :3], matches.normals
        )
        reference = replace(matches, moved=samples.points[own], normals=turned)
        owners, origin = samples.owners[own], np.zeros((samples.count, 3))
        information[number] = visible_information(
            normal_equations(reference, owners, origin)[0],
            point_information(reference, owners, origin),
        )
        weights[number] = group_sum(matches.weights, owners, samples.count)
        near = 2 * max(frame.cloud.spacing, options.gate * noise)
        reach = near, options.gate * noise
        visible = shown(samples, frame, poses[number], reach) & samples.seen
        share = group_sum(visible.astype(float), samples.owners, samples.count) / seen
        tracked[number] = (share > options.tracked) & (seen >= options.search_samples / 4)
        explained[number] = np.count_nonzero(np.linalg.norm(matches.offsets, axis=1) < near) / len(
            frame.cloud.points
        )
    # A part on a surface of another one shares its points: the frame does not show it there.
    tracked &= weights > np.maximum(options.own_points * weights[:1], options.least_points)
    return TrackedParts(Bodies(poses, information, weights), tracked, explained, noise)


def _matches(samples: PartSamples, frame: ObservedFrame, poses: Array, width: float) -> Matches:
    points, normals = warped_surface(poses, samples.owners, samples.points, samples.normals)
    flat = np.ones(len(points))
    gate = 2 * width + frame.cloud.spacing + samples.spacing
    return match(points, normals, flat, frame.cloud, gate=gate, kernel=width, directions="backward")


def _steps(information: Array, gradient: Array, gone: Array, sizes: Array) -> Array:
    """Steps (P, 6) held back to the starting poses, from which the parts have `gone` (P, 6)."""
    scale = np.ones((len(sizes), 6))
    scale[:, :3] = (4 / sizes)[:, None]
    system = information * scale[:, :, None] * scale[:, None, :]
    ridge = ANCHOR * np.trace(system, axis1=1, axis2=2) / 6 + 1e-9
    system = system + ridge[:, None, None] * np.eye(6)
    pull = gradient * scale - ridge[:, None] * gone / scale
    return np.linalg.solve(system, pull[..., None])[..., 0] * scale

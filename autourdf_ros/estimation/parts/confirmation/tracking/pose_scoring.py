"""How well poses of one part, many at once, agree with a frame, and their refinement."""

from __future__ import annotations

import numpy as np

from autourdf_ros.estimation.parts.confirmation.tracking.observed_frame import ObservedFrame
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import inverse, log_so3, moved_about

ANCHOR = 1e-2
"""Information about the starting pose, of the mean: motions that hardly anything shows stay out."""
ITERATIONS = 8
NARROWER = 0.75  # of the kernel from one iteration to the next
LONGEST_TURN = 0.3  # rad in one step


def moved(poses: Array, points: Array) -> Array:
    """Return points (C, N, 3) moved by each of the poses (C, 4, 4)."""
    return points @ np.swapaxes(poses[:, :3, :3], 1, 2) + poses[:, None, :3, 3]


def displacement(starts: Array, poses: Array, centres: Array) -> Array:
    """Return twists (C, 6) about centres (C, 3) that led from starting to present poses."""
    back = starts @ inverse(poses)
    before = np.einsum("cij,cj->ci", back[:, :3, :3], centres) + back[:, :3, 3]
    turns = log_so3(np.swapaxes(back[:, :3, :3], 1, 2))
    return np.concatenate([turns, centres - before], axis=1)


def agreement(
    frame: ObservedFrame, poses: Array, samples: tuple[Array, Array], width: float
) -> Array:
    """Return the share (C,) of the samples that the frame shows at each pose.

    A sample counts by the Geman-McClure kernel of its distance, times the normals' agreement. Along
    the surface, a distance up to that between neighbouring points says nothing.

    Args:
        frame: The frame.
        poses: (C, 4, 4).
        samples: Points (N, 3) and normals (N, 3) of the part.
        width: Distance (m) along the normal at which a sample counts a quarter.
    """
    if not len(samples[0]):
        return np.zeros(len(poses))
    places, turned = moved(poses, samples[0]), samples[1] @ np.swapaxes(poses[:, :3, :3], 1, 2)
    numbers = frame.look_up(places)
    offsets, planes = frame.cloud.points[numbers] - places, frame.cloud.normals[numbers]
    across = np.einsum("cni,cni->cn", offsets, planes) ** 2
    along = np.maximum(np.einsum("cni,cni->cn", offsets, offsets) - across, 0.0)
    cosine = frame.agreeing(np.einsum("cni,cni->cn", planes, turned))
    kernel = (1 + across / width**2 + along / max(width, frame.cloud.spacing) ** 2) ** -2
    return np.asarray((kernel * (0.25 + 0.75 * cosine**2)).mean(axis=1))


def refined(
    frame: ObservedFrame,
    poses: Array,
    samples: tuple[Array, Array],
    widths: tuple[float, float],
    anchor: float = ANCHOR,
) -> Array:
    """Return the poses (C, 4, 4), each moved freely to agree with the frame.

    Gauss-Newton on point-to-plane distances with the Geman-McClure kernel, which narrows.

    Args:
        frame: The frame.
        poses: (C, 4, 4) to start from.
        samples: Points (N, 3) and normals (N, 3) of the part.
        widths: Of the kernel, at the start and at least (m).
        anchor: Information about the starting poses, of the mean.
    """
    points, normals = samples
    if not len(points) or not len(poses):
        return poses
    width, starts = widths[0], poses
    reach = max(float(np.linalg.norm(points - points.mean(axis=0), axis=1).mean()), 1e-9)
    scale = np.array([reach] * 3 + [1.0] * 3)
    for _ in range(ITERATIONS):
        places = moved(poses, points)
        numbers = frame.look_up(places)
        planes = frame.cloud.normals[numbers]
        offsets = frame.cloud.points[numbers] - places
        squared = np.einsum("cni,cni->cn", offsets, offsets)
        turned = normals @ np.swapaxes(poses[:, :3, :3], 1, 2)
        cosine = frame.agreeing(np.einsum("cni,cni->cn", planes, turned))
        weights = (1 + squared / width**2) ** -2 * cosine**2
        centres = places.mean(axis=1)
        rows = np.concatenate(
            [np.cross((places - centres[:, None]) / reach, planes), planes], axis=2
        )
        weighed = rows * weights[..., None]
        information = np.swapaxes(weighed, 1, 2) @ rows
        pull = np.einsum("cni,cn->ci", weighed, np.einsum("cni,cni->cn", planes, offsets))
        ridge = anchor * np.trace(information, axis1=1, axis2=2) / 6 + 1e-9
        information += ridge[:, None, None] * np.eye(6)
        pull -= ridge[:, None] * (displacement(starts, poses, centres) * scale)
        steps = np.linalg.solve(information, pull[..., None])[..., 0]
        steps[:, :3] /= reach
        steps[:, :3] = np.clip(steps[:, :3], -LONGEST_TURN, LONGEST_TURN)
        poses = moved_about(centres, steps, poses)
        width = max(width * NARROWER, widths[1])
    return poses

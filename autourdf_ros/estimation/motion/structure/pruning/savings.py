"""Compute what a last link's joint saves, counted at both ends.

Points of a link that its joint explains are found in other frames where it moves them, and nothing
else explains what the frames show there. Points that other frames only lack, since something hides
them or they were errors, match others as well wherever a joint of their own lets them go; but those
are explained without them. So a joint's saving counts at the points of the reference that it moves,
and again at the measured points where it moves them: of a real joint, both are about alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.registration.point_costs import distance_costs
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.nearest import build_grid
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import inverse, transform
from autourdf_ros.parallel import on_all_cores

LEAST_CONFIRMED = 1 / 3  # share of what a last link saves: of fingers 0.5, mostly 1
BESIDE = 1.5  # point spacings from a link's moved points within which measured ones are its


@dataclass(frozen=True)
class Saving:
    """Mean cost (`point_costs`) per point and frame by which a joint is better than another pose.

    Attributes:
        known: of the link's points in the reference.
        seen: of measured points where the joint moves them, 0 where there never are any.
        left: cost of the link's points that the joint leaves.
    """

    known: float
    seen: float
    left: float = 0.0

    @property
    def confirmed(self) -> float:
        """Share of what it saves the link's points that measured points confirm, at most 1."""
        return 1.0 if self.known <= 0 else float(np.clip(self.seen / self.known, 0.0, 1.0))


def last_links(parents: NDArray[np.int64], labels: NDArray[np.int64]) -> list[int]:
    """Return the links that have points and that no other hangs on.

    Args:
        parents: (J,) of link j + 1 each.
        labels: (N,) link of every point, -1 none.
    """
    last = set(range(1, len(parents) + 1)) - set(parents.tolist())
    return sorted(last & set(labels.tolist()))


def savings(
    reference: Cloud,
    labels: NDArray[np.int64],
    frames: Sequence[Cloud],
    poses: Array,
    links: Sequence[int],
    instead: Array,
    *,
    noise: float,
) -> list[Saving]:
    """Return what the joints of L last links save in F frames.

    Args:
        reference: cloud of N points.
        labels: (N,) link of every reference point.
        frames: the frames.
        poses: (F, B, 4, 4) of the links.
        links: numbers of the L links.
        instead: (F, L, 4, 4) poses that the joints are compared with: the parents' poses to find
            out what a joint saves.
        noise: standard deviation of a point along its normal.
    """
    clouds = [_part(reference, labels == link) for link in range(poses.shape[1])]

    def in_frame(frame: Cloud, pose: Array, frozen: Array) -> Array:
        both = zip(links, frozen, strict=True)
        return np.array([_sums(clouds, frame, pose, link, held, noise) for link, held in both])

    sums = np.sum(on_all_cores(in_frame, frames, poses, instead), axis=0)
    return [
        Saving(known / count, seen / max(beside, 1), left / count)
        for known, count, seen, beside, left in sums.tolist()
    ]


def _part(reference: Cloud, own: NDArray[np.bool_]) -> Cloud:
    points = reference.points[own]
    return Cloud(
        points,
        reference.normals[own],
        reference.flatness[own],
        build_grid(points, reference.spacing),
        reference.spacing,
    )


def _sums(
    clouds: Sequence[Cloud], frame: Cloud, poses: Array, link: int, frozen: Array, noise: float
) -> tuple[float, int, float, int, float]:
    """Saving and number of a link's points, then of the measured ones; what the first leaves."""
    own, pose = clouds[link], poses[link]
    moved = transform(pose, own.points)
    free = distance_costs(frame, moved, own.normals @ pose[:3, :3].T, noise)
    stopped = transform(frozen, own.points)
    held = distance_costs(frame, stopped, own.normals @ frozen[:3, :3].T, noise)
    near = frame.grid.query(moved, BESIDE * frame.spacing)[1]
    beside = np.unique(near[near < len(frame.points)])
    points, normals = frame.points[beside], frame.normals[beside]

    def explained(cloud: Cloud, pose: Array) -> Array:
        back = inverse(pose)
        return distance_costs(cloud, transform(back, points), normals @ back[:3, :3].T, noise)

    others = np.min(
        [explained(cloud, poses[i]) for i, cloud in enumerate(clouds) if i != link], axis=0
    )
    saved = np.minimum(others, explained(own, frozen)) - np.minimum(others, explained(own, pose))
    known, left = float((held - free).sum()), float(free.sum())
    return known, len(moved), float(saved.sum()), len(beside), left

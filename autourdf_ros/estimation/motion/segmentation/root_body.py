"""The root: the body that moves as the whole frames do, found before anything is merged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.rigid_bodies import Bodies, Noise
from autourdf_ros.estimation.motion.registration.point_labels import own_costs, refit_bodies
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import from_translation, log_so3, transform

STEADY_COST = 0.5  # mean cost per point and frame of not turning, up to which a body is steady
LEAST_ROOT = 0.01  # share of the points

RootMotion = Literal["still", "shifts", "turns"]  # of the whole frames


class Held(TypedDict, total=False):
    """Bodies that `refit_bodies` holds."""

    locked: list[int]
    still: list[int]


@dataclass(frozen=True)
class RootMove:
    """How the root moves, which is how the whole frames do: poses (F, 4, 4) from the reference.

    members: (N,) bool, points of the reference that are on it, where other frames have told.
    """

    motion: RootMotion
    poses: Array
    members: NDArray[np.bool_] | None = None


def find_root(
    reference: Cloud,
    frames: list[Cloud],
    pieces: Bodies,
    labels: NDArray[np.int64],
    noise: Noise,
    gate: float,
    known: RootMove | None = None,
) -> tuple[NDArray[np.bool_], RootMove]:
    """The pieces (B,) that move as the whole frames do, and how they do.

    Before anything is merged, since a round base cannot be told from a shoulder that turns on it
    by what both show. Where frames do not move, the pieces whose points no motion at all explains
    nearly as well as the best one; where they shift, those that one pure translation so explains;
    with neither, none. known: how the frames move and what the root is, where other frames have
    told: of its pieces, those that still move so.
    """
    count = pieces.poses.shape[1]
    sizes = np.bincount(labels[labels >= 0], minlength=count)
    members = [np.flatnonzero(labels == piece) for piece in range(count)]

    def cost(poses: Array) -> Array:
        costs = own_costs(reference, labels, frames, poses, noise=noise.total)
        return np.array([costs[own].mean() if len(own) else 0.0 for own in members])

    best = cost(refit_bodies(reference, labels, frames, pieces.poses, gate=gate).poses)
    least = LEAST_ROOT * sizes.sum()
    still = RootMove("still", np.tile(np.eye(4), (len(frames), 1, 1)))
    for move in (still, known):
        if move is not None and move.motion != "turns":
            together = np.repeat(move.poses[:, None], count, axis=1)
            steady = cost(together) - best < STEADY_COST
            if move.members is not None:
                own = np.bincount(labels[move.members & (labels >= 0)], minlength=count)
                steady &= own > sizes / 2
            if sizes[steady].sum() >= least:
                return steady, move
    middles = np.array(
        [reference.points[own].mean(axis=0) if len(own) else np.zeros(3) for own in members]
    )
    shifts = transform(pieces.poses, middles) - middles
    straight = refit_bodies(
        reference, labels, frames, from_translation(shifts), gate=gate, locked=range(count)
    )
    unturned = cost(straight.poses) - best < STEADY_COST
    tracks = straight.poses[..., :3, 3]
    apart = np.sqrt(((tracks[:, :, None] - tracks[:, None]) ** 2).sum(axis=-1).mean(axis=0))
    alike = (apart < 2 * reference.spacing) & unturned & unturned[:, None]
    weight = alike @ sizes
    chosen = alike[weight.argmax()]
    if weight.max() >= least:
        middle = reference.points[(labels >= 0) & chosen[labels]].mean(axis=0)
        shift = np.median(transform(pieces.poses[:, chosen], middle) - middle, axis=1)
        return chosen, RootMove("shifts", from_translation(shift))
    return np.zeros(count, dtype=bool), replace(still, motion="turns")


def held(root: int | None, motion: RootMotion) -> Held:
    """What `refit_bodies` has to hold."""
    if root is None or motion == "turns":
        return {}
    return {"still": [root]} if motion == "still" else {"locked": [root]}


def with_root(
    reference: Cloud,
    frames: list[Cloud],
    pieces: Bodies,
    labels: NDArray[np.int64],
    edges: NDArray[np.int64],
    seed: NDArray[np.bool_],
    move: RootMove,
    gate: float,
) -> tuple[Bodies, NDArray[np.int64], NDArray[np.int64], int | None]:
    """The pieces with those of the root, if any, made one."""
    if not seed.any():
        return pieces, labels, edges, None
    first = int(seed.argmax())
    owners = np.arange(len(seed))
    owners[seed] = first
    kept, owners = np.unique(owners, return_inverse=True)
    labels = np.where(labels >= 0, owners[labels], -1)
    root = int(owners[first])
    poses = pieces.poses[:, kept].copy()
    poses[:, root] = move.poses
    bodies = refit_bodies(reference, labels, frames, poses, gate=gate, **held(root, move.motion))
    edges = np.unique(np.sort(owners[edges], axis=1), axis=0)
    return bodies, labels, edges[edges[:, 0] != edges[:, 1]], root


def least_turning(bodies: Bodies) -> int:
    """The body that turns least; the robot's base was not seen to stand still."""
    turns = np.linalg.norm(log_so3(bodies.poses[..., :3, :3]), axis=-1).mean(axis=0)
    return int(turns.argmin())

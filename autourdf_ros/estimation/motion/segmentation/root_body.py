"""Find the root, the body that moves as the whole frames do, before anything is merged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.registration.tracked_graph import Pieces
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import from_translation, log_so3, transform

STEADY_COST = 0.5  # mean cost per point and frame of not turning, up to which a body is steady
LEAST_ROOT = 0.01  # share of the points

RootMotion = Literal["still", "shifts", "turns"]  # of the whole frames


class Held(TypedDict, total=False):
    """Bodies that `refit_bodies` must hold.

    Attributes:
        locked: numbers of those that may only translate.
        still: numbers of those that do not move.
    """

    locked: list[int]
    still: list[int]


@dataclass(frozen=True)
class RootMove:
    """The motion of the root, which is that of the whole frames.

    Attributes:
        motion: what kind of motion it is.
        poses: (F, 4, 4) from the reference.
        members: (N,) bool, points of the reference on the root, where other frames determined it.
    """

    motion: RootMotion
    poses: Array
    members: NDArray[np.bool_] | None = None


def find_root(
    frames: FrameSet, pieces: Pieces, known: RootMove | None = None
) -> tuple[NDArray[np.bool_], RootMove]:
    """Find the pieces that move as the whole frames do.

    The root comes before anything is merged: what both show does not separate a round base from a
    shoulder that turns on it. Where the frames do not move, the root has the pieces whose points
    no motion at all explains nearly as well as the best one; where they shift, those that one pure
    translation explains so.

    Args:
        frames: the reference and F frames.
        pieces: B pieces.
        known: the frames' motion and the root's points, where other frames determined them: of
            its pieces, those that still move so are the root.

    Returns:
        Which pieces (B,) belong to the root (none where no piece does), and how it moves.
    """
    labels, bodies = pieces.labels, pieces.bodies
    count = bodies.poses.shape[1]
    sizes = np.bincount(labels[labels >= 0], minlength=count)
    members = [np.flatnonzero(labels == piece) for piece in range(count)]

    def cost(poses: Array) -> Array:
        costs = frames.own_costs(labels, poses)
        return np.array([costs[own].mean() if len(own) else 0.0 for own in members])

    best = cost(frames.refit(labels, bodies.poses).poses)
    least = LEAST_ROOT * sizes.sum()
    still = RootMove("still", np.tile(np.eye(4), (len(frames.frames), 1, 1)))
    for move in (still, known):
        if move is not None and move.motion != "turns":
            together = np.repeat(move.poses[:, None], count, axis=1)
            steady = cost(together) - best < STEADY_COST
            if move.members is not None:
                own = np.bincount(labels[move.members & (labels >= 0)], minlength=count)
                steady &= own > sizes / 2
            if sizes[steady].sum() >= least:
                return steady, move
    points = frames.reference.points
    middles = np.array([points[own].mean(axis=0) if len(own) else np.zeros(3) for own in members])
    shifts = transform(bodies.poses, middles) - middles
    straight = frames.refit(labels, from_translation(shifts), locked=range(count))
    unturned = cost(straight.poses) - best < STEADY_COST
    tracks = straight.poses[..., :3, 3]
    apart = np.sqrt(((tracks[:, :, None] - tracks[:, None]) ** 2).sum(axis=-1).mean(axis=0))
    alike = (apart < 2 * frames.reference.spacing) & unturned & unturned[:, None]
    weight = alike @ sizes
    chosen = alike[weight.argmax()]
    if weight.max() >= least:
        middle = points[(labels >= 0) & chosen[labels]].mean(axis=0)
        shift = np.median(transform(bodies.poses[:, chosen], middle) - middle, axis=1)
        return chosen, RootMove("shifts", from_translation(shift))
    return np.zeros(count, dtype=bool), replace(still, motion="turns")


def held(root: int | None, motion: RootMotion) -> Held:
    """Return the bodies that `refit_bodies` must hold for a root of this motion."""
    if root is None or motion == "turns":
        return {}
    return {"still": [root]} if motion == "still" else {"locked": [root]}


def with_root(
    frames: FrameSet, pieces: Pieces, seed: NDArray[np.bool_], move: RootMove
) -> tuple[Pieces, int | None]:
    """Unite the pieces of the root.

    Args:
        frames: the reference and F frames.
        pieces: B pieces.
        seed: (B,) which of them are the root's.
        move: how it moves.

    Returns:
        The pieces, and the number of the root among them; None without any.
    """
    if not seed.any():
        return pieces, None
    first = int(seed.argmax())
    owners = np.arange(len(seed))
    owners[seed] = first
    kept, owners = np.unique(owners, return_inverse=True)
    labels = np.where(pieces.labels >= 0, owners[pieces.labels], -1)
    root = int(owners[first])
    poses = pieces.bodies.poses[:, kept].copy()
    poses[:, root] = move.poses
    bodies = frames.refit(labels, poses, **held(root, move.motion))
    edges = np.unique(np.sort(owners[pieces.edges], axis=1), axis=0)
    return Pieces(bodies, labels, edges[edges[:, 0] != edges[:, 1]]), root


def least_turning(bodies: Bodies) -> int:
    """Return the body that turns least: the root where no base was seen to stand still."""
    turns = np.linalg.norm(log_so3(bodies.poses[..., :3, :3]), axis=-1).mean(axis=0)
    return int(turns.argmin())

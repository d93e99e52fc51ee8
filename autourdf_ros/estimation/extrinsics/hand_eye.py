"""Find where one camera stands in another's frame, from how both see the same bodies move.

A body whose motion is A in the frame of one camera and B in that of the other has A X = X B, X
being the pose sought (Tsai and Lenz, IEEE T-RA 5, 1989; Park and Martin, IEEE T-RA 10, 1994). Which
body of one is which of the other is not known: pairs of them give rotations, of which the one
counts by which most bodies turn alike in all frames.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.common.surface_matching import geman_mcclure
from autourdf_ros.estimation.extrinsics.body_motions import BodyMotions
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import (
    adjoint,
    exp_se3,
    from_translation,
    inverse,
    log_se3,
    log_so3,
    transform,
)

LEAST_FRAMES = 4  # in which both cameras follow their bodies
LEAST_TURN = np.radians(3.0)  # rms, of a body that counts
ALIKE = 0.25  # of the turns, rms, that a body's may differ for it to be the same
CANDIDATES = 40  # pairs of bodies that are combined
TESTED = 30  # rotations for which a position is sought
ABOUT = 24  # turns about the only direction there is, of
TURNED = 2  # rotations
ONE_DIRECTION = 0.02  # second singular value over the first, below which there is only one
ITERATIONS = 30
LEAST_NOISE = np.radians(0.05), 2e-4  # rad, m


@dataclass(frozen=True)
class HandEye:
    """The second camera in the frame of the first.

    Attributes:
        pose: (4, 4).
        information: (6, 6) of a small motion of it (turn in rad, shift in m) about `centre`, in the
            frame of the first.
        centre: (3,).
        bodies: (M, 2) numbers of those taken for the same.
    """

    pose: Array
    information: Array
    centre: Array
    bodies: NDArray[np.int64]


def hand_eye(first: BodyMotions, second: BodyMotions) -> HandEye:
    """Return the pose of the second camera in the frame of the first.

    Raises:
        InputError: where no bodies turn alike, so that nothing determines it.
    """
    used = first.used & second.used
    used[0] = False  # all motions are from there
    if used.sum() < LEAST_FRAMES:
        raise InputError(
            f"both follow their bodies in {used.sum()} frames only; accepted are {LEAST_FRAMES}"
        )
    one, other = first.poses[used], second.poses[used]
    turns, others = log_so3(one[..., :3, :3]), log_so3(other[..., :3, :3])
    rotations = _rotations(turns, others)
    best, most = None, 0.0
    for rotation in rotations:
        bodies = _same(turns, others, rotation)
        if len(bodies):
            start = _pose(one[:, bodies[:, 0]], other[:, bodies[:, 1]], rotation)
            found = _refined(one, other, bodies, start, first.centres)
            explained = _explained(one, other, found, first.centres)
            if explained > most:
                best, most = found, explained
    if best is None:
        raise InputError("no body of the one turns as one of the other does")
    return best


def _cross(turns: Array, others: Array) -> Array:
    """(B, D, 3, 3) sums of the outer products of two cameras' turns (F, B, 3), (F, D, 3)."""
    return np.asarray(np.einsum("fbi,fdj->bdij", turns, others))


def _rotations(turns: Array, others: Array) -> Array:
    """Candidates (N, 3, 3) for the rotation, those first by which most turns agree."""
    cross = _cross(turns, others)
    sizes, lengths = (turns**2).sum(axis=(0, 2)), (others**2).sum(axis=(0, 2))
    # Angles do not depend on the camera: sum of |w| |w'|, at most the sum of squares.
    alike = np.einsum(
        "fb,fd->bd", np.linalg.norm(turns, axis=2), np.linalg.norm(others, axis=2)
    ) / np.maximum(np.maximum(sizes[:, None], lengths), 1e-300)
    turning = np.minimum(sizes[:, None], lengths) > len(turns) * LEAST_TURN**2
    pairs = np.argwhere(turning & (alike > 1 - ALIKE))
    pairs = pairs[np.argsort(-alike[tuple(pairs.T)])][:CANDIDATES]
    if not len(pairs):
        return np.zeros((0, 3, 3))
    own = cross[tuple(pairs.T)]
    own = own / np.linalg.norm(own, axis=(1, 2), keepdims=True)
    a, b = np.triu_indices(len(pairs))
    sums = own[a] + own[b]
    left, values, right = np.linalg.svd(sums)
    flip = np.tile(np.eye(3), (len(sums), 1, 1))
    flip[:, 2, 2] = np.sign(np.linalg.det(left @ right))
    rotations = left @ flip @ right
    single = values[:, 1] < ONE_DIRECTION * values[:, 0]
    axes = left[..., 0]
    if not single.all():
        rotations, axes = rotations[~single], axes[~single]
    order = np.argsort(-_scores(cross, sizes, lengths, rotations), kind="stable")
    if not single.all():
        return np.asarray(rotations[order[:TESTED]])
    rotations, axes = rotations[order[:TURNED]], axes[order[:TURNED]]
    about = axes[:, None] * np.linspace(0, 2 * np.pi, ABOUT, endpoint=False)[:, None]
    turned = exp_se3(np.concatenate([about, np.zeros_like(about)], axis=-1))[..., :3, :3]
    return np.asarray((turned @ rotations[:, None]).reshape(-1, 3, 3))


def _unexplained_shares(cross: Array, sizes: Array, lengths: Array, rotations: Array) -> Array:
    """(N, B, D) squared differences of turns after every rotation, of their squares' mean."""
    both = sizes[:, None] + lengths
    left = both - 2 * np.einsum("bdij,nij->nbd", cross, rotations)
    return np.asarray(2 * left / np.maximum(both, 1e-300))


def _scores(cross: Array, sizes: Array, lengths: Array, rotations: Array) -> Array:
    """(N,) how many bodies turn alike after every rotation, each by how well."""
    unexplained_shares = _unexplained_shares(cross, sizes, lengths, rotations)
    weight = np.sqrt(np.minimum(sizes[:, None], lengths))
    good = np.maximum(1 - unexplained_shares / ALIKE**2, 0) * weight
    return np.asarray(good.max(axis=2).sum(axis=1))


def _same(turns: Array, others: Array, rotation: Array) -> NDArray[np.int64]:
    """(M, 2) bodies that turn alike, each at most once, the best first."""
    sizes, lengths = (turns**2).sum(axis=(0, 2)), (others**2).sum(axis=(0, 2))
    unexplained_shares = _unexplained_shares(_cross(turns, others), sizes, lengths, rotation[None])[
        0
    ]
    turning = np.minimum(sizes[:, None], lengths) > len(turns) * LEAST_TURN**2
    unexplained_shares = np.where(turning, unexplained_shares, np.inf)
    chosen = []
    while unexplained_shares.size and unexplained_shares.min() < ALIKE**2:
        a, b = np.unravel_index(unexplained_shares.argmin(), unexplained_shares.shape)
        chosen.append((a, b))
        unexplained_shares[a], unexplained_shares[:, b] = np.inf, np.inf
    return np.array(chosen, np.int64).reshape(-1, 2)


def _pose(one: Array, other: Array, rotation: Array) -> Array:
    """The pose with this rotation; its position by (R_A - 1) t = R t_B - t_A, least squares."""
    rows = (one[..., :3, :3] - np.eye(3)).reshape(-1, 3)
    right = (other[..., :3, 3] @ rotation.T - one[..., :3, 3]).reshape(-1)
    pose = np.eye(4)
    pose[:3, :3] = rotation
    pose[:3, 3] = np.linalg.lstsq(rows, right, rcond=1e-6)[0]
    return pose


def _residuals(one: Array, other: Array, pose: Array, centres: Array) -> tuple[Array, Array]:
    """Twists (F, M, 6) of A (X B X^-1)^-1 about the bodies' centres, and their Jacobians.

    By a small motion d of X from the left: X B X^-1 becomes exp(d) X B X^-1 exp(-d), so that the
    twist changes by Ad_A d - d, where A is nearly X B X^-1.
    """
    moved = from_translation(-transform(one, centres))
    here = adjoint(moved)
    twists = log_se3(one @ inverse(pose @ other @ inverse(pose)))
    jacobian = here @ (adjoint(one) - np.eye(6))
    return np.einsum("fmij,fmj->fmi", here, twists), jacobian


def _refined(
    one: Array, other: Array, bodies: NDArray[np.int64], pose: Array, centres: Array
) -> HandEye:
    """Robust Gauss-Newton on all motions of the bodies taken for the same."""
    one, other, own = one[:, bodies[:, 0]], other[:, bodies[:, 1]], centres[bodies[:, 0]]
    centre = own.mean(axis=0)
    shift = from_translation(centre)
    for _ in range(ITERATIONS):
        twists, jacobian = _residuals(one, other, pose, own)
        jacobian = jacobian @ adjoint(shift)
        sizes = np.linalg.norm(twists[..., :3], axis=-1), np.linalg.norm(twists[..., 3:], axis=-1)
        # Median of a chi distribution with three degrees of freedom.
        noise = [
            max(np.median(s) / 1.54, least) for s, least in zip(sizes, LEAST_NOISE, strict=True)
        ]
        scaled = np.repeat(noise, 3)
        far = np.sqrt((sizes[0] / noise[0]) ** 2 + (sizes[1] / noise[1]) ** 2)
        weights = geman_mcclure(far, 6.0)
        rows = jacobian / scaled[:, None]
        # What is wrong with a body is so in all frames: all of them count as one.
        information = np.einsum("fm,fmki,fmkj->ij", weights, rows, rows) / len(one)
        gradient = np.einsum("fm,fmki,fmk->i", weights, rows, twists / scaled) / len(one)
        ridge = 1e-9 * np.trace(information) * np.eye(6)
        step = np.linalg.solve(information + ridge, gradient)
        pose = shift @ exp_se3(-step) @ inverse(shift) @ pose
        if np.abs(step).max() < 1e-7:
            break
    known = _without_feigned(information, float(weights.sum()) / len(one), *noise)
    return HandEye(pose, known, centre, bodies)


def _without_feigned(information: Array, weight: float, turn: float, shift: float) -> Array:
    """Information (6, 6) without what noise of the motions themselves feigns.

    Axes that are parallel seem not quite so. A motion that is off by the twist n has
    [n] d in the place of what a small motion d of the camera really changes, whose square is
    2 sigma^2 for every direction of d.
    """
    feigned = weight * np.repeat([4.0, 2 * (turn / shift) ** 2], 3)
    scale = np.repeat([turn, shift], 3)
    left = (information - np.diag(feigned)) * np.outer(scale, scale)
    values, vectors = np.linalg.eigh(left)
    return np.asarray((vectors * np.maximum(values, 0)) @ vectors.T / np.outer(scale, scale))


def _explained(one: Array, other: Array, found: HandEye, centres: Array) -> float:
    """How much of the bodies' motion the pose explains: 1 for every one of which it is all."""
    one, other = one[:, found.bodies[:, 0]], other[:, found.bodies[:, 1]]
    own = centres[found.bodies[:, 0]]
    lever = float(np.ptp(centres, axis=0).max())
    left = _residuals(one, other, found.pose, own)[0]
    moved = np.concatenate([log_so3(one[..., :3, :3]), transform(one, own) - own], axis=-1)
    scale = np.repeat([lever, 1.0], 3)
    shares = ((scale * left) ** 2).sum(axis=(0, 2)) / ((scale * moved) ** 2).sum(axis=(0, 2))
    return float(np.maximum(1 - shares / ALIKE**2, 0).sum())

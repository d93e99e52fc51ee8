"""Which motions a surface shows by its normals."""

from __future__ import annotations

import numpy as np

from autourdf_ros.geometry.arrays import Array

VISIBLE = 0.01  # least share of a motion that must be along the normals for it to be seen


def visible_share(points: Array, normals: Array, twist: Array) -> float:
    """Return the share of a motion that a surface shows by its normals.

    In [0, 1]: of the squared speeds, what is along the normals. Noise in the normals alone gives up
    to `VISIBLE`.

    Args:
        points: (N, 3) of the surface.
        normals: (N, 3) unit.
        twist: (6,) of the motion.
    """
    speeds = np.cross(twist[:3], points) + twist[3:]
    along = np.einsum("ni,ni->n", speeds, normals)
    return float((along**2).sum() / max((speeds**2).sum(), 1e-300))


def least_visible_share(points: Array, normals: Array) -> float:
    """Return `visible_share` of the motion that a surface shows least.

    Hardly any where the surface is round or a profile, of which nothing shows a spin or a slide. It
    is the smallest generalised eigenvalue of what normals show and what all directions would
    (Gelfand et al., Geometrically Stable Sampling for the ICP Algorithm, 3DIM 2003).

    Args:
        points: (N, 3) of the surface.
        normals: (N, 3) unit.
    """
    offsets = points - points.mean(axis=0)
    offsets = offsets / max(float(np.linalg.norm(offsets, axis=1).mean()), 1e-300)
    seen = np.hstack([np.cross(offsets, normals), normals])
    # About x, y and z, and along them: what moves a point by (w x p + v).
    turned = np.cross(np.eye(3)[:, None], offsets)
    slid = np.broadcast_to(np.eye(3)[:, None], turned.shape)
    moved = np.concatenate([turned, slid])
    whole = np.einsum("ink,jnk->ij", moved, moved)
    ridge = 1e-9 * np.trace(whole) * np.eye(6)
    lower = np.linalg.inv(np.linalg.cholesky(whole + ridge))
    return float(max(np.linalg.eigvalsh(lower @ (seen.T @ seen) @ lower.T)[0], 0.0))


def visible_information(plane: Array, point: Array, floor: float = VISIBLE) -> Array:
    """Remove from an information what noise in the normals feigns.

    A motion along the surface, such as a cylinder's spin, should have none; errors of the normals
    give it a share of the point-to-point information. The share `floor` is taken off every
    direction, and directions with less than that are invisible.

    Args:
        plane: (..., 6, 6) point-to-plane information.
        point: (..., 6, 6) point-to-point information of the same matches (`point_information`).
        floor: share of the latter.
    """
    ridge = 1e-9 * np.trace(point, axis1=-2, axis2=-1)[..., None, None] * np.eye(6)
    lower = np.linalg.cholesky(point + ridge + 1e-30 * np.eye(6))
    inverse = np.linalg.inv(lower)
    shares, vectors = np.linalg.eigh(inverse @ plane @ np.swapaxes(inverse, -1, -2))
    shares = np.maximum(shares - floor, 0)
    half = lower @ vectors
    return (half * shares[..., None, :]) @ np.swapaxes(half, -1, -2)

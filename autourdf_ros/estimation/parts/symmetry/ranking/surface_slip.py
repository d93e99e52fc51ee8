"""How well the surfaces of a contact slip along axes: cheap, without moving a part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.contact_region import ContactRegion
from autourdf_ros.estimation.parts.symmetry.proposals.axes import Axes
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions

Array = NDArray[np.float64]
SECTORS = 12
"""Sectors of a half turn in which normals are counted."""


def surface_slip(region: ContactRegion, axes: Axes, options: SymmetryOptions) -> dict[str, Array]:
    """Measure on every axis (K,), each part for itself, the lesser and the greater.

    Returns:
        slip_min, slip_max: Share of a part's points that move within the surface.
        round_min, round_max: How evenly the normals of those spread about the axis, in [0, 1]; of
            slides along it.
        offset: Distance of the axis from the middle of the contact, in radii of the contact.
        flat: Share of the points whose normals are along the axis.
        across: Root mean square distance of the points from the axis, in radii.
    """
    offsets = region.points[None] - axes.points[:, None]
    motions = np.cross(axes.directions[:, None], offsets)
    radius = float(np.sqrt(((region.points - region.centre) ** 2).sum(axis=1).mean())) or 1e-12
    sizes = np.linalg.norm(motions, axis=2)
    motions = motions / np.maximum(sizes, 0.05 * radius)[..., None]
    motions[axes.slides] = axes.directions[axes.slides, None]
    residuals = (motions * region.normals).sum(axis=2)
    slips = np.exp(-((residuals / options.slip_seen) ** 2))
    along = np.abs(axes.directions @ region.normals.T)
    sectors = _sectors(axes.directions, region.normals)
    shares, rounds = [], []
    for second in (False, True):
        side = region.second == second
        if not side.any():
            shares.append(np.zeros(len(axes)))
            rounds.append(np.zeros(len(axes)))
            continue
        counted = slips[:, side] * (along[:, side] < np.sqrt(0.5))
        shares.append(slips[:, side].mean(axis=1))
        sums = np.stack([(counted * (sectors[:, side] == s)).mean(axis=1) for s in range(SECTORS)])
        rounds.append(np.sqrt(sums).sum(axis=0) ** 2 / SECTORS)
    away = region.centre - axes.points
    away = away - (away * axes.directions).sum(axis=1, keepdims=True) * axes.directions
    return {
        "slip_min": np.minimum(*shares),
        "slip_max": np.maximum(*shares),
        "round_min": np.minimum(*rounds),
        "round_max": np.maximum(*rounds),
        "offset": np.linalg.norm(away, axis=1) / radius,
        "flat": (along > 0.95) @ region.weights,
        "across": np.sqrt((sizes**2) @ region.weights) / radius,
    }


def _sectors(directions: Array, normals: Array) -> NDArray[np.int64]:
    """Sector (K, M) of a half turn about each direction in which each normal points."""
    helpers = np.eye(3)[np.abs(directions).argmin(axis=1)]
    first = np.cross(directions, helpers)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second = np.cross(directions, first)
    angles = np.arctan2(second @ normals.T, first @ normals.T) % np.pi
    return np.minimum((angles / np.pi * SECTORS).astype(np.int64), SECTORS - 1)

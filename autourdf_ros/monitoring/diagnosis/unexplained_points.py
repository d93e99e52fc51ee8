"""Points that no link explains: something carried by a link, or something beside the robot.

What is fixed to a body fills the same cells of space in that body's frame, look after look, and
smears over many in the others' frames while the robot moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from autourdf_ros.geometry.rigid_motion import inverse, transform
from autourdf_ros.monitoring.observing.observation_comparison import GATE, Comparison
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

CELL = 0.025  # m
STEADY = 0.12  # share of a camera's looks in which a cell is filled, at least
USUAL = 0.08  # share in which it is while nothing has changed
LEAST_HITS = 4  # looks: three are filled by chance, many side by side
LEAST_FILLED = 3.5  # cells side by side, times the shares of looks in which they are filled
LEAST_LOOKS = 8  # of a camera, before anything is told
_ALIKE = 0.5  # of the steadiest: a frame that does as well, when other sides of it are seen
_TOUCHING = GATE + CELL  # m: what is nearer is taken for the link's own surface
_BY_CHANCE = 0.02  # share in which flying pixels fill a cell
_BESIDE = 1.8  # cells: up to where two of them touch, be it at a corner
_HALF = 1 << 20
_AROUND = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)])


@dataclass(frozen=True, eq=False)
class FilledCells:
    """Of one look of a camera. keys: by body, sorted, of the cells in its frame."""

    camera: str
    keys: tuple[NDArray[np.int64], ...]


def filled_cells(comparison: Comparison) -> FilledCells:
    """Where the points are that no link explains."""
    points = comparison.unexplained.astype(float)
    there = transform(inverse(comparison.look.poses)[:, None], points)
    keys = _keys(np.floor(there / CELL).astype(np.int64))
    return FilledCells(comparison.look.camera, tuple(np.unique(own) for own in keys))


@dataclass(frozen=True, eq=False)
class Stray:
    """A thing in the frame of a body; 0 for what stands still beside the robot.

    cells: (V, 3) middles of the cells that it fills, in the base frame with the body at the
    reference (m). log_odds: against cells that are filled by chance.
    """

    body: int
    cells: NDArray[np.float64]
    log_odds: float


def baseline_cells(looks: Sequence[FilledCells]) -> tuple[NDArray[np.int64], ...]:
    """By body, sorted keys of the cells filled while all is well, and of those beside them."""
    found = []
    for body in range(len(looks[0].keys)):
        keys, shares = _shares(looks, body)
        cells = _cells(keys[shares >= USUAL])
        found.append(np.unique(_keys((cells[:, None] + _AROUND).reshape(-1, 3))))
    return tuple(found)


def stray_thing(
    looks: Sequence[FilledCells],
    baseline: Sequence[NDArray[np.int64]],
    model: WatchedModel,
) -> Stray | None:
    """The thing that the looks show and that is not usual, in the frame where it stays.

    Where several frames do as well, since their joints hardly moved or the thing is round: that of
    the fixed body if it is one, else of the last one that it touches, if any. What stays with two
    fingers stays with the hand.
    """
    found = [_in_frame(looks, body, known) for body, known in enumerate(baseline)]
    filled = np.array([shares.sum() for _, shares in found])
    if filled.max() < LEAST_FILLED:
        return None
    # Where it does not stay it fills more cells, and each of them less often.
    steady = np.array([(shares**2).sum() for _, shares in found])
    alike = np.flatnonzero(steady >= _ALIKE * steady.max()).tolist()
    touched = [body for body in alike if _gap(model, body, found[body][0]) < _TOUCHING]
    body = 0 if 0 in alike else _carrier(model.articulation.ancestors, touched or alike)
    keys, shares = found[body]
    odds = float((len(looks) * shares * np.log(shares / _BY_CHANCE)).sum())
    return Stray(body, _middles(keys), odds)


def _carrier(ancestors: NDArray[np.bool_], bodies: Sequence[int]) -> int:
    """The last of the bodies; where there are several last ones, that which carries them all."""
    depth = ancestors.sum(axis=1)
    last = [body for body in bodies if depth[body] == depth[bodies].max()]
    common = np.flatnonzero(ancestors[last].all(axis=0)) + 1
    return int(common[depth[common].argmax()]) if len(common) else 0


def _gap(model: WatchedModel, body: int, keys: NDArray[np.int64]) -> float:
    """From a body's surface to the nearest of the cells that are filled in its frame (m)."""
    points, triangles = model.samples
    own = points[model.triangle_body[triangles] == body]
    return float(cKDTree(own).query(_middles(keys))[0].min()) if len(own) else np.inf


def _middles(keys: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.asarray((_cells(keys) + 0.5) * CELL, float)


def _in_frame(
    looks: Sequence[FilledCells], body: int, baseline: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Keys of the cells that are steadily filled and new, and the shares of looks.

    Of those only that touch each other, the most filled together: a thing is in one piece, and what
    is filled by chance lies here and there.
    """
    keys, shares = _shares(looks, body)
    new = (shares >= STEADY) & ~np.isin(keys, baseline)
    keys, shares = keys[new], shares[new]
    if not len(keys):
        return keys, shares
    pairs = cKDTree(_cells(keys)).query_pairs(_BESIDE, output_type="ndarray")
    touching = coo_array((np.ones(len(pairs)), pairs.T), shape=(len(keys), len(keys)))
    piece = connected_components(touching, directed=False)[1]
    most = piece == np.bincount(piece, shares).argmax()
    return keys[most], shares[most]


def _shares(
    looks: Sequence[FilledCells], body: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Keys of filled cells in a body's frame, and the share of looks; of the camera with most."""
    keys, shares = [], []
    for camera in {look.camera for look in looks}:
        own = [look.keys[body] for look in looks if look.camera == camera]
        filled, counts = np.unique(np.concatenate(own), return_counts=True)
        keys.append(filled)
        shares.append(np.where(counts >= LEAST_HITS, counts / len(own), 0.0))
    every, place = np.unique(np.concatenate(keys), return_inverse=True)
    most = np.zeros(len(every))
    np.maximum.at(most, place, np.concatenate(shares))
    return every, most


def _keys(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    moved = cells + _HALF
    return np.asarray((moved[..., 0] << 42) | (moved[..., 1] << 21) | moved[..., 2])


def _cells(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    mask = (1 << 21) - 1
    return np.stack([keys >> 42, (keys >> 21) & mask, keys & mask], axis=1) - _HALF

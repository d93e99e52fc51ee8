"""Points that no link explains: an object attached to a link, or a foreign object near the robot.

An object fixed to a body fills the same cells of space in that body's frame in all observations,
and smears over many cells in the other bodies' frames while the robot moves.
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
from autourdf_ros.monitoring.observing.observation_comparison import Comparison
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

STEADY = 0.12  # least share of a camera's observations in which a cell of an object is filled
BASELINE_SHARE = 0.08  # share from which a cell belongs to the baseline
LEAST_HITS = 4  # observations: chance fills many neighbouring cells in three
LEAST_OF_CAMERA = 8  # observations of a camera before an object is reported
_ALIKE = 0.5  # of the steadiest frame: fits equally well, as other sides of the object are seen
_BY_CHANCE = 0.02  # share in which flying pixels fill a cell
_BESIDE = 1.8  # cells: distance up to which two cells touch, at least at a corner
_HALF = 1 << 20
_AROUND = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)])


@dataclass(frozen=True, eq=False)
class FilledCells:
    """Filled cells of one observation.

    Attributes:
        camera: Name.
        stamp: Of the observation (s).
        keys: For each body, sorted keys of the filled cells in its frame.
    """

    camera: str
    stamp: float
    keys: tuple[NDArray[np.int64], ...]


def filled_cells(comparison: Comparison, side: float) -> FilledCells:
    """Return the cells, of a side in metres, of the points that no link explains."""
    points, observation = comparison.unexplained.astype(float), comparison.observation
    there = transform(inverse(observation.poses)[:, None], points)
    keys = _keys(np.floor(there / side).astype(np.int64))
    own = tuple(np.unique(cells) for cells in keys)
    return FilledCells(observation.camera, observation.stamp, own)


@dataclass(frozen=True, eq=False)
class ForeignObject:
    """An object in the frame of a body; body 0 for an object that stands still near the robot.

    Attributes:
        body: Number of the body.
        cells: (V, 3) centres of the cells that it fills, in the base frame with the body at the
            reference (m).
        side: Of the cells (m).
        log_odds: Against cells that are filled by chance.
        others: Numbers of the other bodies that it touches and moves with about as well.
    """

    body: int
    cells: NDArray[np.float64]
    side: float
    log_odds: float
    others: tuple[int, ...] = ()


def baseline_cells(windows: Sequence[Sequence[FilledCells]]) -> tuple[NDArray[np.int64], ...]:
    """Return, by body, the sorted keys of the cells that are filled without a change.

    These are the cells that many of all observations fill, with their neighbours, and those that
    would belong to an object in any of the windows: what shows from some sides only, and then
    steadily, is known as well.
    """
    found = []
    every = [one for window in windows for one in window]
    for body in range(len(every[0].keys)):
        keys, shares = _shares(every, body)
        cells = _cells(keys[shares >= BASELINE_SHARE])
        known = [_keys((cells[:, None] + _AROUND).reshape(-1, 3))]
        for window in windows:
            keys, shares = _shares(window, body)
            known.append(keys[shares >= STEADY])
        found.append(np.unique(np.concatenate(known)))
    return tuple(found)


def steadily_filled(
    observations: Sequence[FilledCells], baseline: Sequence[NDArray[np.int64]]
) -> NDArray[np.float64]:
    """Return, by body, the cells of the largest new object times the shares that fill them.

    Args:
        observations: Filled cells of a window.
        baseline: Of `baseline_cells`.
    """
    found = [_in_frame(observations, body, known)[1].sum() for body, known in enumerate(baseline)]
    return np.array(found, float)


def find_foreign_object(
    observations: Sequence[FilledCells],
    baseline: Sequence[NDArray[np.int64]],
    model: WatchedModel,
    least: NDArray[np.float64],
) -> ForeignObject | None:
    """Return the new object in the observations, in the frame where it stays.

    Several frames fit equally well where their joints hardly moved or the object is round. Then the
    fixed body is preferred, else the last body that the object touches, if any. An object that
    stays with two fingers belongs to the hand.

    Args:
        observations: Filled cells of the window.
        baseline: Of `baseline_cells`.
        model: The watched model.
        least: (B,) what `steadily_filled` must exceed for a body's frame.
    """
    found = [_in_frame(observations, body, known) for body, known in enumerate(baseline)]
    filled = np.array([shares.sum() for _, shares in found])
    if not (filled > least).any():
        return None
    # In a frame where it does not stay it fills more cells, each less often.
    steady = np.array([(shares**2).sum() for _, shares in found])
    alike = np.flatnonzero(steady >= _ALIKE * steady.max()).tolist()
    side = model.lengths.object_cell
    distances = {body: _distances(model, body, found[body][0]) for body in alike}
    # Closer points are matched with the link's own surface; what is nearer to another by more than
    # a cell touches that.
    touching = min(model.lengths.gate, *(own.min() for own in distances.values())) + side
    held = [body for body in alike if distances[body].min() < touching] or alike
    # And what lies beside one lies farther off another that it reaches to.
    middles = {body: float(np.median(distances[body])) for body in held}
    beside = [body for body in held if middles[body] <= min(middles.values()) + side]
    body = 0 if 0 in alike else _last_common_body(model.articulation.ancestors, beside)
    others = tuple(other for other in held if body and other != body)
    keys, shares = found[body]
    odds = float((len(observations) * shares * np.log(shares / _BY_CHANCE)).sum())
    return ForeignObject(body, _middles(keys, side), side, odds, others)


def _last_common_body(ancestors: NDArray[np.bool_], bodies: Sequence[int]) -> int:
    """Return the last of the bodies; of several last ones, their last common ancestor."""
    depth = ancestors.sum(axis=1)
    last = [body for body in bodies if depth[body] == depth[bodies].max()]
    common = np.flatnonzero(ancestors[last].all(axis=0)) + 1
    return int(common[depth[common].argmax()]) if len(common) else 0


def _distances(model: WatchedModel, body: int, keys: NDArray[np.int64]) -> NDArray[np.float64]:
    """(V,) distances from a body's surface to the cells filled in its frame (m)."""
    points, triangles = model.samples
    own = points[model.triangle_body[triangles] == body]
    if not len(own) or not len(keys):
        return np.full(max(len(keys), 1), np.inf)
    found: NDArray[np.float64] = cKDTree(own).query(_middles(keys, model.lengths.object_cell))[0]
    return found


def _middles(keys: NDArray[np.int64], side: float) -> NDArray[np.float64]:
    return np.asarray((_cells(keys) + 0.5) * side, float)


def _in_frame(
    observations: Sequence[FilledCells], body: int, baseline: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the keys of the steadily filled new cells, and their shares of the observations.

    Of the connected groups of cells only the most filled one counts: an object is in one piece, and
    cells filled by chance are scattered.
    """
    keys, shares = _shares(observations, body)
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
    observations: Sequence[FilledCells], body: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return filled cells in a body's frame and their shares, of the camera with the largest."""
    keys, shares = [], []
    for camera in sorted({observation.camera for observation in observations}):
        own = [one.keys[body] for one in observations if one.camera == camera]
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

"""A frame's points made ready for registration: normals, their reliability, a search tree."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.kinematics.visibility import RangeImage, hidden, range_image

Array = NDArray[np.float64]

NORMAL_NEIGHBOURS = 12
ROUGH_NEIGHBOURS = 32
HIDDEN_DEPTH = 2.0  # point spacings behind a surface at which nothing is seen
ROUGH = 0.25  # noise over spacing beyond which points are smoothed
NOISE_SAMPLES = 400
QUADRIC_TERMS = 6
QUADRIC_NEIGHBOURS = 14
SMOOTH_SHARE = 0.3  # of the neighbourhoods hold no edge, even on small robots


@dataclass(frozen=True)
class Cloud:
    """Points of one frame with what registration needs to know about them.

    points: (N, 3) metres. normals: (N, 3) unit, sign arbitrary where `views` are empty, else
    outward. flatness: (N,) in [0, 1], how far the neighbourhood is a plane. tree: over the points.
    spacing: median distance (m) from a point to its nearest neighbour. views: what every camera saw
    of it, where that is known.
    """

    points: NDArray[np.float64]
    normals: NDArray[np.float64]
    flatness: NDArray[np.float64]
    tree: cKDTree
    spacing: float
    views: tuple[RangeImage, ...] = ()

    def hides(self, points: Array, normals: Array) -> NDArray[np.bool_]:
        """Whether no camera could see a surface at points (N, 3) with outer normals (N, 3)."""
        if not self.views:
            return np.zeros(len(points), dtype=bool)
        return hidden(self.views, points, normals, HIDDEN_DEPTH * self.spacing)


def fit_planes(points: Array, neighbours: NDArray[np.int64]) -> tuple[Array, Array, Array]:
    """Least-squares planes of neighbourhoods (N, k): centres, normals, variances (N, 3).

    The normal is the direction of least variance (Hoppe et al., SIGGRAPH 1992); variances are
    those of the neighbourhood (m^2), ascending.
    """
    local = points[neighbours]
    centres = local.mean(axis=1)
    local = local - centres[:, None]
    covariance = np.einsum("nki,nkj->nij", local, local) / neighbours.shape[1]
    values, vectors = np.linalg.eigh(covariance)
    return centres, vectors[:, :, 0], np.maximum(values, 0.0)


def estimate_normals(points: Array, neighbours: NDArray[np.int64]) -> tuple[Array, Array]:
    """Unit normals (N, 3) and flatness (N,) from neighbour indices (N, k)."""
    _, normals, variances = fit_planes(points, neighbours)
    return normals, flatness_of(variances)


def flatness_of(variances: Array) -> Array:
    """1 - 3 * surface variation (Pauly et al., VIS 2002): 1 on a plane, 0 in a ball."""
    total = np.maximum(variances.sum(axis=1), np.finfo(float).tiny)
    return np.clip(1 - 3 * variances[:, 0] / total, 0.0, 1.0)


def measure_noise(points: Array, tree: cKDTree) -> float:
    """Standard deviation (m) of points (N, 3) about a smooth surface, of quadrics through some.

    A plane would take curvature for noise.
    """
    chosen = np.linspace(0, len(points) - 1, min(NOISE_SAMPLES, len(points))).astype(int)
    count = min(QUADRIC_NEIGHBOURS, len(points))
    if count <= QUADRIC_TERMS:
        return 0.0
    _, neighbours = tree.query(points[chosen], k=count, workers=-1)
    local = points[neighbours] - points[neighbours].mean(axis=1, keepdims=True)
    axes = np.linalg.eigh(np.einsum("nki,nkj->nij", local, local))[1]
    z, x, y = np.moveaxis(local @ axes, -1, 0)
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)
    scale = np.abs(terms).max(axis=1, keepdims=True) + 1e-300
    terms = terms / scale
    normal = np.einsum("nki,nkj->nij", terms, terms) + 1e-9 * np.eye(QUADRIC_TERMS)
    fitted = np.linalg.solve(normal, np.einsum("nki,nk->ni", terms, z)[..., None])
    rest = z - (terms @ fitted)[..., 0]
    deviations = np.sqrt((rest**2).sum(axis=1) / (count - QUADRIC_TERMS))
    return float(np.quantile(deviations, SMOOTH_SHARE))


def prepare_cloud(measured: NDArray[np.floating]) -> Cloud:
    """Cloud of measured points (N, 3), N at least 4."""
    points: Array = np.ascontiguousarray(measured, dtype=np.float64)
    tree = cKDTree(points)
    distances, neighbours = tree.query(points, k=min(NORMAL_NEIGHBOURS, len(points)), workers=-1)
    _, normals, variances = fit_planes(points, neighbours)
    spacing = float(np.median(distances[:, 1]))
    return Cloud(points, normals, flatness_of(variances), tree, spacing)


def prepare_rough_cloud(
    measured: NDArray[np.floating],
    chosen: NDArray[np.int64],
    cameras: NDArray[np.uint8],
    eyes: Array | None,
) -> Cloud:
    """Cloud of some (K,) of the measured points (N, 3), K at least 4, as depth cameras give them.

    cameras: (N,) that saw every point; eyes: (C, 3) where they are, if that is known.

    Where their noise is large for their spacing, the chosen points are moved onto planes fitted to
    many of their neighbours. All measured points are neighbours: planes of points thinned before
    would be as large as small links.
    """
    points: Array = np.ascontiguousarray(measured, dtype=np.float64)
    tree = cKDTree(points)
    spacing = _spacing(points, tree)
    rough = measure_noise(points, tree) > ROUGH * spacing
    count = min(ROUGH_NEIGHBOURS if rough else NORMAL_NEIGHBOURS, len(points))
    kept = points[chosen]
    centres, normals, variances = fit_planes(points, tree.query(kept, k=count, workers=-1)[1])
    flatness = flatness_of(variances)
    if rough:
        height = np.einsum("ni,ni->n", centres - kept, normals) * flatness
        kept = kept + height[:, None] * normals
    own = cKDTree(kept)
    cloud = Cloud(kept, normals, flatness, own, _spacing(kept, own))
    if eyes is None:
        return cloud
    outward = np.einsum("ni,ni->n", eyes[cameras[chosen]] - kept, normals)
    normals = normals * np.where(outward < 0, -1.0, 1.0)[:, None]
    images = [range_image(eye, points[cameras == number]) for number, eye in enumerate(eyes)]
    views = tuple(image for image in images if image is not None)
    return replace(cloud, normals=normals, views=views)


def _spacing(points: Array, tree: cKDTree) -> float:
    """Median distance (m) of points (N, 3) to their nearest neighbour."""
    return float(np.median(tree.query(points, k=2, workers=-1)[0][:, 1]))

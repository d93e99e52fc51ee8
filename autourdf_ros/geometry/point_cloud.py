"""Prepare a frame's points for registration: normals, their reliability, a search grid."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.nearest import Grid, build_grid
from autourdf_ros.geometry.range_image import RangeImage, hidden, range_image

NEIGHBOURS = 12  # of the plane through a point; more blur small links, fewer leave more noise
HIDDEN_DEPTH = 2.0  # point spacings behind a surface at which nothing is seen


@dataclass(frozen=True)
class Cloud:
    """Points of one frame with what registration needs to know about them.

    Attributes:
        points: (N, 3) metres.
        normals: (N, 3) unit, sign arbitrary where `views` are empty, else outward.
        flatness: (N,) in [0, 1], how far the neighbourhood is a plane.
        grid: of the points.
        spacing: median distance (m) from a point to its nearest neighbour.
        views: what every camera saw of it, where that is known.
    """

    points: NDArray[np.float64]
    normals: NDArray[np.float64]
    flatness: NDArray[np.float64]
    grid: Grid
    spacing: float
    views: tuple[RangeImage, ...] = ()

    def hides(self, points: Array, normals: Array) -> NDArray[np.bool_]:
        """Return whether no camera could see points (N, 3) with outer normals (N, 3)."""
        if not self.views:
            return np.zeros(len(points), dtype=bool)
        return hidden(self.views, points, normals, HIDDEN_DEPTH * self.spacing)


def fit_planes(points: Array, neighbours: NDArray[np.int64]) -> tuple[Array, Array, Array]:
    """Fit least-squares planes to neighbourhoods.

    The normal is the direction of least variance (Hoppe et al., SIGGRAPH 1992).

    Args:
        points: (M, 3).
        neighbours: (N, k) numbers of the points of every neighbourhood.

    Returns:
        Centres (N, 3), normals (N, 3), and variances (N, 3) of the neighbourhoods (m^2), ascending.
    """
    local = points[neighbours]
    centres = local.mean(axis=1)
    local = local - centres[:, None]
    covariance = np.einsum("nki,nkj->nij", local, local) / neighbours.shape[1]
    values, vectors = np.linalg.eigh(covariance)
    return centres, vectors[:, :, 0], np.maximum(values, 0.0)


def estimate_normals(points: Array, neighbours: NDArray[np.int64]) -> tuple[Array, Array]:
    """Return unit normals (N, 3) and flatness (N,) from neighbour indices (N, k)."""
    _, normals, variances = fit_planes(points, neighbours)
    return normals, flatness_of(variances)


def flatness_of(variances: Array) -> Array:
    """Return 1 - 3 * surface variation (Pauly et al., VIS 2002): 1 on a plane, 0 in a ball."""
    total = np.maximum(variances.sum(axis=1), np.finfo(float).tiny)
    return np.clip(1 - 3 * variances[:, 0] / total, 0.0, 1.0)


def prepare_cloud(measured: NDArray[np.floating]) -> Cloud:
    """Return the cloud of measured points (N, 3), N at least 4."""
    points: Array = np.ascontiguousarray(measured, dtype=np.float64)
    tree = cKDTree(points)
    distances, neighbours = tree.query(points, k=min(NEIGHBOURS, len(points)), workers=-1)
    _, normals, variances = fit_planes(points, neighbours)
    spacing = float(np.median(distances[:, 1]))
    return Cloud(points, normals, flatness_of(variances), build_grid(points, spacing), spacing)


def prepare_seen_cloud(
    measured: NDArray[np.floating], chosen: NDArray[np.int64], eye: Array | None
) -> Cloud:
    """Return the cloud of some points that one camera saw.

    Points stay where they were measured: moved onto the planes of their neighbours, what is round
    shrinks, and pulls cameras apart by 0.7 mm.

    Args:
        measured: (N, 3) points.
        chosen: (K,) numbers of those to keep.
        eye: (3,) the camera, to which normals point, where it is known.
    """
    points: Array = np.ascontiguousarray(measured, dtype=np.float64)
    kept = points[chosen]
    neighbours = cKDTree(points).query(kept, k=min(NEIGHBOURS, len(points)), workers=-1)[1]
    _, normals, variances = fit_planes(points, neighbours)
    if eye is not None:
        outward = np.einsum("ni,ni->n", eye - kept, normals)
        normals = normals * np.where(outward < 0, -1.0, 1.0)[:, None]
    spacing = float(np.median(cKDTree(kept).query(kept, k=2, workers=-1)[0][:, 1]))
    return Cloud(kept, normals, flatness_of(variances), build_grid(kept, spacing), spacing)


def prepare_measured_cloud(
    measured: NDArray[np.floating],
    chosen: NDArray[np.int64],
    cameras: NDArray[np.uint8],
    eyes: Array | None,
) -> Cloud:
    """Return the cloud of some of the points that depth cameras measured.

    The chosen points are moved onto planes fitted to their neighbours among all measured points:
    planes of points thinned before would be as large as small links. All clouds are smoothed alike,
    whatever their noise, since smoothing shrinks what is round: a frame that is smoothed does not
    fit one that is not.

    Args:
        measured: (N, 3) points.
        chosen: (K,) numbers of those to keep, K at least 4.
        cameras: (N,) that saw every point.
        eyes: (C, 3) where the cameras are, if that is known.
    """
    points: Array = np.ascontiguousarray(measured, dtype=np.float64)
    tree = cKDTree(points)
    kept = points[chosen]
    neighbours = tree.query(kept, k=min(NEIGHBOURS, len(points)), workers=-1)[1]
    centres, normals, variances = fit_planes(points, neighbours)
    flatness = flatness_of(variances)
    height = np.einsum("ni,ni->n", centres - kept, normals) * flatness
    kept = kept + height[:, None] * normals
    spacing = float(np.median(cKDTree(kept).query(kept, k=2, workers=-1)[0][:, 1]))
    cloud = Cloud(kept, normals, flatness, build_grid(kept, spacing), spacing)
    if eyes is None:
        return cloud
    outward = np.einsum("ni,ni->n", eyes[cameras[chosen]] - kept, normals)
    normals = normals * np.where(outward < 0, -1.0, 1.0)[:, None]
    images = [range_image(eye, points[cameras == number]) for number, eye in enumerate(eyes)]
    views = tuple(image for image in images if image is not None)
    return replace(cloud, normals=normals, views=views)


def size_of(points: NDArray[np.floating]) -> float:
    """Return the diagonal of the bounding box of points (N, 3)."""
    return float(np.linalg.norm(np.ptp(points, axis=0)))

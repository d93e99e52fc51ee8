"""From the fused points of a link to one closed, light triangle mesh."""

from __future__ import annotations

import manifold3d
import numpy as np
import open3d as o3d
import trimesh
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.quiet_library import quiet_library
from autourdf_ros.shape.visual.hole_filling import drawn_tight

SPECK_RADIUS = 0.005
"""Radius (m) of what stands for a place of which too little was seen to know its size."""

_MIN_POINTS = 4
_POISSON_MIN_POINTS = 60
_POISSON_MAX_POINTS = 12_000
_FINEST = 85.0  # cells along a link
_SCALES = (1.5, 3.0, 6.0)  # of the Poisson cube; an open-ended link balloons far
_POINT_WEIGHT = 1.0  # of Open3D's 2: half the bumps where the noise nears the point spacing
_STRAY_FRACTION = 0.05  # of the largest cluster's points
_STRAY_GAP = 6.0  # in point spacings
_THIN_RADIUS = 4.0  # point spacings in which neighbours are counted
_THIN_FRACTION = 0.4  # of the median number of neighbours
_FILLING_REACH = 2.5  # in point spacings
_MAX_RESIDUAL = 1.5  # median distance of the points from their mesh, in point spacings


def closed_mesh(surface: Surface, triangles: int = 4000) -> trimesh.Trimesh | None:
    """Close the mesh of a link in the frame of its points, normals outward; None without any.

    Screened Poisson reconstruction (Kazhdan and Hoppe 2013) intersected with the points' slightly
    enlarged convex hull; what no camera saw is drawn tight (`drawn_tight`) instead of ballooning.
    Where the points are too few, flat, or have contradicting normals: that hull itself; around
    fewer than four points it is enlarged by `SPECK_RADIUS`. The same points give the same mesh, bit
    for bit.
    """
    finite = np.isfinite(surface.points).all(1) & np.isfinite(surface.normals).all(1)
    points = np.asarray(surface.points, float)[finite]
    normals = np.asarray(surface.normals, float)[finite]
    if not len(points):
        return None
    if len(np.unique(points, axis=0)) < _MIN_POINTS:
        return _to_trimesh(_enlarged_hull(points, SPECK_RADIUS))
    spacing = point_spacing(points)
    for kept_of in (_without_strays, _without_thin, _without_strays):
        kept = kept_of(points, spacing)
        points, normals = points[kept], normals[kept]
    hull = _enlarged_hull(points, spacing / 2)
    solid = _poisson(points, normals, spacing, hull) if len(points) >= _POISSON_MIN_POINTS else None
    return _to_trimesh(_decimated(hull if solid is None else solid, triangles))


def point_spacing(points: NDArray[np.float64]) -> float:
    """Return the median distance (m) of (N, 3) points to their nearest distinct neighbour."""
    distinct = np.unique(points, axis=0)
    return float(np.median(cKDTree(distinct).query(distinct, k=2)[0][:, 1]))


def _without_strays(points: NDArray[np.float64], spacing: float) -> NDArray[np.bool_]:
    """Mask of the points in clusters that hold a fair share of the largest cluster's points."""
    neighbours = min(9, len(points))
    distances, indices = cKDTree(points).query(points, k=neighbours)
    near = distances < _STRAY_GAP * spacing
    rows = np.repeat(np.arange(len(points)), near.sum(1))
    graph = coo_matrix((np.ones(len(rows)), (rows, indices[near])), shape=(len(points),) * 2)
    labels = connected_components(graph, directed=False)[1]
    sizes = np.bincount(labels)
    kept: NDArray[np.bool_] = (sizes >= _STRAY_FRACTION * sizes.max())[labels]
    return _enough(points, kept)


def _without_thin(points: NDArray[np.float64], spacing: float) -> NDArray[np.bool_]:
    """Mask of the points that have a fair share of the typical number of neighbours.

    Points that were given to a wrong link in some frames lie about in a thin veil.
    """
    tree = cKDTree(points)
    neighbours = tree.query_ball_point(points, _THIN_RADIUS * spacing, return_length=True)
    return _enough(points, neighbours >= _THIN_FRACTION * np.median(neighbours))


def _enough(points: NDArray[np.float64], kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The mask, or where too few points would be left one of all."""
    return kept if len(np.unique(points[kept], axis=0)) >= _MIN_POINTS else np.ones_like(kept)


def _enlarged_hull(points: NDArray[np.float64], margin: float) -> manifold3d.Manifold:
    """Convex hull of the points, each enlarged to an octahedron: never flat."""
    octahedron = margin * np.vstack([np.eye(3), -np.eye(3)])
    return manifold3d.Manifold.hull_points((points[:, None] + octahedron).reshape(-1, 3))


def _poisson(
    points: NDArray[np.float64],
    normals: NDArray[np.float64],
    spacing: float,
    hull: manifold3d.Manifold,
) -> manifold3d.Manifold | None:
    """Closed Poisson surface inside the hull, or None where it misses the points."""
    cloud = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(points))
    cloud.normals = o3d.utility.Vector3dVector(normals)
    # Each doubling of the voxel quarters the points.
    excess = len(points) / _POISSON_MAX_POINTS
    if excess > 1:
        cloud = cloud.voxel_down_sample(2 * spacing * np.sqrt(excess))
    solid = next(filter(None, (_closed_poisson(cloud, scale) for scale in _SCALES)), None)
    if solid is None:
        return None
    solid = _explaining_parts(solid ^ hull, points)
    if solid.is_empty() or _residual(points, solid) > _MAX_RESIDUAL * spacing:
        return None
    filled = drawn_tight(_to_trimesh(solid), points, _FILLING_REACH * spacing)
    tight = _to_manifold(filled.vertices, filled.faces)
    return tight if tight is not None and tight.volume() > 0 else None


def _closed_poisson(cloud: o3d.geometry.PointCloud, scale: float) -> manifold3d.Manifold | None:
    """Poisson surface in a cube of `scale` times the size, or None where the cube cuts it open."""
    # Cells as wide as the points are apart, but no finer than noise lets one see.
    cells = min(float(np.sqrt(len(cloud.points))), _FINEST)
    depth = int(np.ceil(np.log2(scale * cells)))
    with quiet_library():  # prints of cells whose crossing it guesses
        mesh, _ = o3d.geometry.TriangleMesh.create_from_point_cloud_poisson(
            cloud, depth=depth, scale=scale, point_weight=_POINT_WEIGHT, n_threads=1
        )
    return _to_manifold(np.asarray(mesh.vertices), np.asarray(mesh.triangles))


def _explaining_parts(
    solid: manifold3d.Manifold, points: NDArray[np.float64]
) -> manifold3d.Manifold:
    """The disjoint parts of the solid to which a fair share of the points is nearest."""
    parts = [part for part in solid.decompose() if part.volume() > 0]
    if not parts:
        return manifold3d.Manifold()
    corners = [_to_trimesh(part).vertices for part in parts]
    owners = np.repeat(np.arange(len(parts)), [len(corner) for corner in corners])
    nearest = owners[cKDTree(np.vstack(corners)).query(points)[1]]
    counts = np.bincount(nearest, minlength=len(parts))
    large = counts >= _STRAY_FRACTION * counts.max()
    return manifold3d.Manifold.compose([p for p, keep in zip(parts, large, strict=True) if keep])


def _residual(points: NDArray[np.float64], solid: manifold3d.Manifold) -> float:
    """Median distance of the points from the surface (m)."""
    mesh = solid.to_mesh64()
    tensor = o3d.core.Tensor.from_numpy
    scene = o3d.t.geometry.RaycastingScene(nthreads=1)
    scene.add_triangles(
        tensor(np.array(mesh.vert_properties[:, :3], np.float32)),
        tensor(np.array(mesh.tri_verts, np.uint32)),
    )
    return float(np.median(scene.compute_distance(tensor(np.array(points, np.float32))).numpy()))


def _decimated(solid: manifold3d.Manifold, triangles: int) -> manifold3d.Manifold:
    """At most about `triangles` triangles, still closed."""
    if solid.num_tri() <= triangles:
        return solid
    dense = _to_trimesh(solid)
    mesh = o3d.geometry.TriangleMesh(
        o3d.utility.Vector3dVector(np.array(dense.vertices)),
        o3d.utility.Vector3iVector(np.array(dense.faces)),
    ).simplify_quadric_decimation(triangles)
    light = _to_manifold(np.asarray(mesh.vertices), np.asarray(mesh.triangles))
    if light is not None and light.num_tri() > 0:
        return light
    tolerance = 1e-4 * float(np.ptp(dense.vertices, axis=0).max())
    while solid.num_tri() > triangles:
        solid, tolerance = solid.simplify(tolerance), 2 * tolerance
    return solid


def _to_manifold(
    vertices: NDArray[np.float64], triangles: NDArray[np.integer]
) -> manifold3d.Manifold | None:
    solid = manifold3d.Manifold(
        manifold3d.Mesh64(np.array(vertices, np.float64), np.array(triangles, np.uint64))
    )
    return solid if solid.status() == manifold3d.Error.NoError else None


def _to_trimesh(solid: manifold3d.Manifold) -> trimesh.Trimesh:
    mesh = solid.to_mesh64()
    return trimesh.Trimesh(
        np.array(mesh.vert_properties[:, :3]), mesh.tri_verts.astype(np.int64), process=False
    )

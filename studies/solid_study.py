"""Compare ways from a mesh or a cloud of a tool to the volume that its mass is spread over.

From the mesh: our split into cubes, and the tetrahedra of fTetWild (`pip install pytetwild`; left
out where it is not installed). From the cloud alone: our cubes within the winding number, Open3D's
TetraMesh (Delaunay's tetrahedra, those kept whose middle our winding number puts inside; all of
them are the convex hull), and surfaces by Poisson and by ball pivoting (Open3D), of which volume
and moments are integrated as if they were closed.

    .venv/bin/python studies/solid_study.py ../shared/bench_payload

Prints medians over the tools whose mesh is closed: volume per true volume, distance of the
centroids in % of the diagonal, error of the inertia at one mass in % (Frobenius), Hausdorff
distance in mm of a box of diagonal 1 m, the share of tools for which it gives a closed body, and
seconds. The truth is the integral over the given mesh.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import open3d as o3d
import trimesh
from numpy.typing import NDArray

from autourdf_ros.assessment.metrics.segments.hausdorff import hausdorff_distance
from autourdf_ros.benchmark.payload.tool_folder import ToolCloud, read_tool_cloud
from autourdf_ros.geometry.normal_orientation import outward
from autourdf_ros.geometry.point_cloud import estimate_normals
from autourdf_ros.shape.solid.cloud_solid import cloud_boundary, cloud_solid
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.shape.solid.mesh_solid import mesh_solid
from autourdf_ros.shape.solid.winding_field import fit_winding_field

Array = NDArray[np.float64]

_SAMPLES = 20_000
_NEIGHBOURS = 12
_POISSON_DEPTH = 8  # Open3D's default
_RADII = (1.5, 3.0, 6.0)  # of the balls, in point spacings


@dataclass(frozen=True)
class Body:
    """Volume (m³), centroid (3,), second moments (3, 3) about it at volume 1, and its surface."""

    volume: float
    centre: Array
    moments: Array
    surface: Array
    closed: bool


def of_tetrahedra(corners: Array, tetrahedra: NDArray[np.int64], surface: Array) -> Body:
    """Return the body of tetrahedra; second moments of one: V/20 (Σ p pᵀ + 16 c cᵀ)."""
    points = corners[tetrahedra]
    volumes = np.abs(np.linalg.det(points[:, 1:] - points[:, :1])) / 6
    middles = points.mean(1)
    whole = volumes.sum()
    centre = volumes @ middles / whole
    own, apart = points - centre, middles - centre
    second = np.einsum("nki,nkj->nij", own, own) + 16 * apart[:, :, None] * apart[:, None, :]
    moments = np.einsum("n,nij->ij", volumes / 20, second) / whole
    return Body(float(whole), centre, moments, surface, True)


def of_elements(body: Any, surface: Array) -> Body:
    """Return the body of volume elements."""
    centre = body.volumes @ body.centres / body.volume
    apart = body.centres - centre
    moments = (apart.T * body.volumes) @ apart + body.second_moments.sum(0)
    return Body(body.volume, centre, moments / body.volume, surface, True)


def of_surface(mesh: trimesh.Trimesh) -> Body:
    """Return the body inside a mesh, integrated over its triangles."""
    if mesh.volume < 0:  # its normals point inwards
        mesh.invert()
    inertia = np.asarray(mesh.moment_inertia) / mesh.volume
    moments = np.trace(inertia) / 2 * np.eye(3) - inertia
    samples = trimesh.sample.sample_surface(mesh, _SAMPLES, seed=0)[0]
    return Body(float(mesh.volume), np.asarray(mesh.center_mass), moments, samples,
                bool(mesh.is_volume))  # fmt: skip


def our_mesh_cubes(mesh: trimesh.Trimesh, _: ToolCloud) -> Body:
    """Cubes inside the mesh."""
    return of_elements(mesh_solid(mesh), np.zeros((0, 3)))


def tetwild(mesh: trimesh.Trimesh, _: ToolCloud) -> Body:
    """Tetrahedra by fTetWild."""
    import pytetwild

    corners, tetrahedra = pytetwild.tetrahedralize(mesh.vertices, mesh.faces)[:2]
    return of_tetrahedra(np.asarray(corners), np.asarray(tetrahedra), np.zeros((0, 3)))


def our_cloud_cubes(_: trimesh.Trimesh, cloud: ToolCloud) -> Body:
    """Cubes inside the winding number."""
    surface = ColouredSurface(cloud.points, cloud.colours)
    return of_elements(cloud_solid(surface), cloud_boundary(surface))


def open3d_tetrahedra(_: trimesh.Trimesh, cloud: ToolCloud) -> Body:
    """Delaunay's tetrahedra of the cloud inside the winding number."""
    found, _numbers = o3d.geometry.TetraMesh.create_from_point_cloud(_open3d(cloud.points))
    corners, tetrahedra = np.asarray(found.vertices), np.asarray(found.tetras)
    field = fit_winding_field(cloud.points)
    inside = field.inside(corners[tetrahedra].mean(1)) > 0
    return of_tetrahedra(corners, tetrahedra[inside], _tetrahedra_surface(corners,
                         tetrahedra[inside]))  # fmt: skip


def poisson(_: trimesh.Trimesh, cloud: ToolCloud) -> Body:
    """Screened Poisson reconstruction."""
    found, _densities = o3d.geometry.TriangleMesh.create_from_point_cloud_poisson(
        _open3d(cloud.points, normals=True), depth=_POISSON_DEPTH
    )
    return of_surface(_trimesh(found))


def ball_pivoting(_: trimesh.Trimesh, cloud: ToolCloud) -> Body:
    """Ball pivoting with three radii."""
    given = _open3d(cloud.points, normals=True)
    spacing = float(np.median(given.compute_nearest_neighbor_distance()))
    radii = o3d.utility.DoubleVector([factor * spacing for factor in _RADII])
    return of_surface(
        _trimesh(o3d.geometry.TriangleMesh.create_from_point_cloud_ball_pivoting(given, radii))
    )


WAYS: dict[str, Callable[[trimesh.Trimesh, ToolCloud], Body]] = {
    "mesh: our cubes": our_mesh_cubes,
    "mesh: fTetWild": tetwild,
    "cloud: our cubes": our_cloud_cubes,
    "cloud: Open3D TetraMesh, inside": open3d_tetrahedra,
    "cloud: Poisson": poisson,
    "cloud: ball pivoting": ball_pivoting,
}


def _open3d(points: Array, normals: bool = False) -> Any:
    found = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(points))
    if normals:
        from scipy.spatial import cKDTree

        near = cKDTree(points).query(points, k=_NEIGHBOURS)[1]
        turned = outward(points, estimate_normals(points, near)[0])
        found.normals = o3d.utility.Vector3dVector(turned)
    return found


def _trimesh(mesh: Any) -> trimesh.Trimesh:
    return trimesh.Trimesh(np.asarray(mesh.vertices), np.asarray(mesh.triangles))


def _tetrahedra_surface(corners: Array, tetrahedra: NDArray[np.int64]) -> Array:
    """Samples of the triangles that belong to one tetrahedron only."""
    faces = np.sort(tetrahedra[:, [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]].reshape(-1, 3), 1)
    single, counts = np.unique(faces, axis=0, return_counts=True)
    mesh = trimesh.Trimesh(corners, single[counts == 1], process=False)
    return np.asarray(trimesh.sample.sample_surface(mesh, _SAMPLES, seed=0)[0])


def measured(way: str, folder: Path) -> dict[str, float] | None:
    """Return the errors of a way for a tool; None where its true mesh is no closed body."""
    mesh: Any = trimesh.load(folder / "mesh.ply", process=False)
    if not mesh.is_volume:
        return None
    cloud = read_tool_cloud(folder / "cloud.ply")
    begin = time.perf_counter()
    found = WAYS[way](mesh, cloud)
    seconds = time.perf_counter() - begin
    true = of_surface(mesh)
    size = float(np.linalg.norm(mesh.extents))
    inertia = [np.trace(one.moments) * np.eye(3) - one.moments for one in (found, true)]
    error = np.linalg.norm(inertia[0] - inertia[1]) / np.linalg.norm(inertia[1])
    far = np.nan
    if len(found.surface):
        far = 1e3 * hausdorff_distance(found.surface, mesh, cloud.points)
    return {
        "volume": found.volume / true.volume,
        "spread": abs(found.volume / true.volume - 1),
        "centroid": 100 * float(np.linalg.norm(found.centre - true.centre)) / size,
        "inertia": 100 * float(error),
        "hausdorff": far,
        "closed": float(found.closed),
        "seconds": seconds,
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--ways", nargs="+", choices=tuple(WAYS), default=tuple(WAYS))
    given = parser.parse_args()
    folders = sorted(path.parent for path in given.data.glob("*/truth.yaml"))
    print(
        "| way | tools | volume | its error | centroid, % | inertia, % | Hausdorff | closed | s |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for way in given.ways:
        try:
            rows = [row for folder in folders if (row := measured(way, folder))]
        except ImportError as error:
            print(f"| {way} | left out: {error} |")
            continue
        middle = {key: float(np.median([row[key] for row in rows])) for key in rows[0]}
        closed = float(np.mean([row["closed"] for row in rows]))
        print(
            f"| {way} | {len(rows)} | {middle['volume']:.3f} | {100 * middle['spread']:.1f} % | "
            f"{middle['centroid']:.2f} | {middle['inertia']:.2f} | {middle['hausdorff']:.1f} | "
            f"{100 * closed:.0f} % | {middle['seconds']:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

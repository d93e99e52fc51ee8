"""Measure the shape of a tool from its cloud, and its segmentation into parts."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Any

import trimesh
from scipy.spatial import cKDTree

from autourdf_ros.assessment.metrics.segments.hausdorff import hausdorff_distance
from autourdf_ros.assessment.metrics.segments.segment_errors import segment_errors
from autourdf_ros.benchmark.payload.payload_case import PayloadCase
from autourdf_ros.benchmark.payload.tool_folder import read_tool_cloud
from autourdf_ros.benchmark.peak_memory import peak_memory
from autourdf_ros.model.inertial.inertial_parameters import geodesic_distance
from autourdf_ros.shape.segmentation.htc import HTC_OPTIONS, HtcOptions, htc_tree
from autourdf_ros.shape.segmentation.point_clustering import AUTHORS_OPTIONS
from autourdf_ros.shape.solid.cloud_solid import cloud_boundary, cloud_solid
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.shape.solid.mesh_solid import mesh_solid
from autourdf_ros.shape.solid.solid_body import SolidBody
from autourdf_ros.shape.solid.solid_options import SolidOptions

_COARSE = SolidOptions(elements=500)
"""Of `parts-full`, which merges single elements: a resource bound."""


def measure_segments(case: PayloadCase) -> dict[str, Any]:
    """Find a tool's body and parts from its cloud alone and compare with mesh and true parts.

    Returns:
        The row, as JSON values: the case; volume of the body per volume of the mesh's, geodesic
        distance of the two at one mass, and Hausdorff distance (mm of a box of diagonal 1 m); by
        number of parts (the method's own, and as many as there are) the errors; seconds; memory.
    """
    cloud = read_tool_cloud(case.folder / "cloud.ply")
    mesh: Any = trimesh.load(case.folder / "mesh.ply", process=False)
    surface = ColouredSurface(cloud.points, cloud.colours, source=str(case.folder / "cloud.ply"))
    begin = time.perf_counter()
    full = case.method == "parts-full"
    body = cloud_solid(surface, _COARSE) if full else cloud_solid(surface)
    solid = time.perf_counter()
    tree = htc_tree(body, surface, _options(case))
    end = time.perf_counter()
    true = len(set(cloud.parts.tolist()))
    near = cKDTree(body.centres).query(cloud.points)[1]
    segments = {}
    for name, count in (("own", None), ("true", true)):
        found = tree.parts(count)[near]
        segments[name] = {
            "parts": len(set(found.tolist())),
            **asdict(segment_errors(found, cloud.parts)),
        }
    return {
        **case.title(),
        "segments": segments,
        "true_parts": true,
        **_shape_errors(body, mesh_solid(mesh)),
        "hausdorff": 1e3 * hausdorff_distance(cloud_boundary(surface), mesh, cloud.points),
        "shape_seconds": solid - begin,
        "seconds": end - solid,
        "memory": peak_memory(),
    }


def _options(case: PayloadCase) -> HtcOptions:
    if case.method == "parts-authors":
        return HtcOptions(AUTHORS_OPTIONS)
    return HtcOptions(initial=False) if case.method == "parts-full" else HTC_OPTIONS


def _shape_errors(body: SolidBody, true: SolidBody) -> dict[str, float]:
    found, exact = (one.element_parameters().sum(0) / one.volume for one in (body, true))
    return {"volume": body.volume / true.volume, "shape_geodesic": geodesic_distance(found, exact)}

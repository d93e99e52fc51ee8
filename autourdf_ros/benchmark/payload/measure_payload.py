"""Measure one case of payloads, in a process of its own so that time and memory are its own.

As a program, it reads a case on standard input (pickle) and prints its row as the last line (JSON).
"""

from __future__ import annotations

import json
import pickle
import sys
import time
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.assessment.metrics.inertia.inertia_errors import (
    authors_extents,
    inertia_errors,
    turned_extents,
    within_two_sigma,
)
from autourdf_ros.benchmark.payload.added_noise import LEVELS, with_added_noise
from autourdf_ros.benchmark.payload.measure_segments import measure_segments
from autourdf_ros.benchmark.payload.payload_case import PayloadCase
from autourdf_ros.benchmark.payload.tool_folder import (
    ToolCloud,
    ToolTruth,
    read_peers,
    read_tool_cloud,
    read_tool_truth,
)
from autourdf_ros.benchmark.peak_memory import peak_memory
from autourdf_ros.data.wrenches.trajectory_file import read_trajectory
from autourdf_ros.estimation.inertia.payload.field.field_method import FieldOptions
from autourdf_ros.estimation.inertia.payload.payload_data import PayloadData, PayloadEstimate
from autourdf_ros.estimation.inertia.payload.payload_estimation import (
    PayloadOptions,
    estimate_payload,
    homogeneous,
)
from autourdf_ros.shape.segmentation.over_segmentation import over_segmented
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.shape.solid.mesh_solid import mesh_solid
from autourdf_ros.shape.solid.solid_body import SolidBody

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

_TRUE_PARTS = 4
"""Parts of `hps-true`: the most that records at rest determine; the smallest are merged."""


def measure_payload(case: PayloadCase) -> dict[str, Any]:
    """Estimate a tool's payload at every level of noise and compare with its truth.

    Returns:
        The row, as JSON values: the case; by level a list of errors of the draws, ours and the
        authors' way, and of coverage; the peers' errors; seconds of the shape and of an estimate;
        peak memory (MiB).
    """
    if case.method.startswith("parts"):
        return measure_segments(case)
    cloud = read_tool_cloud(case.folder / "cloud.ply")
    truth = read_tool_truth(case.folder / "truth.yaml")
    begin = time.perf_counter()
    data, options = prepared_tool(case, cloud, truth)
    shape = time.perf_counter() - begin
    levels: dict[str, list[dict[str, Any]]] = {}
    seconds = []
    for level, noise in LEVELS.items():
        levels[level] = []
        for seed in range(case.seed, case.seed + case.draws):
            noisy = with_added_noise(data.recording, noise, case.name, seed)
            start = time.perf_counter()
            estimate = estimate_payload(replace(data, recording=noisy), options)
            seconds.append(time.perf_counter() - start)
            levels[level].append(_compared(estimate, truth, cloud))
    return {
        **case.title(),
        "levels": levels,
        "peers": read_peers(case.folder / "peers.json"),
        "parts": 0 if data.parts is None else int(data.parts.max()) + 1,
        "shape_seconds": shape,
        "seconds": float(np.mean(seconds)),
        "memory": peak_memory(),
    }


def prepared_tool(
    case: PayloadCase, cloud: ToolCloud, truth: ToolTruth
) -> tuple[PayloadData, PayloadOptions]:
    """Return the shape that a case's method has, its parts, the noise-free records, and options.

    Args:
        case: What is measured.
        cloud: Of the tool.
        truth: About the tool.
    """
    recording, _ = read_trajectory(case.folder / "trajectory.npz", mirrored=True)
    pose = truth.object_in_sensor
    surface = ColouredSurface(cloud.points, cloud.colours)
    if case.method in ("field-cloud", "hps"):
        from autourdf_ros.shape.solid.cloud_solid import cloud_solid

        body = cloud_solid(surface)
    else:
        body = mesh_solid(_mesh(case), surface)
    data = PayloadData(recording, body, pose)
    if case.method.startswith("hps"):
        return replace(data, parts=_parts(case, body, cloud)), PayloadOptions("hps")
    if case.method == "ols":
        return data, PayloadOptions("ols")
    if case.method == "geo":
        prior = homogeneous(data, float(truth.parameters[0]))
        return replace(data, prior=prior), PayloadOptions("geo")
    data = replace(data, clusters=over_segmented(body))
    materials = FieldOptions(materials=case.method == "materials")
    return data, PayloadOptions(gain=0.0, field=materials)  # the suite's sensor is exact but noise


def _mesh(case: PayloadCase) -> Any:
    import trimesh

    return trimesh.load(case.folder / "mesh.ply", process=False)


def _parts(case: PayloadCase, body: SolidBody, cloud: ToolCloud) -> Labels:
    if case.method == "hps":
        from autourdf_ros.shape.segmentation.htc import htc_parts

        return htc_parts(body, _TRUE_PARTS, ColouredSurface(cloud.points, cloud.colours))
    labels = cloud.parts[cKDTree(cloud.points).query(body.centres)[1]]
    known, labels = np.unique(labels, return_inverse=True)
    order = np.argsort(-np.bincount(labels, body.volumes))
    ranks = np.empty(len(known), np.int64)
    ranks[order] = np.minimum(np.arange(len(known)), _TRUE_PARTS - 1)
    return np.asarray(ranks[labels])


def _compared(estimate: PayloadEstimate, truth: ToolTruth, cloud: ToolCloud) -> dict[str, Any]:
    turn = truth.object_in_sensor[:3, :3]
    found, true = estimate.parameters, truth.parameters
    right = inertia_errors(found, true, turned_extents(cloud.points, turn))
    theirs = inertia_errors(found, true, authors_extents(cloud.points, turn), truncated=True)
    inside = None
    if estimate.covariance is not None:
        inside = within_two_sigma(found, estimate.covariance, true)
    return {
        "errors": asdict(right),
        "authors_way": asdict(theirs),
        "inside": inside,
        "condition": estimate.condition_number,
        "used": int(estimate.used.sum()),
    }


def main() -> None:
    """Measure the case given on standard input."""
    print(json.dumps(measure_payload(pickle.load(sys.stdin.buffer))))


if __name__ == "__main__":
    main()

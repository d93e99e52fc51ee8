"""Degrade parts as a generative model would deliver them: remeshed, holed, apart, merged, split.

A stand-in for Table II of Kinematify (arXiv 2511.01294), whose parts come from images through a
model that is not shipped here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import trimesh
from scipy.spatial import KDTree

from autourdf_ros.assessment.metrics.parts.part_truth import PartTruth, TruePartJoint
from autourdf_ros.assessment.metrics.tree_distance import rooted_tree, unlabelled_distance
from autourdf_ros.data.parts.part_assembly import Part, PartAssembly
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.parts.assembly_trace import JointCandidate
from autourdf_ros.geometry.lines import axis_angle

SAMPLES = 5000
"""Of a part's surface, from which it is rebuilt (bound of time)."""
DEPTH = 6
"""Of Poisson reconstruction: 64 cells along a part, about what a generative model resolves."""
WIDE = 3.0
"""Spacings of the samples: a rebuilt vertex farther from all of them closes an open shell."""


@dataclass(frozen=True)
class DegradationOptions:
    """What happens to the parts; the defaults change nothing.

    Attributes:
        remeshed: Whether every surface is rebuilt from samples (screened Poisson): sharp edges,
            thin walls and inner surfaces suffer.
        noise: Standard deviation of the vertices along their normals, in diagonals of the part.
        gap: By which parts that touch come apart, in sizes of the assembly.
        holes: In every part.
        hole_radius: In diagonals of the part.
        merged: Share of the true joints whose parts become one part.
        split: Share of the parts that are cut in two, across their longest direction.
        seed: Of all random choices.
    """

    remeshed: bool = False
    noise: float = 0.0
    gap: float = 0.0
    holes: int = 0
    hole_radius: float = 0.05
    merged: float = 0.0
    split: float = 0.0
    seed: int = 0


DEGRADATIONS: Mapping[str, DegradationOptions] = {
    "given": DegradationOptions(),
    "remeshed": DegradationOptions(remeshed=True, noise=0.002),
    "holes": DegradationOptions(holes=4),
    "gaps": DegradationOptions(gap=0.005),
    "merged": DegradationOptions(merged=0.15),
    "split": DegradationOptions(split=0.15),
    "all": DegradationOptions(True, noise=0.002, gap=0.005, holes=4, merged=0.15, split=0.15),
}
"""Each fault alone, and all together. Their amounts are assumed, not measured on a model."""


@dataclass(frozen=True)
class DegradedParts:
    """Degraded parts, and where they come from.

    Attributes:
        assembly: With new names.
        sources: Numbers of the true parts that each part is of: two where they are merged; a
            number occurs twice where its part is split.
    """

    assembly: PartAssembly
    sources: tuple[frozenset[int], ...]


@dataclass(frozen=True)
class DegradedErrors:
    """Errors of kinematics from degraded parts.

    Attributes:
        ted: Unlabelled tree edit distance from the true tree at unit cost; merged and split parts
            count.
        joints: How many true joints there are.
        angles: Of the true joints that an edge of the estimate connects, between the axes
            (degrees).
    """

    ted: int
    joints: int
    angles: tuple[float, ...]


def degrade(assembly: PartAssembly, truth: PartTruth, options: DegradationOptions) -> DegradedParts:
    """Degrade the parts of a case.

    Args:
        assembly: Parts in the order of the truth's numbers.
        truth: Of the same case.
        options: What happens.

    Raises:
        InputError: The case has another number of parts than the truth.
    """
    if len(assembly.parts) != truth.parts:
        raise InputError(
            f"{assembly.name}: {len(assembly.parts)} parts; accepted are the {truth.parts} of "
            "the truth"
        )
    rng = np.random.default_rng(options.seed)
    meshes = [
        _degraded(_mesh(part), options, options.gap * assembly.size, rng) for part in assembly.parts
    ]
    groups = _merged(truth, options.merged, rng)
    pieces: list[tuple[trimesh.Trimesh, frozenset[int]]] = []
    cut = rng.permutation(len(groups))[: round(options.split * len(groups))]
    for number, group in enumerate(groups):
        mesh = cast(trimesh.Trimesh, trimesh.util.concatenate([meshes[i] for i in sorted(group)]))
        whole = _halves(mesh) if number in cut else [mesh]
        pieces += [(piece, group) for piece in whole]
    parts = tuple(_part(mesh, number) for number, (mesh, _) in enumerate(pieces))
    sources = tuple(group for _, group in pieces)
    return DegradedParts(replace(assembly, parts=parts, source=None), sources)


def degraded_errors(
    degraded: DegradedParts,
    truth: PartTruth,
    root: int,
    edges: Sequence[tuple[int, int]],
    joints: Sequence[JointCandidate],
) -> DegradedErrors:
    """Compare kinematics of degraded parts with the truth of the whole ones.

    Args:
        degraded: The parts.
        truth: Of the whole ones.
        root: Of the estimate: a number of a degraded part.
        edges: Of the estimate, likewise.
        joints: The joint of every edge.
    """
    found = {
        frozenset(degraded.sources[u] | degraded.sources[v]): (u, v, joint)
        for (u, v), joint in zip(edges, joints, strict=True)
    }
    angles = []
    for true in truth.joints:
        ends = [joint for u, v, joint in found.values() if _connects(degraded, u, v, true)]
        angles += [min(axis_angle(joint.axis, true.axis) for joint in ends)] if ends else []
    true_root = truth.edges[0][0] if truth.root is None else truth.root
    distance = unlabelled_distance(rooted_tree(edges, root), rooted_tree(truth.edges, true_root))
    return DegradedErrors(distance, len(truth.joints), tuple(angles))


def _connects(degraded: DegradedParts, u: int, v: int, joint: TruePartJoint) -> bool:
    first, second = degraded.sources[u], degraded.sources[v]
    return (joint.parent in first and joint.child in second) or (
        joint.parent in second and joint.child in first
    )


def _degraded(
    mesh: trimesh.Trimesh, options: DegradationOptions, gap: float, rng: np.random.Generator
) -> trimesh.Trimesh:
    """A part that is rebuilt, roughened, made smaller by half the gap, and holed, as asked."""
    if options.remeshed:
        mesh = _rebuilt(mesh, int(rng.integers(2**31)))
    diagonal = float(np.linalg.norm(mesh.extents))
    offset = options.noise * diagonal * rng.normal(size=len(mesh.vertices)) - gap / 2
    if np.any(offset):
        vertices = mesh.vertices + offset[:, None] * mesh.vertex_normals
        mesh = trimesh.Trimesh(vertices, mesh.faces, process=False)
    return _holed(mesh, options.holes, options.hole_radius * diagonal, rng)


def _rebuilt(mesh: trimesh.Trimesh, seed: int) -> trimesh.Trimesh:
    """The surface from samples and their normals: screened Poisson (Kazhdan and Hoppe, 2013)."""
    import open3d as o3d

    points, faces = trimesh.sample.sample_surface(mesh, SAMPLES, seed=seed)
    cloud = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(np.asarray(points)))
    cloud.normals = o3d.utility.Vector3dVector(mesh.face_normals[faces])
    built, _ = o3d.geometry.TriangleMesh.create_from_point_cloud_poisson(
        cloud, depth=DEPTH, n_threads=1
    )
    vertices, triangles = np.asarray(built.vertices), np.asarray(built.triangles)
    tree = KDTree(points)
    spacing = float(np.median(tree.query(points, 2)[0][:, 1]))
    cell = float(mesh.extents.max()) / 2**DEPTH
    near = tree.query(vertices)[0] < WIDE * max(spacing, cell)
    kept = trimesh.Trimesh(vertices, triangles[near[triangles].all(axis=1)], process=False)
    kept.remove_unreferenced_vertices()
    return kept if len(kept.faces) else mesh


def _holed(
    mesh: trimesh.Trimesh, holes: int, radius: float, rng: np.random.Generator
) -> trimesh.Trimesh:
    """The mesh without the triangles around random points of its surface; never without all."""
    if not holes:
        return mesh
    fine = cast(trimesh.Trimesh, mesh.subdivide_to_size(radius, max_iter=12))
    centres, _ = trimesh.sample.sample_surface(fine, holes, seed=int(rng.integers(2**31)))
    kept = KDTree(centres).query(fine.triangles_center)[0] > radius
    if not kept.any():
        return mesh
    holed = trimesh.Trimesh(fine.vertices, fine.faces[kept], process=False)
    holed.remove_unreferenced_vertices()
    return holed


def _merged(truth: PartTruth, share: float, rng: np.random.Generator) -> list[frozenset[int]]:
    """Groups of true parts, each of one or two, by the least number."""
    groups = {number: frozenset([number]) for number in range(truth.parts)}
    wanted = round(share * len(truth.joints))
    for number in rng.permutation(len(truth.joints)):
        ends = truth.joints[number].edge
        if wanted and all(len(groups[end]) == 1 for end in ends):
            groups.update(dict.fromkeys(ends, ends))
            wanted -= 1
    return sorted(set(groups.values()), key=min)


def _halves(mesh: trimesh.Trimesh) -> list[trimesh.Trimesh]:
    """Both sides of the plane through the middle, across the longest direction; not closed."""
    points = mesh.triangles_center
    middle = points.mean(axis=0)
    direction = np.linalg.eigh(np.cov(points.T))[1][:, -1]
    above = (points - middle) @ direction > 0
    halves = []
    for side in (above, ~above):
        half = trimesh.Trimesh(mesh.vertices, mesh.faces[side], process=False)
        half.remove_unreferenced_vertices()
        halves.append(half)
    return halves if all(len(half.faces) for half in halves) else [mesh]


def _mesh(part: Part) -> trimesh.Trimesh:
    return trimesh.Trimesh(part.vertices, part.triangles, process=True)


def _part(mesh: trimesh.Trimesh, number: int) -> Part:
    return Part(
        f"part_{number:02d}",
        np.array(mesh.vertices, np.float64),
        np.array(mesh.faces, np.int64),
    )

"""Where the links of a robot pass each other without touching: space their hulls must not fill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import manifold3d
import numpy as np
import open3d as o3d
import trimesh
from numpy.typing import NDArray

from autourdf_ros.model.forward_kinematics import link_motions
from autourdf_ros.model.self_model import SelfModel

CONFIGURATIONS = 300
"""Drawn to find where links pass each other: half within the limits, half with joints turned by any
angle, as limits that were only seen are often widened later."""

_SAMPLES = 400  # points on each link's surface
_MOST = 1500  # points that are kept for a link


@dataclass(frozen=True, eq=False)
class Passage:
    """Points (K, 3) of other links inside the hull of a link, which they do not touch there.

    Attributes:
        alarms: (K,) number of the false alarm that a point makes: a pair of links in one of the
            configurations drawn. An alarm is spared when none of its points is left.
    """

    points: NDArray[np.float64]
    alarms: NDArray[np.int64]

    @property
    def weights(self) -> NDArray[np.float64]:
        """(K,) share of the configurations, that of every alarm shared out among its points."""
        _, number, counts = np.unique(self.alarms, return_inverse=True, return_counts=True)
        return 1 / (counts[number] * float(CONFIGURATIONS))

    def of(self, kept: NDArray[np.bool_]) -> Passage:
        """Return those of (K,) that are kept; an alarm weighs the same as long as one is."""
        return Passage(self.points[kept], self.alarms[kept])

    def moved(self, pose: NDArray[np.floating]) -> Passage:
        """Return the points moved by a pose (4, 4)."""
        return Passage(self.points @ pose[:3, :3].T + pose[:3, 3], self.alarms)


NO_PASSAGE = Passage(np.empty((0, 3)), np.empty(0, np.int64))


def passages(
    model: SelfModel, meshes: Sequence[trimesh.Trimesh | None], seed: int = 0
) -> tuple[Passage, ...]:
    """Return what passes through the hull of each link, in the base frame at the reference.

    Neighbours in the tree touch anyway and are left out, and so is a configuration in which the
    meshes of a pair overlap. The same arguments give the same points.

    Args:
        meshes: Closed, of the model's links, None for one that was not seen.
    """
    rng = np.random.default_rng(seed)
    motions = link_motions(model.tree, _drawn(model, rng))
    bodies = [None if mesh is None else _Body(mesh) for mesh in meshes]
    found: list[list[Passage]] = [[] for _ in bodies]
    for number, (one, two) in enumerate(_apart(model)):
        first, second = bodies[one], bodies[two]
        if first is None or second is None:
            continue
        there = np.linalg.inv(motions[:, one]) @ motions[:, two]
        near = first.near(second, there)
        if not near.any():
            continue
        there = there[near]
        into_first, into_second = (
            first.reached(second, there),
            second.reached(first, np.linalg.inv(there)),
        )
        free = ~(into_first.touched | into_second.touched)
        alarms = number * CONFIGURATIONS + np.flatnonzero(near)
        for index, reached in ((one, into_first), (two, into_second)):
            found[index].append(reached.passage(free, alarms))
    return tuple(_thinned(own, rng) for own in found)


class _Body:
    """A link's mesh, its hull, and points on its surface."""

    def __init__(self, mesh: trimesh.Trimesh) -> None:
        self.points = np.asarray(trimesh.sample.sample_surface(mesh, _SAMPLES, seed=0)[0], float)
        self.centre = mesh.bounds.mean(0)
        self.radius = float(np.linalg.norm(np.ptp(mesh.bounds, axis=0)) / 2)
        solid = manifold3d.Manifold.hull_points(np.asarray(mesh.vertices, float)).to_mesh64()
        hull = trimesh.Trimesh(
            np.array(solid.vert_properties[:, :3]), solid.tri_verts.astype(np.int64), process=False
        )
        self.hull = _scene(hull)
        self.solid = _scene(mesh)

    def near(self, other: _Body, there: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return (N,) whether the other body, at (N, 4, 4) poses, may reach into the hull."""
        gap = there[:, :3, :3] @ other.centre + there[:, :3, 3] - self.centre
        near: NDArray[np.bool_] = np.linalg.norm(gap, axis=1) < self.radius + other.radius
        return near

    def reached(self, other: _Body, there: NDArray[np.floating]) -> _Reached:
        """Return what of the other body, at (N, 4, 4) poses, is inside the hull."""
        points = np.einsum("nij,pj->npi", there[:, :3, :3], other.points) + there[:, None, :3, 3]
        inside = np.linalg.norm(points - self.centre, axis=2) < self.radius
        inside[inside] = _within(self.hull, points[inside])
        within = np.zeros_like(inside)
        within[inside] = _within(self.solid, points[inside])
        return _Reached(points, inside & ~within, within.any(1))


@dataclass(frozen=True, eq=False)
class _Reached:
    """points: (N, P, 3). passing: (N, P) which are in the hull but not in the mesh. touched: (N,)
    whether any is in the mesh.
    """

    points: NDArray[np.float64]
    passing: NDArray[np.bool_]
    touched: NDArray[np.bool_]

    def passage(self, free: NDArray[np.bool_], alarms: NDArray[np.int64]) -> Passage:
        """Return the passage of the configurations that are free, (N,), with alarms numbered so."""
        passing = self.passing & free[:, None]
        return Passage(self.points[passing], np.repeat(alarms, passing.sum(1)))


def _drawn(model: SelfModel, rng: np.random.Generator) -> NDArray[np.float64]:
    """(`CONFIGURATIONS`, J) joint values."""
    drawn = np.empty((CONFIGURATIONS, len(model.joints)))
    for column, joint in zip(drawn.T, model.joints, strict=True):
        turns = joint.reference + rng.uniform(-np.pi, np.pi, CONFIGURATIONS)
        inside = (
            turns
            if joint.type == "continuous"
            else rng.uniform(joint.lower, joint.upper, CONFIGURATIONS)
        )
        anyhow = turns if joint.type == "revolute" else inside
        column[:] = np.where(np.arange(CONFIGURATIONS) % 2, anyhow, inside)
        if joint.type == "fixed":
            column[:] = joint.reference
    followed = {joint.name: index for index, joint in enumerate(model.joints)}
    for _ in model.joints:  # one may follow another
        for index, joint in enumerate(model.joints):
            if joint.mimic is not None:
                source = drawn[:, followed[joint.mimic.joint]]
                drawn[:, index] = joint.mimic.multiplier * source + joint.mimic.offset
    return drawn


def _apart(model: SelfModel) -> list[tuple[int, int]]:
    """Pairs of links that no joint joins."""
    index = {link.name: number for number, link in enumerate(model.links)}
    joined = {frozenset((index[joint.parent], index[joint.child])) for joint in model.joints}
    count = len(model.links)
    return [
        (one, two)
        for one in range(count)
        for two in range(one + 1, count)
        if frozenset((one, two)) not in joined
    ]


def _thinned(parts: Sequence[Passage], rng: np.random.Generator) -> Passage:
    """All together, or as many of them as are kept."""
    if not parts:
        return NO_PASSAGE
    points = np.concatenate([part.points for part in parts])
    whole = Passage(points, np.concatenate([part.alarms for part in parts]))
    if len(points) <= _MOST:
        return whole
    kept = np.zeros(len(points), bool)
    kept[rng.choice(len(points), _MOST, replace=False)] = True
    return whole.of(kept)


def _scene(mesh: trimesh.Trimesh) -> o3d.t.geometry.RaycastingScene:
    scene = o3d.t.geometry.RaycastingScene(nthreads=1)
    tensor = o3d.core.Tensor.from_numpy
    scene.add_triangles(
        tensor(np.array(mesh.vertices, np.float32)), tensor(np.array(mesh.faces, np.uint32))
    )
    return scene


def _within(
    scene: o3d.t.geometry.RaycastingScene, points: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """(N,) whether (N, 3) points are in the closed mesh of a scene."""
    if not len(points):
        return np.zeros(0, bool)
    occupancy = scene.compute_occupancy(o3d.core.Tensor.from_numpy(points.astype(np.float32)))
    return np.asarray(occupancy.numpy() > 0.5)

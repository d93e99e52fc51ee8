"""Find the symmetries of a body from its mesh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import trimesh
from scipy.spatial.transform import Rotation

from autourdf_ros.estimation.video.pose_track import BodySymmetry
from autourdf_ros.estimation.video.symmetry.turn_candidates import (
    EQUAL,
    candidate_axes,
    principal_axes,
    single_axis,
    surface_centre,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.surface_distance import DistanceField, points_on
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh


@dataclass(frozen=True)
class ShapeSymmetryOptions:
    """What counts as a symmetry.

    Attributes:
        tolerance: Distance between a body and its turned copy, in its mean radius, that a facetted
            surface may have: a cylinder of 24 facets has 0.9 % of its radius.
        rare: Share of the surface that may be farther off (thin slots, print).
        folds: Highest number of steps of a full turn that is tried.
        samples: Points of the surface that are turned (resource bound).
        largest_group: Rotations at most; a body with more is round (the icosahedron has 60).
    """

    tolerance: float = 0.012
    rare: float = 0.002
    folds: int = 12
    samples: int = 2000
    largest_group: int = 60


class _TurnTest:
    """Whether a rotation about the centre maps a surface to itself."""

    def __init__(self, mesh: trimesh.Trimesh, options: ShapeSymmetryOptions) -> None:
        self.centre = surface_centre(mesh)
        points = np.vstack([points_on(mesh, options.samples), mesh.vertices])
        self._points = points - self.centre
        self._field = DistanceField(mesh)
        radius = float(np.linalg.norm(self._points[: options.samples], axis=1).mean())
        self._tolerance, self._rare = options.tolerance * radius, options.rare

    def __call__(self, turn: Array) -> bool:
        """Return whether the surface turned by (3, 3) is the surface."""
        moved = self._points @ turn.T + self.centre
        few = moved[:: max(len(moved) // 100, 1)]
        if (self._field(few) > self._tolerance).mean() > 5 * self._rare:
            return False
        return bool((self._field(moved) > self._tolerance).mean() <= self._rare)


def shape_symmetry(
    surface: SurfaceMesh,
    options: ShapeSymmetryOptions = ShapeSymmetryOptions(),
) -> BodySymmetry:
    """Return the rotations about its centre that map a body's surface to itself.

    Candidates come from the principal moments of the surface (equal ones leave axes open) and are
    tested by the distance of the turned surface to itself. Mirror symmetries are no rotations.

    Args:
        surface: The body's, in its own frame.
        options: What counts as a symmetry.
    """
    mesh = trimesh.Trimesh(surface.vertices, surface.triangles, process=True)
    test = _TurnTest(mesh, options)
    moments, axes = principal_axes(mesh)
    if moments[2] - moments[0] <= EQUAL * moments[2] and _is_round(test):
        return BodySymmetry("spherical", test.centre, np.array([0.0, 0, 1]), np.eye(3)[None])
    axis = _round_axis(test, moments, axes)
    if axis is not None:
        across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        flip = _turn(across / np.linalg.norm(across), np.pi)
        turns = [np.eye(3), flip] if test(flip) else [np.eye(3)]
        return BodySymmetry("axial", test.centre, axis, np.array(turns))
    turns = _group(_discrete(test, candidate_axes(mesh, moments, axes), options), options)
    turned = np.array(turns)
    return BodySymmetry(
        "discrete" if len(turns) > 1 else "none", test.centre, np.array([0.0, 0, 1]), turned
    )


def _is_round(test: _TurnTest) -> bool:
    turns = Rotation.random(8, random_state=np.random.default_rng(0)).as_matrix()
    return all(test(turn) for turn in turns)


def _round_axis(test: _TurnTest, moments: Array, axes: Array) -> Array | None:
    """Return the axis about which any turn is one; None where there is none.

    A cone may have three moments that are almost equal: then any principal axis may be it.
    """
    single = single_axis(moments, axes)
    tried = axes.T if single is None else single[None]
    return next((one for one in tried if all(test(_turn(one, t)) for t in (0.7, 1.9, 2.6))), None)


def _turn(axis: Array, angle: float) -> Array:
    return np.asarray(Rotation.from_rotvec(axis * angle).as_matrix())


def _discrete(test: _TurnTest, axes: Array, options: ShapeSymmetryOptions) -> list[Array]:
    """Return generators: of every axis the turn with the most steps."""
    found = []
    for axis in axes:
        folds = [n for n in range(2, options.folds + 1) if test(_turn(axis, 2 * np.pi / n))]
        if folds:
            found.append(_turn(axis, 2 * np.pi / max(folds)))
    return found


def _group(generators: list[Array], options: ShapeSymmetryOptions) -> list[Array]:
    """Return all products, the identity first."""
    group = [np.eye(3)]
    for element in group:  # it gets longer meanwhile
        for generator in generators:
            product = element @ generator
            known = max(np.trace(product @ one.T) for one in group)
            if known < 1 + 2 * np.cos(np.radians(4.0)) and len(group) < options.largest_group:
                group.append(product)
    return group

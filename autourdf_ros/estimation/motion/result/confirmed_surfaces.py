"""The surfaces of the links: fused from all frames, without what the frames contradict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import LabelledSurface, fuse_frames
from autourdf_ros.estimation.motion.registration.preparation import Prepared
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.normal_orientation import outward
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.parallel import on_all_cores

GATE = 3.0  # point spacings from the surface within which a point belongs to the robot
LEAST_CONFIRMED = 0.5  # of a link's points; with fewer its poses are in doubt, and all are kept


def fused_surface(
    prepared: Prepared,
    surface: LabelledSurface,
    model: Articulation,
    states: States,
    used: NDArray[np.bool_] | None = None,
) -> LabelledSurface:
    """Fuse the surface that the used frames (F,) show, where the model is in them.

    All in engine units.

    Args:
        surface: Of the reference, with bodies in the model's order.
    """
    chosen = np.arange(len(states.values)) if used is None else np.flatnonzero(used)
    clouds = prepared.clouds
    colors = [color for sequence in prepared.colors for color in sequence]
    return fuse_frames(
        surface,
        [clouds[i] for i in chosen],
        [colors[i] for i in chosen],
        body_poses(model, states.values[chosen], states.base[chosen]),
        spacing=prepared.spacing,
        gate=GATE * prepared.spacing,
    )


def confirmed_surfaces(
    surface: LabelledSurface,
    prepared: Prepared,
    model: Articulation,
    states: States,
    used: NDArray[np.bool_],
) -> tuple[Surface, ...]:
    """Return the surface of every body, in metres, of the points that the frames confirm.

    A point that one frame shows and that was given to a wrong body moves with that body in the
    others: to where cameras should see it, and do not. So a point stays that is measured in more
    than half of the used frames (F,) in which a camera could have seen it. Without the poses of the
    cameras all stay.

    Args:
        surface: Fused, in engine units.
    """
    bodies = range(len(model.parents) + 1)
    normals = surface.normals.copy()

    def turn(body: int) -> None:
        own = surface.labels == body
        normals[own] = outward(surface.points[own], normals[own])

    on_all_cores(turn, bodies)
    turned = replace(surface, normals=normals)
    chosen = np.flatnonzero(used)
    poses = body_poses(model, states.values[chosen], states.base[chosen])
    kept = confirmed_points(turned, [prepared.clouds[i] for i in chosen], poses, prepared.spacing)
    return tuple(_in_metres(turned, kept & (turned.labels == body), prepared) for body in bodies)


def link_surface(surface: LabelledSurface, body: int, prepared: Prepared) -> Surface:
    """Return the whole surface of one body, in metres, its normals outward."""
    own = surface.labels == body
    found = _in_metres(surface, own, prepared)
    return replace(found, normals=outward(surface.points[own], surface.normals[own]))


def confirmed_points(
    surface: LabelledSurface, clouds: Sequence[Cloud], poses: Array, spacing: float
) -> NDArray[np.bool_]:
    """(M,) whether points, normals outward, are there in most frames that should show them.

    Args:
        clouds: of F frames.
        poses: (F, B, 4, 4) of the bodies.
        spacing: typical distance between a frame's points, in which a measured one has to be.
    """

    def shown(cloud: Cloud, pose: Array) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        own = pose[surface.labels]
        points = transform(own, surface.points)
        normals = np.einsum("nij,nj->ni", own[:, :3, :3], surface.normals)
        expected = ~cloud.hides(points, normals)
        gaps = cKDTree(cloud.points).query(points[expected], distance_upper_bound=spacing)[0]
        there = np.zeros_like(expected)
        there[expected] = np.isfinite(gaps)
        return expected, there

    seen = [pair for pair in zip(clouds, poses, strict=True) if pair[0].views]
    if not seen:
        return np.ones(len(surface.points), bool)
    counts = [
        np.sum(rows, axis=0)
        for rows in zip(*on_all_cores(shown, *zip(*seen, strict=True)), strict=True)
    ]
    kept: NDArray[np.bool_] = 2 * counts[1] > counts[0]
    members = np.bincount(surface.labels)
    shares = np.bincount(surface.labels, kept) / np.maximum(members, 1)
    return kept | (shares < LEAST_CONFIRMED)[surface.labels]


def _in_metres(surface: LabelledSurface, chosen: NDArray[np.bool_], prepared: Prepared) -> Surface:
    return Surface(
        points=surface.points[chosen] * prepared.scale + prepared.centre,
        normals=surface.normals[chosen],
        colors=None if surface.colors is None else surface.colors[chosen],
    )

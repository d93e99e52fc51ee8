"""Views of an assembly and of each joint, for a model that sees images."""

from __future__ import annotations

import colorsys
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.parts.part_assembly import Part, PartAssembly
from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint, JointCandidate
from autourdf_ros.estimation.parts.joint_types.orthographic_view import (
    DIRECTIONS,
    OrthographicView,
    PartScene,
    draw_axis,
    png,
)
from autourdf_ros.estimation.parts.joint_types.type_model import View
from autourdf_ros.estimation.parts.joint_types.type_options import TypeOptions

PARENT, CHILD = np.array([0.72, 0.74, 0.78]), np.array([1.0, 0.6, 0.15])
"""Colours of the part that stands still (grey) and of the part that moves (orange)."""

_GOLDEN = (5**0.5 - 1) / 2
"""Step of the hue, by which any number of hues are far apart."""


def assembly_views(assembly: PartAssembly, options: TypeOptions) -> tuple[View, ...]:
    """Return views of all parts, each of its own colour."""
    colors = _palette(len(assembly.parts))
    scene = PartScene(assembly.parts)
    half = 0.5 * (1 + options.margin) * assembly.size
    return tuple(
        View(name, png(scene.image(view, colors)))
        for name, view in _around(assembly.bounds.mean(axis=0), half, assembly.parts, options)
    )


def joint_views(assembly: PartAssembly, joint: EdgeJoint, options: TypeOptions) -> tuple[View, ...]:
    """Return views of a joint's two parts, the child highlighted, with numbered axes."""
    parts = assembly.parts[joint.parent], assembly.parts[joint.child]
    smaller = min(parts, key=lambda part: part.diagonal)
    half = options.close * smaller.diagonal
    scene = PartScene(parts)
    shown = joint.alternatives[: options.shown]
    inks = 0.7 * _palette(len(shown))
    views = []
    for name, view in _around(smaller.bounds.mean(axis=0), half, parts, options):
        image = scene.image(view, np.array([PARENT, CHILD]))
        for number, (one, ink) in enumerate(zip(shown, inks, strict=True), 1):
            if one.type != "fixed":
                draw_axis(image, view, _ends(one, view), f"{number} {one.type[0]}", ink)
        views.append(View(name, png(image)))
    return tuple(views)


def _around(
    centre: NDArray[np.float64], half: float, parts: Sequence[Part], options: TypeOptions
) -> Iterator[tuple[str, OrthographicView]]:
    """The views along all directions, from in front of everything."""
    corners = np.vstack([part.bounds for part in parts])
    reach = 2.0 * float(np.linalg.norm(corners - centre, axis=1).max())
    for name, direction in DIRECTIONS.items():
        yield name, OrthographicView(np.array(direction), centre, half, reach, options.side)


def _ends(one: JointCandidate, view: OrthographicView) -> NDArray[np.float64]:
    """Ends of an axis within the image, about the place that is nearest to its centre."""
    middle = one.point + one.axis * float((view.centre - one.point) @ one.axis)
    return middle + np.array([[-0.8], [0.8]]) * view.half * one.axis


def _palette(count: int) -> NDArray[np.float64]:
    return np.array([colorsys.hsv_to_rgb(k * _GOLDEN % 1.0, 0.6, 0.95) for k in range(count)])

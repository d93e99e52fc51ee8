"""A model as RViz markers: axes with their uncertainty, names, and parts in their colours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from geometry_msgs.msg import Point, Pose, Vector3
from numpy.typing import NDArray
from std_msgs.msg import Header
from visualization_msgs.msg import Marker, MarkerArray

from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.report.axis_markers import axis_words, direction_cone, grade_color, position_disc
from autourdf_ros.report.model_marks import AxisMark, axis_marks, model_size, shape_marks
from autourdf_ros.ros.common.conversions import rgba, transform_message

_SHAPES = {
    "mesh": Marker.MESH_RESOURCE,
    "box": Marker.CUBE,
    "cylinder": Marker.CYLINDER,
    "sphere": Marker.SPHERE,
}


def markers(model: LiveModel, prefix: str, mesh_prefix: str, sigmas: float) -> MarkerArray:
    """Return markers in the namespaces axes, directions, positions, names and parts.

    The first marker deletes all markers of an earlier model.

    Args:
        model: what is drawn.
        prefix: is put before every frame.
        mesh_prefix: is put before mesh paths; empty: the file URI of the folder.
        sigmas: number of standard deviations that cones and discs show.
    """
    length = 0.12 * model_size(model)
    found = [Marker(action=Marker.DELETEALL)]
    for number, mark in enumerate(axis_marks(model)):
        for marker in _axis(mark, length, sigmas):
            found.append(_placed(marker, number, prefix + mark.frame))
    return MarkerArray(markers=[*found, *part_markers(model, prefix, mesh_prefix, {})])


def part_markers(
    model: LiveModel, prefix: str, mesh_prefix: str, colors: Mapping[str, NDArray[np.float64]]
) -> list[Marker]:
    """Return the visual shapes of all links as markers.

    Args:
        model: what is drawn.
        prefix: is put before every frame.
        mesh_prefix: is put before mesh paths; empty: the file URI of the folder.
        colors: (3,) RGB in [0, 1] by link, in place of the model's own colours.
    """
    found = []
    for number, shape in enumerate(shape_marks(model)):
        color = rgba(colors.get(shape.frame, shape.color), 1.0)
        marker = Marker(ns="parts", type=_SHAPES[shape.kind], color=color)
        marker.pose, marker.scale = _pose(shape.pose), _vector(shape.size)
        if shape.mesh:
            marker.mesh_resource = model.mesh_uri(shape.mesh, mesh_prefix)
        found.append(_placed(marker, number, prefix + shape.frame))
    return found


def _axis(mark: AxisMark, length: float, sigmas: float) -> Iterator[Marker]:
    color = grade_color(mark.grade)
    ends = length * np.array([-mark.axis, mark.axis])
    yield Marker(
        ns="axes",
        type=Marker.ARROW,
        points=_points(ends),
        # Diameters of the shaft and the head, and length of the head.
        scale=_vector(length * np.array([0.05, 0.12, 0.2])),
        color=rgba(color, 1.0),
    )
    cone = direction_cone(mark.axis, mark.across, mark.covariance[:2, :2], length, sigmas)
    disc = position_disc(mark.across, mark.covariance[2:, 2:], sigmas)
    for name, triangles in (("directions", cone), ("positions", disc)):
        if len(triangles):
            yield Marker(
                ns=name,
                type=Marker.TRIANGLE_LIST,
                points=_points(triangles),
                scale=_vector(np.ones(3)),
                color=rgba(color, 0.5),
            )
    yield Marker(
        ns="names",
        type=Marker.TEXT_VIEW_FACING,
        pose=Pose(position=_points(1.2 * ends[1:])[0]),
        scale=Vector3(z=0.2 * length),
        color=rgba(np.ones(3), 1.0),
        text=axis_words(mark.joint, mark.covariance),
    )


def _placed(marker: Marker, number: int, frame: str) -> Marker:
    """Place a marker in a frame; RViz updates a locked marker's frame for every picture."""
    marker.header, marker.id, marker.frame_locked = Header(frame_id=frame), number, True
    return marker


def _pose(matrix: NDArray[np.float64]) -> Pose:
    transform = transform_message(matrix)
    shift = transform.translation
    return Pose(position=Point(x=shift.x, y=shift.y, z=shift.z), orientation=transform.rotation)


def _points(rows: NDArray[np.float64]) -> list[Point]:
    return [Point(x=x, y=y, z=z) for x, y, z in rows.tolist()]


def _vector(values: NDArray[np.float64]) -> Vector3:
    return Vector3(**dict(zip("xyz", values.tolist(), strict=True)))

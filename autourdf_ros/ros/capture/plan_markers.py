"""A plan as RViz markers: the paths of the links, or a text where there is no model."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from geometry_msgs.msg import Point, Vector3
from numpy.typing import NDArray
from std_msgs.msg import Header
from visualization_msgs.msg import Marker, MarkerArray

from autourdf_ros.model.palette import link_color
from autourdf_ros.ros.common.conversions import rgba

_WIDTH = 0.004  # m
_LETTERS = 0.05  # m


def plan_markers(paths: Mapping[str, NDArray[np.float64]], frame: str, words: str) -> MarkerArray:
    """Return a line for each link, or a text where there are no paths.

    The first marker deletes the markers of an earlier plan.

    Args:
        paths: (N, 3) origins by link in `frame` (m).
        frame: of the markers.
        words: the text.
    """
    found = [Marker(action=Marker.DELETEALL)]
    for number, (link, points) in enumerate(paths.items()):
        line = Marker(
            ns=link, id=number, type=Marker.LINE_STRIP, color=rgba(link_color(number + 1))
        )
        line.scale = Vector3(x=_WIDTH)
        line.points = [Point(x=x, y=y, z=z) for x, y, z in points.tolist()]
        found.append(line)
    if not paths:
        text = Marker(ns="joints", type=Marker.TEXT_VIEW_FACING, color=rgba(np.ones(3)))
        text.scale, text.text = Vector3(z=_LETTERS), words
        text.pose.position.z = 1.0
        found.append(text)
    for marker in found:
        marker.header = Header(frame_id=frame)
    return MarkerArray(markers=found)

"""Where cup, wall and bowl stand when a cup is poured, and how the cup moves over the bowl."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from scenes.box_furniture import PlacedBox, bowl_of_boxes, upright_box

TOP = 0.25
"""m, height of the table."""
CUP, BOWL = np.array([0.55, -0.22, TOP]), np.array([0.55, 0.2, TOP])
"""(3,) m, of their feet."""
RADIUS, HEIGHT, WALL = 0.03, 0.1, 0.004
"""m, of the cup."""
BOWL_RADIUS, BOWL_HEIGHT, BOWL_WALL, BOWL_FLOOR = 0.085, 0.06, 0.006, 0.016
"""m, of the bowl; the radius is the inner one. A falling ball does not pass the floor in a step."""
BARRIER, BARRIER_AT = 0.14, -0.06
"""m, height of the wall between them, and where across it stands."""
FIRST, LAST = np.array([0.0, -0.05, 0.2]), np.array([0.0, -0.04, 0.11])
"""(3,) m from the bowl's foot to the cup's lip, before and after the tilt."""
TILT = np.radians(135.0)
BALL, GAP = 0.005, 0.0005
"""m, radius of a ball, and the space between balls at the start."""
WOOD, CLAY, BRICK = (0.80, 0.68, 0.52), (0.55, 0.66, 0.60), (0.70, 0.66, 0.62)

Array = NDArray[np.float64]


def furniture() -> list[PlacedBox]:
    """Return table, bowl, and a wall between cup and bowl."""
    table = upright_box((0.44, -0.4, TOP - 0.03), (0.8, 0.4, TOP), WOOD)
    wall = upright_box(
        (0.46, BARRIER_AT - 0.015, TOP), (0.8, BARRIER_AT + 0.015, TOP + BARRIER), BRICK
    )
    bowl = bowl_of_boxes(BOWL, BOWL_RADIUS, BOWL_HEIGHT, BOWL_WALL, BOWL_FLOOR, CLAY)
    return [table, wall, *bowl]


def pouring_pose(share: float) -> Array:
    """Return the (4, 4) pose of the cup from upright (0) to tilted (1), its lip over the bowl."""
    pose, lip = np.eye(4), np.array([0.0, RADIUS, HEIGHT])
    pose[:3, :3] = Rotation.from_euler("x", -share * TILT).as_matrix()
    pose[:3, 3] = BOWL + FIRST + share * (LAST - FIRST) - pose[:3, :3] @ lip
    return pose


def ball_places(count: int) -> Array:
    """Return (count, 3) places of balls in the upright cup, layer by layer, from its foot (m)."""
    pitch, reach = 2 * BALL + GAP, RADIUS - WALL - BALL - GAP
    steps = np.arange(-8, 9)
    flat = pitch * np.array([(a + b / 2, b * np.sqrt(3) / 2) for a in steps for b in steps])
    layer = flat[np.linalg.norm(flat, axis=1) < reach]
    layers = -(-count // len(layer))
    heights = WALL + BALL + GAP + pitch * np.arange(layers)
    places = np.column_stack([np.tile(layer, (layers, 1)), np.repeat(heights, len(layer))])
    return places[:count]


def in_bowl(places: Array) -> NDArray[np.bool_]:
    """Return (N,) which of (N, 3) places (m) are within the bowl's wall, below its rim."""
    beside = np.linalg.norm((places - BOWL)[:, :2], axis=1) < BOWL_RADIUS
    height = (places - BOWL)[:, 2]
    return beside & (height > BOWL_FLOOR / 2) & (height < BOWL_HEIGHT)


def in_cup(places: Array, cup: Array) -> NDArray[np.bool_]:
    """Return (N,) which of (N, 3) places (m) are within a cup at the (4, 4) pose `cup`."""
    inside = (places - cup[:3, 3]) @ cup[:3, :3]
    near = np.linalg.norm(inside[:, :2], axis=1) < RADIUS
    return near & (inside[:, 2] > 0) & (inside[:, 2] < HEIGHT)

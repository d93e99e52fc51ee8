"""Furniture of boxes as a URDF: what stands fixed around a robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin
from lxml import etree
from numpy.typing import NDArray

STAVES, BOARDS = 24, 4
"""Of a bowl's wall, and of its floor, which is a polygon of twice as many sides."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PlacedBox:
    """A box. size: (3,) m. pose: (4, 4) of its middle. color: (3,) RGB from 0 to 1."""

    size: Array
    pose: Array
    color: tuple[float, float, float]


def upright_box(low: Sequence[float], high: Sequence[float], color: tuple) -> PlacedBox:
    """Return the box between two corners, in metres."""
    pose = np.eye(4)
    pose[:3, 3] = (np.array(low) + high) / 2
    return PlacedBox(np.subtract(high, low), pose, color)


def bowl_of_boxes(
    middle: Array, radius: float, height: float, wall: float, floor: float, color: tuple
) -> list[PlacedBox]:
    """Return a round bowl: staves around a floor of crossed boards.

    Args:
        middle: (3,) m, of its floor's underside.
        radius: Inner one (m).
        height: Of the rim above the underside (m).
        wall: Thickness of the staves (m).
        floor: Thickness of the boards (m).
        color: Of all boxes.
    """
    boxes = []
    for number in range(STAVES):
        stave = _turned(2 * np.pi * number / STAVES)
        stave[:3, 3] = middle + stave[:3, :3] @ (radius + wall / 2, 0, height / 2)
        width = 2 * (radius + wall) * np.tan(np.pi / STAVES)
        boxes.append(PlacedBox(np.array([wall, width, height]), stave, color))
    for number in range(BOARDS):
        board = _turned(np.pi * number / BOARDS)
        board[:3, 3] = middle + np.array([0.0, 0.0, floor / 2])
        width = 2 * radius * np.tan(np.pi / (2 * BOARDS))
        boxes.append(PlacedBox(np.array([2 * radius, width, floor]), board, color))
    return boxes


def _turned(angle: float) -> Array:
    pose = np.eye(4)
    pose[:3, :3] = pin.rpy.rpyToMatrix(0.0, 0.0, angle)
    return pose


def write_furniture(boxes: Sequence[PlacedBox], path: Path) -> Path:
    """Write one link of boxes, which are seen and collide; return the path."""
    robot = etree.Element("robot", name=path.stem)
    link = etree.SubElement(robot, "link", name="furniture")
    for number, box in enumerate(boxes):
        turn = pin.rpy.matrixToRpy(box.pose[:3, :3])
        for role in ("visual", "collision"):
            element = etree.SubElement(link, role)
            etree.SubElement(element, "origin", xyz=_text(box.pose[:3, 3]), rpy=_text(turn))
            geometry = etree.SubElement(element, "geometry")
            etree.SubElement(geometry, "box", size=_text(box.size))
            if role == "visual":
                material = etree.SubElement(element, "material", name=f"{path.stem}_{number}")
                etree.SubElement(material, "color", rgba=_text((*box.color, 1.0)))
    etree.ElementTree(robot).write(path, pretty_print=True, encoding="utf-8")
    return path


def _text(numbers: Sequence[float] | Array) -> str:
    return " ".join(f"{number:.6g}" for number in numbers)

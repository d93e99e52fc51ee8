"""Furniture of boxes as a URDF: what stands fixed around a robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin
from lxml import etree
from numpy.typing import NDArray

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
    middle: Array, radius: float, height: float, wall: float, color: tuple
) -> list[PlacedBox]:
    """Return a round bowl: staves around a square floor.

    Args:
        middle: (3,) m, of its floor's underside.
        radius: Inner one (m).
        height: Of the rim above the underside (m).
        wall: Thickness of staves and floor (m).
        color: Of all boxes.
    """
    count = 24
    width = 2 * (radius + wall) * np.tan(np.pi / count)
    half = np.array([radius, radius, wall / 2])
    floor = np.array([0.0, 0.0, wall / 2])
    boxes = [upright_box(middle + floor - half, middle + floor + half, color)]
    for turn in np.arange(count) * 2 * np.pi / count:
        pose = np.eye(4)
        pose[:3, :3] = pin.rpy.rpyToMatrix(0.0, 0.0, turn)
        pose[:3, 3] = middle + pose[:3, :3] @ (radius + wall / 2, 0, height / 2)
        boxes.append(PlacedBox(np.array([wall, width, height]), pose, color))
    return boxes


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

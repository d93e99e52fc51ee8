"""Boxes, and the doors, drawers, handles and knobs on them; the front is at y = 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.benchmark.parts.procedural.object_builder import (
    Mesh,
    ObjectBuilder,
    Vector,
    X,
    Y,
    Z,
    box,
    rod,
    turned,
)


@dataclass(frozen=True)
class Front:
    """The rectangle of a door or drawer: left, right, bottom, top, and front and rear face (m)."""

    x0: float
    x1: float
    z0: float
    z1: float
    y0: float
    y1: float

    @property
    def panel(self) -> Mesh:
        """The plate that fills it."""
        return box((self.x0, self.y0, self.z0), (self.x1, self.y1, self.z1))


def carcass(b: ObjectBuilder, size: tuple[float, float, float], wall: float) -> list[Mesh]:
    """Return a box that is open in front, of plates or as a block."""
    w, d, h = size
    if b.chance(0.15):
        return [box((0, 0, 0), (w, d, h))]
    boards = [
        box((0, 0, 0), (wall, d, h)),
        box((w - wall, 0, 0), (w, d, h)),
        box((wall, 0, 0), (w - wall, d, wall)),
        box((wall, 0, h - wall), (w - wall, d, h)),
        box((wall, d - wall, wall), (w - wall, d, h - wall)),
    ]
    if b.chance(0.3):
        boards += [
            rod((x, y, -0.08), (x, y, 0), 0.02) for x in (0.05, w - 0.05) for y in (0.05, d - 0.05)
        ]
    return boards


def front_at(
    b: ObjectBuilder, cell: tuple[float, float, float, float], thick: float, inset: bool, gap: float
) -> Front:
    """Return the front of a cell: left, right, bottom, top (m); in the box or before it."""
    x0, x1, z0, z1 = cell
    y0 = 0.0 if inset else -thick - gap
    return Front(x0 + gap, x1 - gap, z0 + gap, z1 - gap, y0, y0 + thick)


def handle(b: ObjectBuilder, front: Front, x: float, z: float, upright: bool) -> list[Mesh]:
    """Return a handle at a place on a front."""
    y, long = (
        front.y0,
        min(b.between(0.04, 0.15), 0.4 * (front.z1 - front.z0 if upright else front.x1 - front.x0)),
    )
    along = np.array(Z if upright else X)
    first, last = (
        np.array([x, y - 0.03, z]) - along * long,
        np.array([x, y - 0.03, z]) + along * long,
    )
    kind = b.one("bar", "round", "knob", "edge")
    if kind == "knob":
        return [
            rod((x, y, z), (x, y - 0.02, z), 0.006),
            rod((x, y - 0.015, z), (x, y - 0.03, z), 0.015),
        ]
    if kind == "edge":
        return [box(first - 0.006, last + np.array([0.006, 0.03, 0.006]))]
    posts = [
        rod(end, end + np.array([0, 0.03, 0]), 0.005, 12)
        for end in (first + 0.1 * (last - first), last - 0.1 * (last - first))
    ]
    bar = rod(first, last, 0.007, 16) if kind == "round" else box(first - 0.007, last + 0.007)
    return [bar, *posts]


def door(b: ObjectBuilder, front: Front, side: str, parent: int = 0, handles: float = 0.8) -> int:
    """Add a door that is hinged at the left, right, top or bottom."""
    upright = side in ("left", "right")
    sign = 1 if side in ("left", "bottom") else -1
    edge = {"left": front.x0, "right": front.x1, "top": front.z1, "bottom": front.z0}[side]
    y = {"rear": front.y1, "middle": (front.y0 + front.y1) / 2, "front": front.y0}[
        b.one("rear", "rear", "middle", "front")
    ]
    x, z = (front.x0 + front.x1) / 2, (front.z0 + front.z1) / 2
    pieces, point = [front.panel], np.array([edge, y, z] if upright else [x, y, edge])
    if b.chance(handles):
        opposite = (
            front.x0 + front.x1 - edge if upright else front.z0 + front.z1 - edge
        ) - sign * min(0.05, 0.12 * (front.x1 - front.x0 if upright else front.z1 - front.z0))
        height = z + b.between(-0.3, 0.3) * (front.z1 - front.z0)
        pieces += handle(
            b, front, opposite if upright else x, height if upright else opposite, upright
        )
    if b.chance(0.2):
        pieces.append(
            box(
                (front.x0 + 0.05, front.y0 - 0.004, front.z0 + 0.05),
                (front.x1 - 0.05, front.y0, front.z1 - 0.05),
            )
        )
    if b.chance(0.25):
        pieces += _knuckles(front, point, upright)
    return b.turns(pieces, Z if upright else X, point, parent)


def _knuckles(front: Front, point: NDArray[np.float64], upright: bool) -> list[Mesh]:
    """Return two cylinders of hinges on an axis."""
    along = np.array(Z if upright else X)
    length = front.z1 - front.z0 if upright else front.x1 - front.x0
    places = [point + along * length * share for share in (-0.35, 0.35)]
    return [rod(one - along * 0.03, one + along * 0.03, 0.006, 16) for one in places]


def drawer(b: ObjectBuilder, front: Front, depth: float) -> int:
    """Add a drawer: a front with a box behind it, or the front alone."""
    pieces, t = [front.panel], 0.012
    x0, x1, z0, z1 = front.x0 + 0.03, front.x1 - 0.03, front.z0 + 0.03, front.z1 - 0.04
    kind = b.one("walls", "walls", "block", "front")
    end = front.y1 + 0.85 * depth
    if kind == "walls":
        pieces += [
            box((x0, front.y1, z0), (x1, end, z0 + t)),
            box((x0, end - t, z0), (x1, end, z1)),
        ]
        pieces += [box((x, front.y1, z0), (x + t, end, z1)) for x in (x0, x1 - t)]
    elif kind == "block":
        pieces.append(box((x0, front.y1, z0), (x1, end, z1)))
    if b.chance(0.8):
        height = (front.z0 + front.z1) / 2 + b.between(-0.1, 0.25) * (front.z1 - front.z0)
        pieces += handle(b, front, (front.x0 + front.x1) / 2, height, False)
    return b.slides(pieces, Y)


def knob(b: ObjectBuilder, at: Vector, out: Vector, radius: float, parent: int = 0) -> int:
    """Add a knob with a pointer, with flutes or with neither, on a plate."""
    place, axis = np.asarray(at, float), np.asarray(out, float)
    side, height = np.array(Z if abs(axis[2]) < 0.5 else X) * radius, radius * b.between(0.6, 1.6)
    start, end = place + axis * b.between(0.0, 0.002), place + axis * height
    pieces, kind = (
        [rod(start, end, radius, int(b.rng.integers(12, 40)))],
        b.one("pointer", "flutes", "plain", "bar"),
    )
    if kind == "pointer":
        pieces.append(rod(end, end + axis * radius * 0.1 + side * 0.9, radius * 0.1, 8))
    elif kind == "flutes":
        flute = [rod(start + side, end + side, radius * 0.15, 8)]
        pieces += [one for k in range(8) for one in turned(flute, k * np.pi / 4, axis, place)]
    elif kind == "bar":
        pieces.append(rod(end - side * 1.1, end + side * 1.1, radius * 0.25, 10))
    return b.turns(pieces, axis, place, parent)

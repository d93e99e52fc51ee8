"""Furniture: doors, drawers, flaps, lids and panes on boxes; the front is at y = 0."""

from __future__ import annotations

import numpy as np

from autourdf_ros.benchmark.parts.procedural.fittings import (
    Front,
    carcass,
    door,
    drawer,
    front_at,
    handle,
    knob,
)
from autourdf_ros.benchmark.parts.procedural.object_builder import ObjectBuilder, X, Y, Z, box, rod


def cabinet(b: ObjectBuilder) -> None:
    """Build a cabinet of one to four doors, drawers and flaps."""
    columns, rows = [(1, 1), (2, 1), (1, 2), (1, 3), (2, 2), (1, 4)][int(b.rng.integers(6))]
    w, d = columns * b.between(0.3, 0.7), b.between(0.3, 0.6)
    h, wall = (
        b.between(0.5, 1.0) * (1.6 if columns == rows == 1 and b.chance(0.4) else 1),
        b.between(0.015, 0.03),
    )
    inset, gap, thick = b.chance(0.5), b.between(0.0005, 0.004), b.between(0.015, 0.025)
    edge = wall if inset else 0.0
    xs, zs = np.linspace(edge, w - edge, columns + 1), np.linspace(edge, h - edge, rows + 1)
    boards = [box((wall, thick, z - 0.008), (w - wall, d - wall, z + 0.008)) for z in zs[1:-1]]
    b.base(carcass(b, (w, d, h), wall) + boards)
    for row in range(rows):
        kind = (
            b.one("door", "drawer", "drawer", "flap")
            if rows > 1
            else b.one("door", "door", "door", "flap")
        )
        side = b.one("top", "bottom", "bottom")
        single = b.one("left", "right")
        for column in range(columns):
            front = front_at(b, (*xs[column : column + 2], *zs[row : row + 2]), thick, inset, gap)
            if kind == "drawer":
                drawer(b, front, d - 0.05)
            else:
                swing = single if columns == 1 else ("left", "right")[column]
                door(b, front, swing if kind == "door" else side)


def chest(b: ObjectBuilder) -> None:
    """Build a chest or bin whose lid is hinged at the rear."""
    w, d, h, t = (
        b.between(0.25, 1.0),
        b.between(0.2, 0.5),
        b.between(0.2, 0.6),
        b.between(0.01, 0.03),
    )
    walls = [box((0, 0, 0), (w, d, t)), box((0, 0, t), (w, t, h)), box((0, d - t, t), (w, d, h))]
    b.base(walls + [box((x, t, t), (x + t, d - t, h)) for x in (0, w - t)])
    gap, over = b.between(0.0005, 0.004), b.between(0, 0.02)
    high = h + gap + (t if b.chance(0.6) else b.between(0.04, 0.12))
    pieces = [box((-over, -over, h + gap), (w + over, d, high))]
    if b.chance(0.5):
        pieces.append(box((w / 2 - 0.05, -over - 0.02, h), (w / 2 + 0.05, -over, high - 0.005)))
    if b.chance(0.4):
        pieces += [rod((x * w, d, h), (x * w + 0.05, d, h), 0.008) for x in (0.15, 0.75)]
    b.turns(pieces, X, (w / 2, d, h + gap))


def safe(b: ObjectBuilder) -> None:
    """Build a safe: a thick door with a dial and a lever on it."""
    w, d, h, t = (
        b.between(0.25, 0.6),
        b.between(0.25, 0.5),
        b.between(0.25, 0.8),
        b.between(0.03, 0.06),
    )
    b.base(carcass(b, (w, d, h), t))
    inset = b.chance(0.7)
    edge = t if inset else 0.0
    front = front_at(b, (edge, w - edge, edge, h - edge), t, inset, b.between(0.0005, 0.003))
    number = door(b, front, b.one("left", "left", "right"), 0, 0.0)
    knob(b, (w * 0.5, front.y0, h * 0.6), (0, -1, 0), b.between(0.02, 0.04), number)
    lever = (w * 0.5, front.y0, h * 0.4)
    end = (lever[0], front.y0 - 0.04, lever[2])
    bar = rod(end, (lever[0] + 0.09, end[1], lever[2]), 0.008)
    b.turns([rod(lever, end, 0.012), bar], Y, lever, number)


def room_door(b: ObjectBuilder) -> None:
    """Build a door in its frame, with a lever or a round handle."""
    w, h, t, f = (
        b.between(0.6, 1.0),
        b.between(0.7, 2.1),
        b.between(0.03, 0.05),
        b.between(0.04, 0.1),
    )
    b.base(
        [
            box((-f, 0, 0), (0, 0.1, h + f)),
            box((w, 0, 0), (w + f, 0.1, h + f)),
            box((0, 0, h), (w, 0.1, h + f)),
        ]
    )
    side = b.one("left", "right")
    front = front_at(b, (0, w, 0.0, h), t, True, b.between(0.001, 0.005))
    number = door(b, front, side, 0, 0.0)
    x = w - 0.07 if side == "left" else 0.07
    place, end = np.array([x, front.y0, h / 2]), np.array([x, front.y0 - 0.05, h / 2])
    if b.chance(0.4):
        b.turns(
            [rod(place, end, 0.01), rod(end, end - np.array([0, 0.03, 0]), 0.028)], Y, place, number
        )
    else:
        reach = np.array([0.1 if x < w / 2 else -0.1, 0, 0])
        b.turns([rod(place, end, 0.01), rod(end, end + reach, 0.009)], Y, place, number)


def sliding(b: ObjectBuilder) -> None:
    """Build a window or cupboard with a pane that slides in a frame."""
    w, h, f, t = (
        b.between(0.4, 1.6),
        b.between(0.3, 1.2),
        b.between(0.03, 0.06),
        b.between(0.01, 0.03),
    )
    gap, upright = b.between(0.0005, 0.003), b.chance(0.35)
    depth = 2 * t + 0.03
    frame = [box((0, 0, 0), (w, depth, f)), box((0, 0, h - f), (w, depth, h))]
    frame += [box((x, 0, f), (x + f, depth, h - f)) for x in (0.0, w - f)]
    low, high = np.array([f + gap, 0.01, f + gap]), np.array([w - f - gap, 0.01 + t, h - f - gap])
    high[2 if upright else 0] = (h if upright else w) / 2 + 0.02
    behind = np.array([0, t + 0.01, 0])
    fixed_low, fixed_high = low + behind, high + behind
    shift = (h - f - gap if upright else w - f - gap) - high[2 if upright else 0]
    fixed_low[2 if upright else 0] += shift
    fixed_high[2 if upright else 0] += shift
    b.base([*frame, box(fixed_low, fixed_high)])
    x, z = (low[0] + high[0]) / 2, (low[2] + high[2]) / 2
    pieces = [box(low, high)]
    if b.chance(0.7):
        front = Front(low[0], high[0], low[2], high[2], low[1], high[1])
        pieces += handle(
            b, front, x if upright else low[0] + 0.03, low[2] + 0.03 if upright else z, not upright
        )
    b.slides(pieces, Z if upright else X)

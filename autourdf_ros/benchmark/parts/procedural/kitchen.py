"""Kitchens and laundries: sliding fronts, racks, tall refrigerators, round doors, casements."""

from __future__ import annotations

from itertools import pairwise

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
from autourdf_ros.benchmark.parts.procedural.object_builder import (
    Mesh,
    ObjectBuilder,
    X,
    Y,
    Z,
    box,
    ring,
    rod,
)


def sliding_fronts(b: ObjectBuilder) -> None:
    """Build a cupboard or a machine with one or two panels that slide sideways before it."""
    w, d, h, t = b.lengths((0.6, 1.8), (0.3, 0.7), (0.4, 1.8), (0.015, 0.04))
    gap, both = b.between(0.0005, 0.004), b.chance(0.6)
    boards = carcass(b, (w, d, h), t)
    if b.chance(0.6):
        boards += [box((0, -2.4 * t, z - t / 2), (w, 0, z)) for z in (0.0, h + t / 2)]
    if not both:
        boards.append(box((w / 2, -t, 0.01), (w, 0, h - 0.01)))
    b.base(boards)
    for number in range(2 if both else 1):
        y = -gap - t - number * (t + gap)
        x0 = number * 0.48 * w
        front = Front(x0 + gap, x0 + 0.52 * w, gap, h - gap, y, y + t)
        pieces = [front.panel]
        if b.chance(0.8):
            x = front.x0 + 0.05 if number == 0 else front.x1 - 0.05
            pieces += handle(b, front, x, h / 2, True)
        b.slides(pieces, X)


def _rack(b: ObjectBuilder, low: np.ndarray, high: np.ndarray) -> list[Mesh]:
    """Return a basket of wires or of plates between two corners."""
    if b.chance(0.4):
        floor = box(low, (high[0], high[1], low[2] + 0.004))
        sides = [
            box((x, low[1], low[2]), (x + 0.004, *high[1:])) for x in (low[0], high[0] - 0.004)
        ]
        return [floor, *sides]
    ys, xs = np.linspace(low[1], high[1], 6), np.linspace(low[0], high[0], 6)
    wires = [rod((low[0], y, low[2]), (high[0], y, low[2]), 0.003, 8) for y in ys]
    wires += [rod((x, low[1], low[2]), (x, high[1], low[2]), 0.003, 8) for x in xs]
    for y in (low[1], high[1]):
        wires += [rod((x, y, low[2]), (x, y, high[2]), 0.003, 8) for x in xs[::5]]
        wires.append(rod((low[0], y, high[2]), (high[0], y, high[2]), 0.003, 8))
    return [*wires, *(rod((x, low[1], high[2]), (x, high[1], high[2]), 0.003, 8) for x in xs[::5])]


def racks(b: ObjectBuilder) -> None:
    """Build a dishwasher or an oven with racks behind a flap."""
    w, d, h, t = b.lengths((0.4, 0.7), (0.45, 0.65), (0.5, 0.9), (0.02, 0.05))
    count, gap = int(b.rng.integers(1, 3)), b.between(0.0005, 0.004)
    play, rails = b.between(0.001, 0.01), b.chance(0.5)
    levels = np.linspace(t + 0.03, h - t, count + 1)
    boards = carcass(b, (w, d, h), t)
    if len(boards) == 1:
        boards = [box((0, 0, 0), (w, d, t)), *(box((x, 0, t), (x + t, d, h)) for x in (0, w - t))]
    if rails:
        for x in (t, w - t - 0.012):
            boards += [box((x, 0.02, z - 0.01), (x + 0.012, d - t, z - 0.004)) for z in levels[:-1]]
    b.base(boards)
    for low, high in pairwise(levels):
        corner = np.array([t + play, 0.03, low])
        b.slides(_rack(b, corner, np.array([w - t - play, d - t - 0.03, high - 0.04])), Y)
    if b.chance(0.7):
        door(b, front_at(b, (0, w, b.between(0, 0.1), h), t, False, gap), "bottom", 0, 0.9)


def tall_refrigerator(b: ObjectBuilder) -> None:
    """Build a refrigerator: long handles beside the free edges, perhaps a drawer below."""
    w, d, h, t = b.lengths((0.5, 1.0), (0.5, 0.8), (1.0, 1.9), (0.03, 0.09))
    b.base(carcass(b, (w, d, h), b.between(0.02, 0.06)))
    gap, split = b.between(0.0005, 0.006), b.between(0.25, 0.75) * h
    drawer_below, double = b.chance(0.3), b.chance(0.3)
    cells = [(0.0, w, split, h), (0.0, w, 0.0, split)]
    if drawer_below:
        drawer(b, front_at(b, cells.pop(), t, False, gap), d - 0.1)
    if double:
        cells = [half for c in cells for half in ((0.0, w / 2, *c[2:]), (w / 2, w, *c[2:]))]
    side = b.one("left", "right")
    for cell in cells:
        hinged = side if not double else ("left" if cell[0] == 0 else "right")
        _barred_door(b, front_at(b, cell, t, False, gap), hinged)


def _barred_door(b: ObjectBuilder, front: Front, side: str) -> None:
    """Add a thick door with a long bar near its free edge, hinged in its corner or within it."""
    long, out, r = b.between(0.2, 0.48), b.between(0.02, 0.06), b.between(0.005, 0.02)
    edge, free = (front.x0, front.x1) if side == "left" else (front.x1, front.x0)
    x = free + np.sign(edge - free) * min(b.between(0.02, 0.08), 0.2 * (front.x1 - front.x0))
    z, half = (front.z0 + front.z1) / 2, long * (front.z1 - front.z0) / 1.1
    y = front.y0 - out
    pieces = [front.panel]
    if b.chance(0.85):
        pieces.append(rod((x, y, z - half), (x, y, z + half), r, 16))
        ends = (z - 0.9 * half, z + 0.9 * half)
        pieces += [rod((x, y, one), (x, front.y0, one), 0.8 * r, 12) for one in ends]
    y = {"rear": front.y1, "middle": (front.y0 + front.y1) / 2}[b.one("rear", "rear", "middle")]
    inner = edge + np.sign(free - edge) * (
        b.between(0, front.y1 - front.y0) if b.chance(0.3) else 0
    )
    if b.chance(0.25):
        levels = (front.z0 - 0.004, front.z1 - 0.02)
        pieces += [rod((inner, y, one), (inner, y, one + 0.024), 0.008, 12) for one in levels]
    b.turns(pieces, Z, (inner, y, z))


def washing_machine(b: ObjectBuilder) -> None:
    """Build a washing machine: a round door hinged at its side, a knob and a drawer."""
    w, d, h, r = b.lengths((0.5, 0.7), (0.45, 0.65), (0.7, 0.95), (0.12, 0.2))
    b.base([box((0, 0, 0), (w, d, h)), ring((w / 2, 0, h / 2), (w / 2, -0.01, h / 2), r, 1.15 * r)])
    gap, t = b.between(0.0005, 0.003), b.between(0.02, 0.06)
    y, sign = -0.01 - gap, 1.0 if b.chance(0.3) else -1.0
    centre = np.array([w / 2, y, h / 2])
    pieces = [rod(centre, centre - np.array([0, t, 0]), 1.1 * r, 32)]
    hinge = centre + np.array([sign * 1.12 * r, -0.3 * t if b.chance(0.5) else 0.0, 0])
    if b.chance(0.6):
        pieces.append(box(hinge - (0.03, 0.005, 0.05), np.add(hinge, (0.03, 0.0, 0.05))))
    if b.chance(0.6):
        grip = centre - np.array([sign * 0.95 * r, t, 0])
        pieces.append(box(grip - (0.015, 0.02, 0.05), np.add(grip, (0.015, 0.0, 0.05))))
    b.turns(pieces, Z, hinge)
    if b.chance(0.7):
        knob(b, (0.75 * w, 0, 0.9 * h), (0, -1, 0), b.between(0.02, 0.04))
    if b.chance(0.5):
        front = Front(0.03, 0.35 * w, 0.86 * h, 0.96 * h, -0.02 - gap, -gap)
        drawer(b, front, 0.2)


def casement(b: ObjectBuilder) -> None:
    """Build a window, a gate or shutters: leaves hinged in a frame, with a handle."""
    w, h, t, f = b.lengths((0.3, 1.0), (0.4, 1.6), (0.02, 0.06), (0.03, 0.08))
    leaves, gap = int(b.rng.integers(1, 3)), b.between(0.0005, 0.004)
    total, depth = leaves * w, b.between(1.0, 1.6) * t
    frame = [box((x, 0, -f), (x + f, depth, h + f)) for x in (-f, total)]
    b.base(frame + [box((0, 0, z), (total, depth, z + f)) for z in (-f, h)])
    tilted = leaves == 1 and b.chance(0.25)
    for leaf in range(leaves):
        front = front_at(b, (leaf * w, (leaf + 1) * w, 0.0, h), t, b.chance(0.7), gap)
        side = b.one("top", "bottom") if tilted else ("left", "right")[leaf]
        door(b, front, side, 0, 0.7)


def tray(b: ObjectBuilder) -> None:
    """Build a device with a tray, a lid in grooves, or a keyboard shelf on rails."""
    w, d, h = b.lengths((0.15, 0.8), (0.15, 0.6), (0.04, 0.3))
    t, gap = b.between(0.004, 0.015), b.between(0.0003, 0.002)
    kind, out = b.one("slot", "lid", "shelf"), b.between(0.0, 0.3) * d
    if kind == "lid":
        walls = [box((x, 0, 0), (x + 3 * t, d, h)) for x in (0, w - 3 * t)]
        lips = [box((x, 0, h + t), (x + 3 * t, d, h + 2 * t)) for x in (0, w - 3 * t)]
        cheeks = [box((x, 0, h), (x + t, d, h + t)) for x in (0, w - t)]
        b.base([*walls, *lips, *cheeks, box((0, 0, 0), (w, d, t)), box((0, d - t, 0), (w, d, h))])
        x0, x1, z = t + gap, w - t - gap, h + gap
    elif kind == "slot":
        z = b.between(0.3, 0.7) * h
        b.base([box((0, 0, 0), (w, d, z - gap)), box((0, 0, z + t + gap), (w, d, h + z))])
        x0, x1 = 0.1 * w, 0.9 * w
    else:
        z = h
        b.base(
            [box((0, 0, h + t + gap), (w, d, h + 2 * t))]
            + [box((x, 0, h - t), (x + 2 * t, d, h + t + gap)) for x in (0, w - 2 * t)]
        )
        x0, x1 = 2 * t + gap, w - 2 * t - gap
    pieces = [box((x0, -out - 0.01, z), (x1, 0.9 * d, z + t - gap))]
    if b.chance(0.5):
        lower = (x0, -out - 0.02, z - t)
        pieces.append(box(lower, (x1, -out - 0.01, z + t)))
    b.slides(pieces, Y)

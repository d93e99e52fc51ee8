"""Appliances: an oven, a microwave, a refrigerator, a faucet, a toilet, a light switch."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from autourdf_ros.benchmark.parts.procedural.fittings import carcass, door, front_at, knob
from autourdf_ros.benchmark.parts.procedural.object_builder import (
    ObjectBuilder,
    X,
    Z,
    box,
    ring,
    rod,
    turned,
)


def oven(b: ObjectBuilder) -> None:
    """Build an oven or a dishwasher: a flap that is hinged at the bottom, perhaps knobs."""
    w, d, h, t = (
        b.between(0.4, 0.75),
        b.between(0.45, 0.65),
        b.between(0.5, 0.9),
        b.between(0.025, 0.05),
    )
    low, high = b.between(0.05, 0.15), h - b.between(0.08, 0.2)
    panel = box((0, -t, high), (w, 0, h))
    b.base(
        [
            *carcass(b, (w, d, h), t),
            panel,
            *([box((0, -t, 0), (w, 0, low))] if b.chance(0.5) else []),
        ]
    )
    door(b, front_at(b, (0, w, low, high), t, False, b.between(0.0005, 0.004)), "bottom", 0, 0.95)
    for x in np.linspace(0.15 * w, 0.85 * w, int(b.rng.integers(0, 6))):
        knob(b, (x, -t, (high + h) / 2), (0, -1, 0), b.between(0.015, 0.025))


def microwave(b: ObjectBuilder) -> None:
    """Build a microwave: a door beside a panel with knobs or buttons."""
    w, d, h, t = (
        b.between(0.4, 0.6),
        b.between(0.3, 0.45),
        b.between(0.22, 0.35),
        b.between(0.02, 0.04),
    )
    split, right = b.between(0.68, 0.82) * w, b.chance(0.25)
    panel = box((0, -t, 0), (w - split, 0, h)) if right else box((split, -t, 0), (w, 0, h))
    b.base([*carcass(b, (w, d, h), 0.015), panel])
    cell = (w - split, w, 0.0, h) if right else (0.0, split, 0.0, h)
    door(b, front_at(b, cell, t, False, b.between(0.0005, 0.003)), "right" if right else "left")
    x = (w - split) / 2 if right else (split + w) / 2
    for z in np.linspace(0.25, 0.7, int(b.rng.integers(0, 3))):
        knob(b, (x, -t, z * h), (0, -1, 0), 0.018)


def refrigerator(b: ObjectBuilder) -> None:
    """Build a refrigerator of one or two thick doors."""
    w, d, h, t = (
        b.between(0.5, 0.9),
        b.between(0.5, 0.7),
        b.between(0.8, 1.9),
        b.between(0.04, 0.08),
    )
    b.base(carcass(b, (w, d, h), t))
    gap, side = b.between(0.0005, 0.005), b.one("left", "right")
    if b.chance(0.3):
        door(b, front_at(b, (0, w / 2, 0, h), t, False, gap), "left")
        door(b, front_at(b, (w / 2, w, 0, h), t, False, gap), "right")
        return
    split = b.between(0.25, 0.75) * h if b.chance(0.7) else h
    door(b, front_at(b, (0, w, 0, split), t, False, gap), side)
    if split < h:
        door(b, front_at(b, (0, w, split, h), t, False, gap), side)


def faucet(b: ObjectBuilder) -> None:
    """Build a faucet whose spout turns about the upright, with one or two handles."""
    r, h, reach = b.between(0.015, 0.03), b.between(0.06, 0.2), b.between(0.1, 0.25)
    b.base(
        [
            rod((0, 0, 0), (0, 0, h), r),
            rod((0, 0, 0), (0, 0, 0.01), 2 * r),
            *([box((-0.12, -0.04, -0.01), (0.12, 0.04, 0))]),
        ]
    )
    top = b.between(0.02, 0.15)
    spout = [
        rod((0, 0, h + 0.0005), (0, 0, h + top), r * 0.9),
        rod((0, 0, h + top * 0.8), (0, -reach, h + top), r * 0.5),
    ]
    spout.append(rod((0, -reach, h + top), (0, -reach, h + top - 0.03), r * 0.5))
    b.turns(spout, Z, (0, 0, h))
    if b.chance(0.5):
        place, end = (r, 0, 0.6 * h), (r + 0.02, 0, 0.6 * h)
        b.turns(
            [rod(place, end, 0.6 * r), rod(end, (r + 0.03, 0, 0.6 * h + 0.07), 0.2 * r)], X, place
        )
        return
    for x in (-0.09, 0.09):
        knob(b, (x, 0, 0), Z, 0.018)


def toilet(b: ObjectBuilder) -> None:
    """Build a toilet: a seat and a lid that are hinged at the rear, and a flush."""
    r, h = b.between(0.17, 0.2), b.between(0.38, 0.45)
    tank = box((-r, r + 0.05, h - 0.1), (r, r + 0.22, h + 0.35))
    b.base([rod((0, 0, 0), (0, 0, h), r), tank, box((-0.1, r - 0.05, h - 0.1), (0.1, r + 0.06, h))])
    axis_at, t = r + 0.02, 0.02
    for z, kind in ((h + 0.001, "seat"), (h + 0.003 + t, "lid")):
        disc = (
            ring((0, 0, z), (0, 0, z + t), 0.6 * r, r)
            if kind == "seat"
            else rod((0, 0, z), (0, 0, z + t), r)
        )
        b.turns([disc, box((-0.07, r - 0.03, z), (0.07, axis_at, z + t))], X, (0, axis_at, z))
    top = np.array([0, r + 0.13, h + 0.35])
    b.slides([rod(top - np.array([0, 0, 0.005]), top + np.array([0, 0, 0.01]), 0.025)], Z)


def rocker(b: ObjectBuilder) -> None:
    """Build a light switch of one or two rockers."""
    w, h, t = b.between(0.06, 0.09), b.between(0.06, 0.12), b.between(0.006, 0.012)
    count, edge, gap = int(b.rng.integers(1, 3)), 0.012, b.between(0.0003, 0.001)
    b.base(
        [
            box((0, 0, 0), (w, t, edge)),
            box((0, 0, h - edge), (w, t, h)),
            box((0, t, 0), (w, t + 0.004, h)),
        ]
        + [box((x, 0, edge), (x + edge, t, h - edge)) for x in (0, w - edge)]
    )
    xs = np.linspace(edge, w - edge, count + 1)
    for x0, x1 in pairwise(xs):
        middle = ((x0 + x1) / 2, 0.6 * t, h / 2)
        plate = [box((x0 + gap, 0.0, edge + 2 * gap), (x1 - gap, 0.5 * t, h - edge - 2 * gap))]
        if b.chance(0.5):
            plate.append(rod((x0 + gap, 0.6 * t, h / 2), (x1 - gap, 0.6 * t, h / 2), 0.35 * t, 12))
        b.turns(turned(plate, b.between(-0.08, 0.08), X, middle), X, middle)

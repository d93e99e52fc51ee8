"""Objects that roll, swivel or fold."""

from __future__ import annotations

import numpy as np

from autourdf_ros.benchmark.parts.procedural.object_builder import (
    Mesh,
    ObjectBuilder,
    X,
    Y,
    Z,
    box,
    ring,
    rod,
    turned,
)


def _wheel(x: float, z: float, y: float, radius: float, width: float) -> list[Mesh]:
    half, axle = width / 2, 0.12 * radius
    hub = rod((x, y - 0.8 * width, z), (x, y + 0.8 * width, z), axle, 16)
    return [rod((x, y - half, z), (x, y + half, z), radius, 32), hub]


def caster(b: ObjectBuilder) -> None:
    """Build a caster: a fork that turns about the upright, and its wheel."""
    r, width, t = b.between(0.02, 0.06), b.between(0.015, 0.03), 0.004
    offset, half = b.between(0.2, 0.7) * r, width / 2 + 0.002
    top = 2.3 * r
    b.base([box((-r, -r, top), (r, r, top + t)), rod((0, 0, top - 0.3 * r), (0, 0, top), 0.25 * r)])
    sides = [
        box((-0.3 * r, y - t / 2, 0.7 * r), (offset + 0.3 * r, y + t / 2, top - 0.3 * r))
        for y in (-half - t / 2, half + t / 2)
    ]
    plate = [box((-0.4 * r, -half, top - 0.3 * r - t), (offset + 0.3 * r, half, top - 0.3 * r))]
    collar = [ring((0, 0, top - 0.3 * r), (0, 0, top - 0.05 * r), 0.26 * r, 0.4 * r)]
    fork = b.turns(sides + plate + collar, Z, (0, 0, top))
    b.turns(_wheel(offset, r, 0.0, r, width), Y, (offset, 0, r), fork)


def cart(b: ObjectBuilder) -> None:
    """Build a box on four wheels."""
    w, d, h, r = (
        b.between(0.15, 0.8),
        b.between(0.1, 0.4),
        b.between(0.05, 0.3),
        b.between(0.03, 0.08),
    )
    b.base(
        [
            box((0, 0, 1.2 * r), (w, d, 1.2 * r + h)),
            *(rod((x, -0.02, r), (x, d + 0.02, r), 0.1 * r) for x in (0.2 * w, 0.8 * w)),
        ]
    )
    width = 0.5 * r
    for x in (0.2 * w, 0.8 * w):
        for y in (-0.5 * width - 0.002, d + 0.5 * width + 0.002):
            b.turns(_wheel(x, r, y, r, width), Y, (x, y, r))


def chair(b: ObjectBuilder) -> None:
    """Build a swivel chair or stool."""
    h, r, size = b.between(0.35, 0.5), b.between(0.02, 0.035), b.between(0.4, 0.5)
    legs = int(b.rng.integers(4, 6))
    leg = [rod((0, 0, 0.07), (0.3, 0, 0.05), 0.018, 12)]
    star = [one for k in range(legs) for one in turned(leg, 2 * np.pi * k / legs, Z, (0, 0, 0))]
    b.base([rod((0, 0, 0.03), (0, 0, h - 0.12), r), *star])
    half = size / 2
    seat = (
        rod((0, 0, h), (0, 0, h + 0.05), half)
        if b.chance(0.3)
        else box((-half, -half, h), (half, half, h + 0.05))
    )
    pieces = [rod((0, 0, h - 0.12), (0, 0, h), 0.7 * r), seat]
    if b.chance(0.7):
        pieces.append(box((-half, half - 0.04, h + 0.05), (half, half, h + 0.5)))
    b.turns(pieces, Z, (0, 0, h))


def trash_can(b: ObjectBuilder) -> None:
    """Build a round can with a lid hinged at the rear and perhaps a pedal."""
    r, h = b.between(0.1, 0.2), b.between(0.25, 0.7)
    b.base([ring((0, 0, 0), (0, 0, h), r * 0.93, r), rod((0, 0, 0), (0, 0, 0.01), r * 0.93)])
    gap = b.between(0.0005, 0.003)
    block = box((-0.03, r * 0.95, h + gap), (0.03, r + 0.02, h + gap + 0.015))
    b.turns(
        [rod((0, 0, h + gap), (0, 0, h + gap + 0.02), r * 1.02), block], X, (0, r + 0.01, h + gap)
    )
    if b.chance(0.6):
        pedal = box((-0.04, -r - 0.06, 0.015), (0.04, -r + 0.01, 0.025))
        b.turns([pedal, rod((-0.04, -r, 0.02), (0.04, -r, 0.02), 0.006)], X, (0, -r, 0.02))


def laptop(b: ObjectBuilder) -> None:
    """Build a laptop: a screen that stands open or lies on the keyboard."""
    w, d, t = b.between(0.28, 0.45), b.between(0.2, 0.3), b.between(0.01, 0.02)
    pieces = [box((0, 0, t + 0.0005), (w, d, t + 0.0005 + 0.6 * t))]
    if b.chance(0.5):
        pieces.append(rod((0.1 * w, d, t), (0.9 * w, d, t), 0.4 * t, 16))
    base = [box((0, 0, 0), (w, d, t))]
    if b.chance(0.4):
        base += [rod((x, d, t), (x + 0.05 * w, d, t), 0.4 * t, 16) for x in (0.02 * w, 0.93 * w)]
    b.base(base)
    angle = 0.0 if b.chance(0.2) else b.between(1.2, 2.2)
    b.turns(turned(pieces, -angle, X, (0, d, t)), X, (w / 2, d, t))


def scissors(b: ObjectBuilder) -> None:
    """Build scissors, pliers or a folding frame: two bars on a pin."""
    long, w, t = b.between(0.1, 0.8), b.between(0.01, 0.03), b.between(0.003, 0.015)
    at, spread, gap = b.between(-0.3, 0.3) * long, b.between(0.15, 0.9), b.between(0.0002, 0.001)
    upright = b.chance(0.5)
    first = [
        box((-long, -w / 2, 0), (long, w / 2, t)),
        rod((at, 0, -0.3 * t), (at, 0, 2.3 * t), 0.25 * w),
    ]
    second = [box((-long, -w / 2, t + gap), (long, w / 2, 2 * t + gap))]
    if b.chance(0.5):
        first.append(ring((-long, 0, 0), (-long, 0, t), w, 1.6 * w))
        second.append(ring((-long, 0, t + gap), (-long, 0, 2 * t + gap), w, 1.6 * w))
    second = turned(second, spread, Z, (at, 0, 0))
    if upright:
        first, second = (turned(one, np.pi / 2, X, (0, 0, 0)) for one in (first, second))
    b.base(first)
    b.turns(second, (0, -1, 0) if upright else Z, (at, 0, 0))


def suitcase(b: ObjectBuilder) -> None:
    """Build a suitcase of two shells, with a grip that slides out."""
    w, d, h, gap = (
        b.between(0.35, 0.5),
        b.between(0.1, 0.2),
        b.between(0.5, 0.75),
        b.between(0.0005, 0.003),
    )
    b.base([box((0, 0, 0), (w, d / 2, h))])
    left = b.chance(0.7)
    shell = [box((0, -d / 2, 0), (w, -gap, h))]
    if b.chance(0.5):
        shell += (
            [rod((0, 0, z * h), (0, 0, z * h + 0.05), 0.006) for z in (0.2, 0.7)] if left else []
        )
    b.turns(shell, Z if left else X, (0, 0, h / 2) if left else (w / 2, 0, 0))
    rods = [rod((x, d / 4, 0.4 * h), (x, d / 4, 1.2 * h), 0.008) for x in (0.35 * w, 0.65 * w)]
    b.slides(
        [*rods, box((0.33 * w, d / 4 - 0.01, 1.2 * h), (0.67 * w, d / 4 + 0.01, 1.2 * h + 0.02))], Z
    )

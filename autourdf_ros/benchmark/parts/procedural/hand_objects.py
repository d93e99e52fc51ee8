"""Objects that a hand turns or presses."""

from __future__ import annotations

import numpy as np
from trimesh import creation

from autourdf_ros.benchmark.parts.procedural.fittings import knob
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


def knobs(b: ObjectBuilder) -> None:
    """Build a panel with one to four knobs."""
    w, h = b.between(0.1, 0.5), b.between(0.06, 0.2)
    b.base([box((0, 0, 0), (w, b.between(0.005, 0.1), h))])
    count = int(b.rng.integers(1, 5))
    radius = min(0.3 * w / count, 0.35 * h) * b.between(0.5, 1)
    for k in range(count):
        knob(b, ((k + 0.5) * w / count, 0, h / 2), (0, -1, 0), radius)


def buttons(b: ObjectBuilder) -> None:
    """Build a box with push buttons, round or square, in collars, holes or on the plate."""
    w, d, h = b.between(0.05, 0.3), b.between(0.02, 0.15), b.between(0.05, 0.2)
    count, r, up = int(b.rng.integers(1, 4)), b.between(0.006, 0.02), b.chance(0.4)
    out = np.array([0, 0, 1.0]) if up else np.array([0, -1.0, 0])
    base, round_, collar = [box((0, 0, 0), (w, d, h))], b.chance(0.6), b.chance(0.5)
    tall, mushroom = b.between(0.4, 1.5) * r, b.chance(0.3)
    for k in range(count):
        place = np.array([(k + 0.5) * w / count, d / 2 if up else 0, h if up else h / 2])
        if collar:
            base.append(ring(place, place + out * tall * 0.5, r * 1.05, r * 1.3))
    b.base(base)
    for k in range(count):
        place = np.array([(k + 0.5) * w / count, d / 2 if up else 0, h if up else h / 2])
        start, end = place - out * b.between(0, 0.5) * r, place + out * tall
        side = (1 - np.abs(out)) * r
        pieces = [
            rod(start, end, r)
            if round_
            else box(np.minimum(start, end) - side, np.maximum(start, end) + side)
        ]
        if mushroom:
            pieces.append(rod(end, end + out * r * 0.5, r * 1.8))
        b.slides(pieces, out)


def lever(b: ObjectBuilder) -> None:
    """Build a box with a lever on a pin across it or beside it."""
    w, d, h, r = (
        b.between(0.05, 0.15),
        b.between(0.05, 0.12),
        b.between(0.03, 0.15),
        b.between(0.004, 0.012),
    )
    tip = np.array([0, b.between(-0.08, 0.08), b.between(0.08, 0.25)])
    beside = b.chance(0.5)
    place = np.array([w + 0.01 if beside else w / 2, d / 2, h * 0.8 if beside else h + r])
    width = w / 2 * 0.6
    ears = [
        box((x - 0.004, d / 2 - 2 * r, h), (x + 0.004, d / 2 + 2 * r, h + 3 * r))
        for x in (w / 2 - width, w / 2 + width)
    ]
    b.base([box((0, 0, 0), (w, d, h)), *([] if beside else ears)])
    half = np.array([0.02 if beside else width, 0, 0])
    pieces = [rod(place - half, place + half, 1.5 * r), rod(place, place + tip, r)]
    if b.chance(0.5):
        pieces.append(rod(place + tip, place + tip * 1.15, 2 * r))
    b.turns(pieces, X, place)


def valve(b: ObjectBuilder) -> None:
    """Build a pipe with a hand wheel or a lever on a stem."""
    r, stem, out = b.between(0.02, 0.06), b.between(0.06, 0.15), b.between(0.06, 0.15)
    pipe = rod((-3 * r, 0, 0), (3 * r, 0, 0), r)
    b.base([pipe, rod((0, 0, 0), (0, 0, stem * 0.6), 0.5 * r)])
    pieces: list[Mesh] = [rod((0, 0, stem * 0.6), (0, 0, stem), 0.25 * r)]
    if b.chance(0.6):
        wheel = creation.torus(out, 0.12 * out, major_sections=32, minor_sections=12)
        wheel.apply_translation((0, 0, stem))
        spokes = int(b.rng.integers(3, 6))
        spoke = [rod((0, 0, stem), (out, 0, stem), 0.08 * out, 10)]
        pieces += [
            wheel,
            *(
                one
                for k in range(spokes)
                for one in turned(spoke, 2 * np.pi * k / spokes, Z, (0, 0, 0))
            ),
        ]
    else:
        pieces.append(box((-0.2 * r, -0.3 * r, stem - 0.005), (2 * out, 0.3 * r, stem)))
    b.turns(pieces, Z, (0, 0, stem))


def cap(b: ObjectBuilder) -> None:
    """Build a bottle or jar with a cap that turns on its neck."""
    r, h = b.between(0.02, 0.06), b.between(0.08, 0.25)
    neck = r * b.between(0.35, 0.9)
    tall, gap = b.between(0.01, 0.03), b.between(0.0003, 0.001)
    square = box((-r, -r, 0), (r, r, h)) if b.chance(0.4) else rod((0, 0, 0), (0, 0, h), r)
    b.base([square, rod((0, 0, h), (0, 0, h + tall), neck)])
    outer, low, high = neck * 1.15 + gap, h + 0.001, h + tall + 0.003
    pieces = [
        ring((0, 0, low), (0, 0, high), neck + gap, outer),
        rod((0, 0, high - 0.002), (0, 0, high), outer),
    ]
    if b.chance(0.4):
        rib = [rod((outer, 0, low), (outer, 0, high), 0.05 * outer, 6)]
        pieces += [one for k in range(24) for one in turned(rib, k * np.pi / 12, Z, (0, 0, 0))]
    b.turns(pieces, Z, (0, 0, h))


def plunger(b: ObjectBuilder) -> None:
    """Build a rod that slides in a tube: a pump, a syringe, a bolt, a nail in a board."""
    r, h = b.between(0.005, 0.03), b.between(0.05, 0.25)
    board, lying = b.chance(0.3), b.chance(0.4)
    size = h * b.between(0.4, 1.0)
    base = (
        [box((-size, -size, 0), (size, size, 0.5 * h))]
        if board
        else [ring((0, 0, 0), (0, 0, h), r * 1.05, r * 1.3)]
    )
    head = r * b.between(1.4, 3.0)
    pieces = [
        rod((0, 0, 0.3 * h), (0, 0, 1.3 * h), r),
        rod((0, 0, 1.3 * h), (0, 0, 1.35 * h), head),
    ]
    if lying:
        base, pieces = (turned(one, np.pi / 2, X, (0, 0, 0)) for one in (base, pieces))
    b.base(base)
    b.slides(pieces, Y if lying else Z)

"""Small things that are moved by hand: panels of buttons, switches, taps, sliders, fans, lamps."""

from __future__ import annotations

import numpy as np

from autourdf_ros.benchmark.parts.procedural.fittings import knob
from autourdf_ros.benchmark.parts.procedural.object_builder import (
    ObjectBuilder,
    X,
    Y,
    Z,
    box,
    ring,
    rod,
    turned,
)


def button_panel(b: ObjectBuilder) -> None:
    """Build a panel of many buttons, a keypad or a lift's, standing or lying."""
    columns, rows = int(b.rng.integers(2, 5)), int(b.rng.integers(2, 4))
    r, pitch, t = b.between(0.005, 0.02), b.between(2.3, 4.0), b.between(0.005, 0.06)
    tall, round_, inset = b.between(0.3, 1.2) * r, b.chance(0.5), b.chance(0.5)
    up, gap = b.chance(0.3), b.between(0.0, 0.1) * r
    w, h = columns * pitch * r, rows * pitch * r
    base, buttons = [box((0, 0, 0), (w, t, h))], []
    for column in range(columns):
        for row in range(rows):
            x, z = (column + 0.5) * pitch * r, (row + 0.5) * pitch * r
            if inset:
                base.append(ring((x, 0, z), (x, -0.5 * tall, z), 1.42 * r + gap, 1.6 * r, 16))
            start = 0.3 * t if b.chance(0.5) else -gap
            cap = (
                rod((x, start, z), (x, -tall, z), r, 20)
                if round_
                else box((x - r, -tall, z - r), (x + r, start, z + r))
            )
            buttons.append([cap])
    lie = (lambda some: turned(some, -np.pi / 2, X, (0, 0, 0))) if up else (lambda some: some)
    b.base(lie(base))
    for pieces in buttons:
        b.slides(lie(pieces), Z if up else Y)


def press_handle(b: ObjectBuilder) -> None:
    """Build a block with a bar that is pressed down or pulled out along guides."""
    w, d, h = b.lengths((0.06, 0.2), (0.06, 0.2), (0.1, 0.3))
    r, gap, side = b.between(0.006, 0.015), b.between(0.0003, 0.002), b.chance(0.5)
    posts = (0.25 * w, 0.75 * w) if b.chance(0.6) else (0.5 * w,)
    top, low = b.between(1.1, 1.4) * h, b.between(0.3, 0.8) * h
    if side:
        slots = [box((x - 2 * r, -r, 0.0), (x - r - gap, 0, h)) for x in posts]
        slots += [box((x + r + gap, -r, 0.0), (x + 2 * r, 0, h)) for x in posts]
        b.base([box((0, 0, 0), (w, d, h)), *slots])
        pieces = [box((x - r, -r, low), (x + r, -gap, top)) for x in posts]
        pieces.append(rod((0, -2 * r, low), (w, -2 * r, low), r, 16))
    else:
        collars = [ring((x, d / 2, h), (x, d / 2, h + 0.02), r + gap, 1.6 * r) for x in posts]
        b.base([box((0, 0, 0), (w, d, h)), *collars])
        pieces = [rod((x, d / 2, low), (x, d / 2, top), r, 16) for x in posts]
        pieces.append(rod((0, d / 2, top), (w, d / 2, top), 1.3 * r, 16))
    b.slides(pieces, Z)


def switch_box(b: ObjectBuilder) -> None:
    """Build a box with a lever at its side or front that turns on a pin."""
    w, d, h = b.lengths((0.1, 0.35), (0.05, 0.2), (0.12, 0.45))
    r, long, gap = b.between(0.006, 0.02), b.between(0.3, 0.9) * h, b.between(0.0002, 0.003)
    z, angle, forked = b.between(0.3, 0.7) * h, b.between(-1.2, 1.2), b.chance(0.4)
    y = b.between(0.3, 0.7) * d
    b.base([box((0, 0, 0), (w, d, h)), *([box((w, 0, 0), (w + 0.01, d, h))] * b.chance(0.3))])
    if b.chance(0.5):
        place, axis = np.array([w + 0.01 + gap, y, z]), np.array(X)
    else:
        place, axis = np.array([w / 2, -gap, z]), -np.array(Y)
    end = place + axis * r
    pieces = [rod(place - axis * gap, end, b.between(1.2, 2.0) * r, 20)]
    tip = end + np.array([0, 0, long])
    pieces.append(box(np.minimum(end, tip) - 0.4 * r, np.maximum(end, tip) + 0.4 * r))
    pieces.append(rod(tip, tip + axis * b.between(1, 5) * r, 0.7 * r, 16))
    if forked:
        pieces.append(rod(end, end - np.array([0, 0, 0.2 * long]), 0.6 * r, 16))
    b.turns(turned(pieces, angle, axis, place), axis, place)


def toggle(b: ObjectBuilder) -> None:
    """Build a plate with one to three toggles that turn about a line within it."""
    w, h, t = b.lengths((0.05, 0.09), (0.08, 0.14), (0.004, 0.02))
    count, r, upright = int(b.rng.integers(1, 4)), b.between(0.003, 0.007), b.chance(0.3)
    pitch, angle, ball = w, b.between(-0.5, 0.5), b.chance(0.5)
    base, gap = [], b.between(0.0003, 0.001)
    for k in range(count):
        x = k * pitch
        hole = (x + w / 2 - r - gap, x + w / 2 + r + gap)
        base += [box((x, 0, 0), (hole[0], t, h)), box((hole[1], 0, 0), (x + w, t, h))]
        base += [box((hole[0], 0, z), (hole[1], t, z + 0.4 * h)) for z in (0, 0.6 * h)]
    stand = (lambda some: turned(some, np.pi / 2, Y, (0, 0, 0))) if upright else (lambda some: some)
    b.base(stand(base))
    for k in range(count):
        place = np.array([k * pitch + w / 2, t / 2, h / 2])
        out = np.array([0.0, -1.0, 0.0]) * b.between(0.015, 0.03)
        pieces = [rod(place, place + out, 0.8 * r, 12)]
        pieces += [rod(place - (r, 0, 0), np.add(place, (r, 0, 0)), 1.3 * r, 16)]
        pieces += [rod(place + out, place + 1.2 * out, 1.3 * r, 12)] * ball
        pieces = stand(turned(pieces, angle, X, place))
        point = stand([box(place - 0.001, place + 0.001)])[0].bounds.mean(axis=0)
        b.turns(pieces, Z if upright else X, point)


def tap(b: ObjectBuilder) -> None:
    """Build a tap: a spout on a body, with cross handles, a lever on top or at the side."""
    r, h, reach = b.lengths((0.012, 0.03), (0.08, 0.25), (0.08, 0.2))
    kind, gap = b.one("cross", "lever", "side"), b.between(0.0002, 0.0015)
    spout = [rod((0, 0, 0.8 * h), (0, -reach, b.between(0.7, 1.0) * h), 0.5 * r, 16)]
    foot = rod((0, 0, -0.01), (0, 0, 0), b.between(1.5, 4) * r)
    b.base([rod((0, 0, 0), (0, 0, h), r), foot, *spout])
    low, high = h + gap, h + gap + b.between(0.8, 2.5) * r
    if kind == "cross":
        arm = [rod((0, 0, high), (2.2 * r, 0, high), 0.3 * r, 12)]
        count = int(b.rng.integers(3, 5))
        arms = [
            one for k in range(count) for one in turned(arm, 2 * np.pi * k / count, Z, (0, 0, 0))
        ]
        b.turns([rod((0, 0, low), (0, 0, high), 0.9 * r), *arms], Z, (0, 0, h))
    elif kind == "lever":
        end = (0, -b.between(3, 7) * r, high + b.between(0, 2) * r)
        lever = [rod((0, 0, low), (0, 0, high), 0.95 * r), rod((0, 0, high), end, 0.3 * r, 12)]
        b.turns(turned(lever, b.between(-1, 1), Z, (0, 0, 0)), Z, (0, 0, h))
    else:
        place = np.array([r + gap, 0, 0.6 * h])
        end = place + np.array([r, 0, 0])
        lever = [
            rod(place, end, 0.6 * r),
            rod(end, np.add(end, (0, 0, b.between(3, 6) * r)), 0.25 * r, 12),
        ]
        b.turns(turned(lever, b.between(-1, 1), X, place), X, place)


def sliders(b: ObjectBuilder) -> None:
    """Build a plate or a rail with carriages that slide along slots."""
    w, h, t = b.lengths((0.05, 0.3), (0.08, 0.6), (0.004, 0.03))
    count, gap, s = int(b.rng.integers(1, 4)), b.between(0.0003, 0.002), b.between(0.1, 0.3)
    lying, rail = b.chance(0.5), b.chance(0.4)
    base, carriages = [], []
    for k in range(count):
        x, half = k * w + w / 2, s * w / 2
        z = b.between(0.25, 0.75) * h
        if rail:
            base += [
                box((x - half, 0, 0), (x + half, t, h)),
                box((k * w, t, 0), (k * w + w, 2 * t, h)),
            ]
            low = box((x - 2 * half, -half, z - half), (x + 2 * half, -gap, z + half))
            cheeks = ((x - 2 * half, x - half - gap), (x + half + gap, x + 2 * half))
            sides = [box((a, -gap, z - half), (c, 0.8 * t, z + half)) for a, c in cheeks]
            carriages.append([low, *sides])
        else:
            base += [box((k * w, 0, 0), (x - half, t, h)), box((x + half, 0, 0), (k * w + w, t, h))]
            base += [box((x - half, 0, end), (x + half, t, end + 0.1 * h)) for end in (0, 0.9 * h)]
            stem = box((x - half + gap, -t, z - half), (x + half - gap, 0.9 * t, z + half))
            carriages.append(
                [stem, box((x - 1.5 * half, -3 * t, z - half), (x + 1.5 * half, -t, z + half))]
            )
    lie = (lambda some: turned(some, -np.pi / 2, X, (0, 0, 0))) if lying else (lambda some: some)
    b.base(lie(base))
    for pieces in carriages:
        b.slides(lie(pieces), Y if lying else Z)


def fan(b: ObjectBuilder) -> None:
    """Build a fan, a propeller, a globe's arm or a clock's hand on a shaft."""
    r, long, h = b.lengths((0.015, 0.05), (0.08, 0.4), (0.1, 0.5))
    blades, gap = int(b.rng.integers(1, 6)), b.between(0.0003, 0.003)
    plate = b.chance(0.3)
    housing = (
        box((-long, 0, -long), (long, 0.03, long)) if plate else rod((0, 0, 0), (0, 0.1, 0), r)
    )
    b.base(
        [
            housing,
            box((-0.3 * r, 0.02, -h), (0.3 * r, 0.05, 0)),
            rod((0, -0.02, 0), (0, 0, 0), 0.3 * r),
        ]
    )
    blade = [box((0.5 * r, -0.012, -0.15 * long), (long, -0.008, 0.15 * long))]
    blade = turned(blade, b.between(0, 0.5), X, (0, -0.01, 0))
    start = b.between(0, 2 * np.pi)
    pieces = [rod((0, -0.02, 0), (0, -gap, 0), 0.6 * r)]
    for k in range(blades):
        pieces += turned(blade, start + 2 * np.pi * k / blades, Y, (0, 0, 0))
    b.turns(pieces, Y, (0, 0, 0))


def lamp(b: ObjectBuilder) -> None:
    """Build a desk lamp or a folding arm: links on pins."""
    r, pin = b.between(0.006, 0.015), b.between(0.005, 0.01)
    foot, count = b.between(0.06, 0.12), int(b.rng.integers(1, 4))
    place, parent, y = np.array([0.0, 0.0, 0.06]), 0, 0.0
    b.base(
        [
            rod((0, 0, 0), (0, 0, 0.02), foot),
            box((-r, -r, 0.02), (r, r, 0.06)),
            rod((0, -2 * r, 0.06), (0, 3 * r, 0.06), pin, 16),
        ]
    )
    for k in range(count):
        long, angle = b.between(0.12, 0.35), b.between(-1.2, 1.2)
        y += 2.1 * r
        start = np.add(place, (0, y, 0))
        end = start + long * np.array([np.sin(angle), 0, np.cos(angle)])
        pieces = [
            rod(start, end, 0.8 * r, 16),
            rod(start - (0, r, 0), np.add(start, (0, r, 0)), 2 * pin, 20),
        ]
        pieces.append(rod(end - (0, r, 0), np.add(end, (0, 3 * r, 0)), pin, 16))
        if k == count - 1 and b.chance(0.6):
            pieces.append(rod(end, np.add(end, (0.05, 0, -0.05)), b.between(0.03, 0.06), 24))
        parent = b.turns(pieces, Y, start, parent)
        place = end - (0, y, 0)


def swing_bin(b: ObjectBuilder) -> None:
    """Build a bin with a lid that swings about its middle or opens at the rear."""
    w, d, h, t = b.lengths((0.2, 0.5), (0.2, 0.4), (0.3, 0.9), (0.004, 0.02))
    walls = [box((x, 0, 0), (x + t, d, h)) for x in (0, w - t)]
    walls += [box((t, y, 0), (w - t, y + t, h)) for y in (0, d - t)]
    b.base([*walls, box((0, 0, 0), (w, d, t))])
    gap, swings = b.between(0.0005, 0.003), b.chance(0.4)
    if swings:
        lid = box((t + gap, t + 4 * t, h - t), (w - t - gap, d - 5 * t, h))
        pin = rod((t, d / 2, h - t / 2), (w - t, d / 2, h - t / 2), 0.6 * t, 12)
        pieces = turned(
            [lid, *([pin] * b.chance(0.6))], b.between(-0.4, 0.4), X, (0, d / 2, h - t / 2)
        )
        b.turns(pieces, X, (w / 2, d / 2, h - t / 2))
        return
    lid = box((-0.005, -0.005, h + gap), (w + 0.005, d + 0.005, h + gap + b.between(1, 4) * t))
    pieces = [lid]
    if b.chance(0.6):
        pieces += [rod((x * w, d, h), (x * w + 0.04, d, h), 0.006, 16) for x in (0.15, 0.75)]
    if b.chance(0.5):
        pieces.append(box((0.4 * w, -0.03, h + gap), (0.6 * w, -0.005, h + gap + t)))
    b.turns(pieces, X, (w / 2, d, h + gap))
    if b.chance(0.4):
        knob(b, (w / 2, 0, 0.7 * h), (0, -1, 0), b.between(0.015, 0.03))


def wheel(b: ObjectBuilder) -> None:
    """Build a wheel of spokes or a disc in a fork or on a stub."""
    r, width, t = b.lengths((0.05, 0.35), (0.015, 0.06), (0.004, 0.01))
    axle, gap, fork = b.between(0.04, 0.12) * r, b.between(0.0003, 0.003), b.chance(0.6)
    half = width / 2 + gap
    sides = (-half - t, half) if fork else (half,)
    arms = [box((-1.5 * axle, y, 0), (1.5 * axle, y + t, 1.2 * r)) for y in sides]
    bridge = box((-1.5 * axle, -half - t, 1.15 * r), (1.5 * axle, half + t, 1.3 * r))
    pin = rod((0, -half - t, 0), (0, half + t, 0), 0.8 * axle, 16)
    b.base([*arms, *([bridge] * fork), *([pin] * b.chance(0.7))])
    pieces = [ring((0, -width / 2, 0), (0, width / 2, 0), 0.85 * r, r, 40)]
    if b.chance(0.5):
        pieces.append(ring((0, -width / 4, 0), (0, width / 4, 0), axle, 0.86 * r, 40))
    else:
        count = int(b.rng.integers(3, 9))
        spoke = [rod((axle, 0, 0), (0.9 * r, 0, 0), 0.04 * r, 8)]
        for k in range(count):
            pieces += turned(spoke, 2 * np.pi * k / count, Y, (0, 0, 0))
    pieces.append(ring((0, -width / 2, 0), (0, width / 2, 0), axle, 1.8 * axle, 24))
    b.turns(pieces, Y, (0, 0, 0))

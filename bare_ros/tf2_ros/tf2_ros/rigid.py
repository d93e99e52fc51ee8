"""Rigid transforms as (translation, quaternion) tuples, quaternion (x, y, z, w)."""

from __future__ import annotations

import math
from typing import NamedTuple

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Return the Hamilton product: first rotate by `b`, then by `a`."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by + ay * bw + az * bx - ax * bz,
        aw * bz + az * bw + ax * by - ay * bx,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def rotate(q: Quaternion, v: Vector) -> Vector:
    """Return `v` rotated by the unit quaternion `q`."""
    x, y, z, w = q
    tx, ty, tz = (
        2 * (y * v[2] - z * v[1]),
        2 * (z * v[0] - x * v[2]),
        2 * (x * v[1] - y * v[0]),
    )
    return (
        v[0] + w * tx + y * tz - z * ty,
        v[1] + w * ty + z * tx - x * tz,
        v[2] + w * tz + x * ty - y * tx,
    )


def slerp(a: Quaternion, b: Quaternion, ratio: float) -> Quaternion:
    """Interpolate spherically along the shorter arc (Shoemake, SIGGRAPH 1985)."""
    cosine = sum(i * j for i, j in zip(a, b, strict=True))
    sign = -1.0 if cosine < 0 else 1.0
    angle = math.acos(min(1.0, abs(cosine)))
    if angle < 1e-9:
        weight_a, weight_b = 1 - ratio, ratio
    else:
        weight_a = math.sin((1 - ratio) * angle) / math.sin(angle)
        weight_b = math.sin(ratio * angle) / math.sin(angle)
    mixed = [weight_a * i + sign * weight_b * j for i, j in zip(a, b, strict=True)]
    norm = math.hypot(*mixed)
    return (mixed[0] / norm, mixed[1] / norm, mixed[2] / norm, mixed[3] / norm)


class Rigid(NamedTuple):
    """Maps points of a child frame into its parent: x -> rotation x + translation."""

    translation: Vector
    rotation: Quaternion

    def __matmul__(self, other: Rigid) -> Rigid:
        """Return the product: first `other`, then `self`."""
        moved = rotate(self.rotation, other.translation)
        t = self.translation
        return Rigid(
            (moved[0] + t[0], moved[1] + t[1], moved[2] + t[2]),
            multiply(self.rotation, other.rotation),
        )

    def inverse(self) -> Rigid:
        """Return the inverse transform."""
        x, y, z, w = self.rotation
        back = (-x, -y, -z, w)
        moved = rotate(back, self.translation)
        return Rigid((-moved[0], -moved[1], -moved[2]), back)

    def interpolate(self, other: Rigid, ratio: float) -> Rigid:
        """Interpolate from `self` (ratio 0) to `other` (1), linearly and by slerp."""
        a, b = self.translation, other.translation
        return Rigid(
            (
                a[0] + ratio * (b[0] - a[0]),
                a[1] + ratio * (b[1] - a[1]),
                a[2] + ratio * (b[2] - a[2]),
            ),
            slerp(self.rotation, other.rotation, ratio),
        )


IDENTITY = Rigid((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))

"""Moves splats with their links and lights them, and takes the gradients back."""

from __future__ import annotations

from math import exp, sqrt

import numpy as np
from numba import njit

from autourdf_ros.estimation.appearance.splats.harmonics import TERMS, harmonics, harmonics_back


@njit(nogil=True, error_model="numpy", inline="always")
def _rotation(w, x, y, z):  # type: ignore[no-untyped-def]
    """Return the matrix, row by row, of a unit quaternion."""
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


@njit(nogil=True, error_model="numpy", inline="always")
def _axes(quaternion, log_scales, pose, turned, scaled):  # type: ignore[no-untyped-def]
    """Write the principal axes in the link (3, 3), and in the world by their deviations (3, 3).

    Returns:
        The unit quaternion and the length that the given one has.
    """
    w, x, y, z = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    length = sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w / length, x / length, y / length, z / length
    rows = _rotation(w, x, y, z)
    for k in range(3):
        scale = exp(log_scales[k])
        for r in range(3):
            turned[r, k] = rows[r][k]
        for r in range(3):
            scaled[r, k] = scale * (
                pose[r, 0] * turned[0, k] + pose[r, 1] * turned[1, k] + pose[r, 2] * turned[2, k]
            )
    return w, x, y, z, length


@njit(nogil=True, error_model="numpy", inline="always")
def _normal(given, pose):  # type: ignore[no-untyped-def]
    """Return a normal of unit length in the world, and the length that the given one has."""
    a, b, c = given[0], given[1], given[2]
    length = sqrt(a * a + b * b + c * c)
    a, b, c = a / length, b / length, c / length
    return (
        pose[0, 0] * a + pose[0, 1] * b + pose[0, 2] * c,
        pose[1, 0] * a + pose[1, 1] * b + pose[1, 2] * c,
        pose[2, 0] * a + pose[2, 1] * b + pose[2, 2] * c,
        length,
    )


@njit(cache=True, nogil=True, error_model="numpy")
def pose_splats(  # type: ignore[no-untyped-def]
    arrays, links, poses
):
    """Return means (N, 3), covariances (N, 6) and colours (N, 3) in the world.

    Args: see `splat_model.posed`; `arrays` are those of the splats but the logits.
    """
    means, quaternions, log_scales, albedos, normals, light = arrays
    count = len(means)
    moved = np.empty((count, 3), np.float32)
    covariances = np.empty((count, 6), np.float32)
    colors = np.empty((count, 3), np.float32)
    turned, scaled = np.empty((3, 3)), np.empty((3, 3))
    for i in range(count):
        pose = poses[links[i]]
        for r in range(3):
            moved[i, r] = (
                pose[r, 0] * means[i, 0]
                + pose[r, 1] * means[i, 1]
                + pose[r, 2] * means[i, 2]
                + pose[r, 3]
            )
        _axes(quaternions[i], log_scales[i], pose, turned, scaled)
        n = 0
        for r in range(3):
            for c in range(r, 3):
                covariances[i, n] = (
                    scaled[r, 0] * scaled[c, 0]
                    + scaled[r, 1] * scaled[c, 1]
                    + scaled[r, 2] * scaled[c, 2]
                )
                n += 1
        x, y, z, _ = _normal(normals[i], pose)
        terms = harmonics(x, y, z)
        for c in range(3):
            lit = 0.0
            for k in range(TERMS):
                lit += light[k, c] * terms[k]
            colors[i, c] = albedos[i, c] * lit
    return moved, covariances, colors


@njit(cache=True, nogil=True, error_model="numpy")
def pose_back(arrays, links, poses, by):  # type: ignore[no-untyped-def]
    """Return the gradients by `arrays`, and by the links' twists.

    A link's twist (omega, v) moves the world's points x of the link by omega x x + v.

    Args: as in `pose_splats`; `by` are the gradients by what it returns.
    """
    means, quaternions, log_scales, albedos, normals, light = arrays
    by_moved, by_covariances, by_colors = by
    count = len(means)
    by_means = np.empty_like(means)
    by_quaternions = np.empty_like(quaternions)
    by_scales = np.empty_like(log_scales)
    by_albedos = np.empty_like(albedos)
    by_normals = np.empty_like(normals)
    by_light = np.zeros((TERMS, 3))
    by_twists = np.zeros((len(poses), 6))
    turned, scaled, back = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    place, slope = np.empty(3), np.empty(TERMS)
    for i in range(count):
        pose, twist = poses[links[i]], by_twists[links[i]]
        g = by_moved[i]
        for r in range(3):
            place[r] = (
                pose[r, 0] * means[i, 0]
                + pose[r, 1] * means[i, 1]
                + pose[r, 2] * means[i, 2]
                + pose[r, 3]
            )
            by_means[i, r] = pose[0, r] * g[0] + pose[1, r] * g[1] + pose[2, r] * g[2]
            twist[3 + r] += g[r]
        twist[0] += place[1] * g[2] - place[2] * g[1]
        twist[1] += place[2] * g[0] - place[0] * g[2]
        twist[2] += place[0] * g[1] - place[1] * g[0]
        # Covariance = scaled scaled^T: gradient by `scaled` is 2 h scaled, h being symmetric.
        w, x, y, z, length = _axes(quaternions[i], log_scales[i], pose, turned, scaled)
        s = by_covariances[i]
        h = (
            (2.0 * s[0], 1.0 * s[1], 1.0 * s[2]),  # all in double precision
            (1.0 * s[1], 2.0 * s[3], 1.0 * s[4]),
            (1.0 * s[2], 1.0 * s[4], 2.0 * s[5]),
        )
        for r in range(3):
            for k in range(3):
                back[r, k] = (
                    h[r][0] * scaled[0, k] + h[r][1] * scaled[1, k] + h[r][2] * scaled[2, k]
                )
        for k in range(3):  # a turn of the link turns every axis
            twist[0] += scaled[1, k] * back[2, k] - scaled[2, k] * back[1, k]
            twist[1] += scaled[2, k] * back[0, k] - scaled[0, k] * back[2, k]
            twist[2] += scaled[0, k] * back[1, k] - scaled[1, k] * back[0, k]
        for k in range(3):
            scale, total = exp(log_scales[i, k]), 0.0
            for r in range(3):
                total += back[r, k] * scaled[r, k]
            by_scales[i, k] = total
            b0, b1, b2 = back[0, k], back[1, k], back[2, k]
            for r in range(3):  # by the axes in the link
                back[r, k] = scale * (pose[0, r] * b0 + pose[1, r] * b1 + pose[2, r] * b2)
        m = back
        qw = 2 * (x * (m[2, 1] - m[1, 2]) + y * (m[0, 2] - m[2, 0]) + z * (m[1, 0] - m[0, 1]))
        qx = 2 * (
            w * (m[2, 1] - m[1, 2])
            + y * (m[0, 1] + m[1, 0])
            + z * (m[0, 2] + m[2, 0])
            - 2 * x * (m[1, 1] + m[2, 2])
        )
        qy = 2 * (
            w * (m[0, 2] - m[2, 0])
            + x * (m[0, 1] + m[1, 0])
            + z * (m[1, 2] + m[2, 1])
            - 2 * y * (m[0, 0] + m[2, 2])
        )
        qz = 2 * (
            w * (m[1, 0] - m[0, 1])
            + x * (m[0, 2] + m[2, 0])
            + y * (m[1, 2] + m[2, 1])
            - 2 * z * (m[0, 0] + m[1, 1])
        )
        along = qw * w + qx * x + qy * y + qz * z  # the length has no effect
        by_quaternions[i, 0] = (qw - along * w) / length
        by_quaternions[i, 1] = (qx - along * x) / length
        by_quaternions[i, 2] = (qy - along * y) / length
        by_quaternions[i, 3] = (qz - along * z) / length
        nx, ny, nz, size = _normal(normals[i], pose)
        terms = harmonics(nx, ny, nz)
        slope[:] = 0.0
        for c in range(3):
            lit, by_lit = 0.0, by_colors[i, c] * albedos[i, c]
            for k in range(TERMS):
                lit += light[k, c] * terms[k]
                by_light[k, c] += by_lit * terms[k]
                slope[k] += by_lit * light[k, c]
            by_albedos[i, c] = by_colors[i, c] * lit
        gx, gy, gz = harmonics_back(nx, ny, nz, slope)
        twist[0] += ny * gz - nz * gy
        twist[1] += nz * gx - nx * gz
        twist[2] += nx * gy - ny * gx
        along = nx * gx + ny * gy + nz * gz
        gx, gy, gz = (gx - along * nx) / size, (gy - along * ny) / size, (gz - along * nz) / size
        for r in range(3):
            by_normals[i, r] = pose[0, r] * gx + pose[1, r] * gy + pose[2, r] * gz
    return (
        by_means,
        by_quaternions,
        by_scales,
        by_albedos,
        by_normals,
        by_light.astype(np.float32),
        by_twists,
    )

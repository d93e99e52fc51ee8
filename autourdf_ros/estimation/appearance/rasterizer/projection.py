"""Projects 3D Gaussians into an image, and takes the gradients back.

A Gaussian's image is the Gaussian of the linearised projection (Zwicker et al., EWA Splatting,
2001; Kerbl et al., 3D Gaussian Splatting, 2023). A blur of `blur` px^2 makes every image at least
about a pixel wide, and the opacity is lowered by what the blur has spread (Yu et al.,
Mip-Splatting, 2024), so that a model looks alike at all resolutions.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float32]

U, V, XX, XY, YY, OPACITY, REACH, HALF_HEIGHT = range(8)
"""Columns of an image Gaussian: centre (column, row; px), inverse covariance (1/px^2), opacity,
the Mahalanobis distance squared at which its opacity falls to `FAINTEST`, and the rows to either
side that it reaches (px)."""
COLUMNS = 8
FAINTEST = 1 / 255
SMALLEST_DETERMINANT = 1e-12  # px^4, of an image covariance


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _seen(covariance, turn, x, y, z, lens):  # type: ignore[no-untyped-def]
    """Return the covariance in the optical frame (xx, xy, xz, yy, yz, zz) and the Jacobian's rows.

    The Jacobian of the projection is [[jx, 0, jxz], [0, jy, jyz]].
    """
    a, b, c, d, e, f = covariance
    r = turn
    # rows of turn @ covariance
    m00 = r[0, 0] * a + r[0, 1] * b + r[0, 2] * c
    m01 = r[0, 0] * b + r[0, 1] * d + r[0, 2] * e
    m02 = r[0, 0] * c + r[0, 1] * e + r[0, 2] * f
    m10 = r[1, 0] * a + r[1, 1] * b + r[1, 2] * c
    m11 = r[1, 0] * b + r[1, 1] * d + r[1, 2] * e
    m12 = r[1, 0] * c + r[1, 1] * e + r[1, 2] * f
    m20 = r[2, 0] * a + r[2, 1] * b + r[2, 2] * c
    m21 = r[2, 0] * b + r[2, 1] * d + r[2, 2] * e
    m22 = r[2, 0] * c + r[2, 1] * e + r[2, 2] * f
    xx = m00 * r[0, 0] + m01 * r[0, 1] + m02 * r[0, 2]
    xy = m00 * r[1, 0] + m01 * r[1, 1] + m02 * r[1, 2]
    xz = m00 * r[2, 0] + m01 * r[2, 1] + m02 * r[2, 2]
    yy = m10 * r[1, 0] + m11 * r[1, 1] + m12 * r[1, 2]
    yz = m10 * r[2, 0] + m11 * r[2, 1] + m12 * r[2, 2]
    zz = m20 * r[2, 0] + m21 * r[2, 1] + m22 * r[2, 2]
    jx, jy = lens[0] / z, lens[1] / z
    return (xx, xy, xz, yy, yz, zz), (jx, -jx * x / z, jy, -jy * y / z)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _image_covariance(covariance, jacobian):  # type: ignore[no-untyped-def]
    """Return (uu, uv, vv), without blur (px^2), of what `_seen` returns."""
    xx, xy, xz, yy, yz, zz = covariance
    jx, jxz, jy, jyz = jacobian
    uu = jx * jx * xx + 2 * jx * jxz * xz + jxz * jxz * zz
    uv = jx * jy * xy + jx * jyz * xz + jxz * jy * yz + jxz * jyz * zz
    vv = jy * jy * yy + 2 * jy * jyz * yz + jyz * jyz * zz
    return uu, uv, vv


@njit(cache=True, nogil=True, error_model="numpy")
def project(  # type: ignore[no-untyped-def]
    means: Floats,
    covariances: Floats,
    opacities: Floats,
    camera: tuple[NDArray[np.float64], NDArray[np.float64], tuple[float, ...]],
    blur: float,
):
    """Return the image Gaussians (N, COLUMNS) and the depths (N,), inf where none is seen.

    Args:
        means: (N, 3), world.
        covariances: (N, 6): xx, xy, xz, yy, yz, zz, world.
        opacities: (N,).
        camera: rotation (3, 3) and shift (3,) from the world to the optical frame, and focal
            lengths, principal point, width, height (px) and the nearest depth (m).
        blur: px^2.
    """
    turn, shift, lens = camera
    fx, fy, cx, cy, width, height, near = lens
    count = len(means)
    flat = np.empty((count, COLUMNS), np.float32)
    depths = np.full(count, np.inf, np.float32)
    for i in range(count):
        mx, my, mz = means[i, 0], means[i, 1], means[i, 2]
        z = turn[2, 0] * mx + turn[2, 1] * my + turn[2, 2] * mz + shift[2]
        if z < near or opacities[i] <= FAINTEST:
            continue
        x = turn[0, 0] * mx + turn[0, 1] * my + turn[0, 2] * mz + shift[0]
        y = turn[1, 0] * mx + turn[1, 1] * my + turn[1, 2] * mz + shift[1]
        u, v = fx * x / z + cx, fy * y / z + cy
        if not (-width < u < 2 * width and -height < v < 2 * height):
            continue  # the projection is too far from linear to be meant
        s = covariances[i]
        covariance, jacobian = _seen((s[0], s[1], s[2], s[3], s[4], s[5]), turn, x, y, z, lens)
        uu, uv, vv = _image_covariance(covariance, jacobian)
        sharp = max(uu * vv - uv * uv, SMALLEST_DETERMINANT)
        uu, vv = uu + blur, vv + blur
        whole = uu * vv - uv * uv
        opacity = opacities[i] * sqrt(sharp / whole)
        if opacity <= FAINTEST:
            continue
        reach = 2 * log(opacity / FAINTEST)
        rows, columns = sqrt(reach * vv), sqrt(reach * uu)
        if u + columns < 0 or u - columns > width or v + rows < 0 or v - rows > height:
            continue
        depths[i] = z
        flat[i, U], flat[i, V] = u, v
        flat[i, XX], flat[i, XY], flat[i, YY] = vv / whole, -uv / whole, uu / whole
        flat[i, OPACITY], flat[i, REACH], flat[i, HALF_HEIGHT] = opacity, reach, rows
    return flat, depths


@njit(cache=True, nogil=True, error_model="numpy")
def project_back(  # type: ignore[no-untyped-def]
    means: Floats,
    covariances: Floats,
    opacities: Floats,
    camera: tuple[NDArray[np.float64], NDArray[np.float64], tuple[float, ...]],
    blur: float,
    slopes: Floats,
    depths: Floats,
):
    """Return the loss's gradients by means (N, 3), covariances (N, 6) and opacities (N,).

    Args:
        slopes: (N, 6) gradients by U, V, XX, XY, YY and OPACITY of the image Gaussians.
        depths: (N,) of `project`; what is not seen has no gradient.
    """
    turn, shift, lens = camera
    count = len(means)
    by_means = np.zeros((count, 3), np.float32)
    by_covariances = np.zeros((count, 6), np.float32)
    by_opacities = np.zeros(count, np.float32)
    for i in range(count):
        if depths[i] == np.inf:
            continue
        mx, my, mz = means[i, 0], means[i, 1], means[i, 2]
        x = turn[0, 0] * mx + turn[0, 1] * my + turn[0, 2] * mz + shift[0]
        y = turn[1, 0] * mx + turn[1, 1] * my + turn[1, 2] * mz + shift[1]
        z = turn[2, 0] * mx + turn[2, 1] * my + turn[2, 2] * mz + shift[2]
        s = covariances[i]
        covariance, jacobian = _seen((s[0], s[1], s[2], s[3], s[4], s[5]), turn, x, y, z, lens)
        u0, uv, v0 = _image_covariance(covariance, jacobian)
        xx, xy, xz, yy, yz, zz = covariance
        jx, jxz, jy, jyz = jacobian
        uu, vv = u0 + blur, v0 + blur
        sharp, whole = u0 * v0 - uv * uv, uu * vv - uv * uv
        kept = sqrt(max(sharp, SMALLEST_DETERMINANT) / whole)
        by_u, by_v, by_a, by_b, by_c, by_o = slopes[i]
        by_opacities[i] = by_o * kept
        # Inverse covariance (a, b, c) = (vv, -uv, uu) / whole.
        a, b, c = vv / whole, -uv / whole, uu / whole
        by_uu = -(a * a * by_a + a * b * by_b + b * b * by_c)
        by_vv = -(b * b * by_a + b * c * by_b + c * c * by_c)
        by_uv = -(2 * a * b * by_a + (a * c + b * b) * by_b + 2 * b * c * by_c)
        # Share of the opacity that the blur leaves: log kept = (log sharp - log whole) / 2.
        by_log = 0.5 * by_o * opacities[i] * kept
        by_uu -= by_log * vv / whole
        by_vv -= by_log * uu / whole
        by_uv += by_log * 2 * uv / whole
        if sharp > SMALLEST_DETERMINANT:
            by_uu += by_log * v0 / sharp
            by_vv += by_log * u0 / sharp
            by_uv -= by_log * 2 * uv / sharp
        # Covariance in the optical frame; off-diagonal entries occur twice in the matrix.
        half = 0.5 * by_uv
        p0, p1, p2 = jx * by_uu, jy * half, jxz * by_uu + jyz * half  # J^T G, first column
        q0, q1, q2 = jx * half, jy * by_vv, jxz * half + jyz * by_vv
        gxx, gxy, gxz = p0 * jx, p0 * 0 + q0 * jy, p0 * jxz + q0 * jyz
        gyy, gyz, gzz = q1 * jy, p1 * jxz + q1 * jyz, p2 * jxz + q2 * jyz
        # Jacobian: 2 G J V.
        by_jx = 2 * (by_uu * (jx * xx + jxz * xz) + half * (jy * xy + jyz * xz))
        by_jxz = 2 * (by_uu * (jx * xz + jxz * zz) + half * (jy * yz + jyz * zz))
        by_jy = 2 * (half * (jx * xy + jxz * yz) + by_vv * (jy * yy + jyz * yz))
        by_jyz = 2 * (half * (jx * xz + jxz * zz) + by_vv * (jy * yz + jyz * zz))
        px = by_u * jx - by_jxz * jx / z
        py = by_v * jy - by_jyz * jy / z
        pz = (
            by_u * jxz
            + by_v * jyz
            - (by_jx * jx + by_jy * jy) / z
            - 2 * (by_jxz * jxz + by_jyz * jyz) / z
        )
        for k in range(3):
            by_means[i, k] = turn[0, k] * px + turn[1, k] * py + turn[2, k] * pz
        # turn^T g turn
        h = (
            (gxx, gxy, gxz),
            (gxy, gyy, gyz),
            (gxz, gyz, gzz),
        )
        n = 0
        for k in range(3):
            for m in range(k, 3):
                total = 0.0
                for r in range(3):
                    total += turn[r, k] * (
                        h[r][0] * turn[0, m] + h[r][1] * turn[1, m] + h[r][2] * turn[2, m]
                    )
                by_covariances[i, n] = total if k == m else 2 * total
                n += 1
    return by_means, by_covariances, by_opacities

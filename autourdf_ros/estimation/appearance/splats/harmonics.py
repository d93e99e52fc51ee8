"""Real spherical harmonics up to the second order: how a surface is lit, by its normal.

Nine coefficients describe the light that a matt surface receives from all sides to 1 % (Ramamoorthi
and Hanrahan, An Efficient Representation for Irradiance Environment Maps, 2001).
"""

from __future__ import annotations

from numba import njit

TERMS = 9
C0, C1, C2, C20, C22 = 0.282095, 0.488603, 1.092548, 0.315392, 0.546274


@njit(nogil=True, error_model="numpy", inline="always")
def harmonics(x, y, z):  # type: ignore[no-untyped-def]
    """Return the nine harmonics of a unit vector."""
    return (
        C0,
        C1 * y,
        C1 * z,
        C1 * x,
        C2 * x * y,
        C2 * y * z,
        C20 * (3 * z * z - 1),
        C2 * x * z,
        C22 * (x * x - y * y),
    )


@njit(nogil=True, error_model="numpy", inline="always")
def harmonics_back(x, y, z, g):  # type: ignore[no-untyped-def]
    """Return the gradient by the unit vector's entries, of gradients (9,) by the harmonics."""
    return (
        C1 * g[3] + C2 * (y * g[4] + z * g[7]) + 2 * C22 * x * g[8],
        C1 * g[1] + C2 * (x * g[4] + z * g[5]) - 2 * C22 * y * g[8],
        C1 * g[2] + C2 * (y * g[5] + x * g[7]) + 6 * C20 * z * g[6],
    )

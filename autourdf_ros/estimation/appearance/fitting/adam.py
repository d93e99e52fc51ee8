"""Adam: gradient descent by steps of a given size in every number (Kingma and Ba, 2015)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numba import njit
from numpy.typing import NDArray

Numbers = NDArray[np.float32] | NDArray[np.float64]

FIRST, SECOND, LEAST = 0.9, 0.99, 1e-15
"""Memory of the mean gradient and of its mean square, and a least root of that."""


class Adam:
    """Changes arrays in place.

    Args:
        arrays: By name.
        rates: Step sizes, by the same names.
    """

    def __init__(self, arrays: Mapping[str, Numbers], rates: Mapping[str, float]) -> None:
        self._arrays, self._rates = arrays, rates
        self._means = {name: np.zeros_like(array) for name, array in arrays.items()}
        self._squares = {name: np.zeros_like(array) for name, array in arrays.items()}
        self._steps = 0

    def step(self, gradients: Mapping[str, Numbers], share: float) -> None:
        """Take one step of a share of the rates."""
        self._steps += 1
        scale = np.sqrt(1 - SECOND**self._steps) / (1 - FIRST**self._steps)
        for name, array in self._arrays.items():
            _update(
                array.ravel(),
                gradients[name].ravel(),
                self._means[name].ravel(),
                self._squares[name].ravel(),
                share * self._rates[name] * scale,
            )


@njit(cache=True, nogil=True, error_model="numpy")
def _update(values, gradient, means, squares, rate):  # type: ignore[no-untyped-def]
    for i in range(len(values)):
        g = gradient[i]
        means[i] = FIRST * means[i] + (1 - FIRST) * g
        squares[i] = SECOND * squares[i] + (1 - SECOND) * g * g
        values[i] -= rate * means[i] / (np.sqrt(squares[i]) + LEAST)

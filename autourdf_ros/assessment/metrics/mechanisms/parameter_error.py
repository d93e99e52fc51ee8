"""Errors of a mechanism's dynamic parameters, as a share of their limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ParameterEstimate:
    """A parameter, which is above 0.

    Attributes:
        name: Of the parameter.
        true: Its value.
        found: Estimate.
        std: Standard deviation of its logarithm.
        low: Least value that is considered.
        high: Greatest one.
    """

    name: str
    true: float
    found: float
    std: float
    low: float
    high: float


@dataclass(frozen=True)
class ParameterErrors:
    """Errors of all parameters.

    Attributes:
        nmae: Mean absolute error over the width of the limits, as Heiden et al. (2022), table II.
        nmae_up_to_scale: The least of it with all estimates multiplied by one factor: without a
            known force, motion shows nothing of the scale that all forces share.
        inside: For each parameter, whether the truth is within two standard deviations.
    """

    nmae: float
    nmae_up_to_scale: float
    inside: tuple[bool, ...]


def parameter_errors(parameters: Sequence[ParameterEstimate]) -> ParameterErrors:
    """Compare estimates with the truth; NaN without any parameter."""
    if not parameters:
        return ParameterErrors(np.nan, np.nan, ())
    true, found, std, low, high = (
        np.array([getattr(one, name) for one in parameters])
        for name in ("true", "found", "std", "low", "high")
    )
    # The error is convex and piecewise linear in the factor: its least value is where one is right.
    factors = np.r_[1.0, true / found]
    errors = np.mean(np.abs(factors[:, None] * found - true) / (high - low), axis=1)
    inside = np.abs(np.log(true / found)) <= 2 * std
    return ParameterErrors(float(errors[0]), float(errors.min()), tuple(inside.tolist()))

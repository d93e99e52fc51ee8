"""Weights by which the second and further choices of a joint are ordered: the most likely ones.

Written by `studies/other_choices_study.py`.
"""

from __future__ import annotations

CERTAINTY = 0.76
"""Of the logarithm of a choice's probability."""

RELATIONS: tuple[float, ...] = (
    -1.56,
    0.82,
    -0.45,
    0.06,
    0.61,
    -0.41,
    1.07,
    0.35,
    -0.48,
    0.37,
    -0.27,
    0.21,
    0.24,
    -0.34,
    -0.07,
    -0.39,
    0.36,
    -0.11,
    0.86,
    0.37,
    -0.56,
    -0.20,
    0.88,
    -0.45,
    -0.74,
    0.65,
    -0.83,
)
"""Of the relation of a choice to one before it that is wrong, as `relation_numbers` counts them."""

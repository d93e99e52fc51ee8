"""Table IV of Nadeau, Giamou, Kelly, "The Sum of Its Parts", 2023: their own errors, twenty tools."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PaperFigures:
    """Means of a method at a level of noise; None where the table has none, or a bound.

    Attributes:
        consistent: % of the estimates.
        mass: %.
        centre: %, truncated per axis before it is averaged.
        inertia: %.
        geodesic: Riemannian distance.
    """

    consistent: float
    mass: float | None
    centre: float | None
    inertia: float | None
    geodesic: float | None


TABLE_IV = {
    ("ols", "No"): PaperFigures(100, None, None, 0.09, 0.03),
    ("geo", "No"): PaperFigures(100, None, 1.35, 53.22, 1.14),
    ("hps", "No"): PaperFigures(100, 0.27, 0.1, 10.28, 0.72),
    ("ols", "Low"): PaperFigures(14, 0.19, 2.13, None, None),
    ("geo", "Low"): PaperFigures(100, 0.18, 1.34, 52.79, 1.14),
    ("hps", "Low"): PaperFigures(100, 0.40, 0.32, 11.12, 0.74),
    ("ols", "Mod"): PaperFigures(4.5, 0.36, 5.33, None, None),
    ("geo", "Mod"): PaperFigures(100, 0.35, 1.37, 51.73, 1.14),
    ("hps", "Mod"): PaperFigures(100, 0.74, 0.48, 11.81, 0.77),
    ("ols", "High"): PaperFigures(2, 0.69, 10.11, None, None),
    ("geo", "High"): PaperFigures(100, 0.64, 1.58, 48.49, 1.13),
    ("hps", "High"): PaperFigures(100, 2.79, 1.07, 15.00, 0.87),
}

"""Figures of the papers, for comparison."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PaperFigures:
    """AutoURDF's figures (Lin et al., CVPR 2025, Tables 1 and 3), on an RTX 3090.

    None where the paper gives no value for a single robot.

    Attributes:
        robot: Its name in the paper.
        registration: CD, mm.
        ted: Tree edit distance.
        reposed: CD_r, mm.
        line_distance: E_JD, mm.
        angle: E_JA, degrees.
    """

    robot: str
    registration: float | None
    ted: float | None
    reposed: float | None
    line_distance: float | None
    angle: float | None


AUTOURDF_MEAN = PaperFigures("AutoURDF, mean of 8 x5", 9.63, 2.26, 18.42, 3.46, 3.13)

AUTOURDF = {
    ("wx200_5", 1): PaperFigures("WX200", None, None, None, 1.16, 1.91),
    ("wx200_5", 5): PaperFigures("WX200", 7.49, 0.33, None, 1.17, 1.13),
    ("ur5", 1): PaperFigures("UR5e", None, None, None, 3.32, 7.39),
    ("ur5", 5): PaperFigures("UR5e", 12.84, 0.60, None, 2.17, 2.88),
    ("solo8", 1): PaperFigures("Solo", None, None, None, 5.34, 3.59),
    ("solo8", 5): PaperFigures("Solo", 9.77, 0.00, None, 1.61, 1.86),
}
"""By name of the recording of the paper's own simulator, and number of sequences used."""

"""All constants of the search for joint angles in images."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class PoseOptions:
    """How joint angles are found and judged.

    Attributes:
        attempts: Searches at most, each with other starts, until the images are met as held-out
            ones of the fit are.
        starts: Configurations that are drawn at random and compared at the smallest size.
        kept: How many are refined at the smallest size of the images, at the next, and so on; the
            last number holds for all that follow.
        smallest: Side of the images at the smallest size (pixels), about.
        thinned: Of the splats, every so-manieth is drawn at the smallest size; four times as
            many at the next, and all at the last.
        redrawn_of: Of so many minima at the second size, configurations are drawn in which one
            joint, or one and all after it, are anywhere;
        redrawn: So many of each,
        refined: and so many of all are refined.
        hopeless: Loss of a minimum, as a multiple of the best, from which it is given up.
        spread: Standard deviation of the starts around a given one (rad).
        near: Share of the starts that are drawn around a given one; the others are anywhere.
        steps: Of the descent at one size, at most.
        same: Configurations that differ less in every joint are one (rad).
        shown: Standard deviation of a joint's value above which the images do not show it (rad).
        length: Of a sliding joint's travel that counts as 1 rad (m).
        rival: Loss of another configuration, as a multiple of the best, up to which it is a rival.
        loss_of_quality: PSNR of the robot's pixels may be that far below the least of the images
            that were held out of the fit of the splats (dB).
        loss_of_overlap: Likewise of the overlap of masks.
        seed: Of the starts.
    """

    attempts: int = 3
    starts: int = 256
    kept: tuple[int, ...] = (20, 6, 3, 2)
    smallest: int = 50
    thinned: int = 16
    redrawn_of: int = 3
    redrawn: int = 64
    refined: int = 6
    hopeless: float = 2.0
    spread: float = np.radians(20)
    near: float = 0.5
    steps: int = 40
    same: float = np.radians(3)
    shown: float = np.radians(3)
    length: float = 0.1
    rival: float = 1.3
    loss_of_quality: float = 1.5
    loss_of_overlap: float = 0.03
    seed: int = 0

"""Whether images see the axes of joints where the model has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
from autourdf_ros.estimation.appearance.fitting.fit_splats import fit_splats
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.joints.image_joints import AxisCorrections, ImageJoints
from autourdf_ros.estimation.appearance.splats.splat_model import Splats
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.progress import Progress, part, silent


@dataclass(frozen=True)
class AxisCheckOptions:
    """How axes are checked.

    Attributes:
        share: Of the fit's coarse steps, which each group's descent takes; 0: axes are not checked.
        correct: Whether axes are found from the first splats on, in all coarse steps, and those
            that predict held-out images better are kept.
        groups: Of images, each of which finds the axes by itself.
        turn: Of an axis from which it may be doubtful (rad).
        shift: Likewise (m).
        deviations: Standard errors that it must exceed, too.
    """

    share: float = 0.5
    correct: bool = False
    groups: int = 4
    turn: float = np.radians(0.5)
    shift: float = 3e-3
    deviations: float = 5.0


@dataclass(frozen=True)
class AxisCheck:
    """Where images see the axes of J joints, in their model's components.

    Attributes:
        corrections: Mean over groups of images.
        errors: Standard errors of the mean, by the groups' scatter.
        moved: (J,) whether the images show a joint move; the others are 0.
    """

    corrections: AxisCorrections
    errors: AxisCorrections
    moved: NDArray[np.bool_]

    @property
    def turns(self) -> Array:
        """(J, 2) angle by which each axis is turned, and its standard error (rad)."""
        return _lengths(self.corrections.turns, self.errors.turns)

    @property
    def shifts(self) -> Array:
        """(J, 2) length by which it is shifted, and its standard error (m)."""
        return _lengths(self.corrections.shifts, self.errors.shifts)

    def doubtful(self, options: AxisCheckOptions) -> NDArray[np.bool_]:
        """Return (J,) whether an axis is elsewhere by what is neither small nor chance."""
        found = np.zeros(len(self.moved), bool)
        for lengths, least in ((self.turns, options.turn), (self.shifts, options.shift)):
            found |= lengths[:, 0] > np.maximum(least, options.deviations * lengths[:, 1])
        return found


def check_axes(
    splats: Splats,
    links: NDArray[np.int64],
    images: Sequence[PosedImage],
    joints: ImageJoints,
    options: tuple[AxisCheckOptions, SplatFitOptions],
    progress: Progress = silent,
    begin: AxisCorrections | None = None,
) -> AxisCheck:
    """Let groups of images find the axes, each by itself.

    From splats on that were fitted with the model's axes, axes that are far off are understated:
    the shapes have adapted to them.

    Shapes and colours are fitted along with the axes. Zeros are taken as right: a wrong one turns
    all that is beyond a joint, and turned shapes and axes give the same images.

    Args:
        splats: To begin with.
        links: (N,) number of each one's link.
        images: Of all groups.
        joints: Of these images, in their order.
        options: Of the check, and of the descent.
        progress: Is called with stage and fraction.
        begin: Corrections of the axes to begin with; None: there are none.
    """
    own, fit = options
    descent = replace(fit, coarse_steps=max(1, round(own.share * fit.coarse_steps)), fine_steps=0)
    found = []
    for group in range(own.groups):
        chosen = slice(group, None, own.groups)
        some = ImageJoints(joints.tree, joints.values[chosen])
        share = part(progress, group / own.groups, (group + 1) / own.groups)
        axes = fit_splats(splats, links, images[chosen], descent, share, some, begin).axes
        assert axes is not None
        found.append(axes)
    means, errors = (
        AxisCorrections(
            **{name: of([one.arrays()[name] for one in found]) for name in found[0].arrays()}
        )
        for of in (lambda rows: np.mean(rows, axis=0), _standard_error)
    )
    return AxisCheck(means, errors, joints.moved)


def _standard_error(rows: Sequence[Array]) -> Array:
    return np.asarray(np.std(rows, axis=0, ddof=1) / np.sqrt(len(rows)))


def _lengths(parts: Array, errors: Array) -> Array:
    return np.column_stack([np.linalg.norm(parts, axis=1), np.linalg.norm(errors, axis=1)])

"""How sure the axes are: groups of images find them again, each from another start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from autourdf_ros.estimation.appearance.axis_check import AxisCheck
from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
from autourdf_ros.estimation.appearance.fitting.fit_splats import fit_splats
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.joints.image_joints import AxisCorrections, ImageJoints
from autourdf_ros.estimation.appearance.unknown.color_refinement import (
    ColoredRobot,
    moved_splats,
)
from autourdf_ros.geometry.rigid_motion import inverse
from autourdf_ros.model.forward_kinematics import link_frames
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.progress import Progress, part, silent

_COMPONENTS = ("turns", "shifts")


@dataclass(frozen=True)
class AxisScatterOptions:
    """How axes are found again.

    Attributes:
        groups: Of images, 2 or more.
        share: Of the coarse steps of the descent that each takes.
        turn: Standard deviation of an axis at a start, per component (rad).
        shift: The same of its point (m).
        seed: Of the starts.
    """

    groups: int = 4
    share: float = 0.5
    turn: float = np.radians(2)
    shift: float = 5e-3
    seed: int = 0


def axis_scatter(
    robot: ColoredRobot,
    images: Sequence[PosedImage],
    options: AxisScatterOptions,
    fit: SplatFitOptions,
    progress: Progress = silent,
) -> AxisCheck:
    """Return where groups of images see the axes, and their standard deviation over groups.

    An axis that images hold comes back from wherever it starts; one that they do not hold stays
    where it started, and its deviation is that of the starts.

    Args:
        robot: Tree and splats, fitted.
        images: That they were fitted to; their poses do not count.
        options: Of the groups.
        fit: The descent.
        progress: Is called with stage and fraction.
    """
    rng = np.random.default_rng(options.seed)
    tree, values = robot.state.tree, robot.state.values
    joints = ImageJoints(tree, values)
    steps = max(1, round(options.share * fit.coarse_steps))
    descent = replace(fit, coarse_steps=steps, fine_steps=0)
    count = len(tree.joints)
    found = []
    for group in range(options.groups):
        start = joints.corrected(
            AxisCorrections(
                rng.normal(0, options.turn, (count, 2)), rng.normal(0, options.shift, (count, 2))
            )
        )
        # The links' frames are the start's; at rest the splats stay where they are.
        between = inverse(link_frames(start)) @ link_frames(tree)
        splats = moved_splats(robot.splats, between[robot.labels])
        own = ImageJoints(start, values[group :: options.groups])
        share = part(progress, group / options.groups, (group + 1) / options.groups)
        fitted = fit_splats(
            splats, robot.labels, images[group :: options.groups], descent, share, own
        )
        assert fitted.axes is not None
        found.append(corrections_between(joints, own.corrected(fitted.axes)))
    turns, shifts = (np.array([getattr(one, name) for one in found]) for name in _COMPONENTS)
    return AxisCheck(
        AxisCorrections(turns.mean(axis=0), shifts.mean(axis=0)),
        AxisCorrections(turns.std(axis=0, ddof=1), shifts.std(axis=0, ddof=1)),
        joints.moved,
    )


def corrections_between(joints: ImageJoints, tree: KinematicTree) -> AxisCorrections:
    """Return how far the axes of a tree are from those of joints, by components across these."""
    found = AxisCorrections.none(len(tree.joints))
    for number, (before, after) in enumerate(zip(joints.tree.joints, tree.joints, strict=True)):
        across = joints.across[number]
        found.turns[number] = across @ np.cross(before.axis, after.axis)
        if before.type != "prismatic":
            # Where the axis passes the plane through the point across it.
            along = (before.point - after.point) @ before.axis / (after.axis @ before.axis)
            found.shifts[number] = across @ (after.point + along * after.axis - before.point)
    return found

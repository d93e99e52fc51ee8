"""How far images that no fit has used support every joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr

from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.rasterizer.rasterize import rasterize
from autourdf_ros.estimation.appearance.splats.splat_model import posed
from autourdf_ros.estimation.appearance.unknown.color_refinement import ColoredRobot, posed_by
from autourdf_ros.estimation.common.structure.likelihood import Likelihood, StructureState
from autourdf_ros.estimation.common.structure.structure_moves import other_parents
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.parallel import on_all_cores


@dataclass(frozen=True)
class JointSupport:
    """What speaks for J joints.

    Attributes:
        exists: (J,) probability that the joint moves what hangs on it, and as it is modelled:
            held-out images are nearer to those that are drawn with it than without it.
        parents: (J,) probability that it hangs on its link and on no other.
    """

    exists: Array
    parents: Array


def joint_support(
    robot: ColoredRobot,
    images: Sequence[PosedImage],
    values: Array,
    likelihood: Likelihood,
    judged: StructureState,
) -> JointSupport:
    """Return what speaks for every joint.

    Args:
        robot: Tree and splats.
        images: F that no fit has used; their poses do not count.
        values: (F, J) of the joints in them.
        likelihood: By which trees are compared.
        judged: The robot's tree, with values in the likelihood's images.
    """
    tree = robot.state.tree
    with_all = _errors(robot, images, StructureState(tree, values))
    exists = []
    for number, joint in enumerate(tree.joints):
        frozen = values.copy()
        frozen[:, number] = joint.reference
        moves = np.flatnonzero(frozen[:, number] != values[:, number])
        if len(moves) < 2:
            exists.append(0.5)
            continue
        without = _errors(
            robot, [images[n] for n in moves.tolist()], StructureState(tree, frozen[moves])
        )
        gains = without - with_all[moves]
        error = float(np.std(gains, ddof=1) / np.sqrt(len(gains)))
        exists.append(float(ndtr(gains.mean() / max(error, 1e-12))))
    return JointSupport(np.array(exists), _parents(likelihood, judged))


def _errors(robot: ColoredRobot, images: Sequence[PosedImage], state: StructureState) -> Array:
    """Return the mean squared error of a colour channel in each image (F,)."""

    def error(image: PosedImage) -> float:
        drawn = rasterize(posed(robot.splats, robot.labels, image.poses), image.camera)
        return float(np.mean((drawn.pixels[..., :3].clip(0, 1) - image.color) ** 2))

    return np.array(on_all_cores(error, posed_by(images, state)))


def _parents(likelihood: Likelihood, state: StructureState) -> Array:
    """Return the probability of every joint's parent, by the scores of all others."""
    score = likelihood.score(state)
    proposals = list(other_parents(state))
    scores = on_all_cores(likelihood.score, [one.state for one in proposals])
    found = np.ones(len(state.tree.joints))
    for number, joint in enumerate(state.tree.joints):
        others = [
            other
            for other, one in zip(scores, proposals, strict=True)
            if one.state.tree.joints[number].parent != joint.parent
        ]
        if others:
            found[number] = expit(np.clip(score - max(others), -500, 500))
    return found

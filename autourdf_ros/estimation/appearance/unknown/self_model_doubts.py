"""What speaks against a self-model from images alone, in a sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from autourdf_ros.estimation.appearance.axis_check import AxisCheck
from autourdf_ros.estimation.appearance.held_out_images import HeldOutErrors, psnr
from autourdf_ros.estimation.appearance.kinematics.image_motors import ImageMotor
from autourdf_ros.estimation.appearance.unknown.joint_support import JointSupport
from autourdf_ros.estimation.appearance.unknown.self_model_options import SelfModelOptions
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.layers.layer import Verdict


def verdict_of(
    tree: KinematicTree,
    lost: Sequence[ImageMotor],
    axes: AxisCheck,
    support: JointSupport,
    errors: HeldOutErrors,
    options: SelfModelOptions,
) -> Verdict:
    """Return the verdict: doubtful where anything speaks against the model.

    Args:
        tree: Of the robot.
        lost: Motors without a joint.
        axes: Where groups of images see the joints' axes.
        support: What held-out images say of the joints.
        errors: Of held-out images.
        options: All constants.
    """
    reasons = [
        *_motor_doubts(lost),
        *_joint_doubts(tree, axes, support, options),
        *_image_doubts(tree, errors, options),
    ]
    return Verdict("doubtful" if reasons else "trusted", tuple(reasons))


def _motor_doubts(lost: Sequence[ImageMotor]) -> Iterator[str]:
    for motor in lost:
        yield (
            f"motor {', '.join(motor.readings)} moves nothing that outlines show: its joint is not "
            "in the model"
        )


def _joint_doubts(
    tree: KinematicTree, axes: AxisCheck, support: JointSupport, options: SelfModelOptions
) -> Iterator[str]:
    far = axes.doubtful(options.final.axes)
    for number, joint in enumerate(tree.joints):
        if support.exists[number] < options.exists:
            yield (
                f"images that were held out are not nearer to the model with joint {joint.name} "
                f"than without it (probability {support.exists[number]:.2f})"
            )
        if support.parents[number] < options.parent:
            yield (
                f"joint {joint.name} may hang on another link than {joint.parent} (probability "
                f"{support.parents[number]:.2f} that it does not)"
            )
        turn, error = axes.turns[number]
        if far[number] or max(turn, error) > options.axis:
            yield (
                f"groups of images see the axis of {joint.name} {np.degrees(turn):.2f} +- "
                f"{np.degrees(error):.2f} degrees from where all see it"
            )


def _image_doubts(
    tree: KinematicTree, errors: HeldOutErrors, options: SelfModelOptions
) -> Iterator[str]:
    overlap = float(np.nanmedian(errors.overlap))
    if overlap < options.final.overlap:
        yield (
            f"drawn and recorded masks overlap by {overlap:.0%} on held-out images, less than "
            f"{options.final.overlap:.0%}"
        )
    for name, ratio in zip(tree.links, psnr(errors.links), strict=True):
        if np.isnan(ratio):
            yield f"{name} is seen in no held-out image"
        elif ratio < options.final.good:
            yield (
                f"{name} is predicted with {ratio:.1f} dB only, less than {options.final.good:g} dB"
            )

"""From what was found in images to a self-model with kinematics and shape."""

from __future__ import annotations

import numpy as np

from autourdf_ros.estimation.appearance.splats.splat_model import posed
from autourdf_ros.estimation.appearance.unknown.estimate_self_model import FoundSelfModel
from autourdf_ros.estimation.common.estimator import provenance
from autourdf_ros.estimation.common.joint_fit import across_basis
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.forward_kinematics import link_frames
from autourdf_ros.model.layers.kinematics import Confidence, JointEstimate, MotorMatch
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.model.limits.joint_limits import observed_limits
from autourdf_ros.model.self_model import Joint, Link, SelfModel

METHOD = "appearance/images"
_SOLID = 0.5
"""Opacity from which a splat is part of a surface."""


def build_self_model(found: FoundSelfModel, digest: str) -> SelfModel:
    """Return the model, whose base frame is the images' world and whose reference is their rest.

    Joints have the names of their motors' readings, links those of their order.

    Args:
        found: Tree, splats and support.
        digest: SHA-256 of the images.
    """
    tree, values = found.robot.state.tree, found.values
    names = {link: f"link_{number}" for number, link in enumerate(tree.links)}
    links = [Link(name, _surface(found, number)) for number, name in enumerate(names.values())]
    joints = []
    for number, one in enumerate(tree.joints):
        kind, lower, upper = observed_limits(values[:, number], turns=one.type != "prismatic")
        joints.append(
            Joint(
                one.name,
                kind,
                names[one.parent],
                names[one.child],
                one.axis,
                one.point,
                lower,
                upper,
                one.reference,
                estimate=_estimate(found, number),
            )
        )
    model = SelfModel.of("robot", links, joints)
    origin = provenance(METHOD, digest)
    for layer in (model.kinematics, model.shape):
        assert layer is not None
        model = model.with_layer(layer.stamped(origin, found.appearance.verdict))
    return model


def _estimate(found: FoundSelfModel, number: int) -> JointEstimate:
    """How sure a joint is: the scatter of groups of images, and what held-out images say."""
    joint, axes = found.robot.state.tree.joints[number], found.axes
    deviations = np.concatenate(
        [
            np.hypot(getattr(axes.errors, name)[number], getattr(axes.corrections, name)[number])
            for name in ("turns", "shifts")
        ]
    )
    covariance = np.diag(deviations**2)
    if joint.type == "prismatic":
        covariance[2:] = covariance[:, 2:] = np.nan
    return JointEstimate(
        covariance,
        across_basis(joint.axis),
        Confidence(float(found.support.exists[number]), float(found.support.parents[number]), 1.0),
        MotorMatch(joint.name, 1.0, 0.0, 0.0),
    )


def _surface(found: FoundSelfModel, number: int) -> Surface:
    """Return the splats of a link as points in the base frame at rest, outward."""
    robot = found.robot
    chosen = (robot.labels == number) & (robot.splats.opacities > _SOLID)
    frames = link_frames(robot.state.tree)
    gaussians = posed(robot.splats, robot.labels, frames)
    points = gaussians.means[chosen].astype(float)
    normals = robot.splats.normals[chosen] @ frames[number, :3, :3].T
    normals = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    shown: Array = (gaussians.colors[chosen].clip(0, 1) * 255).round()
    return Surface(points, normals.astype(float), shown.astype(np.uint8))

"""The joint of a motor: from images in which it moves alone, or from all, in a tree that is known.

Links are named after their joints' readings here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.appearance.kinematics.image_motors import ImageMotor, ImageMotors
from autourdf_ros.estimation.appearance.kinematics.kinematics_options import KinematicsOptions
from autourdf_ros.estimation.appearance.kinematics.moved_parts import moved_points, often_outside
from autourdf_ros.estimation.appearance.kinematics.silhouette_likelihood import label_costs
from autourdf_ros.estimation.appearance.screws.outline_screws import (
    FoundScrews,
    search_screw,
)
from autourdf_ros.estimation.appearance.screws.screw import Screws
from autourdf_ros.estimation.appearance.screws.screw_costs import MovedPoints
from autourdf_ros.estimation.appearance.silhouettes.silhouettes import Silhouettes
from autourdf_ros.estimation.common.structure.likelihood import StructureState
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.geometry.rigid_motion import inverse
from autourdf_ros.model.tree_joint import TreeJoint

ROOT = "root"
_OTHERS = 8000  # points by which pixels are covered (resource bound)


@dataclass(frozen=True)
class Scene:
    """What all searches share.

    Attributes:
        silhouettes: Of the F images that are used.
        motors: In these images.
        points: (N, 3) of the robot at rest (m).
        options: All constants.
    """

    silhouettes: Silhouettes
    motors: ImageMotors
    points: Array
    options: KinematicsOptions


def joint_alone(scene: Scene, motor: ImageMotor) -> TreeJoint | None:
    """Return a motor's joint on the root, by the images in which it moves alone; None without.

    What hangs on the joint moves as one body in these images, whatever joints are beyond it; and
    what it hangs on is at rest.
    """
    options = scene.options.moved
    images = _spread(motor.alone, scene.motors.values[motor.readings[0]], options.images)
    if len(images) < scene.options.motors.alone:
        return None
    silhouettes = scene.silhouettes.of_images(images)
    distances = silhouettes.distances(scene.points)
    moves = often_outside(distances, options)
    if moves.sum() < options.fewest:
        return None
    may_move = (distances > options.outside).any(axis=0)
    name = motor.readings[0]
    values = scene.motors.values[name][images] - scene.motors.rest[name]
    moved = moved_points(
        silhouettes,
        values,
        _tiled(scene.points[moves], len(images)),
        _tiled(scene.points[may_move], len(images)),
        _tiled(scene.points[~may_move], len(images)),
        options,
    )
    return _joint(scene, name, ROOT, search_screw(moved, scene.points, scene.options.screws))


def joint_in_tree(scene: Scene, state: StructureState, labels: Labels, name: str) -> TreeJoint:
    """Return a joint of the tree, searched near where it is in all images, the others as they are.

    Args:
        scene: What all searches share.
        state: Tree and values.
        labels: (N,) numbers of the points' links.
        name: Of the joint.
    """
    tree = state.tree
    number = tree.joint_names.index(name)
    joint = tree.joints[number]
    beyond = np.isin(labels, [tree.links.index(link) for link in tree.subtree(joint.child)])
    still = state.values.copy()
    still[:, number] = joint.reference
    images = _spread(np.arange(len(still)), state.values[:, number], scene.options.moved.images)
    silhouettes = scene.silhouettes.of_images(images)
    frozen = tree.motions(still[images])
    own = frozen[:, labels[beyond]]
    places = _moved(own, scene.points[beyond])
    distances = np.stack(
        [silhouettes.of_images(np.array([i])).distances(places[i])[0] for i in range(len(images))]
    )
    moves = often_outside(distances, scene.options.moved)
    if beyond.sum() < scene.options.moved.fewest or moves.sum() < scene.options.moved.fewest:
        return joint
    parent = frozen[:, tree.links.index(joint.parent)]
    back = inverse(parent)
    rest = np.flatnonzero(~beyond)
    rest = rest[:: max(1, len(rest) // _OTHERS)]
    others = _moved(frozen[:, labels[rest]], scene.points[rest])
    moved = moved_points(
        replace(silhouettes, projections=silhouettes.projections @ parent),
        state.values[images, number] - joint.reference,
        _moved(back[:, None], places[:, moves]),
        _moved(back[:, None], places),
        _moved(back[:, None], others),
        scene.options.moved,
    )
    given = Screws(joint.axis[None], joint.point[None], np.array([int(joint.type == "prismatic")]))
    found = search_screw(moved, scene.points, scene.options.local, given)
    return replace(
        joint, axis=found.screws.axes[0], point=found.screws.points[0], type=found.screws.type_of(0)
    )


def joints_of_unexplained(
    scene: Scene, state: StructureState, motor: ImageMotor
) -> list[TreeJoint]:
    """Return joints of a motor on what no link of the tree explains, at most one for a reading.

    A part's parent is the link with which it moves as long as the motor is at rest. One motor may
    move several parts, such as the fingers of a gripper, each by a joint of its own.
    """
    options = scene.options
    motions = state.tree.motions(state.values)
    away, rest = motor.away, ~motor.away
    if away.sum() < options.motors.alone or rest.sum() < options.motors.alone:
        return []
    lost = label_costs(
        scene.silhouettes.of_images(away), scene.points, motions[away], options.likelihood
    ).outside.min(axis=0)
    chosen = lost > max(options.unexplained, np.sort(lost)[-options.moved.most] / 2)
    if chosen.sum() < options.moved.fewest:
        return []
    costs = label_costs(
        scene.silhouettes.of_images(rest), scene.points[chosen], motions[rest], options.likelihood
    )
    link = int(np.bincount(costs.labels, minlength=len(state.tree.links)).argmax())
    labels = label_costs(scene.silhouettes, scene.points, motions, options.likelihood).labels
    found: list[TreeJoint] = []
    left = scene.points[chosen]
    for name in motor.readings[: options.bodies]:
        if len(left) < options.moved.fewest:
            break
        images = _spread(np.flatnonzero(away), scene.motors.values[name], options.moved.images)
        silhouettes = scene.silhouettes.of_images(images)
        parent = motions[images, link]
        keep = np.flatnonzero(~chosen)
        keep = keep[:: max(1, len(keep) // _OTHERS)]
        others = _moved(motions[images][:, labels[keep]], scene.points[keep])
        moved = moved_points(
            replace(silhouettes, projections=silhouettes.projections @ parent),
            scene.motors.values[name][images] - scene.motors.rest[name],
            _tiled(left, len(images)),
            _tiled(scene.points[chosen], len(images)),
            _moved(inverse(parent)[:, None], others),
            options.moved,
        )
        screws = search_screw(moved, scene.points, options.screws)
        found.append(_joint(scene, name, state.tree.links[link], screws))
        left = left[~_explained(moved, screws, options)]
    return found


def _explained(
    moved: MovedPoints, found: FoundScrews, options: KinematicsOptions
) -> NDArray[np.bool_]:
    """Return which points (N,) the best screw keeps inside of the outlines."""
    costs = moved.costs_of_points(found.screws, options.likelihood.cap)
    return costs <= options.likelihood.noise


def _joint(scene: Scene, name: str, parent: str, found: FoundScrews) -> TreeJoint:
    values = scene.motors.values[name]
    return TreeJoint(
        name,
        found.screws.type_of(0),
        parent,
        name,
        found.screws.axes[0],
        found.screws.points[0],
        float(values.min()),
        float(values.max()),
        scene.motors.rest[name],
    )


def _spread(images: NDArray[np.int64], values: Array, most: int) -> NDArray[np.int64]:
    """Return some of the images, whose values are evenly among all."""
    if len(images) <= most:
        return images
    order = images[np.argsort(values[images])]
    return np.sort(order[np.round(np.linspace(0, len(order) - 1, most)).astype(int)])


def _tiled(points: Array, count: int) -> Array:
    return np.tile(points, (count, 1, 1))


def _moved(motions: Array, points: Array) -> Array:
    """Return points (N, 3) or (I, N, 3) moved by (I, N or 1, 4, 4)."""
    turned = (motions[..., :3, :3] @ points[..., None])[..., 0]
    return np.asarray(turned + motions[..., :3, 3])

"""Tree and joints of a robot from outlines in images: the whole algorithm at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.kinematics.image_joint_search import (
    ROOT,
    Scene,
    joint_alone,
    joint_in_tree,
    joints_of_unexplained,
)
from autourdf_ros.estimation.appearance.kinematics.image_motors import ImageMotor, ImageMotors
from autourdf_ros.estimation.appearance.kinematics.kinematics_options import KinematicsOptions
from autourdf_ros.estimation.appearance.kinematics.silhouette_likelihood import (
    SilhouetteLikelihood,
    label_costs,
)
from autourdf_ros.estimation.appearance.silhouettes.silhouettes import Silhouettes
from autourdf_ros.estimation.appearance.silhouettes.visual_hull import Hull, visual_hull
from autourdf_ros.estimation.common.structure.likelihood import StructureState
from autourdf_ros.estimation.common.structure.scored_search import (
    SearchedStructure,
    search_structure,
)
from autourdf_ros.estimation.common.structure.structure_moves import other_parents, other_places
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.geometry.sampling import farthest_point_indices
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.tree_joint import TreeJoint
from autourdf_ros.progress import Progress, part, silent

_AWAY = 0.02
"""Distance from rest, as a share of a joint's range, from which an image shows that it moves."""


@dataclass(frozen=True)
class FoundKinematics:
    """Tree and joints, before colours refine them.

    Attributes:
        state: The tree, whose joints and links have the names of readings, and all values.
        hull: Of the robot at rest.
        searches: Of the tree, in order.
        lost: Motors that move nothing that outlines show.
    """

    state: StructureState
    hull: Hull
    searches: tuple[SearchedStructure, ...]
    lost: tuple[ImageMotor, ...]


def find_kinematics(
    silhouettes: Silhouettes,
    motors: ImageMotors,
    options: KinematicsOptions,
    progress: Progress = silent,
) -> FoundKinematics:
    """Find tree and joints.

    Args:
        silhouettes: Of F images.
        motors: In these images.
        options: All constants.
        progress: Is called with stage and fraction.

    Raises:
        InputError: No motor moves what outlines show.
    """
    progress("visual hull", 0.0)
    hull = visual_hull(silhouettes.of_images(motors.resting), options.cell)
    outer, _ = hull.surface()
    scene = Scene(silhouettes, motors, hull.points[outer], options)
    joints, pending = list[TreeJoint](), list[ImageMotor]()
    for number, motor in enumerate(motors.motors):
        progress(f"screw of {motor.readings[0]}", 0.05 + 0.4 * number / len(motors.motors))
        joint = joint_alone(scene, motor)
        if joint is None:
            pending.append(motor)
        else:
            joints.append(joint)
    if not joints:
        raise InputError(
            f"no motor moves alone, visibly, in {options.motors.alone} images or more; accepted "
            "are images in which all motors but one are at rest, for every motor"
        )
    state = state_of(motors, joints)
    searches = [_searched(scene, state, part(progress, 0.45, 0.6))]
    state = searched_again(scene, searches[-1].state, part(progress, 0.6, 0.8))
    lost = []
    for motor in pending:
        progress(f"screw of {motor.readings[0]}", 0.8)
        further = joints_of_unexplained(scene, state, motor)
        if not further:
            lost.append(motor)
        for joint in further:
            state = StructureState(
                state.tree.add_link(joint),
                np.column_stack([state.values, motors.values[joint.name]]),
            )
    if len(lost) < len(pending):
        searches.append(_searched(scene, state, part(progress, 0.85, 0.9)))
        state = searched_again(scene, searches[-1].state, part(progress, 0.9, 1.0))
    return FoundKinematics(state, hull, tuple(searches), tuple(lost))


def state_of(motors: ImageMotors, joints: Sequence[TreeJoint]) -> StructureState:
    """Return the state in which every joint hangs on the root."""
    tree = KinematicTree((ROOT, *(joint.child for joint in joints)), tuple(joints))
    return StructureState(tree, np.column_stack([motors.values[one.name] for one in joints]))


def searched_again(scene: Scene, state: StructureState, progress: Progress) -> StructureState:
    """Search every joint again, near where it is, in images in which all move, root first."""
    for number, link in enumerate(state.tree.links[1:]):
        joint = state.tree.joint_of(link)
        assert joint is not None
        progress(f"screw of {joint.name} in the tree", number / len(state.values[0]))
        found = joint_in_tree(scene, state, labels_of(scene, state), joint.name)
        joints = tuple(found if one is joint else one for one in state.tree.joints)
        state = replace(state, tree=KinematicTree(state.tree.links, joints))
    return state


def labels_of(scene: Scene, state: StructureState) -> Labels:
    """Return the links' numbers (N,) of the scene's points."""
    motions = state.tree.motions(state.values)
    return label_costs(scene.silhouettes, scene.points, motions, scene.options.likelihood).labels


def tree_likelihood(
    silhouettes: Silhouettes, points: Array, state: StructureState, options: KinematicsOptions
) -> tuple[SilhouetteLikelihood, StructureState]:
    """Return the likelihood of trees, and the state in the images that it compares."""
    images = _varied_images(state, options.likelihood.images)
    chosen = points[farthest_point_indices(points, options.likelihood.points)]
    return (
        SilhouetteLikelihood(silhouettes.of_images(images), chosen, options.likelihood),
        StructureState(state.tree, state.values[images]),
    )


def _searched(scene: Scene, state: StructureState, progress: Progress) -> SearchedStructure:
    likelihood, begin = tree_likelihood(scene.silhouettes, scene.points, state, scene.options)
    found = search_structure(begin, likelihood, (other_parents, other_places), progress)
    # The columns of the values are in the order of the joints, which no change here alters.
    return replace(found, state=StructureState(found.state.tree, state.values))


def _varied_images(state: StructureState, most: int) -> NDArray[np.int64]:
    """Return the images in which most joints are away from rest, at most so many."""
    away = np.abs(state.values - state.tree.reference_values)
    count = (away > _AWAY * np.ptp(state.values, axis=0)).sum(axis=1)
    order = np.argsort(-count, kind="stable")
    alike = np.flatnonzero(count == count[order[0]])
    if len(alike) >= most:
        return alike[np.round(np.linspace(0, len(alike) - 1, most)).astype(int)]
    return np.sort(order[:most])

"""Move every axis of a robot away, and see how far images bring them back.

`.venv/bin/python studies/axis_correction_study.py --degrees 1.5 --millimetres 5` takes the first 40
fitted and all 40 tested images of the suite `appearance` (`panda`, 400 x 400), turns and shifts the
axes of all revolute joints at random, with the shapes where they truly are at the reference, and
fits splats with `correct`, as `autourdf splat --correct-axes` does.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from autourdf_ros.benchmark.appearance.appearance_case import CASE_NAMES, AppearanceCase
from autourdf_ros.benchmark.appearance.known_tree import known_tree
from autourdf_ros.benchmark.appearance.measure_appearance import (
    case_images,
    first_surfaces,
    joint_values,
    posed_by,
)
from autourdf_ros.estimation.appearance.appearance_options import AppearanceOptions
from autourdf_ros.estimation.appearance.axis_check import AxisCheckOptions
from autourdf_ros.estimation.appearance.estimate_splats import estimate_splats
from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
from autourdf_ros.estimation.appearance.joints.image_joints import AxisCorrections, ImageJoints
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.forward_kinematics import link_frames
from autourdf_ros.model.kinematic_tree import KinematicTree

FITTED = 40
SPLATS, STEPS = 8000, (500, 250)
SEED = 3


def main() -> None:
    """Fit and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", choices=CASE_NAMES, default=CASE_NAMES[0])
    parser.add_argument("--degrees", type=float, default=1.5)
    parser.add_argument("--millimetres", type=float, default=5.0)
    args = parser.parse_args()
    robot, fitted, tested = case_images(AppearanceCase(args.case))
    tree, frames = known_tree(robot)
    values = np.concatenate([joint_values(robot, fitted)[:FITTED], joint_values(robot, tested)])
    images = [*posed_by(robot, fitted)[:FITTED], *posed_by(robot, tested)]
    true = ImageJoints(tree, values)
    wrong = true.corrected(_away(tree, args.degrees, args.millimetres))
    joints = ImageJoints(wrong, values)
    # Shapes stand where they truly are at the reference, in the frames of the wrong tree.
    shifts = np.linalg.inv(link_frames(wrong)) @ frames
    surfaces = first_surfaces(robot, tree.links, SPLATS, 0)
    own = shifts[surfaces.links]
    surfaces = replace(
        surfaces,
        points=np.einsum("nij,nj->ni", own[:, :3, :3], surfaces.points) + own[:, :3, 3],
        normals=np.einsum("nij,nj->ni", own[:, :3, :3], surfaces.normals),
    )
    none = AxisCorrections.none(len(tree.joints))
    posed = [
        replace(image, poses=joints.poses(number, none)) for number, image in enumerate(images)
    ]
    options = AppearanceOptions(
        splats=SPLATS, fit=SplatFitOptions(*STEPS), axes=AxisCheckOptions(correct=True)
    )
    correction = estimate_splats(posed, surfaces, options, joints=joints).correction
    assert correction is not None
    mean, error = correction.gain
    print(f"gain {mean:.4f} +- {error:.4f}, {'kept' if correction.accepted else 'not kept'}")
    before = _errors(wrong, tree)
    after = _errors(joints.corrected(correction.corrections), tree)
    for number in np.flatnonzero(correction.moved):
        print(
            f"{tree.joint_names[number]}: {before[number, 0]:.2f} degrees and "
            f"{before[number, 1]:.2f} mm off before, {after[number, 0]:.2f} and "
            f"{after[number, 1]:.2f} after"
        )


def _away(tree: KinematicTree, degrees: float, millimetres: float) -> AxisCorrections:
    """Return a turn and a shift of every revolute joint, each in a random direction."""
    rng = np.random.default_rng(SEED)
    turning = np.array([joint.type != "prismatic" for joint in tree.joints])[:, None]
    ways = [rng.normal(size=(len(tree.joints), 2)) for _ in range(2)]
    turns, shifts = (turning * way / np.linalg.norm(way, axis=1, keepdims=True) for way in ways)
    return AxisCorrections(np.radians(degrees) * turns, 1e-3 * millimetres * shifts)


def _errors(tree: KinematicTree, true: KinematicTree) -> Array:
    """Return (J, 2) degrees and millimetres between the joints' axes of two trees."""
    rows = []
    for one, other in zip(tree.joints, true.joints, strict=True):
        apart = one.point - other.point
        apart = apart - (apart @ other.axis) * other.axis
        cosine = np.clip(one.axis @ other.axis, -1, 1)
        rows.append((np.degrees(np.arccos(cosine)), 1e3 * np.linalg.norm(apart)))
    return np.array(rows)


if __name__ == "__main__":
    main()

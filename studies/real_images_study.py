"""How much worse splats get by images as real cameras make them, and what refining cameras mends.

`.venv/bin/python studies/real_images_study.py` fits every third image of the suite `appearance`
(`panda`), halved: without noise, with noise and everything as stated, and with noise and exposures
and cameras found along with the splats. All are judged on the same other images without noise, with
their true cameras; the noisy fits on noisy ones, too. `--axes` prints where images see the axes.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from autourdf_ros.benchmark.appearance.appearance_case import AppearanceCase
from autourdf_ros.benchmark.appearance.known_tree import known_tree
from autourdf_ros.benchmark.appearance.measure_appearance import (
    as_recorded,
    first_surfaces,
    joint_values,
    posed_by,
    true_images,
)
from autourdf_ros.benchmark.appearance.recorded_errors import camera_errors, recorded_errors
from autourdf_ros.data.images.robot_images import RobotImages
from autourdf_ros.estimation.appearance.appearance_options import AppearanceOptions
from autourdf_ros.estimation.appearance.estimate_splats import (
    FittedAppearance,
    LinkSurfaces,
    estimate_splats,
)
from autourdf_ros.estimation.appearance.fitting.fit_options import (
    REFINED_CAMERAS,
    SplatFitOptions,
)
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.held_out_images import held_out_errors, psnr
from autourdf_ros.estimation.appearance.joints.image_joints import AxisCorrections, ImageJoints
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.forward_kinematics import link_frames
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot

TESTED = 20


def main() -> None:
    """Fit three times and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=3)
    parser.add_argument("--splats", type=int, default=20_000)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--axes", action="store_true")
    parser.add_argument("--only", choices=("without noise", "as stated", "refined"))
    args = parser.parse_args()
    case = AppearanceCase("panda_real")
    robot, true, tested = true_images(case)
    noisy, recorded = as_recorded(case, robot, true, tested)
    tree, frames = known_tree(robot)
    shifts = np.linalg.inv(link_frames(tree)) @ frames
    surfaces = _moved(first_surfaces(robot, tree.links, args.splats, 0), shifts)
    exact, others, seen = (
        _halved(robot, tree, images, chosen)
        for images, chosen in (
            (true, np.s_[:: args.every]),
            (tested, np.s_[:TESTED]),
            (recorded, np.s_[:TESTED]),
        )
    )
    plain = SplatFitOptions(args.steps, 0)
    refined = replace(plain, exposure=True, cameras=REFINED_CAMERAS)
    for name, images, fit in (
        ("without noise", true, plain),
        ("as stated", noisy, plain),
        ("refined", noisy, refined),
    ):
        if args.only and name != args.only:
            continue
        used = _halved(robot, tree, images, np.s_[:: args.every])
        options = replace(AppearanceOptions(splats=args.splats), fit=fit)
        values = joint_values(robot, images)[:: args.every]
        joints = ImageJoints(tree, values) if args.axes else None
        found = estimate_splats(used, surfaces, options, joints=joints)
        print(f"{name}: {_figures(found, others)}", flush=True)
        if images is noisy:
            print(recorded_errors(found, seen, fit) | camera_errors(found, used, exact))
        if found.axes is not None:
            for number in np.flatnonzero(found.axes.moved):
                turn, shift = np.degrees(found.axes.turns[number]), found.axes.shifts[number]
                print(
                    f"  {tree.joint_names[number]}: {turn[0]:.3f} +- {turn[1]:.3f} degrees, "
                    f"{1e3 * shift[0]:.2f} +- {1e3 * shift[1]:.2f} mm"
                )
        for reason in found.verdict.reasons:
            print(f"  ! {reason}")


def _moved(surfaces: LinkSurfaces, shifts: Array) -> LinkSurfaces:
    """Return surfaces in the frames of the tree's links, from those of the robot's bodies."""
    own = shifts[surfaces.links]
    return replace(
        surfaces,
        points=np.einsum("nij,nj->ni", own[:, :3, :3], surfaces.points) + own[:, :3, 3],
        normals=np.einsum("nij,nj->ni", own[:, :3, :3], surfaces.normals),
    )


def _halved(
    robot: SimulatedRobot, tree: KinematicTree, images: RobotImages, chosen: slice
) -> list[PosedImage]:
    """Return some images at half their size, with the poses of the tree's links."""
    some = replace(images, images=images.images[chosen])
    joints = ImageJoints(tree, joint_values(robot, some))
    none = AxisCorrections.none(len(tree.joints))
    return [
        replace(image.halved(), poses=joints.poses(number, none))
        for number, image in enumerate(posed_by(robot, some))
    ]


def _figures(found: FittedAppearance, images: list[PosedImage]) -> str:
    errors = held_out_errors(found.splats, found.links, images)
    whole, own = (float(np.mean(psnr(one))) for one in (errors.whole, errors.robot))
    return f"before black {whole:.2f} dB, robot {own:.2f} dB, masks {np.mean(errors.overlap):.4f}"


if __name__ == "__main__":
    main()

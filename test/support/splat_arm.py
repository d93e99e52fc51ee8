"""A small arm of splats, two turning joints and a slide, and images that it draws of itself."""

from dataclasses import replace

import numpy as np

from autourdf_ros.data.images.posed_camera import PinholeCamera, look_at
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.pose.splat_robot import SplatRobot
from autourdf_ros.estimation.appearance.splats.first_splats import first_splats
from autourdf_ros.model.forward_kinematics import link_frames
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.tree_joint import Mimic, TreeJoint

LINKS = ("base", "upper", "fore", "finger", "other_finger")
BOXES = (  # lowest and highest corner at the reference, base frame
    ((-0.15, -0.15, 0), (0.15, 0.15, 0.1)),
    ((-0.05, -0.06, 0.1), (0.05, 0.06, 0.5)),
    ((-0.04, -0.04, 0.5), (0.4, 0.04, 0.58)),
    ((0.4, 0.01, 0.5), (0.5, 0.03, 0.56)),
    ((0.4, -0.03, 0.5), (0.5, -0.01, 0.56)),
)


def arm_tree():
    """The tree: the other finger follows the first."""
    return KinematicTree(
        LINKS,
        (
            TreeJoint("turn", "revolute", "base", "upper", _axis(2), np.array([0, 0, 0.1]), -2, 2),
            TreeJoint("bend", "revolute", "upper", "fore", _axis(1), np.array([0, 0, 0.5]), -2, 2),
            TreeJoint(
                "slide", "prismatic", "fore", "finger", _axis(1), np.array([0.4, 0, 0.5]), 0, 0.1
            ),
            TreeJoint(
                "follow",
                "prismatic",
                "fore",
                "other_finger",
                -_axis(1),
                np.array([0.4, 0, 0.5]),
                0,
                0.1,
                mimic=Mimic("slide", 1.0, 0.0),
            ),
        ),
    )


def splat_arm(count=150, seed=0):
    """The arm with so many splats a link, coloured by where they are."""
    rng, tree = np.random.default_rng(seed), arm_tree()
    points, normals, colors = [], [], []
    for number, (low, high) in enumerate(np.array(BOXES)):
        size = high - low
        areas = np.array([size[1] * size[2], size[0] * size[2], size[0] * size[1]])
        side = rng.choice(3, count, p=areas / areas.sum())
        end = rng.integers(0, 2, count)
        own = rng.uniform(size=(count, 3))
        own[np.arange(count), side] = end
        facing = np.zeros((count, 3))
        facing[np.arange(count), side] = 2 * end - 1
        points.append(low + own * size)
        normals.append(facing)
        colors.append(0.2 + 0.3 * own + 0.4 * np.eye(3)[number % 3])
    links = np.repeat(np.arange(len(LINKS)), count)
    frames = link_frames(tree)
    places = np.concatenate(points) - frames[links, :3, 3]  # frames are parallel to the base frame
    splats = first_splats(places, np.concatenate(normals), np.concatenate(colors))
    return SplatRobot(tree, frames, splats, links)


def _axis(number):
    return np.eye(3)[number]


def camera_at(eye, size=48):
    pose = look_at(np.array(eye, float), np.array([0.1, 0, 0.3]))
    return PinholeCamera(size, size, (size * 1.1,) * 2, ((size - 1) / 2,) * 2, pose)


def drawn_images(robot, free, eyes=((1.2, -0.5, 0.7), (0.1, 1.3, 0.6)), size=48):
    """Images of the robot in a configuration, by itself."""
    images = []
    for eye in eyes:
        camera = camera_at(eye, size)
        pixels = robot.draw(np.asarray(free, float), camera).pixels
        images.append(
            PosedImage(
                camera,
                robot.gaussians(np.asarray(free, float))[2],
                np.ascontiguousarray(pixels[..., :3]),
                np.ascontiguousarray(1 - pixels[..., 3]),
            )
        )
    return images


def without_mask(image):
    """The image of a robot that is not in sight."""
    return replace(image, color=np.zeros_like(image.color), mask=np.zeros_like(image.mask))

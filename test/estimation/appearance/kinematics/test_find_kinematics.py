"""What outlines cannot show is refused or named."""

import numpy as np
import pytest
from sphere_images import cameras_at, sphere_mask

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.kinematics.find_kinematics import find_kinematics
from autourdf_ros.estimation.appearance.kinematics.image_motors import image_motors
from autourdf_ros.estimation.appearance.kinematics.kinematics_options import KinematicsOptions
from autourdf_ros.estimation.appearance.silhouettes.silhouettes import Silhouettes


def test_motors_that_move_nothing_visible_are_refused():
    views = cameras_at(20)
    silhouettes = Silhouettes.of(views, [sphere_mask(one) for one in views])
    readings = np.concatenate([np.zeros(12), np.linspace(0.5, 1, 8)])[:, None]
    motors = image_motors(("turns_a_sphere",), readings)

    with pytest.raises(InputError, match="no motor moves alone, visibly, in 4 images"):
        find_kinematics(silhouettes, motors, KinematicsOptions())


def test_motors_that_never_move_alone_are_refused():
    views = cameras_at(20)
    silhouettes = Silhouettes.of(views, [sphere_mask(one) for one in views])
    moving = np.random.default_rng(0).uniform(0.5, 1, (8, 2))
    motors = image_motors(("a", "b"), np.concatenate([np.zeros((12, 2)), moving]))

    with pytest.raises(InputError, match="no motor moves alone"):
        find_kinematics(silhouettes, motors, KinematicsOptions())

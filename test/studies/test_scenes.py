"""What scenes of a robot that handles an object have in common."""

import sys
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "studies"))

from pouring_cup import cup_parts
from scenes.box_furniture import bowl_of_boxes, write_furniture
from scenes.hanging_joint import hanging_value
from scenes.panda_hand import TIP, grasp_pose
from scenes.pouring_place import (
    BALL,
    BOWL,
    CUP,
    HEIGHT,
    RADIUS,
    TILT,
    ball_places,
    in_bowl,
    in_cup,
    pouring_pose,
)
from scenes.simulated_scene import SimulatedScene, set_loose

LID = """<robot name="lid"><link name="cup"/><link name="lid"><inertial><origin xyz="0 0.03 0"/>
<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="revolute"><parent link="cup"/><child link="lid"/><axis xyz="1 0 0"/>
<limit lower="-2" upper="1" effort="1" velocity="1"/></joint></robot>"""

FIXED = """<mujoco><worldbody>
<body name="floor"><geom type="box" size="1 1 .1" pos="0 0 -.1"/></body>
<body name="base"><body name="object_cup" pos="0 0 .11"><geom type="box" size=".1 .1 .1"/></body>
</body></worldbody><contact><exclude body1="floor" body2="object_cup"/></contact></mujoco>"""


def test_a_part_hangs_below_its_hinge_within_its_limits():
    model = pin.buildModelFromXML(LID)
    assert hanging_value(model, "hinge", np.array([0.7])) == pytest.approx(-np.pi / 2)
    model.lowerPositionLimit[0] = -0.5
    assert hanging_value(model, "hinge", np.array([0.0])) == pytest.approx(-0.5)


def test_the_hand_holds_a_point_between_its_fingers():
    point, forward, fingers = np.array([0.5, 0.1, 0.3]), np.eye(3)[0], np.eye(3)[1]
    pose = grasp_pose(point, forward, fingers, 0.01)
    assert np.linalg.det(pose[:3, :3]) == pytest.approx(1.0)
    assert np.linalg.inv(pose) @ (*point, 1.0) == pytest.approx((0, 0, TIP - 0.01, 1))
    assert pose[:3, 1] == pytest.approx(fingers)


def test_a_bowl_of_boxes_has_a_floor_and_a_wall(tmp_path):
    boxes = bowl_of_boxes(np.array([0.0, 0.0, 1.0]), 0.1, 0.05, 0.01, 0.02, (1, 0, 0))
    model = mujoco.MjModel.from_xml_path(str(write_furniture(boxes, tmp_path / "bowl.urdf")))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)

    def distance(place, way):
        return mujoco.mj_ray(model, data, place, way, None, 1, -1, np.zeros(1, np.int32))

    for angle in np.arange(0.0, 2 * np.pi, 0.37):
        way = np.array([np.cos(angle), np.sin(angle), 0.0])
        assert 0.0999 < distance(np.array([0.0, 0.0, 1.04]), way) < 0.102
        assert distance(np.array([0.0, 0.0, 2.0]) + 0.099 * way, -np.eye(3)[2]) == pytest.approx(
            0.98
        )


@pytest.mark.slow
def test_balls_start_in_the_cup_and_touch_nothing():
    places = ball_places(60)
    apart = np.linalg.norm(places[:, None] - places, axis=2) + np.eye(60)
    assert apart.min() > 2 * BALL
    assert in_cup(places, np.eye(4)).all()
    cup = cup_parts()["cup"]
    assert not cup.contains(places).any()


def test_the_cup_tilts_with_its_lip_over_the_bowl():
    for share in (0.0, 0.5, 1.0):
        pose = pouring_pose(share)
        assert pose[2, 2] == pytest.approx(np.cos(share * TILT))
        lip = pose @ (0.0, RADIUS, HEIGHT, 1.0)
        assert np.linalg.norm((lip[:3] - BOWL)[:2]) < 0.06
        assert lip[2] > BOWL[2] + 0.1


def test_what_lies_on_the_floor_of_the_bowl_counts_alone():
    near, far = np.array([0.0, 0.0, 0.02]), np.array([0.0, 0.0, 0.2])
    assert in_bowl(np.array([BOWL + near, BOWL + far, CUP + near])).tolist() == [True, False, False]


@pytest.mark.slow
def test_the_parts_of_the_cup_are_closed_and_apart():
    parts = cup_parts()
    assert all(mesh.is_watertight for mesh in parts.values())
    assert not parts["cup"].contains(parts["lid"].vertices).any()
    assert not parts["lid"].contains(parts["cup"].vertices).any()


def test_a_loose_thing_falls_and_touches_what_it_was_fixed_to():
    spec = mujoco.MjSpec.from_string(FIXED)
    set_loose(spec, "object_cup", "object_")
    scene = SimulatedScene(spec, {})
    scene.wait(0.5)
    assert scene.pose("object_cup")[2, 3] == pytest.approx(0.1, abs=0.002)

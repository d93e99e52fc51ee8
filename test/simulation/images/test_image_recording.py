"""Images of a simulated robot: both renderers, configurations, and what is written."""

import importlib.util

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.data.images.image_folder import read_image_folder
from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.images.image_motions import ImageMotion, image_configurations
from autourdf_ros.simulation.images.image_recording import ImageOptions, record_images
from autourdf_ros.simulation.images.image_set_files import write_image_set
from autourdf_ros.simulation.images.robot_copy import ROBOT_FILE
from autourdf_ros.simulation.images.sunlit_renderer import Sunlight, SunlitRenderer
from autourdf_ros.simulation.workspace import Workspace

URDF = """<robot name="arm">
  <link name="base"><visual><geometry><box size="0.3 0.3 0.1"/></geometry>
    <material name="red"><color rgba="1 0 0 1"/></material></visual></link>
  <link name="arm"><visual><origin xyz="0 0 0.2"/><geometry><box size="0.05 0.05 0.3"/></geometry>
    <material name="green"><color rgba="0 1 0 1"/></material></visual>
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="tilt" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 0.1"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2.5" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    path = tmp_path_factory.mktemp("arm") / "arm.urdf"
    path.write_text(URDF)
    return SimulatedRobot(path)


def options(**changed):
    return ImageOptions(ImageMotion(4), size=48, **changed)


def test_images_show_the_robot_where_its_joints_say(robot):
    images = record_images(robot, options()).images
    assert len({tuple(image.camera.pose.ravel()) for image in images}) == 4
    for image in images:
        (value,) = image.joint_positions.values()
        assert -1 <= value <= np.pi / 2  # the reach, where it is less than the limit
        tip = robot.body_poses(np.array([value]))[1] @ [0, 0, 0.33, 1]
        pixels, depth = image.camera.project(tip[None, :3])
        column, row = np.round(pixels[0]).astype(int)
        assert image.mask[row, column] == 255
        assert image.depth[row, column] <= depth[0] + 0.03
        assert 0.01 < (image.mask > 127).mean() < 0.5
        assert not image.color[image.mask == 0].any()
        assert np.isfinite(image.depth[image.mask == 255]).all()


def test_a_room_is_behind_the_robot_and_not_in_its_mask(robot):
    plain, inside = (record_images(robot, options(room=room)).images for room in (False, True))
    for one, two in zip(plain, inside, strict=True):
        assert np.array_equal(one.mask, two.mask)
        assert np.array_equal(one.depth, two.depth, equal_nan=True)
        assert np.array_equal(one.color[one.mask == 255], two.color[one.mask == 255])
        assert two.color[one.mask == 0].std() > 10


def test_the_same_seed_gives_the_same_images(robot):
    one, two, other = (record_images(robot, options(seed=seed)) for seed in (3, 3, 4))
    assert all(
        np.array_equal(a.color, b.color) for a, b in zip(one.images, two.images, strict=True)
    )
    assert not np.array_equal(one.readings(), other.readings())


def test_one_part_shades_another(robot):
    camera = record_images(robot, options()).images[0].camera
    lit, shaded = (
        SunlitRenderer(robot, Sunlight((1, 0, 1), shadows=shadows)).draw(np.array([0.3]), camera)
        for shadows in (False, True)
    )
    darker = (shaded.color < lit.color).any(axis=2)
    assert darker.any()
    assert (shaded.color <= lit.color).all()
    assert np.array_equal(lit.mask, shaded.mask)


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("pybullet") is None, reason="needs pybullet")
def test_both_renderers_see_the_same(robot, capfd):
    sun, bullet = (
        record_images(robot, options(renderer=name)).images for name in ("sun", "pybullet")
    )
    assert "pybullet" not in "".join(capfd.readouterr())
    for one, two in zip(sun, bullet, strict=True):
        a, b = one.mask > 127, two.mask > 127
        assert (a & b).sum() > 0.93 * (a | b).sum()
        both = np.isfinite(one.depth) & np.isfinite(two.depth)
        assert np.median(np.abs(one.depth - two.depth)[both]) < 2e-3


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), reach=st.floats(0.05, 3.0))
def test_the_reach_grows_and_is_kept(robot, seed, reach):
    motion = ImageMotion(40, rest=2, single=3, reach=reach)
    found = image_configurations(Workspace(robot), motion, np.random.default_rng(seed))[:, 0]
    assert len(found) == 45
    assert (found[:2] == 0).all()
    assert (np.abs(found[2:]) <= reach + 1e-9).all()
    assert (np.abs(found[5:7]) <= reach / 3 + 1e-9).all()
    assert (np.abs(found[7:9]) <= 2 * reach / 3 + 1e-9).all()
    assert ((found >= -1) & (found <= 2.5)).all()


def test_a_joint_that_cannot_reach_0_stays_at_its_nearest_limit(tmp_path):
    path = tmp_path / "elbow.urdf"  # as the Panda's, from -3.07 to -0.07 rad
    path.write_text(URDF.replace('lower="-1" upper="2.5"', 'lower="-3.07" upper="-0.07"'))
    elbow = SimulatedRobot(path)
    motion = ImageMotion(3, reach=0.01)
    found = image_configurations(Workspace(elbow), motion, np.random.default_rng(0))
    assert np.allclose(found, -0.07)


def test_what_is_written_is_read_with_its_robot(robot, tmp_path):
    images = record_images(robot, options())
    write_image_set(images, robot.urdf, tmp_path / "set")
    read = read_image_folder(tmp_path / "set")
    assert np.allclose(read.readings(), images.readings())
    for one, two in zip(read.images, images.images, strict=True):
        assert np.array_equal(one.color, two.color)
        assert np.array_equal(one.mask, two.mask)
    assert SimulatedRobot(tmp_path / "set" / ROBOT_FILE).names == robot.names
    with pytest.raises(InputError, match="not an empty folder"):
        write_image_set(images, robot.urdf, tmp_path / "set")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ImageMotion(0), "at least one"),
        (lambda: ImageMotion(3, single=-1), "single is -1"),
        (lambda: ImageMotion(3, reach=0.0), "reach is 0.0"),
        (lambda: ImageOptions(size=8), "size is 8"),
        (lambda: ImageOptions(seed=-1), "seed is -1"),
    ],
)
def test_values_out_of_range_are_named(make, said):
    with pytest.raises(InputError, match=said):
        make()


@pytest.mark.parametrize("azimuths", [(50.0, -50.0), (0.0, 400.0), (0.0, float("inf"))])
def test_cameras_within_no_azimuths_are_refused(azimuths):
    with pytest.raises(InputError, match="azimuths are"):
        ImageOptions(azimuths=azimuths)

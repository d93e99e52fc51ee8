"""Joint readings and the motors and joints of a model."""

import math
from dataclasses import replace

import pytest
from synthetic_robot import MOTORS, arm_reconstruction, arm_recording

from autourdf_ros.model.result_files import URDF
from autourdf_ros.model.urdf.joint_readings import MOST, JointReadings
from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.workflows.reconstruct import write_reconstruction

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An arm whose motor arm/lift turns its joint, called arm_lift in the URDF, twice as far."""
    made = arm_reconstruction(count=10)
    joints = list(made.model.joints)
    estimate = joints[1].estimate
    motor = replace(estimate.motor, ratio=2.0, offset=0.5)
    joints[1] = replace(joints[1], estimate=replace(estimate, motor=motor))
    made = replace(made, model=made.model.with_parts(joints=joints))
    out = tmp_path_factory.mktemp("readings") / "arm"
    return write_reconstruction(made, out, name="arm", recording=arm_recording(made))


@pytest.fixture
def model(folder):
    return LiveModel(folder)


def test_a_joint_state_names_a_motor_or_a_joint(model):
    readings = JointReadings()
    assert readings.silent(model) == set(MOTORS) and not readings.moves(model)
    readings.hear({"arm_lift": 0.25, "slide": 0.02, "foreign": 1.0, "spin": math.nan}, 5.0)
    assert readings.by_motor(model) == {"arm/lift": 1.0, "slide": 0.02}
    assert model.joint_values(readings.by_motor(model))["arm_lift"] == 0.25
    assert readings.moves(model) and readings.heard == 5.0
    assert readings.silent(model) == {"shoulder-pan", "spin"}
    assert readings.unknown(model) == {"foreign"}
    assert readings.invalid == {"spin"}
    readings.hear({"arm/lift": 0.6, "spin": 0.1}, 6.0)
    assert readings.by_motor(model)["arm/lift"] == 0.6
    assert readings.invalid == set()


def test_a_joint_that_mimics_another_is_known(folder, tmp_path):
    for file in folder.glob("*.*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    text = (folder / URDF).read_text()
    start = text.index('<joint name="spin"')
    end = text.index("</joint>", start)
    (tmp_path / URDF).write_text(f'{text[:end]}<mimic joint="slide"/>{text[end:]}')
    readings = JointReadings()
    readings.hear({"slide": 0.01, "spin": 0.01}, 0.0)
    assert readings.unknown(LiveModel(tmp_path)) == set()
    assert "spin" not in readings.silent(LiveModel(tmp_path))


def test_of_too_many_names_the_first_are_kept(model):
    readings = JointReadings()
    readings.hear({"slide": 0.01}, 0.0)
    for number in range(30):
        readings.hear({f"j{number}_{own}": math.nan for own in range(1000)}, float(number))
    readings.hear({"slide": 0.02}, 31.0)
    assert len(readings.invalid) <= MOST
    assert readings.by_motor(model) == {"slide": 0.02} and readings.heard == 31.0

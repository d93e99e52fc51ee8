"""Limits from a file: read, named by motors or joints, and never against what was seen."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_robot import arm_reconstruction

from autourdf_ros.errors import InputError
from autourdf_ros.export.given_limits import (
    GivenLimits,
    check_names,
    read_given_limits,
)
from autourdf_ros.model.layers.kinematics import MotorMatch
from autourdf_ros.model.limits.drive_limits import SLIDING, DriveLimits
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.tree_joint import Mimic
from autourdf_ros.workflows.reconstruct import limited

FOUND = arm_reconstruction(count=20)
WIDE = GivenLimits(-2.0, 2.5, 0.8, 1.6)
ENTRY = {"lower": -2, "upper": 2.5, "velocity": 0.8, "acceleration": 1.6}


def changed(index, **changes):
    """The arm with one joint changed."""
    joints = list(FOUND.model.joints)
    joints[index] = replace(joints[index], **changes)
    return replace(FOUND, model=SelfModel.of("arm", FOUND.model.links, tuple(joints)))


def with_motor(index, motor):
    return changed(
        index,
        name=f"joint_{index + 1}",
        estimate=replace(FOUND.model.joints[index].estimate, motor=motor),
    )


def written(folder, entries):
    file = folder / "limits.yaml"
    file.write_text(yaml.safe_dump({"capture": {"ros__parameters": entries}}))
    return file


def test_the_files_of_the_package_are_read():
    for file in Path("config/robots").glob("*.yaml"):
        limits = read_given_limits(file)
        assert len(limits) >= 6
        assert all(entry.lower < entry.upper and entry.effort is None for entry in limits.values())


def test_effort_may_be_given_and_limits_left_out(tmp_path):
    free = {"velocity": 2, "acceleration": 3, "effort": 40}
    entries = {"joints": ["a", "b"], "a": ENTRY, "b": free, "ground_height": 0.1, "cameras": ["x"]}
    assert read_given_limits(written(tmp_path, entries)) == {
        "a": WIDE,
        "b": GivenLimits(-np.inf, np.inf, 2.0, 3.0, 40.0),
    }


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (ENTRY | {"effort": 0}, "a.effort: is 0.0; accepted is above 0"),
        (ENTRY | {"torque": 1}, "a.torque: unknown; accepted is lower, .*, effort"),
        (ENTRY | {"velocity": "fast"}, "a.velocity: is 'fast'; accepted is a finite number"),
        (ENTRY | {"lower": 2.5}, "a.lower: is 2.5; accepted is below upper, 2.5"),
        ({"lower": 1, "velocity": 1, "acceleration": 1}, "a.upper: is missing"),
        ({"velocity": 1}, "a.acceleration: is missing"),
        (3, "a: limits are missing"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, entry, text):
    file = written(tmp_path, {"joints": ["a"], "a": entry})
    with pytest.raises(InputError, match=text) as caught:
        read_given_limits(file)
    assert str(file) in str(caught.value)


def test_a_urdf_states_what_the_file_does_not(tmp_path):
    (tmp_path / "r.urdf").write_text(
        '<robot name="r"><link name="a"/><joint name="a" type="revolute">'
        '<limit lower="-1" upper="2" velocity="4"/></joint></robot>'
    )
    entries = {"urdf": str(tmp_path / "r.urdf"), "joints": ["a"], "a": {"acceleration": 1}}
    given = read_given_limits(written(tmp_path, entries))
    assert given == {"a": GivenLimits(-1.0, 2.0, 4.0, 1.0)}


def test_a_urdf_that_is_no_path_is_named(tmp_path):
    with pytest.raises(InputError, match="urdf is 5; accepted is the path of a URDF file"):
        read_given_limits(written(tmp_path, {"urdf": 5, "joints": ["a"], "a": ENTRY}))


def test_boxes_of_the_capture_are_no_joints(tmp_path):
    boxes = {"keep_out": ["table"], "table": {"lower": [0, 0, 0], "upper": [1, 1, 1]}}
    boxes |= {"forbidden": ["tucked"], "tucked": {"a": [0, 1]}}
    given = read_given_limits(written(tmp_path, {"joints": ["a"], "a": ENTRY} | boxes))
    assert set(given) == {"a"}


def test_names_of_joints_that_are_not_listed_are_wrong(tmp_path):
    with pytest.raises(InputError, match="limits of 'b', which is not among joints: a"):
        read_given_limits(written(tmp_path, {"joints": ["a"], "a": ENTRY, "b": dict(ENTRY)}))


def test_unknown_names_are_reported_with_the_known_ones():
    with pytest.raises(InputError, match=r"my.yaml: limits of 'pan', .*\(lift, slide\)"):
        check_names(["joint_1", "pan"], {"slide", "lift"}, Path("my.yaml"))
    with pytest.raises(InputError, match="none, as there are no joint readings"):
        check_names(["pan"], set(), Path("my.yaml"))
    check_names(["joint_3"], set(), Path("my.yaml"))


def test_given_limits_go_to_the_joint_and_its_drive():
    limits = {"shoulder-pan": replace(WIDE, effort=30.0), "slide": GivenLimits(0, 0.2, 0.3, 0.4)}
    result, drives = limited(FOUND, limits)
    pan, lift, slide, spin = result.model.joints
    assert (pan.lower, pan.upper) == (-2.0, 2.5)
    assert drives["shoulder-pan"] == DriveLimits(0.8, 30.0, 1.6)
    assert drives["slide"] == DriveLimits(0.3, SLIDING.effort, 0.4)
    assert slide.upper == 0.2
    assert lift == FOUND.model.joints[1] and spin == FOUND.model.joints[3]


def test_nothing_given_changes_nothing():
    assert limited(FOUND, {}) == (FOUND, {})


@settings(deadline=None)
@given(st.floats(0.1, 100), st.booleans(), st.floats(-3, 3))
def test_a_motors_limits_become_its_joints(size, backwards, offset):
    ratio = -size if backwards else size
    found = with_motor(0, MotorMatch("gear", ratio, offset, 0.0))
    ends = sorted(ratio * value + offset for value in (-9.0, 12.0))
    result, drives = limited(found, {"gear": GivenLimits(*ends, 4.0, 8.0, 2.0)})
    joint = result.model.joints[0]
    assert (joint.lower, joint.upper) == pytest.approx((-9.0, 12.0))
    drive = drives["joint_1"]
    assert drive.velocity == pytest.approx(4.0 / size)
    assert drive.acceleration == pytest.approx(8.0 / size)
    assert drive.velocity * drive.effort == pytest.approx(8.0)


def test_what_was_surely_seen_stays_within_and_is_reported():
    values = np.vstack([motion.joint_values[motion.used] for motion in FOUND.motions])[:, 0]
    narrow = GivenLimits(float(values.min()) - 1, float(values.max()) - 0.05, 1.0, 1.0)
    result, _ = limited(FOUND, {"shoulder-pan": narrow})
    pan = result.model.joints[0]
    assert pan.lower == narrow.lower
    # Held-out frames and three standard deviations, of 1e-3, are no proof.
    assert narrow.upper < pan.upper <= values.max()
    (note,) = result.notes[len(FOUND.notes) :]
    assert "'shoulder-pan' was seen beyond its given limits" in note

    within = replace(narrow, upper=float(values.max()) - 0.001)
    result, _ = limited(FOUND, {"shoulder-pan": within})
    assert result.model.joints[0].upper == within.upper
    assert result.notes == FOUND.notes


def test_the_reference_configuration_is_always_within():
    reference = FOUND.model.joints[1].reference
    limits = {"arm/lift": GivenLimits(reference + 0.001, 1.0, 1.0, 1.0)}
    assert limited(FOUND, limits)[0].model.joints[1].lower <= reference


def test_limits_decide_whether_a_joint_is_continuous():
    free = GivenLimits(-np.inf, np.inf, 1.0, 1.0)
    result, _ = limited(FOUND, {"shoulder-pan": free, "spin": WIDE})
    pan, *_, spin = result.model.joints
    assert (pan.type, spin.type) == ("continuous", "revolute")
    assert (spin.lower, spin.upper) == (-2.0, 2.5)
    result, _ = limited(FOUND, {"slide": free})
    assert result.model.joints[2] == FOUND.model.joints[2]
    assert "'slide' are given without lower and upper" in result.notes[-1]


def test_joints_that_mimic_share_the_limits_of_what_they_follow():
    found = changed(2, mimic=Mimic("arm/lift", -0.1, 0.0))
    result, drives = limited(found, {"arm/lift": replace(WIDE, effort=10.0)})
    slide = result.model.joints[2]
    assert (slide.lower, slide.upper) == pytest.approx((-0.25, 0.2))
    # The same power: a tenth of the speed, ten times the force.
    expected = {"velocity": 0.08, "effort": 100.0, "acceleration": 0.16}
    assert vars(drives["slide"]) == pytest.approx(expected)
    own = {"arm/lift": WIDE, "slide": GivenLimits(-0.5, 0.5, 1.0, 1.0)}
    assert limited(found, own)[0].model.joints[2].upper == 0.5


def test_a_motor_that_moves_nothing_is_reported():
    result, drives = limited(FOUND, {"idle": WIDE})
    assert drives == {}
    assert "limits of 'idle' are given, but it moves no joint" in result.notes[-1]

"""Parameters of the capture node that it takes, or refuses before anything moves."""

import math
import re
from pathlib import Path

import pytest
import yaml
from capture_rig import LIMITS, PARAMETERS, overrides

from autourdf_ros.errors import InputError
from autourdf_ros.ros.capture.capture_node import CaptureNode

pytestmark = [pytest.mark.timeout(300), pytest.mark.usefixtures("ros")]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"joints": []}, "joints is []"),
        ({"tilt": {"lower": 1.0, "upper": -1.0, "velocity": 1, "acceleration": 1}}, "tilt.lower"),
        ({"pan": {"lower": -1.0, "upper": 1.0, "velocity": 1.0}}, "pan.acceleration is None"),
        ({"speed": 1.5}, "parameter speed is 1.5; accepted is a number from 0.01 to 1"),
        (
            {"excitation": "wild"},
            "excitation is 'wild'; accepted is one of random, one_joint",
        ),
        ({"command_interface": "magic"}, "accepted is one of joint_trajectory, forward_position"),
        ({"box_lower": [1, 2]}, "box_lower is"),
        ({"cameras": []}, "cameras is empty"),
        ({"cloud_scale": [1, 1]}, "cloud_scale is [1.0, 1.0]; accepted is a number above 0"),
        ({"cloud_scale": [0.0]}, "cloud_scale is [0.0]"),
        ({"background": "/nowhere"}, "parameter background: /nowhere: does not exist"),
        ({"sync_slop": 0}, "parameter sync_slop is 0"),
        ({"home": [0.1]}, "home has 1 numbers; accepted is one for each of joints: pan, tilt"),
        ({"home": [0.1, 1.2]}, "home is 1.2 for tilt; accepted is -1.0 .. 1.0"),
        ({"home": [0.1, math.nan]}, "parameter home is [0.1, nan]"),
        ({"home": "up"}, "parameter home is 'up'"),
        ({"pan": LIMITS | {"stop_effort": 0.0}}, "pan.stop_effort: is 0.0; accepted is above 0"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_named(changes, text):
    with pytest.raises(InputError, match=re.escape(text)):
        CaptureNode(parameter_overrides=overrides(PARAMETERS | changes))


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"pan": LIMITS | {"lower": 1.0, "upper": -1.0}}, "pan.lower: is 1.0; accepted is below"),
        ({"pan": LIMITS | {"upper": math.nan}}, "pan.upper is nan; accepted is a finite number"),
        ({"pan": LIMITS | {"lower": -math.inf}}, "pan.lower is -inf; accepted is a finite number"),
        ({"pan": LIMITS | {"velocity": 0.0}}, "pan.velocity: is 0.0; accepted is above 0"),
        ({"pan": LIMITS | {"acceleration": -2}}, "pan.acceleration: is -2.0; accepted is above 0"),
        ({"pan": LIMITS | {"velocity": "fast"}}, "pan.velocity is 'fast'"),
        ({"joints": ["pan", "tilt", "roll"]}, "roll.lower is None; accepted is a finite number"),
        ({"joints": ["pan"]}, "limits of 'tilt', which is not among joints: pan"),
        ({"joints": ["pan", "tilt", "pan"]}, "joints is ['pan', 'tilt', 'pan']"),
        ({"pan": LIMITS | {"velocty": 0.1}}, "pan.velocty: unknown; accepted is lower, upper"),
        ({"spede": 0.1}, "parameter spede is unknown"),
    ],
)
def test_hostile_limits_end_the_process_before_anything_moves(cell, robot, forks, changes, text):
    output, code = forks.run(cell, autostart=True, **changes)
    assert code == "2\n"
    assert output.startswith("capture: ") and text in output and output.count("\n") == 1
    assert robot.commands == [] and cell.recordings() == []


def test_limits_of_a_urdf_need_accelerations_and_are_only_narrowed(urdf):
    given = PARAMETERS | {
        "urdf": urdf,
        "pan": {"acceleration": 8, "upper": 0.5},
        "tilt": {"acceleration": 8.0},
    }
    node = CaptureNode(parameter_overrides=overrides(given))
    limits = node._limits
    node.destroy_node()
    assert (limits["pan"].lower, limits["pan"].upper, limits["tilt"].upper) == (-1.0, 0.5, 0.8)
    for tilt, text in (
        ({}, "tilt.acceleration: is missing, and the URDF does not"),
        ({"acceleration": 8.0, "upper": 1.0}, "tilt.upper: is 1, wider than 0.8 of"),
    ):
        with pytest.raises(InputError, match=re.escape(text)):
            CaptureNode(parameter_overrides=overrides(given | {"tilt": tilt}))


def test_the_parameter_file_holds_every_parameter_with_its_default():
    path = Path(__file__).parents[3] / "config" / "capture.yaml"
    written = yaml.safe_load(path.read_text())["/**/capture"]["ros__parameters"]
    required = {"joints": ["pan"], "pan": LIMITS, "cameras": written["cameras"]}
    node = CaptureNode(parameter_overrides=overrides(required))
    declared = {
        name: parameter.value for name, parameter in node.get_parameters_by_prefix("").items()
    }
    node.destroy_node()
    ours = {name for name in declared if not name.startswith(("pan.", "use_sim", "start_type"))}
    without_default = {"home", "cloud_scale", "keep_out", "minimum_height", "forbidden", "images"}
    assert set(written) == ours - without_default - {"joints"}
    for name, value in written.items():
        assert declared[name] == pytest.approx(value, abs=0.01), name


def test_a_parameter_that_cannot_be_used_ends_the_process_with_code_2(cell):
    capture = cell.start_capture_process(joints=[])
    output, _ = capture.communicate(timeout=90)
    assert capture.returncode == 2
    assert "capture: /capture: joints is []" in output and "Traceback" not in output
    assert "a node takes what is below capture: or /**: only" in output

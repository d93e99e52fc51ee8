import math

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import (
    JointLimits,
    limits_yaml,
    parse_limits,
    read_limits,
)

GOOD = {"lower": -1, "upper": 2.5, "velocity": 1, "acceleration": 0.5}

positive = st.floats(1e-3, 1e3)
joints = st.builds(
    lambda lower, span, velocity, acceleration: JointLimits(
        lower, lower + span, velocity, acceleration
    ),
    st.floats(-10, 10),
    positive,
    positive,
    positive,
)
names = st.text(st.characters(categories=["Ll", "Nd"], exclude_characters=""), min_size=1)


@pytest.mark.slow
@settings(deadline=None)
@given(limits=st.dictionaries(names.filter(lambda n: n != "joints"), joints, min_size=1))
def test_what_was_written_is_parsed(limits):
    text = limits_yaml(limits, "two\nlines")
    assert text.startswith("# two\n# lines\n")
    parsed = parse_limits(yaml.safe_load(text)["capture"]["ros__parameters"])
    assert list(parsed) == list(limits)
    for name, joint in limits.items():
        for field in ("lower", "upper", "velocity", "acceleration"):
            assert getattr(parsed[name], field) == pytest.approx(getattr(joint, field), abs=1e-6)


def test_integers_are_numbers():
    assert parse_limits({"joints": ["a"], "a": GOOD})["a"] == JointLimits(-1.0, 2.5, 1.0, 0.5)


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        ({}, "joints is None"),
        ({"joints": []}, "joints is []"),
        ({"joints": "a", "a": GOOD}, "joints is 'a'"),
        ({"joints": ["a", "a"], "a": GOOD}, "names a joint twice"),
        ({"joints": ["a"]}, "cell: a: limits are missing"),
        ({"joints": ["a"], "a": GOOD, "b": GOOD}, "limits of 'b', which is not among joints: a"),
        ({"joints": ["a"], "a": GOOD | {"effort": 1}}, "a.effort: unknown"),
        ({"joints": ["a"], "a": GOOD | {"lower": 2.5}}, "a.lower: is 2.5; accepted is below upper"),
        ({"joints": ["a"], "a": GOOD | {"lower": 3}}, "a.lower: is 3.0"),
        ({"joints": ["a"], "a": GOOD | {"upper": math.nan}}, "a.upper: is nan"),
        ({"joints": ["a"], "a": GOOD | {"upper": math.inf}}, "a.upper: is inf"),
        ({"joints": ["a"], "a": GOOD | {"velocity": 0}}, "a.velocity: is 0.0; accepted is above 0"),
        ({"joints": ["a"], "a": GOOD | {"acceleration": -1}}, "a.acceleration: is -1.0"),
        ({"joints": ["a"], "a": GOOD | {"acceleration": "fast"}}, "a.acceleration: is 'fast'"),
        ({"joints": ["a"], "a": GOOD | {"velocity": True}}, "a.velocity: is True"),
        ({"joints": ["a"], "a": {"lower": 0}}, "a.upper: is missing"),
    ],
)
def test_what_is_wrong_is_named(entries, text):
    with pytest.raises(InputError) as caught:
        parse_limits(entries, "cell")
    assert text in str(caught.value) and str(caught.value).startswith("cell: ")


@pytest.mark.parametrize("content", ["", "[1", "capture: 3", "other: {}", "\x00"])
def test_a_file_that_is_none_is_named(tmp_path, content):
    file = tmp_path / "robot.yaml"
    file.write_text(content)
    with pytest.raises(InputError, match=r"robot\.yaml: "):
        read_limits(file)


def test_limits_of_any_node_are_read(tmp_path):
    file = tmp_path / "limits.yaml"
    file.write_text(limits_yaml({"a": JointLimits(**GOOD)}).replace("capture:", "/**:"))
    assert read_limits(file) == {"a": JointLimits(**GOOD)}

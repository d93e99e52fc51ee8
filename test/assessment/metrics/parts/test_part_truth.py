"""Tests of the reading of a case's truth."""

import json

import numpy as np
import pytest

from autourdf_ros.assessment.metrics.parts.part_truth import read_part_truth
from autourdf_ros.errors import InputError

JOINT = {"type": "continuous", "axis": [0, 0, 2], "point": [1, 2, 3], "parent": 1, "child": 0}
TRUTH = {"root": None, "parts": 2, "size": 1.5, "joints": [JOINT]}


def written(folder, content):
    path = folder / "truth.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_continuous_joints_are_revolute_and_axes_unit(tmp_path):
    truth = read_part_truth(written(tmp_path, TRUTH))
    assert (truth.root, truth.parts, truth.size) == (None, 2, 1.5)
    assert truth.joints[0].type == "revolute"
    np.testing.assert_allclose(truth.joints[0].axis, [0, 0, 1])
    assert truth.joints[0].upper == np.inf


def test_a_list_of_parts_is_counted(tmp_path):
    assert read_part_truth(written(tmp_path, {**TRUTH, "parts": ["a", "b"]})).parts == 2


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        {"root": 0},
        {**TRUTH, "joints": []},
        {**TRUTH, "parts": 1},
        {**TRUTH, "size": 0},
        {**TRUTH, "root": 2},
        {**TRUTH, "parts": 3},
        {**TRUTH, "joints": [{**JOINT, "child": 5}]},
        {**TRUTH, "joints": [{**JOINT, "child": 1}]},
        {**TRUTH, "joints": [{**JOINT, "type": "ball"}]},
        {**TRUTH, "joints": [{**JOINT, "axis": [0, 0, 0]}]},
        {**TRUTH, "joints": [{**JOINT, "point": [0, 0]}]},
    ],
)
def test_what_is_no_truth_is_refused_by_name(tmp_path, content):
    with pytest.raises(InputError, match=r"truth\.json"):
        read_part_truth(written(tmp_path, content))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"truth\.json: cannot be read"):
        read_part_truth(tmp_path / "truth.json")

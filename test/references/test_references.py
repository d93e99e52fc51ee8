"""Files of every versioned format, written by earlier code, are read by the present one.

The files stay as they are. A format whose version rises gets further files here. The robot has the
joints lift and turn; its recording has two sequences of eight frames of 1000 points.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from autourdf_ros.assessment.metrics.truth.truth import load_truth
from autourdf_ros.data.load import load_recording
from autourdf_ros.files.file_version import BENCHMARK_FORMAT, BENCHMARK_VERSION, check_version
from autourdf_ros.model.result_files import result_document
from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.monitoring.continual.drift_file import read_drift
from autourdf_ros.monitoring.continual.model_history import HISTORY, ModelHistory

HERE = Path(__file__).parent
FIRST = {"lift": -0.18794552610490844, "turn": -0.21837896531492518}  # rad
MEAN = [
    0.23799216003730544,
    -0.005573380352128879,
    0.18450615667549755,
]  # m, of the first frame's points
TURN = [-0.1854866864242503, 0.002560603639211377, 0.9826434411669143]
BENCHMARKS = sorted(path.name for path in HERE.glob("benchmark_*.json"))


def test_a_recording_of_version_1_is_read():
    recording = load_recording(HERE / "recording")
    assert recording.fixed_frame == "base_link"
    assert [(part.name, len(part.frames)) for part in recording.sequences] == [
        ("0000", 8),
        ("0001", 8),
    ]
    assert {frame.points.shape for frame in recording.frames} == {(1000, 3)}
    assert all(frame.colors is not None for frame in recording.frames)
    first, last = recording.frames[0], recording.frames[-1]
    assert first.joint_positions == pytest.approx(FIRST, abs=1e-12)
    assert (first.stamp, last.stamp) == (1.0, 16.0)
    assert np.mean(first.points, axis=0, dtype=float) == pytest.approx(MEAN, abs=1e-7)


def test_a_truth_of_version_1_is_read():
    truth = load_truth(HERE / "recording" / "truth.json").skeleton
    assert [(joint.name, joint.type) for joint in truth.joints] == [
        ("lift", "revolute"),
        ("turn", "revolute"),
    ]
    assert truth.joints[1].axis == pytest.approx([-0.186840995756, 0, 0.982390168062], abs=1e-10)
    assert truth.joints[1].point == pytest.approx([0.532603870586, 0, 0.278473218216], abs=1e-10)


def test_a_reconstruction_of_version_1_is_read():
    document = result_document(HERE / "result")
    assert document["verdict"] == "trusted"
    lift, turn = document["joints"]
    assert (lift["name"], lift["parent"], lift["child"]) == ("lift", "link_0", "link_1")
    assert (turn["name"], turn["parent"], turn["child"]) == ("turn", "link_1", "link_2")
    assert turn["axis"] == pytest.approx(TURN, abs=1e-12)
    model = LiveModel(HERE / "result")
    (moved,) = [one for one in model.moving_transforms({"lift": 0.3}) if one.child == "link_1"]
    assert moved.parent == "link_0"


def test_a_drift_of_version_1_is_read():
    first, second, third = read_drift(HERE / "drift.json")
    assert [one.model for one in (first, second, third)] == ["0001", "0001", "0002"]
    offset = second.quantities["joint_zero", "lift", "offset"]
    assert (second.start, second.end) == (3600.0, 7100.0)
    assert (offset.value, offset.std, offset.unit) == (0.012, 0.001, "rad")
    assert list(third.quantities) == [("joint_zero", "lift", "offset")]


def test_a_history_of_models_of_version_1_is_read(tmp_path):
    shutil.copy(HERE / "models" / HISTORY, tmp_path)
    for name in ("0001", "0002"):
        shutil.copytree(HERE / "result", tmp_path / name)
    history = ModelHistory(tmp_path)
    assert [(one.name, one.previous) for one in history.entries] == [
        ("0001", None),
        ("0002", "0001"),
    ]
    assert history.current() == tmp_path / "0001"


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark_of_version_1_is_read(name):
    content = json.loads((HERE / name).read_text())
    check_version(HERE / name, content, BENCHMARK_FORMAT, BENCHMARK_VERSION)
    rows = content["rows"]
    assert all(row["verdict"] in ("trusted", "doubtful") for row in rows if "error" not in row)
    assert all(row["evaluation"]["all"]["found"] > 0 for row in rows if "error" not in row)

"""A model that is learnt from a recording that is still written."""

import time
from dataclasses import replace

import numpy as np
import pytest
from motor_driven_arm import folding_arm

from autourdf_ros.commanding.learning import learned_model
from autourdf_ros.commanding.learning.learned_model import LearnedModel
from autourdf_ros.commanding.learning.learning_process import LearningProcess
from autourdf_ros.data.frame import Frame
from autourdf_ros.data.recording.writer import RecordingWriter
from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.estimation.motion.streaming import FIRST_FRAMES, LiveEstimate


def a_frame(stamp):
    points = np.random.default_rng(0).normal(size=(600, 3)).astype(np.float32)
    return Frame(points, None, stamp, {"pan": 0.1 * stamp})


@pytest.fixture
def writer(tmp_path):
    writer = RecordingWriter(tmp_path / "recording", "base_link")
    writer.start_sequence("0000")
    yield writer
    writer.close()


def test_frames_are_taken_once_from_a_recording_that_is_not_closed(writer, tmp_path):
    model = LearnedModel(tmp_path / "recording", "base_link", tmp_path)
    writer.write_frame(a_frame(1.0))
    assert model.learn(1).frames == 1
    writer.write_frame(a_frame(2.0))
    writer.start_sequence("0001")
    writer.write_frame(a_frame(3.0))
    estimate = model.learn(3)
    assert estimate.frames == 3 and estimate.reconstruction is None
    assert estimate.reason == f"3 of the {FIRST_FRAMES} frames that a first model needs"
    assert [s.name for s in model._engine.recording.sequences] == ["0000", "0001"]


def test_frames_that_a_resumed_recording_had_are_taken_as_well(writer, tmp_path):
    for stamp in (1.0, 2.0, 3.0):
        writer.write_frame(a_frame(stamp))
    model = LearnedModel(tmp_path / "recording", "base_link", tmp_path)
    assert model.learn(1).frames == 3
    writer.write_frame(a_frame(4.0))
    assert model.learn(2).frames == 4


def test_frames_that_never_come_are_said(writer, tmp_path, monkeypatch):
    monkeypatch.setattr(learned_model, "_PATIENCE", 0.2)
    writer.write_frame(a_frame(1.0))
    model = LearnedModel(tmp_path / "recording", "base_link", tmp_path)
    with pytest.raises(InputError, match="has 1 of 2 frames"):
        model.learn(2)
    model.learn(1)
    with pytest.raises(InputError, match="has 1 of 1 frames"):
        model.learn(1)  # none is new


@pytest.mark.slow
def test_a_process_answers_until_it_is_gone(writer, tmp_path):
    writer.write_frame(a_frame(1.0))
    process = LearningProcess(tmp_path / "recording", "base_link")
    try:
        process.ask(1)
        while (estimate := process.answer()) is None:
            time.sleep(0.02)
        assert estimate.frames == 1
        assert process.obstacle([{"pan": 0.0}, {"pan": 1.0}]) is None  # there is no model yet
        process._process.kill()
        process._process.wait()
        with pytest.raises(AutourdfError, match="the learning process is gone"):
            process.answer()
        with pytest.raises(AutourdfError, match="the learning process is gone"):
            process.obstacle([{"pan": 0.0}])
    finally:
        process.close()


@pytest.mark.slow
def test_a_model_screens_until_one_that_failed_comes(tmp_path):
    model = LearnedModel(tmp_path / "recording", "base_link", tmp_path)
    path = [{"fold": 0.0}, {"fold": 3.1}]
    found = folding_arm()
    for verdict, screens in (("doubtful", True), ("failed", False)):
        model._learn_shapes(LiveEstimate(9, replace(found, verdict=verdict), "", None, 0))
        assert (model.obstacle(path) is not None) == screens

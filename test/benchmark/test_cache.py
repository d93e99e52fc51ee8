"""Recordings of the benchmark are rendered once, whoever asks for them."""

import json
import multiprocessing
from pathlib import Path

import pytest

from autourdf_ros.assessment.metrics.truth.truth import load_truth
from autourdf_ros.benchmark import cache
from autourdf_ros.benchmark.cases.suites import OBJECTS, Case
from autourdf_ros.data.load import load_recording
from autourdf_ros.progress import silent
from autourdf_ros.simulation.recordings.recorder import RecorderOptions
from autourdf_ros.simulation.simulated_cell import CellOptions

CASE = Case(
    "laptop",
    next(str(path) for path in OBJECTS if path.stem == "laptop"),
    RecorderOptions(
        sequences=1, frames=2, points=500, cell=CellOptions(cameras=3, width=64, height=64)
    ),
)


def ask(started, rendered, answers):
    """Ask for the recording in the moment in which the other process does."""
    write = cache.write_recording

    def recorded(recorder, folder, **options):
        rendered.put(str(folder))
        write(recorder, folder, **options)

    cache.write_recording = recorded
    started.wait()
    folder = cache.recording_of(CASE, silent)
    answers.put((str(folder), len(load_recording(folder).frames)))


@pytest.mark.slow
def test_processes_that_ask_at_once_get_one_whole_recording(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    context = multiprocessing.get_context("spawn")
    started, rendered, answers = context.Barrier(2), context.Queue(), context.Queue()
    processes = [context.Process(target=ask, args=(started, rendered, answers)) for _ in range(2)]
    for process in processes:
        process.start()
    first, second = (answers.get(timeout=300) for _ in processes)
    for process in processes:
        process.join()
        assert process.exitcode == 0
    folder = rendered.get()
    assert first == second == (folder, 2)
    assert rendered.empty()
    assert Path(folder).is_relative_to(cache.cache_folder())


def test_a_renderer_that_failed_lets_the_next_one_render(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(cache, "write_recording", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            cache.recording_of(CASE, silent)
    assert len(load_recording(cache.recording_of(CASE, silent)).frames) == 2


def test_a_recording_names_todays_robot_where_its_environment_is_gone(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    truth = cache.recording_of(CASE, silent) / "truth.json"
    content = json.loads(truth.read_text())
    truth.write_text(json.dumps({**content, "urdf": str(tmp_path / "gone" / "laptop.urdf")}))
    assert load_truth(truth).robot is None
    cache.recording_of(CASE, silent)
    assert load_truth(truth).robot.path == Path(content["urdf"])

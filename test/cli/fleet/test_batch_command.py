"""`autourdf batch`: what it takes, what it says, and what it returns."""

import sys

import pytest

from autourdf_ros.cli.main import main
from autourdf_ros.fleet import batch as module


@pytest.fixture
def recordings(tmp_path):
    for name in ("a", "b"):
        (tmp_path / "recs" / name).mkdir(parents=True)
        (tmp_path / "recs" / name / "x").write_text(name)
    return tmp_path / "recs"


@pytest.fixture
def ended(monkeypatch):
    """Jobs end at once, with the states that are given."""

    def given(*states):
        def run(jobs, store, connect, progress, report, options):
            records = [
                {"name": job.name, "robot": job.robot, "state": state, "error": "<b>why</b>"}
                for job, state in zip(jobs, states, strict=True)
            ]
            for record in records:
                report(record)
            return records

        monkeypatch.setattr(module, "run_batch", run)

    return given


def test_without_the_extra_it_says_how_to_install_it(monkeypatch, recordings, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["batch", str(recordings), "-o", str(tmp_path / "out")]) == 2
    assert "pip install 'autourdf_ros[fleet]'" in capsys.readouterr().err


def test_a_folder_of_recordings_is_summed_up_on_a_page(ended, recordings, tmp_path, capsys):
    ended("failed", "set aside")
    assert main(["batch", str(recordings), "-o", str(tmp_path / "out")]) == 1
    said = capsys.readouterr()
    assert "0 of 2 jobs are done" in said.out and "a: failed: <b>why</b>" in said.err
    page = (tmp_path / "out/summary.html").read_text()
    assert "&lt;b&gt;why" in page and "<b>why" not in page


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "cannot be listed"),
        (["recs", "--estimator", "view"], "estimator 'view'"),
        (["recs", "--estimator", "payload"], "write a job file"),
        (["recs", "--root", "/data"], "--root: is for job files"),
        (["recs", "--scheduler", "http://x:1"], "accepted are tcp://"),
        (["https://u:secret@lab/x"], "credentials"),
        (["jobs.yaml"], "has version 7"),
        (["empty"], "holds no recording"),
    ],
)
def test_what_cannot_be_used_is_refused(arguments, said, recordings, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobs.yaml").write_text("version: 7")
    (tmp_path / "empty").mkdir()
    assert main(["batch", *arguments, "-o", "out"]) == 2
    error = capsys.readouterr().err
    assert said in error and "secret" not in error

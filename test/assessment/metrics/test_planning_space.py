"""What of the true robot's free space a model leaves to a planner, of the demo's robot as well."""

from dataclasses import replace
from itertools import combinations

import pytest
from assessment.metrics.test_self_collision_error import HOME, estimate
from shape.collision.test_collision_pairs import SHAPES, written

from autourdf_ros.assessment.metrics.estimate_reading import load_estimate
from autourdf_ros.assessment.metrics.planning_space import planning_space
from autourdf_ros.assessment.metrics.truth.truth import TrueModel, truth_for, urdf_truth
from autourdf_ros.benchmark.cases.suites import suite
from autourdf_ros.data.cleaning import Ground
from autourdf_ros.data.load import load_recording
from autourdf_ros.demo.parameters import DemoOptions, write_limits
from autourdf_ros.errors import InputError
from autourdf_ros.export.given_limits import read_given_limits
from autourdf_ros.model.result_files import SRDF
from autourdf_ros.model.urdf.posed_urdf import read_urdf
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.recordings import recorder
from autourdf_ros.simulation.recordings.write_recording import write_recording
from autourdf_ros.workflows.reconstruct import ResultOptions, reconstruct_to_folder


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    """A robot whose links have no visible surface: whatever the model touches is false."""
    return urdf_truth(read_urdf(written(tmp_path_factory.mktemp("true"))), HOME)


def without_checks(found, pairs):
    """The result with an SRDF that disables these pairs of links."""
    disabled = "".join(f'<disable_collisions link1="{a}" link2="{b}"/>' for a, b in pairs)
    (found.folder / SRDF).write_text(f'<robot name="arm">{disabled}</robot>')
    return found


def test_only_pairs_that_the_srdf_leaves_are_asked(truth, tmp_path):
    every = set(combinations(sorted(SHAPES), 2))
    found = without_checks(estimate(tmp_path), every)
    assert planning_space(found, truth, samples=300).error.false == 0
    some = planning_space(without_checks(found, ()), truth, samples=300)
    assert some.error.false == some.error.samples == 300
    pair = next(p for p, share in enumerate(some.touching.mean(axis=0)) if 0.1 < share < 0.9)
    rest = every - {tuple(sorted(some.model.pairs[pair]))}
    one = planning_space(without_checks(found, rest), truth, samples=300)
    assert one.error.false == some.touching[:, pair].sum()


def test_a_truth_without_its_urdf_is_refused(truth, tmp_path):
    with pytest.raises(InputError, match="need a truth with its URDF"):
        planning_space(estimate(tmp_path), TrueModel(truth.skeleton))


@pytest.mark.slow
def test_the_demo_s_robot_may_be_planned_with(monkeypatch, tmp_path):
    """Recorded, reconstructed and written as the demo does, but without its nodes.

    Images have half the width and height of the demo's, which takes a third of the time less.
    """
    monkeypatch.setattr(recorder, "_GROUND_MARGIN", Ground.margin)  # as the capture node's
    robot = SimulatedRobot(find_urdf(DemoOptions.robot))
    options = suite("cell", DemoOptions.sequences, [DemoOptions.robot])[0].options
    small = replace(options.cell, width=320, height=240)
    recorded = recorder.Recorder(robot, replace(options, cell=small))
    write_recording(recorded, tmp_path / "recording")
    reconstruct_to_folder(
        load_recording(tmp_path / "recording"),
        tmp_path / "out",
        robot.name,
        ResultOptions(limits=read_given_limits(write_limits(tmp_path, robot))),
    )
    found = load_estimate(tmp_path / "out")
    truth = truth_for(tmp_path / "recording" / "truth.json", None, found.readings)
    error = planning_space(found, truth).error
    assert error.samples == 2000 and error.colliding > 500
    assert error.false_positive_rate < 0.1
    assert error.recall > 0.95

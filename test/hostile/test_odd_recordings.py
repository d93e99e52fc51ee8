"""Odd recordings give the right model, a doubt or a refusal."""

import numpy as np
import pytest
from odd_recordings import (
    arm,
    cable,
    changed,
    doubled,
    held_object,
    mirrored,
    ordered,
    person,
    two_robots,
)

from autourdf_ros.data.load import load_recording
from autourdf_ros.data.validate import validate
from autourdf_ros.errors import ReconstructionError
from autourdf_ros.estimation.motion.pipeline import reconstruct
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.preparation import prepare

AXES = np.array([[0.0, 0, 1], [0, 1, 0]])
PIVOTS = np.array([[0, 0, 0.1], [0, 0, 0.44]])


def found(recording):
    return reconstruct(recording, ReconstructionOptions(use_readings=False))


def is_right(result):
    """The arm's tree and axes."""
    joints = result.model.joints
    return len(joints) == 2 and all(
        joint.type == "revolute"
        and abs(joint.axis @ axis) > np.cos(np.radians(3))
        and np.linalg.norm(np.cross(joint.point - pivot, joint.axis)) < 0.015
        for joint, axis, pivot in zip(joints, AXES, PIVOTS, strict=True)
    )


@pytest.mark.slow
def test_a_mirrored_frame_is_left_out_and_named():
    result = found(mirrored(3))
    assert not result.motions[0].used[3] and is_right(result)
    assert any("frames 0000/3 do not fit the model and were left out" in n for n in result.notes)


@pytest.mark.slow
def test_frames_in_wrong_order_give_the_same_model_or_a_doubt():
    result = found(ordered([0, 5, 2, 7, 1, 6, 3, 4]))
    assert is_right(result) or result.warnings


@pytest.mark.slow
@pytest.mark.parametrize("last", [5, 7], ids=["in some frames", "in all"])
def test_a_person_walking_through_is_a_doubt(last):
    result = found(person(0 if last == 7 else 2, last))
    assert result.verdict != "trusted"
    text = " ".join([*result.warnings, *result.notes])
    assert "something stood in the way" in text or "a person" in text


@pytest.mark.slow
def test_two_robots_are_a_doubt_that_names_the_links_of_each():
    result = found(two_robots())
    assert result.verdict == "doubtful"
    assert any("2 places apart from each other" in warning for warning in result.warnings)


@pytest.mark.slow
@pytest.mark.parametrize("frames", [(0, 1, 2, 3), (4, 5, 6, 7)], ids=["put down", "picked up"])
@pytest.mark.parametrize("elsewhere", [True, False], ids=["and seen", "and not seen"])
def test_an_object_that_changes_hands_is_a_doubt(frames, elsewhere):
    assert found(held_object(frames, elsewhere)).verdict != "trusted"


@pytest.mark.slow
def test_a_cable_is_a_doubt_or_refused():
    try:
        result = found(cable())
    except ReconstructionError as error:
        assert "nothing that bends" in str(error) and "a cable" in str(error)
    else:
        assert result.verdict != "trusted" and result.warnings


@pytest.mark.slow
def test_duplicated_points_change_nothing():
    """They make the spacing 0."""
    result = found(doubled())
    assert result.verdict == "trusted" and is_right(result)


def test_frames_shown_again_and_again_are_no_crash():
    """Tracking leaves no noise at all, by which nothing may be divided."""
    with pytest.raises(ReconstructionError, match="could be registered"):
        found(ordered([0] * 14 + [4]))


@pytest.mark.slow
def test_points_that_are_nan_are_dropped_and_the_rest_gives_the_robot(tmp_path):
    rng = np.random.default_rng(8)
    holed = changed(arm(), lambda p, _: np.where(rng.random((len(p), 1)) < 0.2, np.nan, p))
    for number, frame in enumerate(holed.frames):
        np.savez(tmp_path / f"{number}.npz", points=frame.points)
    result = found(load_recording(tmp_path))
    assert result.verdict == "trusted" and is_right(result)


@pytest.mark.slow
def test_a_frame_of_very_many_points_is_thinned_before_all_else():
    """Every frame has more than 300,000 points."""
    rng = np.random.default_rng(9)

    def many(points, _):
        return np.repeat(points, 400, axis=0) + rng.normal(0, 5e-4, (400 * len(points), 3))

    recording = changed(ordered([0, 4]), many)
    assert len(recording.frames[0].points) > 3e5
    validate(recording)
    prepared = prepare(recording, 1000, report=lambda share: None)
    assert all(500 < len(cloud.points) <= 1000 for cloud in prepared.clouds)

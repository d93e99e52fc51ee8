"""The whole engine on a small arm of two joints."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sampled_shapes import angle_between
from scipy.spatial.transform import Rotation
from synthetic_robot import moving_recording

from autourdf_ros.data.frame import Recording, Sequence
from autourdf_ros.errors import CancelledError, InputError, ReconstructionError
from autourdf_ros.estimation.motion import pipeline
from autourdf_ros.estimation.motion.pipeline import reconstruct
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions

TURN = Rotation.from_rotvec(np.array([0.7, -1.1, 0.4])).as_matrix()
AXES = np.array([[0.0, 0, 1], [0, 1, 0]])
PIVOTS = np.array([[0, 0, 0.1], [0, 0, 0.44]])


@pytest.fixture(scope="module")
def recording():
    return moving_recording(6, 400, sway=0.08)


@pytest.fixture(scope="module")
def watched(recording):
    seen = []
    result = reconstruct(recording, progress=lambda stage, fraction: seen.append((stage, fraction)))
    return result, seen


@pytest.fixture(scope="module")
def result(watched):
    return watched[0]


def changed(recording, change):
    """The recording with every frame's points (N, 3) changed."""
    return Recording(
        tuple(
            Sequence(
                tuple(
                    replace(frame, points=change(frame.points).astype(np.float32))
                    for frame in sequence.frames
                ),
                sequence.name,
            )
            for sequence in recording.sequences
        )
    )


def check(result, scale=1.0, turn=None):
    """The right tree, and joints where they are, with errors in proportion to the robot."""
    turn = np.eye(3) if turn is None else turn
    joints = result.model.joints
    assert [joint.type for joint in joints] == ["revolute", "revolute"]
    assert len(result.model.links) == 3
    assert joints[0].parent != joints[1].parent and joints[0].child == joints[1].parent
    for joint, axis, pivot in zip(joints, AXES @ turn.T, scale * PIVOTS @ turn.T, strict=True):
        assert angle_between(joint.axis, axis) < np.radians(2)
        assert np.linalg.norm(np.cross(joint.point - pivot, joint.axis)) < 0.006 * scale


def test_finds_tree_joints_motion_and_motors(result, recording):
    check(result)
    assert [joint.name for joint in result.model.joints] == ["pan", "lift"]
    values = result.motions[0].joint_values
    read = [[frame.joint_positions[n] for n in ("pan", "lift")] for frame in recording.frames]
    np.testing.assert_allclose(values, read, atol=0.02)
    assert result.motions[0].used.all()
    assert result.verdict == "trusted"
    assert 2e-4 < result.noise < 2e-3
    assert len(result.labels) == len(result.reference_points)
    assert set(result.timings) >= {"registration", "segmentation", "adjustment"}


@pytest.mark.slow
def test_two_runs_give_the_same_model(result, recording):
    again = reconstruct(recording)
    for one, other in zip(result.model.joints, again.model.joints, strict=True):
        np.testing.assert_array_equal(one.axis, other.axis)
        np.testing.assert_array_equal(one.point, other.point)
    np.testing.assert_array_equal(result.labels, again.labels)
    np.testing.assert_array_equal(result.motions[0].joint_values, again.motions[0].joint_values)


@pytest.mark.slow
@pytest.mark.parametrize("scale", [0.2, 5.0])
def test_size_and_attitude_do_not_matter(recording, scale):
    check(reconstruct(changed(recording, lambda p: scale * p @ TURN.T)), scale, TURN)


@pytest.mark.slow
@pytest.mark.parametrize(("frames", "count"), [(3, 150), (2, 250)])
def test_little_input_gives_a_model_and_no_crash(frames, count):
    """With two or three frames, none was an inlier; bodies without points broke the tree."""
    # So few readings leave almost any screw possible, and the search by them takes a minute.
    options = ReconstructionOptions(use_readings=frames < 3)
    result = reconstruct(moving_recording(frames, count), options)
    assert len(result.model.links) == len(result.model.joints) + 1
    assert np.unique(result.labels[result.labels >= 0]).tolist() == list(
        range(len(result.model.links))
    )


@pytest.fixture(scope="module")
def long_recording():
    return moving_recording(8, 200, sway=0.08)


def with_links(monkeypatch, first, second):
    """Let the first and the second search find so many links; return what they began from."""
    search, begun = pipeline.search_structure, []

    def searched(prepared, options, watch, progress, early, tracks):
        begun.append(early)
        links = first if len(begun) == 1 else second
        options = replace(options, use_readings=False, links=links)
        return search(prepared, options, watch, progress, early, tracks)

    monkeypatch.setattr(pipeline, "search_structure", searched)
    return begun


@pytest.mark.slow
def test_a_doubtful_structure_is_searched_again(monkeypatch, long_recording):
    begun = with_links(monkeypatch, 2, 3)
    result = reconstruct(long_recording)
    assert begun == list(pipeline.EARLY)
    assert "a search from 10 early frames explains the recording better" in result.notes
    assert len(result.model.links) == 3 and result.verdict == "trusted"


@pytest.mark.slow
def test_what_explains_the_frames_worse_is_not_kept(monkeypatch, long_recording):
    begun, conclude = with_links(monkeypatch, 3, 2), pipeline._concluded

    def doubted(*arguments):
        found = conclude(*arguments)
        return replace(found, reconstruction=replace(found.reconstruction, structure_doubted=True))

    monkeypatch.setattr(pipeline, "_concluded", doubted)
    result = reconstruct(long_recording)
    assert len(begun) == 2 and len(result.model.links) == 3
    assert "a search from 10 early frames explains the recording worse" in result.notes


@pytest.mark.parametrize(
    ("unmatched", "likelier", "better"),
    [((0, 1), False, True), ((1, 0), True, False), ((1, 1), True, True), ((1, 1), False, False)],
)
def test_readings_decide_before_the_likelihood(monkeypatch, unmatched, likelier, better):
    monkeypatch.setattr(pipeline, "is_likelier", lambda *_: likelier)
    one, other = (
        SimpleNamespace(problem=None, adjusted=(None, None), unmatched=count) for count in unmatched
    )
    assert pipeline._is_better(one, other) is better


@pytest.mark.slow
def test_what_leaves_more_motors_unmatched_is_not_adjusted(monkeypatch, long_recording):
    begun, conclude, concluded = with_links(monkeypatch, 3, 2), pipeline._concluded, []

    def doubted(*arguments):
        concluded.append(conclude(*arguments))
        first = concluded[-1]
        return replace(first, reconstruction=replace(first.reconstruction, structure_doubted=True))

    monkeypatch.setattr(pipeline, "_concluded", doubted)
    monkeypatch.setattr(
        pipeline, "unmatched_count", lambda _, found, __: 2 - len(found.model.parents)
    )
    result = reconstruct(long_recording)
    assert len(begun) == 2 and len(concluded) == 1 and len(result.model.links) == 3
    assert "a search from 10 early frames explains the recording worse" in result.notes


@pytest.mark.slow
def test_a_structure_is_searched_once_where_it_is_sure_or_no_more_frames_are_early(
    monkeypatch, long_recording
):
    begun = with_links(monkeypatch, 3, 2)
    assert reconstruct(long_recording).verdict == "trusted" and len(begun) == 1
    again = with_links(monkeypatch, 2, 3)
    short = long_recording.sequences[0].frames[:6]
    assert reconstruct(Recording((Sequence(short, "0000"),))).structure_doubted
    assert len(again) == 1


@pytest.mark.slow
def test_a_wanted_number_of_links_is_kept():
    result = reconstruct(moving_recording(3, 200), ReconstructionOptions(links=3))
    assert len(result.model.links) == 3


@pytest.mark.parametrize("stage", ["registration", "tracking"])
def test_cancelling_ends_the_work(stage):
    def cancel(now, fraction):
        if stage in now:
            raise CancelledError("enough")

    with pytest.raises(CancelledError, match="enough"):
        reconstruct(moving_recording(2, 150), progress=cancel)


def test_progress_rises_to_the_end(watched):
    stages, fractions = zip(*watched[1], strict=True)
    assert fractions[0] == 0.0 and fractions[-1] == 1.0
    assert (np.diff(fractions) >= -1e-9).all()
    assert {"registration", "segmentation", "adjustment"} <= set(stages)


def test_a_robot_that_does_not_move_is_reported():
    still = moving_recording(4, 300)
    frame = still.frames[0]
    with pytest.raises(InputError, match="moves"):
        reconstruct(Recording((Sequence((frame,) * 4, "0000"),)))


def test_a_first_sequence_of_one_frame_is_reported():
    frames = moving_recording(4, 250).frames
    sequences = (Sequence(frames[:1], "0000"), Sequence(frames[1:], "0001"))
    with pytest.raises(ReconstructionError, match="first sequence has 1 frame"):
        reconstruct(Recording(sequences))

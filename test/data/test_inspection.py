from dataclasses import replace

import numpy as np
import pytest

from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.data.inspection import inspect


def arm(lift: float, pan: float, stamp: float, number: int = 2000) -> Frame:
    """A post with an arm that is lifted; each of two cameras sees every other point."""
    rng = np.random.default_rng(round(stamp))
    post = rng.uniform([-0.05, -0.05, 0], [0.05, 0.05, 0.5], (number, 3))
    beam = rng.uniform([0, -0.03, -0.03], [0.4, 0.03, 0.03], (number, 3))
    turn = [[np.cos(lift), 0, -np.sin(lift)], [0, 1, 0], [np.sin(lift), 0, np.cos(lift)]]
    points = np.vstack([post, beam @ np.array(turn).T + (0, 0, 0.5)]).astype(np.float32)
    cameras = np.arange(len(points), dtype=np.uint8) % 2
    return Frame(points, None, stamp, {"pan": pan, "lift": lift}, cameras)


@pytest.fixture(scope="module")
def good() -> Recording:
    rng = np.random.default_rng(3)
    parts = []
    for start in (0, 6):
        walk = np.vstack([[0, 0], np.cumsum(rng.choice([-1, 1], (5, 2)) * (0.3, 0.2), axis=0)])
        frames = [arm(*pose, float(start + i)) for i, pose in enumerate(walk.tolist())]
        parts.append(Sequence(tuple(frames), f"{start:04d}"))
    return Recording(tuple(parts))


def changed(recording: Recording, change) -> Recording:
    """`recording` with `change(number, frame)` in place of every frame."""
    number = iter(range(1000))
    return replace(
        recording,
        sequences=tuple(
            replace(part, frames=tuple(change(next(number), frame) for frame in part.frames))
            for part in recording.sequences
        ),
    )


def test_a_good_recording_is_counted_and_not_warned_of(good):
    found = inspect(good)
    assert found.warnings == ()
    assert found.sequences == (("0000", 6), ("0006", 6))
    assert (found.duration, found.points) == (11.0, (4000,) * 12)
    assert found.cameras == (0.5, 0.5) and not found.has_colors
    assert found.joints["pan"].largest_step == pytest.approx(0.2)
    lifts = [frame.joint_positions["lift"] for frame in good.frames]
    assert (found.joints["lift"].lowest, found.joints["lift"].highest) == (min(lifts), max(lifts))
    assert 0.4 < found.size < 1.1


def still_pan(number, frame):
    return replace(frame, joint_positions=frame.joint_positions | {"pan": 0.5})


def hardly(number, frame):
    return replace(frame, joint_positions=frame.joint_positions | {"pan": 0.02 * (number % 3)})


def coupled(number, frame):
    lift = frame.joint_positions["lift"]
    return replace(frame, joint_positions={"lift": lift, "pan": -2 * lift})


def thin(number, frame):
    chosen = slice(None, None, 3 if number == 7 else 1)
    return replace(frame, points=frame.points[chosen], cameras=frame.cameras[chosen])


def blind(number, frame):
    return replace(frame, cameras=frame.cameras * 0) if number in (2, 3) else frame


def same(number, frame):
    joints = {"pan": 0.3 * (number % 6 == 5), "lift": 0.2}
    return replace(frame, joint_positions=joints)


@pytest.mark.parametrize(
    ("change", "warnings"),
    [
        (still_pan, ["joints pan never moved and cannot be found"]),
        (hardly, ["joints pan moved by less than 0.1 rad"]),
        (coupled, ["joints that always moved together: lift with pan; one may hide another"]),
        (thin, ["frames 7 have less than half the points"]),
        (blind, ["camera 1 saw nothing in frames 2, 3"]),
        (same, ["joints lift never moved", "frames 1, 2, 3, 4, 7, 8 and 2 more show the pose of"]),
        (lambda _, frame: replace(frame, joint_positions=None), ["no joint readings"]),
        (
            lambda number, frame: replace(frame, joint_positions={"pan": 0.0}) if number else frame,
            ["joints lift are not read in every frame", "joints pan never moved", "show the pose"],
        ),
        (
            lambda number, frame: replace(frame, stamp=-float(number)),
            ["are older than those before"],
        ),
        (
            lambda _, frame: replace(frame, points=frame.points * 1000),
            [
                "cannot be reconstructed: recording: the robot measures",
                "or the points are in milli",
            ],
        ),
        (lambda _, frame: replace(frame, cameras=frame.cameras * 0), ["one camera only"]),
    ],
)
def test_what_impairs_a_reconstruction_is_warned_about(good, change, warnings):
    found = inspect(changed(good, change)).warnings
    assert len(found) == len(warnings)
    for warning, expected in zip(found, warnings, strict=True):
        assert expected in warning


def test_large_steps_and_few_frames_are_warned_about(good):
    frames = good.frames[0], arm(1.2, 0.9, 1.0)
    found = inspect(Recording((Sequence(frames),))).warnings
    assert any("frames 1 are more than 0.6 rad from the frame before" in text for text in found)
    assert any(text.startswith("2 frames are few") for text in found)

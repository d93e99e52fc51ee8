from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.data.validate import moved_share, validate
from autourdf_ros.errors import InputError


def arm(angle: float, seed: int, noise: float = 0.0005, scale: float = 1.0) -> Frame:
    """A box that stands, and one on it that turns about a slanted axis."""
    rng = np.random.default_rng(seed)

    def box(size):
        points = rng.uniform(-0.5, 0.5, (1500, 3))
        face = rng.integers(3, size=1500)
        points[np.arange(1500), face] = rng.choice([-0.5, 0.5], 1500)
        return points * size

    turn = Rotation.from_rotvec(angle * np.array([0.6, 0.0, 0.8]))
    moving = turn.apply(np.add(box([0.08, 0.06, 0.4]), (0, 0, 0.15)))
    points = np.vstack([np.subtract(box([0.2, 0.2, 0.3]), (0, 0, 0.3)), moving]) + rng.normal(
        0, noise, (3000, 3)
    )
    return Frame((points * scale).astype(np.float32), stamp=float(seed))


def recording(angles, **options) -> Recording:
    frames = tuple(arm(angle, seed, **options) for seed, angle in enumerate(angles))
    return Recording((Sequence(frames, "0000"),))


@pytest.mark.parametrize("noise", [0.0, 0.0005, 0.003])
@pytest.mark.parametrize("scale", [0.02, 1.0, 100.0])
def test_a_moving_robot_of_any_size_passes(noise, scale):
    validate(recording(np.radians([0, 5, 11, 17]), noise=noise, scale=scale))


@pytest.mark.parametrize("noise", [0.0, 0.0005, 0.003])
def test_a_motionless_robot_is_refused(noise):
    with pytest.raises(InputError, match="nothing moves in its 4 frames"):
        validate(recording([0.3] * 4, noise=noise))


def test_copies_of_one_frame_are_refused():
    frame = arm(0.0, 0)
    with pytest.raises(InputError, match="nothing moves"):
        validate(Recording((Sequence((frame, frame, frame)),)))


def test_a_robot_that_only_shifts_as_a_whole_is_refused():
    frames = [
        replace(frame, points=frame.points + np.float32(0.01 * index))
        for index, frame in enumerate(recording([0.3] * 4).frames)
    ]
    with pytest.raises(InputError, match="as a whole"):
        validate(Recording((Sequence(tuple(frames)),)))


def test_the_share_of_moved_points_grows_with_the_motion():
    shares = [moved_share(arm(0, 0), arm(np.radians(angle), 1)) for angle in (0, 2, 5, 20)]
    assert shares[0] < 0.02 < shares[1] < shares[2] < shares[3]


@pytest.mark.parametrize(
    ("scale", "text"), [(0.005, "measures 0.00"), (400.0, "measures 3.*millimetres")]
)
def test_a_robot_outside_the_accepted_sizes_is_refused(scale, text):
    with pytest.raises(InputError, match=text):
        validate(recording([0, 0.5], scale=scale))


def test_a_small_robot_in_millimetres_is_known_by_its_distance_from_the_camera():
    def seen(number, angle, unit):
        frame = arm(angle, number, scale=0.1)
        cameras = np.zeros(len(frame.points), np.uint8)
        points = (frame.points + np.float32(0.4)) * np.float32(unit)
        return replace(frame, points=points, cameras=cameras, camera_poses=np.eye(4)[None])

    near = tuple(seen(number, angle, 1) for number, angle in enumerate((0.0, 0.5)))
    hand = tuple(seen(number, angle, 1000) for number, angle in enumerate((0.0, 0.5)))
    validate(Recording((Sequence(near, "a"),)))
    with pytest.raises(
        InputError, match=r"frame 1: the points are \d+ m from the camera .* 0\.001"
    ):
        validate(Recording((Sequence((near[0], hand[1]), "a"),)))


def test_a_single_frame_is_refused():
    with pytest.raises(InputError, match=r"1 frame\(s\); accepted is at least 2"):
        validate(recording([0.0]))


def test_no_frame_is_refused():
    with pytest.raises(InputError, match=r"0 frame\(s\)"):
        validate(Recording(()))


@pytest.mark.parametrize(("count", "value"), [(12, 0.0), (3000, np.nan)])
def test_a_bad_frame_is_named(count, value):
    good = recording([0, 0.5, 1.0])
    points = good.frames[1].points[:count].copy()
    points[5, 1] = value
    frames = (good.frames[0], Frame(points), good.frames[2])
    with pytest.raises(InputError, match="sequence 'a' frame 1: has"):
        validate(Recording((Sequence(frames, "a"),)))

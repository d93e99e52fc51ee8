"""Parts that stand for a finger that pushes are no bodies of a mechanism."""

import numpy as np

from autourdf_ros.benchmark.mechanisms.truth_of_parts import truth_of_parts
from autourdf_ros.estimation.video.joints.fitting.pair_motion import NO_SYMMETRY
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.simulation.mechanisms.mechanism_truth import MechanismTruth

FRAMES = 20


def moved(*ways):
    poses = np.tile(np.eye(4), (len(ways), FRAMES, 1, 1))
    for pose, way in zip(poses, ways, strict=True):
        pose[:, :3, 3] = np.linspace(0, 1, FRAMES)[:, None] * way
    return poses


def truth_and_track(*seen):
    """A drawer that slides along x, a finger that comes to it from above, and parts as given."""
    drawer, finger = np.array([0.2, 0, 0]), np.array([0.1, 0, -0.3])
    bodies = moved(drawer, finger)
    names = tuple(f"part_{number}" for number in range(1, len(seen) + 1))
    poses = moved(*({"drawer": drawer, "finger": finger}[name] for name in seen))
    covariances = np.tile(np.eye(6), (len(seen), FRAMES, 1, 1))
    symmetries = (NO_SYMMETRY,) * len(seen)
    track = PoseTrack(
        names, np.arange(FRAMES) / 30, poses, covariances, np.zeros((len(seen), 3)), symmetries
    )

    empty = dict.fromkeys(MechanismTruth.__dataclass_fields__)
    return MechanismTruth(
        **{
            **empty,
            "bodies": ("drawer", "finger"),
            "drivers": ("finger",),
            "joints": (),
            "poses": bodies,
            "homes": bodies[:, 0],
        }
    ), track


def test_a_part_that_goes_with_the_finger_stands_for_it():
    truth, track = truth_and_track("drawer", "finger")
    stated = truth_of_parts(truth, track)
    assert stated.bodies == ("part_1",)
    assert stated.drivers == ("part_2",)


def test_a_second_part_of_the_drawer_is_no_finger():
    truth, track = truth_and_track("drawer", "drawer")
    stated = truth_of_parts(truth, track)
    assert len(stated.bodies) == 1
    assert stated.drivers == ()


def test_one_part_is_the_body_and_never_the_finger():
    truth, track = truth_and_track("finger")
    stated = truth_of_parts(truth, track)
    assert stated.bodies == ("part_1",)
    assert stated.drivers == ()

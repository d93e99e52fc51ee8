import numpy as np
import pytest
from hinged import SIZE, tracks
from scipy.spatial.transform import Rotation

from autourdf_ros.estimation.motion.autourdf.correlation import accumulated_motion, correlation
from autourdf_ros.estimation.motion.network_options import NeuralOptions
from autourdf_ros.geometry.rigid_motion import exp_se3


def test_motions_of_one_body_differ_by_turns_less_than_those_of_two():
    options = NeuralOptions(comparison="motions", position=0.0)
    own, links = tracks(np.random.default_rng(0))
    distances = correlation(own, SIZE, options)
    alike = links[:, None] == links
    np.testing.assert_allclose(distances[alike], 0.0, atol=1e-6)
    # Twice 0.2 rad, between frames.
    np.testing.assert_allclose(distances[~alike], 0.4, atol=1e-6)


def test_poses_are_summed_over_the_frames():
    own, links = tracks(np.random.default_rng(0))
    by_turns = correlation(own, SIZE, NeuralOptions(position=0.0))
    np.testing.assert_allclose(by_turns[links[:, None] != links], 0.2 + 0.4, atol=1e-6)
    by_places = correlation(own, SIZE, NeuralOptions(orientation=0.0))
    fixed = own.centres[links == 0]
    apart = np.linalg.norm(fixed[:, None] - fixed, axis=2) / SIZE
    np.testing.assert_allclose(by_places[np.ix_(links == 0, links == 0)], 2 * apart, atol=1e-6)


@pytest.mark.parametrize("comparison", ["poses", "motions"])
def test_the_unit_of_length_does_not_matter(comparison):
    options = NeuralOptions(comparison=comparison)
    one, _ = tracks(np.random.default_rng(1))
    large, _ = tracks(np.random.default_rng(1), scale=7.0)
    np.testing.assert_allclose(
        correlation(large, 7 * SIZE, options), correlation(one, SIZE, options), atol=1e-6
    )


def test_motion_adds_up_over_the_way_there_and_back():
    twist = np.array([0, 0, 0.3, 0.1, 0, 0])
    there = exp_se3(twist)
    poses = np.stack([there, there @ there, there])[:, None]
    step = np.linalg.norm(there[:3, 3]) + Rotation.from_matrix(there[:3, :3]).magnitude()
    assert accumulated_motion(poses) == pytest.approx([3 * step], rel=0.05)

"""Links that no point shows only join others: they are worth what these need."""

import numpy as np
import pytest
from flange_scene import NOISE, evenly_seen
from sampled_shapes import box

from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.registration.deformation_graph import neighbour_graph
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.segmentation.segmented_bodies import Segmentation
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.candidate_tree import CandidateTree, motor_fits
from autourdf_ros.estimation.motion.structure.scoring.joint_rehanging import JointRehanging
from autourdf_ros.estimation.motion.structure.scoring.link_uniting import LinkUniting
from autourdf_ros.estimation.motion.structure.scoring.rearranging import without_empty_ends
from autourdf_ros.estimation.motion.structure.scoring.recording_likelihood import (
    PosedState,
    RecordingLikelihood,
)
from autourdf_ros.geometry.rigid_motion import from_translation, revolute_twist

PLATE, BAR = box((0.4, 0.3, 0.02)), box((0.15, 0.04, 0.02))
PLACES = np.array([[-0.12, 0, 0.02], [0.12, 0, 0.02]])
TURNS = np.concatenate([np.zeros((1, 2)), np.random.default_rng(4).uniform(-0.8, 0.8, (6, 2))])


@pytest.fixture(scope="module")
def likelihood():
    """Of frames in which two bars turn on a plate, each about its own middle."""
    starts = np.concatenate([np.eye(4)[None], from_translation(PLACES)])
    scenes = [
        evenly_seen([PLATE, BAR, BAR], pose @ starts, frame, [1200, 500, 500])
        for frame, pose in enumerate(posed((0, 0), (0, 1), TURNS))
    ]
    clouds, (reference, labels) = [cloud for cloud, _ in scenes], scenes[0]
    neighbours = neighbour_graph(reference.points, reference.spacing)
    frames = FrameSet(reference, clouds[1:], neighbours, NOISE)
    return RecordingLikelihood(frames, None, 1.0), labels


def posed(parents, axes, values):
    """Poses of links whose joints turn about the middle of one of the bars each."""
    base = np.tile(np.eye(4), (len(values), 1, 1))
    return body_poses(articulation(parents, axes), values, base)


def articulation(parents, axes):
    """Joints on links, each about the middle of one of the bars."""
    places = PLACES[list(axes)]
    up = np.tile([0.0, 0, 1], (len(places), 1))
    every = np.ones(len(places), dtype=bool)
    return Articulation(np.array(parents), revolute_twist(up, places), every, places)


def state_of(likelihood, parents, axes, values, points):
    """The state of such joints; points: link of what is of the plate and of the two bars."""
    likelihood, labels = likelihood
    frames = likelihood.frames
    model, labels = articulation(parents, axes), np.array(points)[labels]
    count, base = len(parents), np.tile(np.eye(4), (len(values), 1, 1))
    states = States(values, base)
    bodies = frames.refit(labels, body_poses(model, values, base))
    tree = CandidateTree(
        np.arange(count + 1),
        model.parents,
        model.twists,
        model.revolute,
        values,
        np.ones(count),
        np.ones(count),
        motor_fits(values, None),
    )
    surface = surface_of(frames.reference, labels)
    segmentation = Segmentation(labels, bodies, 0, "still", (), ())
    pieces = tuple((link,) for link in range(count + 1))
    candidate = CandidateModel(model, surface, states, tree, segmentation, labels, pieces=pieces)
    return PosedState(candidate, states)


def right(likelihood):
    """Both bars on the plate."""
    return state_of(likelihood, (0, 0), (0, 1), TURNS[1:], (0, 1, 2))


def test_a_link_without_points_that_stands_still_is_one_with_the_base(likelihood):
    """It hangs on the first bar and turns back by as much: no point of its own shows where it is.

    Of what it touches only the second bar says something.
    """
    first, second = TURNS[1:].T
    values = np.stack([first, -first, second], axis=1)
    wrong = state_of(likelihood, (0, 1, 2), (0, 0, 1), values, (0, 1, 3))
    likelihood = likelihood[0]
    proposals = {each.change: each for each in LinkUniting(likelihood)(wrong)}
    found = likelihood.settled(proposals["{2} (0 points) is one with {0}"].state)
    assert found.candidate.model.parents.tolist() == [0, 0]
    assert found.candidate.pieces == ((0, 2), (1,), (3,))
    assert likelihood.score(found) > likelihood.score(likelihood.settled(wrong))


def test_what_hangs_on_a_link_without_points_may_hang_beyond_it(likelihood):
    """Two joints in a row do together what one does: the other is not there."""
    first, second = TURNS[1:].T
    values = np.stack([first, 0.3 * second, 0.7 * second], axis=1)
    wrong = state_of(likelihood, (0, 0, 2), (0, 1, 1), values, (0, 1, 3))
    likelihood = likelihood[0]
    proposals = {each.change: each for each in JointRehanging(likelihood)(wrong)}
    found = proposals["{3} hangs on {0} by a revolute joint"].state
    assert found.candidate.model.parents.tolist() == [0, 0]
    assert found.candidate.pieces == ((0, 2), (1,), (3,))
    charge = len(TURNS[1:]) * likelihood.value + 4 * likelihood.parameter
    gain = likelihood.score(found) - likelihood.score(wrong)
    assert gain == pytest.approx(charge, abs=0.3 * charge)


def test_a_state_whose_last_links_have_points_stays_the_same(likelihood):
    state = right(likelihood)
    assert without_empty_ends(likelihood[0].frames.reference, state) is state


def test_a_value_costs_by_the_points_of_its_frame_and_a_line_by_those_of_all(likelihood):
    likelihood = likelihood[0]
    count = len(likelihood.frames.reference.points)
    assert likelihood.value == pytest.approx(np.log(count) / 2)
    assert likelihood.parameter == pytest.approx(np.log(6 * count) / 2)

"""The end of a last link that turns about its own axis, found without the readings of a motor."""

import numpy as np
import pytest
from flange_scene import AXIS, CENTRE, flange_scene

from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.segmentation.segmented_bodies import Segmentation
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.candidate_tree import CandidateTree, motor_fits
from autourdf_ros.estimation.motion.structure.scoring.recording_likelihood import (
    PosedState,
    RecordingLikelihood,
    design_effect,
)
from autourdf_ros.estimation.motion.structure.scoring.round_ends import RoundEnds


def state_of(frames, posed):
    """The candidate in which the flange is the end of the arm, and its likelihood."""
    model = posed.model
    tree = CandidateTree(
        np.arange(2), model.parents, model.twists, model.revolute, posed.values,
        posed.costs, posed.margins, motor_fits(posed.values, None),
    )  # fmt: skip
    bodies = frames.refit(posed.labels, posed.poses)
    candidate = CandidateModel(
        model,
        surface_of(frames.reference, posed.labels),
        States(posed.values, posed.base),
        tree,
        Segmentation(posed.labels, bodies, 0, "still", (), ()),
        posed.labels,
        pieces=((0,), (1, 2)),
    )
    state = PosedState(candidate, States(posed.values, posed.base))
    return state, RecordingLikelihood(frames, None, 1.0, design_effect(frames, state))


@pytest.mark.slow
def test_a_flange_with_a_plug_is_found_by_what_turns_with_it():
    frames, posed, labels, values = flange_scene(plug=True)
    state, likelihood = state_of(frames, posed)
    proposals = list(RoundEnds(likelihood)(state))
    best = max(proposals, key=lambda one: likelihood.score(likelihood.settled(one.state)))
    assert best.change.startswith("the end of {1} (")
    found = likelihood.settled(best.state)
    assert likelihood.score(found) > likelihood.score(state)
    assert found.candidate.pieces == ((0,), (1, 2), (3,))
    assert found.candidate.model.parents.tolist() == [0, 1]
    twist = found.candidate.model.twists[1]
    sense = np.sign(twist[:3] @ AXIS)
    assert sense * twist[:3] @ AXIS > np.cos(0.05)
    assert np.linalg.norm(np.cross(AXIS, sense * twist[3:] - np.cross(CENTRE, AXIS))) < 0.01
    np.testing.assert_allclose(sense * found.states.values[:, 1], values, atol=0.05)
    assert np.mean(labels[found.candidate.labels == 2] == 2) > 0.8


@pytest.mark.slow
def test_of_a_flange_that_is_wholly_round_nothing_shows_that_it_turned():
    frames, posed, _, _ = flange_scene(plug=False)
    state, likelihood = state_of(frames, posed)
    score = likelihood.score(state)
    for proposal in RoundEnds(likelihood)(state):
        assert likelihood.score(likelihood.settled(proposal.state)) < score

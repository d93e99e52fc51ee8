"""The search for structure: what it proposes, takes, and records."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from autourdf_ros.estimation.common.structure.likelihood import StructureState
from autourdf_ros.estimation.common.structure.scored_search import SearchBounds, search_structure
from autourdf_ros.estimation.common.structure.structure_moves import (
    Proposal,
    fewer_joints,
    other_parents,
    other_places,
)
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.tree_joint import TreeJoint


def state_of(parents):
    """A state whose joint n moves link n, by the number of its parent; 0 is the root."""
    joints = tuple(
        TreeJoint(f"j{n}", "revolute", f"l{parent}", f"l{n}", np.eye(3)[2], np.zeros(3), -1, 1)
        for n, parent in enumerate(parents, 1)
    )
    links = ("l0", *(joint.child for joint in joints))
    return StructureState(KinematicTree(links, joints), np.ones((2, len(joints))))


def parents_of(state):
    """By link."""
    return {joint.child: joint.parent for joint in state.tree.joints}


class SubtreeLikelihood:
    """Data show which links each joint moves; every one that it moves wrongly costs a nat."""

    def __init__(self, tree):
        self._moved = {joint.name: set(tree.subtree(joint.child)) for joint in tree.joints}

    def score(self, state):
        tree = state.tree
        moved = {joint.name: set(tree.subtree(joint.child)) for joint in tree.joints}
        return -float(sum(len(own ^ moved.get(name, set())) for name, own in self._moved.items()))


@pytest.mark.parametrize("parents", [(0, 1, 2, 3), (0, 1, 1, 3), (2, 0, 2, 1), (4, 1, 2, 0)])
def test_a_tree_is_found_from_a_star_and_every_change_is_recorded(parents):
    joints = state_of((0,) * 4).tree.joints
    wanted = {f"l{n}": f"l{parent}" for n, parent in enumerate(parents, 1)}
    order = ["l0"]
    while len(order) < 5:
        order += [link for link, parent in wanted.items() if link not in order and parent in order]
    true = KinematicTree(
        tuple(order), tuple(replace(joint, parent=wanted[joint.child]) for joint in joints)
    )
    star, likelihood = state_of((0,) * 4), SubtreeLikelihood(true)

    found = search_structure(star, likelihood, (other_parents, other_places))

    assert parents_of(found.state) == wanted
    assert found.score == 0
    assert found.score - likelihood.score(star) == sum(one.gain for one in found.history)
    assert all(one.gain > 0 and one.margin >= 0 for one in found.history)
    assert found.refused is not None and found.refused.gain <= 0


def test_a_state_that_nothing_improves_stays_and_the_best_refused_change_is_named():
    state = state_of((0, 1))

    found = search_structure(state, SubtreeLikelihood(state.tree), (other_parents,))

    assert found.state is state and found.history == ()
    assert found.refused.change == "l2 on l0" and found.refused.gain == -1


def test_no_proposals_end_the_search():
    found = search_structure(
        state_of((0,)), SubtreeLikelihood(state_of((0,)).tree), (other_parents,)
    )

    assert found.refused is None and found.history == ()


def test_a_joint_that_data_do_not_need_goes_with_its_values():
    state = replace(state_of((0, 1, 2)), values=np.array([[1.0, 2.0, 3.0]]))

    class FewJoints:
        def score(self, state):
            return -float(len(state.tree.joints)) - 10 * ("j2" not in state.tree.joint_names)

    found = search_structure(state, FewJoints(), (fewer_joints,))

    assert found.state.tree.joint_names == ("j2",)
    assert found.state.values.tolist() == [[2.0]]
    assert parents_of(found.state) == {"l2": "l0"}


def test_no_proposal_is_a_loop_and_each_has_all_joints():
    state = state_of((0, 1, 1, 3))

    for generate in (other_parents, other_places):
        proposals = list(generate(state))
        assert proposals
        for one in proposals:
            assert set(one.state.tree.joint_names) == set(state.tree.joint_names)


def test_only_the_most_promising_proposals_are_scored():
    scored = []

    class Remembering:
        def score(self, state):
            scored.append(parents_of(state)["l2"])
            return 0.0

    def generate(state):
        for promise, parent in ((1.0, "l1"), (3.0, "l3"), (2.0, "l4")):
            tree = state.tree.change_parent("l2", parent)
            yield Proposal(parent, StructureState(tree, state.values), promise)

    state = state_of((0, 0, 0, 0))
    found = search_structure(state, Remembering(), (generate,), bounds=SearchBounds(tried=2))
    assert set(scored) == {"l0", "l3", "l4"}
    assert found.state is state


def test_a_change_is_scored_as_it_settles():
    class Values:
        def score(self, state):
            return float(state.values.sum())

    def better(state):
        return replace(state, values=state.values + 1)

    state = state_of((0, 1))
    found = search_structure(
        state, Values(), (other_parents,), bounds=SearchBounds(changes=1), settle=better
    )
    assert found.score == found.state.values.sum() == state.values.sum() + 4


@dataclass(frozen=True)
class Adjusted:
    """A state by name, which was adjusted so many times."""

    name: str
    times: int = 0

    @property
    def structure(self):
        """What it is, however well adjusted."""
        return (self.name,)


class Convergence:
    """Each adjustment halves what is left; beside that, a state has its own loss."""

    def __init__(self, **losses):
        self._losses = losses

    def score(self, state):
        return -(2.0**-state.times) - self._losses[state.name]


@pytest.mark.parametrize(("loss", "name"), [(0.1, "one"), (-0.1, "other")])
def test_what_is_compared_was_adjusted_as_often(loss, name):
    """Another state that is adjusted once more than the own fits better by that alone."""
    likelihood = Convergence(one=0.0, other=loss)
    found = search_structure(
        Adjusted("one"),
        likelihood,
        (lambda state: iter([Proposal("other", Adjusted("other", state.times))]),),
        settle=lambda state: replace(state, times=state.times + 1),
    )
    assert found.state.name == name
    assert len(found.history) == (name == "other")
    assert found.score == likelihood.score(found.state)
    assert found.history or found.refused.gain == pytest.approx(-loss)

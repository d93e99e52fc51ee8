"""Tests of the errors of kinematics from parts."""

from dataclasses import replace

import numpy as np
import pytest
from box_assembly import box_truth, perfect_trace, with_candidates, with_edges

from autourdf_ros.assessment.metrics.parts.part_errors import part_errors
from autourdf_ros.estimation.parts.assembly_trace import JointCandidate


def candidate(kind="revolute", axis=(0, 0, 1), point=(0.5, 0, 0)):
    return JointCandidate(kind, np.array(axis, float), np.array(point, float), 1.0)


def test_the_truth_has_no_error():
    errors = part_errors(perfect_trace(), box_truth())
    assert (errors.ted, errors.wrong_edges, errors.root_right) == (0, 0, True)
    assert all(joint.right and joint.rank == 1 for joint in errors.joints)
    assert max(joint.angle for joint in errors.joints) < 1e-9
    assert errors.joints[0].perpendicular == pytest.approx(0, abs=1e-9)
    assert errors.joints[0].position == pytest.approx(40.0)
    assert [guess.probability for guess in errors.guesses] == [0.8] * 3


def test_place_is_measured_at_the_contact_and_not_at_a_far_point_of_the_axis():
    turned = candidate(axis=(np.sin(np.radians(1)), 0, np.cos(np.radians(1))))
    errors = part_errors(with_candidates(perfect_trace(), 0, turned), box_truth())
    assert errors.joints[0].angle == pytest.approx(1.0)
    assert errors.joints[0].perpendicular < 0.1
    assert errors.joints[0].from_origin > 10


def test_perpendicular_is_in_percent_of_the_size():
    moved = candidate(point=(0.5, 0.05, 0))
    errors = part_errors(with_candidates(perfect_trace(), 0, moved), box_truth())
    assert errors.joints[0].perpendicular == pytest.approx(100 * 0.05 / box_truth().size)


def test_the_rank_is_that_of_the_first_alternative_of_right_type_axis_and_place():
    wrong = (candidate("prismatic"), candidate(axis=(0, 1, 0)), candidate(point=(0.5, 0.2, 0)))
    errors = part_errors(with_candidates(perfect_trace(), 0, *wrong, candidate()), box_truth())
    assert errors.joints[0].rank == 4
    assert not errors.joints[0].right
    assert errors.joints[0].alternatives == 4
    none = part_errors(with_candidates(perfect_trace(), 0, *wrong), box_truth())
    assert none.joints[0].rank is None


def test_a_prismatic_joint_has_no_place():
    joint = part_errors(perfect_trace(), box_truth()).joints[2]
    assert (joint.perpendicular, joint.from_origin, joint.position) == (None, None, None)
    assert joint.right


def test_edges_count_without_their_direction():
    turned = with_edges(perfect_trace(root=3), ((1, 0), (2, 1), (3, 2)))
    errors = part_errors(turned, box_truth())
    assert (errors.wrong_edges, errors.root_right, errors.ted) == (0, False, 0)


def test_a_tree_can_be_wrong_although_its_distance_is_zero():
    errors = part_errors(with_edges(perfect_trace(), ((0, 2), (2, 1), (1, 3))), box_truth())
    assert (errors.ted, errors.wrong_edges) == (0, 2)
    assert len(errors.joints) == 1
    assert [guess.right for guess in errors.guesses] == [False, True, False]


def test_a_star_is_two_edits_from_a_chain():
    star = with_edges(perfect_trace(), ((0, 1), (0, 2), (0, 3)))
    assert part_errors(star, box_truth()).ted == 4


def test_without_a_true_root_trees_are_rooted_alike():
    errors = part_errors(perfect_trace(root=1), box_truth(root=None))
    assert (errors.root_right, errors.ted) == (None, 0)


def test_parts_are_numbered_by_their_names_where_one_is_set_aside():
    trace = perfect_trace()
    kept = trace.assembly.parts[1:]
    joints = tuple(
        replace(joint, parent=joint.parent - 1, child=joint.child - 1) for joint in trace.joints[1:]
    )
    tree = replace(trace.tree, root=0, edges=((0, 1), (1, 2)))
    assembly = replace(trace.assembly, parts=kept)
    errors = part_errors(replace(trace, assembly=assembly, joints=joints, tree=tree), box_truth())
    assert errors.wrong_edges == 1
    assert [joint.name for joint in errors.joints] == ["joint_1", "joint_2"]

"""The kinematic tree and its operations, by their properties."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_trees import trees, values_of

from autourdf_ros.errors import InputError
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.tree_joint import Mimic, TreeJoint

SEEDS = st.integers(0, 2**32 - 1)
Z = np.array([0.0, 0.0, 1.0])


def joint(name="j", parent="a", child="b", kind="revolute", axis=Z, **changes):
    return TreeJoint(name, kind, parent, child, axis, np.zeros(3), -1.0, 1.0, **changes)


def by_link(tree, values):
    motions = np.moveaxis(tree.motions(values), -3, 0)
    return dict(zip(tree.links, motions, strict=True))


def same_values(tree, other, values):
    """The values (..., J) of `tree` in the order of `other`, whose joints it has."""
    return values[..., [tree.joint_names.index(name) for name in other.joint_names]]


def chosen(names, seed):
    return names[seed % len(names)]


@pytest.mark.parametrize(
    ("links", "joints", "problem"),
    [
        ((), (), "without links"),
        (("a", "a"), (), "links named"),
        (("a", "b"), (), "no parent"),
        (("a", "b"), (joint(child="c"),), "unknown link 'c'"),
        (("b", "a"), (joint(),), "'b' comes first"),
        (("a", "b", "c"), (joint(), joint("k", "a", "c"), joint("l", "b", "c")), "several parents"),
        (("a", "b", "c"), (joint("j", "c", "b"), joint("k", "b", "c")), "loop"),
        (("a", "b", "c"), (joint(), joint(parent="a", child="c")), "joints named"),
        (("a", "b"), (joint(mimic=Mimic("j", 1.0, 0.0)),), "follows 'j'"),
    ],
)
def test_only_trees_are_accepted(links, joints, problem):
    with pytest.raises(InputError, match=problem):
        KinematicTree(links, joints)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"axis": 2 * Z}, "length 2"),
        ({"axis": np.zeros(3)}, "length 0"),
        ({"axis": np.full(3, np.nan)}, "length nan"),
        ({"kind": "planar"}, "type 'planar'"),
    ],
)
def test_joints_have_unit_axes_and_known_types(changes, problem):
    with pytest.raises(InputError, match=f"joint 'j' has .*{problem}"):
        joint(**changes)


def test_limits_are_in_order():
    with pytest.raises(InputError, match="limits 1 to -1"):
        replace(joint(), lower=1.0, upper=-1.0)


@given(trees(), SEEDS)
def test_adding_and_removing_a_link_is_nothing(tree, seed):
    new = joint("new", chosen(tree.links, seed), "more")
    assert tree.add_link(new).remove_link("more") == tree


@given(trees(3), SEEDS)
def test_what_is_left_after_a_removal_moves_as_before(tree, seed):
    link, values = chosen(tree.links[1:], seed), values_of(tree, seed)
    left = tree.remove_link(link)
    assert set(left.links) == set(tree.links) - set(tree.subtree(link))
    before, after = by_link(tree, values), by_link(left, same_values(tree, left, values))
    for name in left.links:
        np.testing.assert_array_equal(after[name], before[name])


@given(trees(3), SEEDS)
def test_a_merged_link_moves_as_its_parent_and_others_as_with_the_joint_at_reference(tree, seed):
    link = chosen(tree.links[1:], seed)
    values = values_of(tree, seed)
    values[:, tree.joints.index(tree.joint_of(link))] = tree.joint_of(link).reference
    merged = tree.merge_links(link)
    assert set(merged.links) == set(tree.links) - {link}
    before, after = by_link(tree, values), by_link(merged, same_values(tree, merged, values))
    for name in merged.links:
        np.testing.assert_allclose(after[name], before[name], atol=1e-12)


@given(trees(), SEEDS)
def test_another_root_changes_no_pose_of_links_to_one_another(tree, seed):
    root, values = chosen(tree.links, seed), values_of(tree, seed)
    other = tree.reroot(root)
    assert other.root == root and other.joint_names == tree.joint_names
    before, after = by_link(tree, values), by_link(other, values)
    for name in tree.links:
        seen = np.linalg.inv(before[root]) @ before[name]
        np.testing.assert_allclose(after[name], seen, atol=1e-9)


@given(trees(), SEEDS)
def test_the_old_root_again_is_the_old_tree(tree, seed):
    again = tree.reroot(chosen(tree.links, seed)).reroot(tree.root)
    values = values_of(tree, seed)
    before, after = by_link(tree, values), by_link(again, values)
    for name in tree.links:
        np.testing.assert_array_equal(after[name], before[name])


@given(trees(3), SEEDS)
def test_a_moved_link_stands_at_the_reference_where_it_stood(tree, seed):
    link = chosen(tree.links[1:], seed)
    allowed = [name for name in tree.links if name not in tree.subtree(link)]
    parent = chosen(allowed, seed // 7)
    other = tree.change_parent(link, parent)
    assert other.joint_of(link).parent == parent
    np.testing.assert_allclose(
        other.motions(other.reference_values), np.tile(np.eye(4), (len(tree.links), 1, 1))
    )
    values = values_of(tree, seed)
    after = by_link(other, values)
    relative = np.linalg.inv(after[parent]) @ after[link]
    own = by_link(tree, values)
    expected = np.linalg.inv(own[tree.joint_of(link).parent]) @ own[link]
    np.testing.assert_allclose(relative, expected, atol=1e-9)


@given(trees(3))
def test_no_link_hangs_on_what_is_beyond_it(tree):
    link = tree.links[1]
    for beyond in tree.subtree(link):
        with pytest.raises(InputError, match="beyond"):
            tree.change_parent(link, beyond)


@given(trees(), SEEDS)
def test_motions_since_another_reference_compose(tree, seed):
    reference, values = values_of(tree, seed)
    other = tree.repose(reference)
    np.testing.assert_allclose(other.reference_values, reference)
    np.testing.assert_allclose(
        other.motions(values) @ tree.motions(reference), tree.motions(values), atol=1e-9
    )


@given(trees(), SEEDS)
def test_at_the_new_zero_all_stands_as_at_the_old_values(tree, seed):
    zero, values = values_of(tree, seed)
    other = tree.rezero(zero)
    np.testing.assert_allclose(other.motions(np.zeros(len(zero))), tree.motions(zero), atol=1e-12)
    np.testing.assert_allclose(other.motions(values - zero), tree.motions(values), atol=1e-9)
    here = other.repose(np.zeros(len(zero)))
    np.testing.assert_allclose(
        here.motions(np.zeros(len(zero))), np.tile(np.eye(4), (len(tree.links), 1, 1)), atol=1e-12
    )


@given(trees(), SEEDS)
def test_followers_follow_from_the_new_zero_as_well(tree, seed):
    zero, values = values_of(tree, seed)
    other = tree.rezero(zero)
    at, shifted = (dict(zip(tree.joint_names, v, strict=True)) for v in (values, values - zero))
    for old, new in zip(tree.joints, other.joints, strict=True):
        if old.mimic is not None:
            before = old.mimic.multiplier * at[old.mimic.joint] + old.mimic.offset
            after = new.mimic.multiplier * shifted[new.mimic.joint] + new.mimic.offset
            shift = zero[tree.joint_names.index(old.name)]
            assert after == pytest.approx(before - shift)


def test_followers_of_a_removed_joint_move_by_themselves():
    follower = joint("k", "b", "c", mimic=Mimic("j", 1.0, 0.0))
    tree = KinematicTree(("a", "b", "c"), (joint(), follower))
    assert tree.merge_links("b").joints[0].mimic is None


@given(trees(3))
def test_no_operation_makes_the_root_a_child_or_takes_unknown_links(tree):
    for operation in (tree.remove_link, tree.merge_links, tree.joint_of, tree.reroot):
        with pytest.raises(InputError, match="'nowhere' is unknown"):
            operation("nowhere")
    for operation in (tree.remove_link, tree.merge_links):
        with pytest.raises(InputError, match="is the root"):
            operation(tree.root)
    with pytest.raises(InputError, match="accepted are"):
        tree.repose(np.zeros(len(tree.joints) + 1))


@given(trees())
def test_names_may_be_changed(tree):
    links = {name: name.upper() for name in tree.links}
    joints = {name: name.upper() for name in tree.joint_names}
    back = {new: old for names in (links, joints) for old, new in names.items()}
    other = tree.renamed(links, joints)
    assert other.links == tuple(name.upper() for name in tree.links)
    again = other.renamed(back, back)
    assert again.links == tree.links and again.joint_names == tree.joint_names
    assert [one.mimic for one in again.joints] == [one.mimic for one in tree.joints]

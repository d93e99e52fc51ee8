"""The model of a tree and layers: views, digests, staleness, names."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic_robot import arm_model

from autourdf_ros.errors import InputError
from autourdf_ros.model.layers.dynamics import DynamicsLayer, JointDynamics
from autourdf_ros.model.layers.inertia import InertiaLayer, LinkInertia
from autourdf_ros.model.self_model import Joint, Link, SelfModel

MODEL = arm_model(count=20)


def heavy(mass=1.0, **changes):
    return LinkInertia(mass, np.zeros(3), 0.1 * np.eye(3), **changes)


def with_chain():
    """Masses that rest on the kinematics, and friction that rests on both."""
    model = MODEL.with_layer(
        InertiaLayer(
            links={"link_1": heavy()}, rests_on={"kinematics": MODEL.digests["kinematics"]}
        )
    )
    both = {name: model.digests[name] for name in ("kinematics", "inertia")}
    joint = model.tree.joint_names[0]
    return model.with_layer(DynamicsLayer(joints={joint: JointDynamics(0.1)}, rests_on=both))


def test_links_and_joints_join_tree_and_layers():
    again = SelfModel.of(MODEL.name, MODEL.links, MODEL.joints)
    assert again.digests == MODEL.digests
    assert all(joint.estimate is not None for joint in MODEL.joints)
    bare = replace(MODEL, kinematics=None, shape=None)
    assert all(joint.estimate is None for joint in bare.joints)
    assert all(len(link.surface.points) == 0 for link in bare.links)


def test_layers_name_links_and_joints_of_the_tree():
    with pytest.raises(InputError, match=r"layer inertia: links \['tail'\] are not in the tree"):
        MODEL.with_layer(InertiaLayer(links={"tail": heavy()}))
    with pytest.raises(InputError, match=r"layer dynamics: joints \['knee'\]"):
        MODEL.with_layer(DynamicsLayer(joints={"knee": JointDynamics()}))


def test_nothing_is_stale_until_something_is_renewed():
    model = with_chain()
    assert model.stale == {}
    renewed = model.with_layer(replace(model.inertia, links={"link_1": heavy(2.0)}))
    assert renewed.stale == {"dynamics": ("inertia",)}
    same = model.with_layer(replace(model.inertia, links={"link_1": heavy()}))
    assert same.stale == {}


def test_another_tree_makes_stale_what_rests_on_kinematics():
    model = with_chain()
    joints = [replace(joint, point=joint.point + 0.001) for joint in model.joints]
    assert model.with_parts(joints=joints).stale == {
        "inertia": ("kinematics",),
        "dynamics": ("kinematics",),
    }


def test_a_layer_that_is_gone_leaves_others_stale():
    assert replace(with_chain(), inertia=None).stale == {"dynamics": ("inertia",)}


def test_other_names_make_nothing_stale():
    model = with_chain()
    links = {name: f"my_{name}" for name in model.tree.links}
    joints = {name: f"my_{name}" for name in model.tree.joint_names}
    other = model.renamed("other", links, joints)
    assert other.stale == {} and other.name == "other"
    assert set(other.inertia.links) == {"my_link_1"}
    assert other.digests["kinematics"] != model.digests["kinematics"]
    stale = model.with_layer(replace(model.inertia, links={"link_1": heavy(2.0)}))
    assert stale.renamed("other", links, joints).stale == {"dynamics": ("inertia",)}


def test_where_points_lie_is_part_of_the_shape_s_digest():
    moved = [
        Link(one.name, replace(one.surface, points=one.surface.points + 1)) for one in MODEL.links
    ]
    other = MODEL.with_parts(moved)
    assert other.digests["shape"] != MODEL.digests["shape"]
    assert other.digests["kinematics"] == MODEL.digests["kinematics"]


def test_uncertainty_is_part_of_the_kinematics_digest():
    first, *rest = MODEL.joints
    surer = replace(first, estimate=replace(first.estimate, covariance=0.5 * np.eye(4)))
    assert MODEL.with_parts(joints=[surer, *rest]).digests != MODEL.digests
    assert isinstance(MODEL.joints[0], Joint)


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ((0.0, np.zeros(3), np.eye(3)), "mass is 0.0"),
        ((np.inf, np.zeros(3), np.eye(3)), "mass is inf"),
        ((1.0, np.zeros(2), np.eye(3)), "shape"),
        ((1.0, np.full(3, np.nan), np.eye(3)), "not finite"),
        ((1.0, np.zeros(3), np.diag([1.0, 1.0, -1.0])), "positive definite"),
        ((1.0, np.zeros(3), np.eye(3), np.eye(4)), "covariance of shape"),
    ],
)
def test_only_masses_of_bodies_are_accepted(values, problem):
    with pytest.raises(InputError, match=problem):
        LinkInertia(*values)


def test_the_centre_s_deviation_follows_from_the_first_moment_s():
    covariance = np.diag([0.04, *[0.01] * 3, *[1.0] * 6])
    own = LinkInertia(2.0, np.array([0.5, 0, 0]), np.eye(3), covariance)
    assert own.mass_std == pytest.approx(0.2)
    # d c = (d mc - c d m) / m
    np.testing.assert_allclose(own.centre_std, [np.sqrt(0.01 + 0.25 * 0.04) / 2, 0.05, 0.05])
    assert heavy().mass_std is None and heavy().centre_std is None


def test_a_centre_that_is_exact_has_no_deviation():
    """Rounding gave negative variances, and so NaN."""
    for centre in np.random.default_rng(0).normal(0, 0.3, (20, 3)):
        by_mass = np.array([1.0, *centre, *[0.0] * 6])
        own = LinkInertia(2.7, centre, np.eye(3), 0.03 * np.outer(by_mass, by_mass))
        np.testing.assert_allclose(own.centre_std, 0, atol=1e-8)


def test_friction_is_not_negative():
    with pytest.raises(InputError, match="friction is -1"):
        JointDynamics(friction=-1.0)

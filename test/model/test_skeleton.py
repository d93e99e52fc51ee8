import numpy as np
import pytest
from skeletons import X, Y, Z, arm, joint, skeleton

from autourdf_ros.errors import InputError
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.model.self_model import Joint, Link, SelfModel
from autourdf_ros.model.skeleton import skeleton_of


def test_freezing_a_joint_hangs_its_children_on_its_parent():
    frozen = arm().frozen({"lift", "elbow"})
    assert frozen.names == ("pan", "wrist")
    assert frozen.joints[1].parent == frozen.joints[0].child
    assert arm().frozen({"pan"}).joints[0].parent == 0


def test_a_loop_and_a_body_with_two_parents_are_refused():
    with pytest.raises(InputError, match="does not lead back"):
        skeleton([joint("a", X, [0, 0, 0], 2, 1), joint("b", X, [1, 0, 0], 1, 2)])
    with pytest.raises(InputError, match="form no tree"):
        skeleton([joint("a", X, [0, 0, 0], 0, 1), joint("b", X, [1, 0, 0], 0, 1)])


def test_an_orphan_is_refused():
    with pytest.raises(InputError, match="'a' does not lead back"):
        skeleton([joint("a", X, [0, 0, 0], 7, 1)])


def test_fixed_joints_of_a_model_join_links_to_bodies():
    surface = Surface(np.array([[0.0, 0, 0], [0, 3, 4]]), np.tile(X, (2, 1)))
    links = tuple(Link(name, surface) for name in ("base_link", "body", "arm", "tool"))
    joints = (
        Joint("mount", "fixed", "base_link", "body", Z, np.zeros(3), 0, 0),
        Joint("turn", "continuous", "body", "arm", Z, np.ones(3), -1, 1),
        Joint("flange", "fixed", "arm", "tool", Z, np.zeros(3), 0, 0),
    )
    reduced = skeleton_of(SelfModel.of("robot", links, joints))
    assert reduced.names == ("turn",)
    assert reduced.joints[0].parent == 0
    assert reduced.joints[0].type == "revolute"
    assert reduced.size == pytest.approx(5)
    slide = Joint("slide", "prismatic", "body", "arm", Y, np.zeros(3), 0, 1)
    assert skeleton_of(SelfModel.of("r", links[1:3], (slide,))).joints[0].type == "prismatic"

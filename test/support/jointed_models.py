"""Robot models of nothing but a tree of joints."""

from itertools import pairwise

import numpy as np

from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.model.self_model import Joint, Link, SelfModel
from autourdf_ros.model.tree_joint import Mimic

NO_SURFACE = Surface(np.zeros((0, 3)), np.zeros((0, 3)))


def joint(parent, child, kind="revolute", follows=None, **known):
    """A joint named after its child link, which may follow another joint at minus its value."""
    mimic = None if follows is None else Mimic(follows, -1.0, 0.1)
    axis, point = np.array([0, 0, 1.0]), np.zeros(3)
    return Joint(f"to_{child}", kind, parent, child, axis, point, -1.0, 1.0, mimic=mimic, **known)


def jointed(*joints, name="robot"):
    """The model whose root link is `base`."""
    links = ["base", *(joint.child for joint in joints)]
    return SelfModel.of(name, tuple(Link(link, NO_SURFACE) for link in links), joints)


def serial(count, parent="base"):
    """A chain of links a, b, c... on a link."""
    names = [parent, *"abcdefgh"[:count]]
    return [joint(*pair) for pair in pairwise(names)]


def arm_with_gripper(coupled_joint=True):
    """Six joints, and two fingers that slide; coupled, the second follows the first."""
    fingers = [
        joint("f", "left", "prismatic"),
        joint("f", "right", "prismatic", follows="to_left" if coupled_joint else None),
    ]
    return jointed(*serial(6), *fingers)

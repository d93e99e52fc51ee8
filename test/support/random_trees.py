"""Kinematic trees of any shape, for property tests."""

import numpy as np
from hypothesis import strategies as st

from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.tree_joint import Mimic, TreeJoint

TYPES = ("revolute", "continuous", "prismatic", "fixed")


@st.composite
def trees(draw, least=2, most=7):
    """A tree of `least` to `most` links, with some joints of every type and some followers."""
    seed = draw(st.integers(0, 2**32 - 1))
    return random_tree(seed, draw(st.integers(least, most)))


def random_tree(seed, count, followers=0.2):
    """A tree of so many links; followers: share of its joints that follow another."""
    random = np.random.default_rng(seed)
    joints = []
    for child in range(1, count):
        axis = random.normal(size=3)
        mimic = None
        if joints and random.random() < followers:
            mimic = Mimic(joints[-1].name, random.normal(), random.normal())
        joints.append(
            TreeJoint(
                f"joint_{child}",
                TYPES[random.integers(len(TYPES))],
                f"link_{random.integers(child)}",
                f"link_{child}",
                axis / np.linalg.norm(axis),
                random.normal(size=3),
                -4.0,
                4.0,
                random.normal(),
                mimic,
            )
        )
    order = random.permutation(count - 1)
    names = tuple(f"link_{number}" for number in range(count))
    return KinematicTree(names, tuple(joints[number] for number in order))


def values_of(tree, seed):
    """(2, J) random joint values."""
    return np.random.default_rng(seed).uniform(-3, 3, (2, len(tree.joints)))

"""Pairs of links that need no check: the reasons of MoveIt's setup assistant."""

import numpy as np
import pytest
import trimesh

from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.shape.collision.collision_pairs import (
    DisabledPair,
    collision_pairs,
    notes_on_pairs,
)
from autourdf_ros.shape.collision.link_collisions import LinkCollisions

BOX = '<box size="{} {} {}"/>'
# A wide post; a mast on it; an arm that swings down to the post; a bar, welded to the arm, that
# reaches into the mast; a nail that sticks in the post whatever moves; a bird far above all.
SHAPES = {
    "bird": (BOX.format(0.1, 0.1, 0.1), "0 0 0"),
    "post": (BOX.format(1.2, 1.2, 0.4), "0 0 -0.2"),
    "mast": (BOX.format(0.05, 0.05, 0.3), "0 0 0.15"),
    "pivot": (None, ""),
    "arm": (BOX.format(0.6, 0.05, 0.05), "0.3 0 0"),
    "bar": (BOX.format(0.1, 0.02, 0.02), "0 0 0"),
    "nail": (BOX.format(0.02, 0.02, 0.1), "0 0 0"),
}
JOINTS = [
    ("turn", "revolute", "post", "mast", "0 0 0", "0 0 1"),
    ("hold", "fixed", "mast", "pivot", "0.06 0 0.25", "0 0 1"),
    ("swing", "revolute", "pivot", "arm", "0 0 0", "0 1 0"),
    ("weld", "fixed", "arm", "bar", "0 0 0", "0 0 1"),
    ("spin", "continuous", "mast", "nail", "0 0 -0.1", "0 0 1"),
    ("fly", "prismatic", "post", "bird", "0 0 3", "0 0 1"),
]


def written(folder, joints=JOINTS, shapes=SHAPES):
    """The URDF of boxes, with limits of +-1.5."""
    links = "".join(
        f'<link name="{name}">'
        + (f'<collision><origin xyz="{xyz}"/><geometry>{box}</geometry></collision>' if box else "")
        + "</link>"
        for name, (box, xyz) in shapes.items()
    )
    body = "".join(
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="{axis}"/>'
        '<limit lower="-1.5" upper="1.5" effort="1" velocity="1"/></joint>'
        for name, kind, parent, child, xyz, axis in joints
    )
    path = folder / "boxes.urdf"
    path.write_text(f'<robot name="boxes">{links}{body}</robot>')
    return path


@pytest.fixture(scope="module")
def urdf(tmp_path_factory):
    return written(tmp_path_factory.mktemp("boxes"))


def reasons(pairs):
    return {(pair.link1, pair.link2): pair.reason for pair in pairs}


def test_every_reason_is_found_and_what_may_collide_stays_checked(urdf):
    found = reasons(collision_pairs(urdf, {}))
    assert found[("mast", "post")] == "Adjacent"
    assert found[("arm", "mast")] == "Adjacent"  # through the pivot, which has no shape
    assert found[("arm", "bar")] == "Adjacent"
    assert found[("bar", "mast")] == "Default"
    assert found[("nail", "post")] == "Default"
    assert found[("arm", "bird")] == found[("bird", "mast")] == "Never"
    assert ("arm", "post") not in found


def test_what_touches_nearly_everywhere_but_where_the_robot_stood_is_always(tmp_path):
    """A plank, welded below a cart, that clears the post only at the end of the cart's way."""
    joints = [
        ("slide", "prismatic", "post", "cart", "0 0 3", "1 0 0"),
        ("weld", "fixed", "cart", "rod", "0 0 -1", "0 0 1"),
        ("hang", "fixed", "rod", "plank", "0 0 -2.2", "0 0 1"),
    ]
    shapes = {
        "post": (BOX.format(0.2, 0.2, 0.4), "0 0 -0.2"),
        "cart": (BOX.format(0.1, 0.1, 0.1), "0 0 0"),
        "rod": (BOX.format(0.1, 0.1, 0.1), "0 0 0"),
        "plank": (BOX.format(4, 0.1, 0.1), "0.65 0 0"),
    }
    urdf = written(tmp_path, joints, shapes)
    assert reasons(collision_pairs(urdf, {"slide": 1.5}))[("plank", "post")] == "Always"
    assert reasons(collision_pairs(urdf, {}))[("plank", "post")] == "Default"
    short = {**shapes, "plank": (BOX.format(2, 0.1, 0.1), "0 0 0")}
    assert ("plank", "post") not in reasons(
        collision_pairs(written(tmp_path, joints, short), {"slide": 1.5})
    )


def test_a_pair_that_touches_in_most_recorded_frames_is_default_and_in_few_is_not(urdf):
    down, up = {"swing": 1.4}, {"swing": -1.0}
    assert reasons(collision_pairs(urdf, up, recorded=[down] * 3))[("arm", "post")] == "Default"
    assert ("arm", "post") not in reasons(collision_pairs(urdf, up, recorded=[up, down]))


def test_pairs_are_in_alphabetical_order_and_the_same_every_time(urdf):
    pairs = collision_pairs(urdf, {"swing": -0.2}, samples=500, seed=3)
    assert all(pair.link1 < pair.link2 for pair in pairs)
    assert list(pairs) == sorted(pairs, key=lambda pair: (pair.link1, pair.link2))
    assert pairs == collision_pairs(urdf, {"swing": -0.2}, samples=500, seed=3)


def test_links_without_any_shape_leave_no_pair(tmp_path):
    bare = dict.fromkeys(SHAPES, (None, ""))
    assert collision_pairs(written(tmp_path, shapes=bare), {}) == ()


def test_bad_arguments_are_named(urdf):
    with pytest.raises(InputError, match="no moving joint named elbow; it has fly, turn"):
        collision_pairs(urdf, {"elbow": 0.0})
    with pytest.raises(InputError, match="samples: is 0"):
        collision_pairs(urdf, {}, samples=0)
    with pytest.raises(InputError, match=r"missing\.urdf"):
        collision_pairs(urdf.parent / "missing.urdf", {})


def test_a_convex_mesh_is_solid_and_a_hollow_one_is_not(tmp_path):
    """What is inside a convex mesh touches it; what is in the hole of a ring does not."""
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "box.stl")
    trimesh.creation.annulus(0.4, 0.5, 1.0).export(tmp_path / "ring.stl")
    joints = [
        ("a", "prismatic", "rod", "box", "0 0 0", "1 0 0"),
        ("b", "prismatic", "rod", "ring", "3 0 0", "1 0 0"),
        ("c", "prismatic", "box", "pill", "0 0 0", "1 0 0"),
        ("d", "prismatic", "ring", "cup", "0 0 0", "1 0 0"),
    ]
    small = (BOX.format(0.1, 0.1, 0.1), "0 0 0")
    shapes = {
        "rod": (None, ""),
        "box": (f'<mesh filename="{tmp_path}/box.stl"/>', "0 0 0"),
        "ring": (f'<mesh filename="{tmp_path}/ring.stl"/>', "0 0 0"),
        "pill": small,
        "cup": small,
    }
    robot = LinkCollisions(written(tmp_path, joints, shapes))
    touching = dict(zip(robot.pairs, robot.touching(np.zeros((1, 4)))[0], strict=True))
    assert touching[("box", "pill")] and not touching[("cup", "ring")]
    assert robot.adjacent[robot.pairs.index(("box", "ring"))]  # the rod has no shape


def test_a_mimic_joint_moves_with_the_one_it_follows(tmp_path):
    path = written(tmp_path)
    mimic = '<mimic joint="turn" multiplier="-0.5" offset="0.1"/><limit'
    head, swing, tail = path.read_text().partition('<joint name="swing"')
    path.write_text(head + swing + tail.replace("<limit", mimic, 1))
    robot = LinkCollisions(path)
    turn, swing = robot.joints.index("turn"), robot.joints.index("swing")
    drawn = robot.sampled(50, np.random.default_rng(0))
    np.testing.assert_allclose(drawn[:, swing], 0.1 - 0.5 * drawn[:, turn])
    assert robot.configuration({"turn": 0.4})[swing] == pytest.approx(-0.1)


def test_a_pair_whose_touches_are_mostly_false_is_default(urdf):
    """The arm touches the post in under half of its configurations."""
    down, up = {"swing": 1.4}, {"swing": -1.0}
    often = [up] * 7 + [down] * 3
    assert reasons(collision_pairs(urdf, up, recorded=often))[("arm", "post")] == "Default"
    seldom = [up] * 37 + [down] * 3
    assert ("arm", "post") not in reasons(collision_pairs(urdf, up, recorded=seldom))


def test_pairs_whose_real_collisions_stay_unseen_are_reported():
    pairs = [
        DisabledPair(one, two, reason)
        for one, two, reason in (
            ("a", "b", "Adjacent"),
            ("a", "c", "Default"),
            ("a", "d", "Never"),
            ("b", "d", "Default"),
            ("c", "e", "Always"),
        )
    ]
    by_default, always = notes_on_pairs(pairs)
    assert "between a and c, b and d, also real ones" in by_default and "(Default in" in by_default
    assert "between c and e, also" in always and "(Always in" in always
    assert notes_on_pairs([pairs[0], pairs[2]]) == []


@pytest.mark.slow
def test_all_parts_of_a_mesh_file_are_obstacles():
    """The base of the UR5 has a cable outlet, whose triangles coal gives the base's corners."""
    robot = LinkCollisions(find_urdf("ur5_gripper"), "visual")
    base = next(item for item in robot._shapes.geometryObjects if "base_link" in item.name)
    corners = np.array(base.geometry.vertices())
    used = [
        base.geometry.tri_indices(i)[k] for i in range(base.geometry.num_tris) for k in range(3)
    ]
    assert corners[np.unique(used), 1].min() == pytest.approx(-0.11, abs=1e-3)

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.transform import Rotation

from autourdf_ros.data.bags.transform_tree import TransformTree
from autourdf_ros.errors import InputError
from autourdf_ros.geometry.rigid_motion import exp_se3

twists = hnp.arrays(float, 6, elements=st.floats(-2, 2))


def pair(matrix):
    return matrix[:3, 3].tolist(), Rotation.from_matrix(matrix[:3, :3]).as_quat().tolist()


@given(hnp.arrays(float, (4, 6), elements=st.floats(-2, 2)), st.integers(0, 10**18))
def test_chains_are_followed_up_and_down(found, stamp):
    base_a, a_eye, base_b, world_base = exp_se3(found)
    tree = TransformTree()
    tree.add(("world", "base"), 0, pair(world_base), True)
    tree.add(("/base", "a"), stamp, pair(base_a), False)
    tree.add(("a", "eye"), 7, pair(a_eye), True)
    tree.add(("base", "b"), 0, pair(base_b), True)
    expected = np.linalg.inv(base_b) @ base_a @ a_eye
    np.testing.assert_allclose(tree.lookup("b", "/eye", stamp), expected, atol=1e-9)
    np.testing.assert_allclose(tree.lookup("eye", "eye", stamp), np.eye(4), atol=1e-12)
    assert tree.common_ancestor(["eye", "b"]) == "world"
    assert tree.common_ancestor(["eye", "moon"]) is None


@given(twists, st.floats(0, 1))
def test_interpolates_along_the_shorter_arc(twist, share):
    turn = Rotation.from_rotvec(twist[:3] / 2)
    start, end, middle = np.eye(4), np.eye(4), np.eye(4)
    end[:3, :3], end[:3, 3] = turn.as_matrix(), twist[3:]
    middle[:3, :3] = Rotation.from_rotvec(share * twist[:3] / 2).as_matrix()
    middle[:3, 3] = share * twist[3:]
    tree = TransformTree()
    begin = 1_700_000_000 * 10**9
    shift, quaternion = pair(end)
    # The other quaternion of the same rotation.
    tree.add(("base", "eye"), begin + 10**9, (shift, [-value for value in quaternion]), False)
    tree.add(("base", "eye"), begin, pair(start), False)
    np.testing.assert_allclose(
        tree.lookup("base", "eye", begin + round(share * 1e9)), middle, atol=1e-6
    )


def test_other_times_are_not_guessed():
    tree = TransformTree()
    for stamp in (10, 20):
        tree.add(("base", "eye"), stamp * 10**9, pair(np.eye(4)), False)
    with pytest.raises(InputError, match=r"'eye' to 'base' is known from 10\.000 to 20\.000 s, no"):
        tree.lookup("base", "eye", 21 * 10**9)


@pytest.mark.parametrize(
    ("shift", "turn"), [([np.nan, 0, 0], [0, 0, 0, 1]), ([0, 0, 0], [0, 0, 0, 0])]
)
def test_what_is_no_transform_is_left_out(shift, turn):
    tree = TransformTree()
    tree.add(("base", "eye"), 0, (shift, turn), True)
    with pytest.raises(InputError, match=r"separate trees; the frames are \(none\)"):
        tree.lookup("base", "eye", 0)


def test_two_parents_and_loops_are_refused():
    tree = TransformTree()
    tree.add(("base", "eye"), 0, pair(np.eye(4)), True)
    tree.add(("wall", "eye"), 0, pair(np.eye(4)), True)
    with pytest.raises(InputError, match="'eye' has the parents base, wall; accepted is one"):
        tree.lookup("base", "eye", 0)
    tree.add(("eye", "base"), 0, pair(np.eye(4)), True)
    with pytest.raises(InputError, match="form a loop: eye in base in eye"):
        tree.lookup("eye", "wall", 0)

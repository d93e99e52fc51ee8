import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampled_shapes import angle_between, box, merged_cloud, random_pose, random_twists

from autourdf_ros.estimation.common.joint_fit import line_point
from autourdf_ros.estimation.common.screw_chain import (
    MotorStates,
    ScrewChain,
    fit_chain,
    without_pitch,
)
from autourdf_ros.geometry.rigid_motion import exp_se3, revolute_twist

SHAPES = [
    box((0.3, 0.3, 0.1)),
    box((0.1, 0.12, 0.3), (0, 0, 0.21)),
    box((0.4, 0.08, 0.1), (0.2, 0, 0.42)),
]
ALONG, ACROSS, UP = np.eye(3)
READINGS = np.array([[0.2, -0.15], [0.35, 0.2], [-0.3, 0.3], [-0.15, -0.35], [0.05, 0.4]])
GATE = 0.06
KERNELS = np.geomspace(0.03, 0.005, 10).tolist()


def branching():
    """Five joints: a chain of three, another one on its first link, and one on the root."""
    twists = random_twists(np.random.default_rng(0), 5)
    kinds = ("revolute", "prismatic", "revolute", "revolute", "prismatic")
    chain = ScrewChain(2.0)
    for parent, motor, twist, kind in zip(
        (0, 1, 2, 1, 0), (3, 0, 4, 1, 2), twists, kinds, strict=True
    ):
        chain = chain.with_joint(parent, motor, twist, kind)
    return chain


def test_poses_are_products_of_exponentials():
    chain = branching()
    readings = np.random.default_rng(1).uniform(-1, 1, (3, 5))
    base = np.array([random_pose(seed) for seed in range(3)])
    poses = chain.poses(readings, base)
    assert poses.shape == (3, 6, 4, 4)
    for f, reading in enumerate(readings):
        first, second, third, fourth, fifth = (
            exp_se3(twist * reading[motor])
            for twist, motor in zip(chain.twists, (3, 0, 4, 1, 2), strict=True)
        )
        expected = [
            base[f],
            base[f] @ first,
            base[f] @ first @ second,
            base[f] @ first @ second @ third,
            base[f] @ first @ fourth,
            base[f] @ fifth,
        ]
        np.testing.assert_allclose(poses[f], expected, atol=1e-12)


def test_a_chain_without_joints_is_its_base():
    base = random_pose(0)[None]
    np.testing.assert_array_equal(ScrewChain(1.0).poses(np.zeros((1, 2)), base), base[:, None])
    assert ScrewChain(1.0).ancestors(0) == []


def test_ancestors_are_the_joints_from_the_root_on():
    chain = branching()
    assert [chain.ancestors(body) for body in range(6)] == [[], [0], [0, 1], [0, 1, 2], [0, 3], [4]]


def test_a_joint_more_is_the_last_and_has_no_pitch():
    screw = revolute_twist(UP, ALONG) + np.concatenate([np.zeros(3), 0.3 * UP])
    chain = branching().with_joint(4, 7, 1.5 * screw, "revolute")
    assert (chain.parents[-1], chain.motors[-1], chain.types[-1]) == (4, 7, "revolute")
    np.testing.assert_allclose(chain.twists[-1], 1.5 * revolute_twist(UP, ALONG), atol=1e-12)
    np.testing.assert_array_equal(chain.twists[:-1], branching().twists)
    assert chain.ancestors(6) == [0, 3, 5]


@pytest.mark.parametrize(
    ("joint", "bodies", "parents"),
    [
        (0, [0, 5], (0,)),
        (1, [0, 1, 4, 5], (0, 1, 0)),
        (2, [0, 1, 2, 4, 5], (0, 1, 1, 0)),
        (4, [0, 1, 2, 3, 4], (0, 1, 2, 1)),
    ],
)
def test_a_joint_goes_with_all_that_hangs_on_it(joint, bodies, parents):
    chain = branching()
    shorter, left = chain.without(joint)
    assert left.tolist() == bodies
    assert shorter.parents == parents
    kept = [body - 1 for body in bodies[1:]]
    assert shorter.motors == tuple(chain.motors[j] for j in kept)
    assert shorter.types == tuple(chain.types[j] for j in kept)
    readings = np.random.default_rng(2).uniform(-1, 1, (2, 5))
    base = np.array([random_pose(3), random_pose(4)])
    np.testing.assert_allclose(
        shorter.poses(readings, base), chain.poses(readings, base)[:, bodies], atol=1e-12
    )


def test_the_only_joint_may_go():
    shorter, left = ScrewChain(1.0).with_joint(0, 0, np.ones(6), "revolute").without(0)
    assert left.tolist() == [0]
    assert shorter.parents == shorter.motors == shorter.types == ()
    assert shorter.twists.shape == (0, 6)
    np.testing.assert_array_equal(shorter.poses(np.zeros((2, 1)), np.zeros((2, 4, 4))), 0)


def test_ratios_are_of_angle_or_of_way():
    chain = branching()
    turn, slide = chain.twists[2], chain.twists[1]
    assert chain.ratios[2] == pytest.approx(np.linalg.norm(turn[:3]))
    assert chain.ratios[1] == pytest.approx(np.linalg.norm(slide[3:]))
    assert chain.units.tolist() == [1, 2, 1, 1, 2]
    wanted = np.array([1, 2, 3, 0.5, 0.1])
    scaled = chain.with_ratios(wanted)
    np.testing.assert_allclose(scaled.ratios, wanted)
    np.testing.assert_allclose(
        scaled.twists / wanted[:, None], chain.twists / chain.ratios[:, None], atol=1e-12
    )
    assert ScrewChain(1.0).ratios.shape == ScrewChain(1.0).units.shape == (0,)


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_without_pitch_only_turns_or_only_slides(seed):
    twist = random_twists(np.random.default_rng(seed))
    turning = without_pitch(twist, "revolute")
    np.testing.assert_array_equal(turning[:3], twist[:3])
    assert abs(turning[:3] @ turning[3:]) < 1e-9
    np.testing.assert_allclose(np.cross(turning[3:] - twist[3:], twist[:3]), 0, atol=1e-9)
    sliding = without_pitch(twist, "prismatic")
    np.testing.assert_array_equal(sliding, [0, 0, 0, *twist[3:]])
    for kind, pure in (("revolute", turning), ("prismatic", sliding)):
        np.testing.assert_allclose(without_pitch(pure, kind), pure, atol=1e-9)


def test_a_twist_that_does_not_turn_has_no_pitch_to_lose():
    assert np.isfinite(without_pitch(np.array([0, 0, 0, 1.0, 2, 3]), "revolute")).all()


def arm(second="revolute", metre=1.0, ratios=(1.0, 1.0)):
    """Two joints on three boxes: about z, and about or along y; motors in the other order."""
    last = revolute_twist(ACROSS, 0.4 * UP)
    if second == "prismatic":
        last = np.concatenate([np.zeros(3), ALONG])
    chain = ScrewChain(metre).with_joint(0, 1, revolute_twist(UP, np.zeros(3)), "revolute")
    return chain.with_joint(1, 0, last, second).with_ratios(np.array(ratios))


def seen(chain, readings, base=None, anew=False):
    """The arm's reference, its labels, its frames and where its base is in them.

    anew: every frame samples its own points; otherwise the reference's, so that the fit is exact.
    """
    base = np.tile(np.eye(4), (len(readings), 1, 1)) if base is None else base
    reference, labels = merged_cloud(SHAPES, np.tile(np.eye(4), (3, 1, 1)), 700, 0)
    frames = [
        merged_cloud(SHAPES, poses, 700, 1 + f if anew else 0)[0]
        for f, poses in enumerate(chain.poses(readings, base))
    ]
    return reference, labels, frames, MotorStates(readings, base)


def perturbed(chain, joints, size=0.04, seed=0):
    """The chain with other lines of some joints, and the same ratios."""
    steps = size * np.random.default_rng(seed).uniform(-1, 1, chain.twists.shape)
    steps[[j for j in range(len(steps)) if j not in joints]] = 0
    pure = [without_pitch(t, k) for t, k in zip(chain.twists + steps, chain.types, strict=True)]
    return ScrewChain(
        chain.metre, chain.parents, chain.motors, np.array(pure), chain.types
    ).with_ratios(chain.ratios)


def assert_same_lines(found, truth, angle=1e-4, distance=1e-4):
    """Axes within an angle (rad) and a distance (m), in the same sense."""
    for one, other, kind in zip(found.twists, truth.twists, truth.types, strict=True):
        part = slice(0, 3) if kind == "revolute" else slice(3, 6)
        assert angle_between(one[part], other[part]) < angle
        assert one[part] @ other[part] > 0
        if kind == "revolute":
            axis = other[:3] / np.linalg.norm(other[:3])
            off = line_point(one) - line_point(other)
            assert np.linalg.norm(off - (off @ axis) * axis) < distance


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize(("second", "metre"), [("revolute", 1.0), ("prismatic", 0.4)])
def test_perturbed_twists_are_pulled_back(second, metre, anew):
    ratios = (1.0, 1.0 if second == "revolute" else metre)
    truth = arm(second, metre, ratios)
    base = exp_se3(random_twists(np.random.default_rng(5), len(READINGS), size=0.2))
    scene = seen(truth, READINGS, base, anew)
    start = perturbed(truth, [0, 1], size=0.06)
    with pytest.raises(AssertionError):
        assert_same_lines(start, truth, angle=0.02, distance=0.006)
    found = fit_chain(start, *scene, gate=GATE, kernels=KERNELS, joints=[0, 1])
    if anew:
        assert_same_lines(found, truth, angle=0.01, distance=0.003)
    else:
        assert_same_lines(found, truth)
    np.testing.assert_allclose(found.ratios, ratios, rtol=1e-12)


@pytest.mark.parametrize("joint", [0, 1])
def test_only_the_chosen_joint_changes(joint):
    truth = arm()
    start = perturbed(truth, [joint])
    other = 1 - joint
    found = fit_chain(start, *seen(truth, READINGS), gate=GATE, kernels=KERNELS, joints=[joint])
    np.testing.assert_allclose(found.twists[other], start.twists[other], atol=1e-12)
    assert np.abs(found.twists[joint] - start.twists[joint]).max() > 0.01
    assert_same_lines(found, truth)
    assert found.parents == start.parents and found.motors == start.motors


def test_no_chosen_joint_changes_nothing():
    start = perturbed(arm(), [0, 1])
    found = fit_chain(start, *seen(arm(), READINGS[:1]), gate=GATE, kernels=KERNELS, joints=[])
    np.testing.assert_array_equal(found.twists, start.twists)


def test_points_of_no_body_have_no_say():
    truth = arm()
    reference, labels, frames, states = seen(truth, READINGS)
    # The base's points would pull at the arm, if they were the arm's.
    labels = np.where(labels == 0, -1, labels)
    found = fit_chain(
        perturbed(truth, [0, 1]),
        reference,
        labels,
        frames,
        states,
        gate=GATE,
        kernels=KERNELS,
        joints=[0, 1],
    )
    assert_same_lines(found, truth)


@pytest.mark.parametrize("second", ["revolute", "prismatic"])
def test_a_ratio_near_the_direct_one_becomes_it_exactly(second):
    metre = 1.0 if second == "revolute" else 0.5
    truth = arm(second, metre, (1.0, metre))
    start = perturbed(truth, [1]).with_ratios(np.array([1.0, 0.93 * metre]))
    found = fit_chain(start, *seen(truth, READINGS), gate=GATE, kernels=KERNELS, joints=[1])
    assert found.ratios[1] == pytest.approx(metre, rel=1e-12)
    assert_same_lines(found, truth)


def test_a_gear_stays_a_gear():
    truth = arm(ratios=(0.5, 2.0))
    start = perturbed(truth, [0, 1]).with_ratios(np.array([0.42, 2.2]))
    found = fit_chain(start, *seen(truth, READINGS), gate=GATE, kernels=KERNELS, joints=[0, 1])
    np.testing.assert_allclose(found.ratios, [0.5, 2.0], rtol=1e-3)
    assert_same_lines(found, truth)


def test_a_direct_joint_keeps_its_ratio_while_it_is_fitted():
    truth = arm(ratios=(0.8, 1.0))
    start = perturbed(truth, [0, 1]).with_ratios(np.ones(2))
    found = fit_chain(start, *seen(truth, READINGS), gate=GATE, kernels=KERNELS, joints=[0, 1])
    np.testing.assert_allclose(found.ratios, 1, rtol=1e-12)

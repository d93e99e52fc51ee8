"""What a frame would add about the axes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motor_driven_arm import arm, motor

from autourdf_ros.estimation.common.joint_fit import line_perturbations
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.uncertainty.line_knowledge import line_knowledge
from autourdf_ros.geometry.rigid_motion import adjoint, exp_se3, transform
from autourdf_ros.model.tree_joint import Mimic

MOTORS = (motor("a"), motor("b", -2.0, 0.3), motor("c", 0.5))
REFERENCE = {"a": 0.0, "b": 0.1, "c": 0.1}  # the readings at joint values 0, 0.1 and 0.2
ANGLES = st.floats(-1.5, 1.5)


def target(*values):
    """Readings at which the joints stand so far from the reference."""
    readings = zip(REFERENCE.items(), values, (1.0, -2.0, 0.5), strict=True)
    return {name: reference + ratio * value for (name, reference), value, ratio in readings}


def measured(reconstruction, values):
    """Information (4 J, 4 J) by finite differences of points along their normals."""
    model = reconstruction.model
    joints = model.joints
    slides = np.array([joint.type == "prismatic" for joint in joints])
    axes, points = (
        np.array([getattr(joint, key) for joint in joints]) for key in ("axis", "point")
    )
    twists = np.concatenate([axes, np.cross(points, axes)], axis=1)
    twists[slides] = np.concatenate([np.zeros((slides.sum(), 3)), axes[slides]], axis=1)
    basis = line_perturbations(twists, points, ~slides)
    count, step = len(joints), 1e-5

    def distances(change):
        lines = np.einsum("jab,jb->ja", basis, change[: 4 * count].reshape(-1, 4))
        moved = np.einsum("jab,jb->ja", adjoint(exp_se3(lines)), twists)
        chain = Articulation(np.arange(count), moved, ~slides, points)
        base = exp_se3(change[5 * count :])
        poses = body_poses(chain, np.array(values) + change[4 * count : 5 * count], base)
        at = body_poses(Articulation(np.arange(count), twists, ~slides, points), values, np.eye(4))
        found = []
        for body, link in enumerate(model.links):
            normals = link.surface.normals @ at[body, :3, :3].T
            found.append(np.sum(transform(poses[body], link.surface.points) * normals, axis=1))
        return np.concatenate(found)

    size = 5 * count + (6 if reconstruction.base.kind != "fixed" else 0)
    steps = np.zeros((size, 5 * count + 6))
    steps[:, :size] = step * np.eye(size)
    rows = np.stack([(distances(d) - distances(-d)) / (2 * step) for d in steps], axis=1)
    lines, own = rows[:, : 4 * count], rows[:, 4 * count :]
    lines = lines - own @ np.linalg.lstsq(own, lines, rcond=None)[0]
    return lines.T @ lines / reconstruction.noise**2


@pytest.mark.parametrize("base", ["fixed", "shifting frames"])
@pytest.mark.parametrize("kinds", [("revolute",) * 3, ("revolute", "prismatic", "revolute")])
def test_a_frame_adds_what_finite_differences_give(base, kinds):
    values = np.array([0.4, -0.3, 0.7])
    reconstruction = arm(MOTORS, kinds=kinds, base=base)
    added = line_knowledge(reconstruction).added([target(*values)])[0]
    expected = measured(reconstruction, values)
    np.testing.assert_allclose(added, expected, atol=1e-5 * np.abs(expected).max())


def test_the_reference_adds_nothing_about_the_axes():
    knowledge = line_knowledge(arm(MOTORS))
    assert np.abs(knowledge.added([target(0, 0, 0)])).max() < 1e-6


@settings(max_examples=40, deadline=None)
@given(st.tuples(ANGLES, ANGLES, ANGLES))
def test_more_frames_leave_less_unknown(values):
    knowledge = line_knowledge(arm(MOTORS))
    here, there = target(0, 0, 0), target(*values)
    before = knowledge.remaining([here], 0.01, 0.001)[0]
    after = knowledge.remaining([there], 0.01, 0.001)[0]
    assert after <= before * (1 + 1e-6)
    known = knowledge.with_frame(there)
    assert known.remaining([here], 0.01, 0.001)[0] == pytest.approx(after, rel=1e-6)


def test_what_is_known_is_what_the_model_says():
    knowledge = line_knowledge(arm(MOTORS, deviations=(0.01, 0.02, 0.03)))
    rest = target(0, 0, 0)
    expected = sum(2 * s**2 / 0.1**2 + 2 * s**2 / 0.05**2 for s in (0.01, 0.02, 0.03))
    assert knowledge.remaining([rest], 0.1, 0.05)[0] == pytest.approx(expected, rel=1e-6)


def test_a_wider_motion_adds_more_about_its_own_axis():
    knowledge = line_knowledge(arm(MOTORS))
    left = knowledge.remaining([target(0, angle, 0) for angle in (0.1, 0.3, 0.9)], 0.01, 0.001)
    assert left[0] > left[1] > left[2]


def test_joints_that_follow_are_moved_by_the_motor_of_their_master():
    follows = Mimic("joint_0", -1.0, 0.5)
    knowledge = line_knowledge(arm((motor("a"), None), mimic=follows))
    assert knowledge.motors == {"a"}
    coupled = knowledge.added([{"a": 0.4}])[0]
    expected = measured(arm((motor("a"), None)), np.array([0.4, -0.4]))
    np.testing.assert_allclose(coupled, expected, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("motors", [(None, None), (motor("a", 0.0),)])
def test_without_a_motor_nothing_is_known(motors):
    assert line_knowledge(arm(motors)) is None

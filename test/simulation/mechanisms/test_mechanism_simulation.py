"""The scenes move as mechanics says, and equal seeds give equal motions."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from autourdf_ros.geometry.rigid_motion import inverse
from autourdf_ros.simulation.mechanisms.mechanism_library import SCENES, mechanism_scene
from autourdf_ros.simulation.mechanisms.mechanism_mjcf import STEP, compiled
from autourdf_ros.simulation.mechanisms.mechanism_simulation import simulate

pytestmark = pytest.mark.fast
TIMES = np.arange(20) / 10


def without_losses(scene):
    return replace(
        scene, joints=tuple(replace(joint, damping=0.0, friction=0.0) for joint in scene.joints)
    )


@pytest.mark.parametrize("name", ["cart_pole", "rott_pendulum"])
def test_what_swings_without_damping_keeps_its_energy(name):
    motion = simulate(without_losses(mechanism_scene(name).sample(1)), TIMES)
    span = np.ptp([pose[-1][2, 3] for pose in motion.poses])
    assert np.ptp(motion.energies) < 1e-6 * 9.81 * span


@pytest.mark.parametrize("name", ["cart_pole", "rott_pendulum"])
def test_damping_takes_energy(name):
    energies = np.array(simulate(mechanism_scene(name).sample(1), TIMES).energies)
    assert (np.diff(energies) < 0).all()


def test_a_driven_carts_energy_is_the_work_of_the_force():
    scene = without_losses(mechanism_scene("driven_cart_pole").sample(0))
    stamps = np.arange(0, 1.0, scene.drive.hold * STEP)
    motion = simulate(scene, stamps)
    moved = np.diff(np.array(motion.positions)[:, 0])
    forces = np.array([push.forces[0] for push in motion.pushes[: len(moved)]])
    work = np.r_[0, np.cumsum(forces * moved)]
    assert np.allclose(np.array(motion.energies) - motion.energies[0], work, atol=1e-6)


@pytest.mark.parametrize("name", SCENES)
def test_bodies_move_as_their_joints_say(name):
    scene = mechanism_scene(name).sample(2)
    motion = simulate(scene, TIMES, seed=2)
    poses, columns = np.stack(motion.poses, axis=1), list(scene.coordinates)
    assert np.ptp(motion.positions, axis=0).min() > 1e-3  # every joint moves
    names = [body.name for body in scene.bodies]
    for joint in scene.joints:
        child = scene.body(joint.child)
        parent = np.tile(np.eye(4), (len(TIMES), 1, 1))
        home = np.eye(4)
        if joint.parent is not None:
            parent, home = poses[names.index(joint.parent)], scene.body(joint.parent).home
        relative = inverse(parent) @ poses[names.index(joint.child)]
        values = np.array(motion.positions)[:, [columns.index(c) for c in joint.coordinates]]
        moved = home @ relative @ inverse(child.home)  # in the world of the zero configuration
        expected = [moved_by(joint, value) for value in values]
        assert np.allclose(moved, expected, atol=1e-9)


def moved_by(joint, value):
    matrix = np.eye(4)
    if joint.kind == "prismatic":
        matrix[:3, 3] = value * joint.axis
    elif joint.kind != "fixed":
        angle = value[-1]
        skew = np.cross(np.eye(3), joint.axis)
        matrix[:3, :3] += np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew
        matrix[:3, 3] = joint.pivot - matrix[:3, :3] @ joint.pivot
        if joint.kind == "planar":
            matrix[:2, 3] += value[:2]
    return matrix


@pytest.mark.parametrize("name", SCENES)
def test_equal_seeds_give_equal_motions_and_others_do_not(name):
    make = mechanism_scene(name).sample
    first, again, other = (simulate(make(s), TIMES, seed=s) for s in (5, 5, 6))
    assert np.array_equal(first.positions, again.positions)
    assert not np.allclose(first.positions, other.positions, atol=1e-3)


@pytest.mark.parametrize("name", ["driven_cart_pole", "three_links", "drawer"])
def test_states_between_steps_lie_on_the_motion_of_a_finer_simulator(name):
    scene = mechanism_scene(name).sample(3)
    between = [0.6 + 0.4 * STEP, 1.1 + 0.7 * STEP]
    motion, fine = (simulate(scene, between, 1, step) for step in (STEP, STEP / 4))
    assert not np.allclose(simulate(scene, [0.6, 1.1], 1).positions, motion.positions, atol=1e-7)
    if scene.drive.hold == 1:  # a drive that holds longer holds other forces with a finer step
        assert np.allclose(motion.positions, fine.positions, atol=5e-4)


def test_observing_between_steps_does_not_change_what_follows():
    scene = mechanism_scene("three_links").sample(3)
    alone, observed = simulate(scene, [2.0], 1), simulate(scene, [0.30031, 0.71117, 2.0], 1)
    assert np.array_equal(alone.positions[-1], observed.positions[-1])


@pytest.mark.parametrize("name", ["driven_cart_pole", "three_links", "drawer", "door"])
def test_the_reported_forces_alone_repeat_the_motion(name):
    """Held between their stamps, as the truth says, in a simulator that knows no drive."""
    scene = mechanism_scene(name).sample(7)
    motion = simulate(scene, TIMES, seed=7)
    model = compiled(scene)
    state = mujoco.MjData(model)
    state.qpos[:] = [scene.start.get(c, 0.0) for c in scene.coordinates]
    state.qvel[:] = [scene.speeds.get(c, 0.0) for c in scene.coordinates]
    found, stamps = [], np.array(motion.push_stamps)
    for number in range(round(TIMES[-1] / STEP) + 1):
        if number % round(0.1 / STEP) == 0:
            found.append(state.qpos.copy())
        held = np.searchsorted(stamps, (number + 0.5) * STEP) - 1
        state.qfrc_applied[:] = motion.pushes[held].forces
        mujoco.mj_step(model, state)
    assert np.allclose(found, motion.positions, atol=1e-12)


@pytest.mark.parametrize("name", ["three_links", "drawer", "door"])
def test_the_fingers_force_at_its_point_gives_the_joint_forces(name):
    """Virtual work: the force times how far its point moves, against the joint forces."""
    scene = mechanism_scene(name).sample(4)
    motion = simulate(scene, np.arange(0, 3.0, STEP), seed=4)
    pushed = [k for k, push in enumerate(motion.pushes) if np.abs(push.forces).max() > 1e-3]
    assert len(pushed) > 100
    for k in pushed[:: len(pushed) // 20]:
        push, power = motion.pushes[k], 0.0
        for name, (point, force) in push.contacts.items():
            body = [b.name for b in scene.bodies].index(name)
            local = np.linalg.inv(motion.poses[k][body]) @ [*point, 1]
            power += force @ ((motion.poses[k + 1][body] - motion.poses[k - 1][body]) @ local)[:3]
        joint = push.forces @ (motion.positions[k + 1] - motion.positions[k - 1])
        assert joint == pytest.approx(power, abs=1e-5 + 0.02 * abs(power))


def test_mjcf_has_the_true_masses_and_friction():
    scene = mechanism_scene("three_links").sample(9)
    model = compiled(scene)
    assert [model.body(b.name).mass[0] for b in scene.bodies[:3]] == pytest.approx(
        [b.mass for b in scene.bodies[:3]]
    )
    plane = scene.joints[0]
    assert model.joint("plane.turn").damping[0] == pytest.approx(plane.damping * plane.lever**2)
    assert model.joint("plane.x").frictionloss[0] == pytest.approx(plane.friction)


@pytest.mark.parametrize("name", SCENES)
def test_parameters_can_be_set_by_name(name):
    scene = mechanism_scene(name)
    values = {p.name: 1.3 * p.value for p in scene.parameters}
    changed = scene.with_parameters(values)
    assert {p.name: p.value for p in changed.parameters} == pytest.approx(values)
    assert all(p.low == p.value / 2 and p.high == p.value * 2 for p in changed.parameters)


@pytest.mark.parametrize("name", ["drawer", "door"])
def test_recorded_forces_move_a_mechanism_as_recorded_at_half_the_step(name):
    scene = mechanism_scene(name).sample(0)
    stamps = np.arange(200) * STEP
    motion = simulate(scene, stamps.tolist())
    model = compiled(scene, STEP / 2)
    data = mujoco.MjData(model)
    data.qpos[:] = motion.positions[0]
    for push, before, after in zip(
        motion.pushes, motion.positions[:-1], motion.positions[1:], strict=False
    ):
        assert data.qpos == pytest.approx(before, abs=1e-6)
        data.qfrc_applied[:] = push.forces
        mujoco.mj_step(model, data, 2)
        assert data.qpos == pytest.approx(after, abs=1e-6)
    assert np.ptp(motion.positions) > 0.001

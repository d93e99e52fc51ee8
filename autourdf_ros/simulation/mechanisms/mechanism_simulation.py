"""Moves a mechanism in time: states at any moments, whole steps of the simulator or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from autourdf_ros.simulation.mechanisms.mechanism_drives import Push
from autourdf_ros.simulation.mechanisms.mechanism_mjcf import STEP, compiled
from autourdf_ros.simulation.mechanisms.mechanism_scene import MechanismScene

Array = NDArray[np.float64]

_WHOLE = 1e-6  # a moment this share of a step beside a whole step is that step


@dataclass
class MechanismMotion:
    """What a mechanism did.

    Attributes:
        poses: (T, B, 4, 4) of the bodies in the world.
        positions: (T, J) joint values.
        velocities: (T, J) of the joints.
        energies: (T,) potential and kinetic energy (J).
        pushes: What acted, from `push_stamps[k]` until `push_stamps[k + 1]`.
        push_stamps: (F,) seconds.
    """

    poses: list[Array] = field(default_factory=list)
    positions: list[Array] = field(default_factory=list)
    velocities: list[Array] = field(default_factory=list)
    energies: list[float] = field(default_factory=list)
    pushes: list[Push] = field(default_factory=list)
    push_stamps: list[float] = field(default_factory=list)


def simulate(
    scene: MechanismScene, stamps: Sequence[float], seed: int = 0, step: float = STEP
) -> MechanismMotion:
    """Return the states at `stamps` (s, rising, from 0 on).

    A moment between two steps of the simulator is reached by a shorter step of a copy of the state,
    so that what follows does not depend on when one observes.

    Args:
        scene: Mechanism with its true parameters and start.
        stamps: Of the states.
        seed: Of what the drive does.
        step: Of the simulator (s).
    """
    return _Run(scene, seed, step).states(stamps)


class _Run:
    def __init__(self, scene: MechanismScene, seed: int, step: float) -> None:
        self._scene, self._step = scene, step
        self._model = compiled(scene, step)
        self._model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
        self._data, self._between = mujoco.MjData(self._model), mujoco.MjData(self._model)
        for index, name in enumerate(scene.coordinates):
            self._data.qpos[index] = scene.start.get(name, 0.0)
            self._data.qvel[index] = scene.speeds.get(name, 0.0)
        self._drive = scene.drive.start(np.random.default_rng(seed), self._model)
        self._done = 0
        self._motion = MechanismMotion()
        self._act()

    def states(self, stamps: Sequence[float]) -> MechanismMotion:
        """Return the states at `stamps` (s)."""
        for stamp in stamps:
            steps = int(stamp / self._step + _WHOLE)
            while self._done < steps:
                mujoco.mj_step(self._model, self._data)
                self._done += 1
                self._act()
            self._observe(stamp - steps * self._step)
        return self._motion

    def _act(self) -> None:
        """Renew the force where it has been held long enough."""
        if self._done % self._scene.drive.hold:
            return
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
        now = self._done * self._step
        push = self._drive.push(now, self._model, self._data)
        self._data.qfrc_applied[:] = push.forces
        self._motion.pushes.append(push)
        self._motion.push_stamps.append(now)

    def _observe(self, rest: float) -> None:
        """Note the state `rest` seconds after the last whole step."""
        model, state = self._model, self._between
        mujoco.mj_copyData(state, model, self._data)
        if rest > _WHOLE * self._step:
            model.opt.timestep = rest
            mujoco.mj_step(model, state)
            model.opt.timestep = self._step
        mujoco.mj_forward(model, state)
        motion = self._motion
        motion.poses.append(self._poses(state))
        motion.positions.append(state.qpos.copy())
        motion.velocities.append(state.qvel.copy())
        motion.energies.append(float(state.energy.sum()))

    def _poses(self, state: Any) -> Array:
        poses = np.tile(np.eye(4), (len(self._scene.bodies), 1, 1))
        for pose, body in zip(poses, self._scene.bodies, strict=True):
            if body.is_driver:
                pushed = self._motion.pushes[-1].finger
                pose[:] = body.home if pushed is None else pushed
                continue
            found = state.body(body.name)
            pose[:3, :3], pose[:3, 3] = found.xmat.reshape(3, 3), found.xpos
        return poses

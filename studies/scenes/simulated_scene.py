"""A written scene in MuJoCo, whose robot follows paths by its position actuators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.result_files import MJCF

SLIDING_FRICTION = 1.2
"""Of rubber pads on plastic."""
SPEED = 0.4
"""rad/s of the fastest joint along a path."""
CLOSING = 0.05
"""m/s of the fingers: slow enough not to jump through a thin wall in a step."""
SETTLING = 0.7
"""Seconds after a path in which the arm comes to rest."""
LEAST = 20
"""Steps between two states of a path: the actuators get no jumps."""

STIFF = (0.99, 0.999)
"""Impedance of a contact, of 1; MuJoCo's own is 0.9 to 0.95, in which a held thing sinks."""

Array = NDArray[np.float64]


def read_scene(folder: Path, things: Sequence[str]) -> mujoco.MjSpec:
    """Return the scene, to be changed and then simulated; its robot bears its own weight.

    Args:
        folder: Of the written scene.
        things: What the names of bodies begin with that are no robot.
    """
    spec = mujoco.MjSpec.from_file(str(folder / MJCF))
    for body in spec.bodies:
        if not body.name.startswith(tuple(things)):
            body.gravcomp = 1.0  # as the robot's own controller
    for geom in spec.geoms:
        geom.friction[0] = SLIDING_FRICTION
    for key in list(spec.keys):
        spec.delete(key)  # its size is that of the unchanged scene
    return spec


def stiffen_grip(spec: mujoco.MjSpec, fingers: Sequence[str]) -> None:
    """Let the fingers, bodies by name, hold without the creep of MuJoCo's soft contacts."""
    for name in fingers:
        for geom in spec.body(name).geoms:
            geom.solimp[:2], geom.priority = STIFF, 1


def set_loose(spec: mujoco.MjSpec, body: str, thing: str) -> None:
    """Let a thing that stands fixed in the scene move freely, and touch everything else.

    Args:
        spec: Is changed. MuJoCo has free joints in its world alone, so three slides and a ball
            joint take the place of one.
        body: Which has the mass; the rest of the thing hangs on it.
        thing: What the names of its bodies begin with.
    """
    for axis in np.eye(3):
        spec.body(body).add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    spec.body(body).add_joint(type=mujoco.mjtJoint.mjJNT_BALL)
    for pair in list(spec.excludes):
        if pair.bodyname1.startswith(thing) != pair.bodyname2.startswith(thing):
            spec.delete(pair)  # it holds where the thing is fixed


class SimulatedScene:
    """A running simulation.

    Attributes:
        watch: Is called after every step, where it is set.
    """

    def __init__(self, spec: mujoco.MjSpec, home: Mapping[str, float]) -> None:
        """Start at joint values by name (rad or m); actuators hold them."""
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.watch: Callable[[], None] | None = None
        self._driven = {self.model.actuator(k).name: k for k in range(self.model.nu)}
        for name, value in home.items():
            self.data.joint(name).qpos[0] = value
            if name in self._driven:
                self.data.ctrl[self._driven[name]] = value
        mujoco.mj_forward(self.model, self.data)

    def follow(
        self, joints: Sequence[str], path: Sequence[Array], held: Mapping[str, float]
    ) -> None:
        """Set the fingers, then move along a path, then settle.

        Args:
            joints: That the states of the path are of.
            path: From where the joints stand.
            held: What other actuators are set to, by joint.
        """
        fingers = [name for name in held if name in self._driven]
        self._drive(fingers, np.array([held[name] for name in fingers]), CLOSING)
        for goal in path:
            self._drive(joints, goal, SPEED)
        self.wait(SETTLING)

    def _drive(self, joints: Sequence[str], goal: Array, speed: float) -> None:
        """Lead actuators to values, the farthest at a speed."""
        at = [self._driven[name] for name in joints]
        start = self.data.ctrl[at].copy()
        most = float(np.abs(goal - start).max())
        steps = max(int(most / speed / self.model.opt.timestep), LEAST if most > 0 else 0)
        for share in np.linspace(0, 1, steps):
            self.data.ctrl[at] = start + share * (goal - start)
            self.step()

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        for _ in range(round(seconds / self.model.opt.timestep)):
            self.step()

    def step(self) -> None:
        """Simulate one step."""
        mujoco.mj_step(self.model, self.data)
        if self.watch is not None:
            self.watch()

    def value(self, joint: str) -> float:
        """Return the value of a joint (rad or m)."""
        return float(self.data.joint(joint).qpos[0])

    def pose(self, body: str) -> Array:
        """Return the (4, 4) pose of a body."""
        pose = np.eye(4)
        pose[:3, :3] = self.data.body(body).xmat.reshape(3, 3)
        pose[:3, 3] = self.data.body(body).xpos
        return pose

    def places(self, bodies: Sequence[str]) -> Array:
        """Return (N, 3) where bodies are, in metres."""
        return np.array([self.data.body(name).xpos for name in bodies])

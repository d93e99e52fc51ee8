"""A robot's finger that moves a mechanism: hooked to a handle, or pushing its bodies.

The finger is compliant: its force follows from how far it is from where it is commanded to be, as a
force sensor in its wrist reads it. So the force is known exactly, whatever the simulator's contact
solver does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from autourdf_ros.geometry.rigid_motion import from_translation
from autourdf_ros.simulation.mechanisms.mechanism_drives import DriveRun, Push

Array = NDArray[np.float64]

FINGER = "finger"
_TRIES = 20  # places that are drawn for a push before the finger waits


@dataclass(frozen=True)
class HookedFinger:
    """A finger hooked to a handle, which moves it to and fro between random joint values.

    Attributes:
        body: Name of the body with the handle.
        handle: (3,) in the body's frame (m).
        axis: (3,) of the joint, world.
        pivot: (3,) on it (m); None: the joint is prismatic.
        home: (3,) the handle where the joint value is 0, world (m).
        span: Least and greatest joint value that it commands.
        durations: Least and greatest time of one movement (s).
        stiffness: Of the finger (N/m).
        damping: Of the finger (N s/m).
        offset: (3,) of the finger's centre from the handle, world (m).
    """

    body: str
    handle: Array
    axis: Array
    pivot: Array | None
    home: Array
    span: tuple[float, float]
    durations: tuple[float, float] = (0.7, 1.3)
    stiffness: float = 400.0
    damping: float = 8.0
    offset: Array | None = None
    hold: int = 1
    acts: bool = True

    def start(self, rng: np.random.Generator, model: Any) -> DriveRun:
        """Return the drive of one recording, its waypoints drawn when they are needed."""
        return _HookRun(self, rng)

    def commanded(self, value: float) -> Array:
        """Return (3,) where the handle is at a joint value, world (m)."""
        if self.pivot is None:
            return np.asarray(self.home + value * self.axis)
        turn = np.zeros(9)
        half = np.array([np.cos(value / 2), *(np.sin(value / 2) * self.axis)])
        mujoco.mju_quat2Mat(turn, half)
        return np.asarray(self.pivot + turn.reshape(3, 3) @ (self.home - self.pivot))


class _HookRun:
    def __init__(self, drive: HookedFinger, rng: np.random.Generator) -> None:
        self._drive, self._rng = drive, rng
        self._begin, self._end = 0.0, 0.0
        self._from = self._to = float("nan")

    def push(self, time: float, model: Any, data: Any) -> Push:
        """Return the spring's force on the handle."""
        drive = self._drive
        body, point, jacobian = _point(model, data, drive.body, drive.handle)
        if np.isnan(self._to):
            self._to = float(data.qpos[model.body_dofadr[body]])
        value, speed = self._target(time)
        step = model.opt.timestep
        wanted = drive.commanded(value)
        moving = (drive.commanded(value + speed * step) - wanted) / step
        force = drive.stiffness * (wanted - point) + drive.damping * (moving - jacobian @ data.qvel)
        offset = np.zeros(3) if drive.offset is None else drive.offset
        finger = from_translation(point + offset)
        return Push(jacobian.T @ force, finger, {drive.body: np.stack([point, force])})

    def _target(self, time: float) -> tuple[float, float]:
        """Return joint value and speed of the minimum-jerk movement at `time`."""
        drive, rng = self._drive, self._rng
        while time >= self._end:
            self._from, self._to = self._to, float(rng.uniform(*drive.span))
            self._begin, self._end = self._end, self._end + float(rng.uniform(*drive.durations))
        length = self._end - self._begin
        s, way = (time - self._begin) / length, self._to - self._from
        shape = s**3 * (10 - 15 * s + 6 * s**2)
        return self._from + way * shape, way * 30 * s**2 * (1 - s) ** 2 / length


@dataclass(frozen=True)
class PushingFinger:
    """A finger that comes down beside a body, pushes it sideways and lifts, again and again.

    Attributes:
        bodies: Names of the bodies that it pushes, in a random order that is repeated.
        reach: (len(bodies), 2) half lengths (m) along a body's x and y: where it pushes.
        radius: Of the finger (m).
        height: Of the finger's centre where it pushes (m).
        lift: How far above that it travels (m).
        distance: How far it pushes (m).
        stiffness: Of the contact (N/m).
        damping: Of the contact (N s/m).
        strength: Greatest normal force (N); a robot's finger yields before it breaks something.
        slip: Friction coefficient between finger and body.
        slip_speed: Speed of sliding at which friction is 76 % of its greatest (m/s).
        times: Of travelling, coming down, pushing and lifting (s).
    """

    bodies: tuple[str, ...]
    reach: Array
    radius: float
    height: float
    lift: float = 0.09
    distance: float = 0.09
    stiffness: float = 1500.0
    damping: float = 10.0
    strength: float = 4.0
    slip: float = 0.2
    slip_speed: float = 0.01
    times: tuple[float, float, float, float] = (0.3, 0.15, 0.7, 0.15)
    hold: int = 1
    acts: bool = True

    def start(self, rng: np.random.Generator, model: Any) -> DriveRun:
        """Return the drive of one recording, its pushes drawn when they begin."""
        return _PushRun(self, rng)


class _PushRun:
    def __init__(self, drive: PushingFinger, rng: np.random.Generator) -> None:
        self._drive, self._rng = drive, rng
        self._end = 0.0
        self._knots = np.tile([0.0, 0.0, drive.height + drive.lift], (5, 1))
        self._order, self._count = rng.permutation(len(drive.bodies)), 0

    def push(self, time: float, model: Any, data: Any) -> Push:
        """Return the contact's force on the body that is pushed."""
        if time >= self._end:
            self._plan(model, data)
            self._end = time + sum(self._drive.times)
        centre, velocity = self._position(time - self._end + sum(self._drive.times))
        self._put(model, data, centre)
        names = self._drive.bodies
        contacts = {name: self._contact(model, data, name, velocity) for name in names}
        acting = (_forces(model, data, name, *pushed) for name, pushed in contacts.items())
        return Push(sum(acting, np.zeros(model.nv)), from_translation(centre), contacts)

    def _plan(self, model: Any, data: Any) -> None:
        """Draw the next push where the finger can come down; where it cannot, it waits."""
        drive, start = self._drive, self._knots[-1]
        self._knots = np.tile(start, (5, 1))
        index = int(self._order[self._count % len(self._order)])
        self._count += 1
        for _ in range(_TRIES):
            begin, finish = self._candidate(data, index)
            if self._clearance(model, data, begin) < drive.radius / 4:
                continue
            above = drive.height + drive.lift
            self._knots = np.array([start, begin, begin, finish, finish])
            self._knots[1:, 2] = above, drive.height, drive.height, above
            return

    def _candidate(self, data: Any, index: int) -> tuple[Array, Array]:
        """Draw a side of a body, and where along it; return begin and end of the push."""
        drive, rng = self._drive, self._rng
        pose = data.body(drive.bodies[index])
        turn, (length, width) = pose.xmat.reshape(3, 3), drive.reach[index]
        side = rng.choice([-1.0, 1.0])
        along = rng.choice([-1.0, 1.0]) * rng.uniform(0.4, 0.8) * length
        begin = pose.xpos + turn @ np.array([along, side * (width + 1.5 * drive.radius), 0.0])
        begin[2] = drive.height
        return begin, begin - side * drive.distance * turn[:, 1]

    def _clearance(self, model: Any, data: Any, centre: Array) -> float:
        """Return the least distance (m) of the finger at `centre` from the bodies."""
        geom = self._put(model, data, centre)
        others = [int(model.body(name).geomadr[0]) for name in self._drive.bodies]
        far = 10 * self._drive.radius
        ends = np.zeros(6)
        return min(mujoco.mj_geomDistance(model, data, geom, other, far, ends) for other in others)

    @staticmethod
    def _put(model: Any, data: Any, centre: Array) -> int:
        """Place the finger, and return its number among the geoms."""
        geom = int(model.body(FINGER).geomadr[0])
        data.geom_xpos[geom], data.geom_xmat[geom] = centre, np.eye(3).ravel()
        return geom

    def _position(self, time: float) -> tuple[Array, Array]:
        """Return (3,) centre and velocity of the finger, `time` after the plan began."""
        ends = np.cumsum([0.0, *self._drive.times])
        leg = int(np.clip(np.searchsorted(ends, time, side="right") - 1, 0, 3))
        share = float(np.clip((time - ends[leg]) / self._drive.times[leg], 0, 1))
        way = self._knots[leg + 1] - self._knots[leg]
        smooth = share**2 * (3 - 2 * share)
        speed = 6 * share * (1 - share) / self._drive.times[leg]
        return self._knots[leg] + way * smooth, way * speed

    def _contact(self, model: Any, data: Any, name: str, velocity: Array) -> Array:
        """Return (2, 3) where the finger presses a body (m), and with what force (N)."""
        drive, ends = self._drive, np.zeros(6)
        finger, other = model.body(FINGER).geomadr[0], model.body(name).geomadr[0]
        distance = mujoco.mj_geomDistance(model, data, finger, other, drive.radius, ends)
        point = ends[3:]
        if distance >= 0:
            return np.stack([point, np.zeros(3)])
        normal = ends[:3] - ends[3:]  # inside each other: from the body's face to the finger's end
        normal /= max(float(np.linalg.norm(normal)), 1e-12)
        local = data.body(name).xmat.reshape(3, 3).T @ (point - data.body(name).xpos)
        jacobian = _point(model, data, name, local)[2]
        sliding = velocity - jacobian @ data.qvel
        inward = float(sliding @ normal)
        stiff = -drive.stiffness * distance + drive.damping * inward
        pressing = float(np.clip(stiff, 0.0, drive.strength))
        across = sliding - inward * normal
        speed = float(np.linalg.norm(across))
        share = np.tanh(speed / drive.slip_speed) / max(speed, 1e-12)
        return np.stack([point, pressing * (normal + drive.slip * share * across)])


def _point(model: Any, data: Any, name: str, local: Array) -> tuple[int, Array, Array]:
    """Return a body's number, a point of it in the world (3,), and the point's Jacobian (3, J)."""
    body = model.body(name).id
    point = data.xpos[body] + data.xmat[body].reshape(3, 3) @ local
    jacobian = np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, jacobian, None, point, body)
    return body, point, jacobian


def _forces(model: Any, data: Any, name: str, point: Array, force: Array) -> Array:
    jacobian = np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, jacobian, None, point, model.body(name).id)
    return np.asarray(jacobian.T @ force)

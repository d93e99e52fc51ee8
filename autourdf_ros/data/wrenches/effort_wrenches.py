"""The wrench of a load from the efforts of a robot's joints, for arms without a wrist sensor.

Efforts have noise of equal size at every pose, wrenches do not: w = J⁻ᵀ τ is as noisy as the pose
is near a singular one. So the efforts themselves stay in the recording (`JointLoad`), with friction
and offsets of the joints, which are unknown constants beside the load as a sensor's bias is.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.data.wrenches.pose_motion import (
    MOTION_OPTIONS,
    chosen_filters,
    known_motion,
)
from autourdf_ros.data.wrenches.wrench_recording import GRAVITY, JointLoad, WrenchRecording
from autourdf_ros.errors import InputError

Array = NDArray[np.float64]

_SINGULAR = 1e-3
"""Smallest singular value of the Jacobian over its largest: a physical limit, at singular poses
efforts do not show the wrench."""
_RESTING = 5.0
"""Deviations of a velocity up to which a joint may stand still: a level of significance."""


@dataclass(frozen=True)
class _Joints:
    """Where Pinocchio has the values of J joints; continuous ones have cosine and sine.

    Attributes:
        positions: (J,) places in a configuration.
        rates: (J,) places in a velocity.
        continuous: (J,) whether a joint turns without end.
    """

    positions: NDArray[np.int64]
    rates: NDArray[np.int64]
    continuous: NDArray[np.bool_]

    def configuration(self, neutral: Array, values: Array) -> Array:
        """Return a configuration (nq,) with values (J,), all other joints as in `neutral`."""
        whole, turning = neutral.copy(), self.continuous
        whole[self.positions] = np.where(turning, np.cos(values), values)
        whole[self.positions[turning] + 1] = np.sin(values[turning])
        return whole

    def rate(self, values: Array, size: int) -> Array:
        """Return velocities or accelerations (size,), 0 of all other joints."""
        whole = np.zeros(size)
        whole[self.rates] = values
        return whole


@dataclass(frozen=True)
class _Motion:
    """Motion of the joints.

    Attributes:
        positions, velocities, accelerations: (n, J).
        velocity_std, acceleration_std: (J,) deviations.
        known: (n,) whether no gap between records hides the motion.
    """

    positions: Array
    velocities: Array
    accelerations: Array
    velocity_std: Array
    acceleration_std: Array
    known: NDArray[np.bool_]


@dataclass(frozen=True)
class _Frame:
    """Motion of a frame, along its axes.

    Attributes:
        poses: (n, 4, 4).
        jacobians: (n, 6, J).
        velocities, accelerations: (n, 6) linear, angular; accelerations are dv/dt in the world.
    """

    poses: Array
    jacobians: Array
    velocities: Array
    accelerations: Array


def wrenches_from_efforts(
    efforts: EffortRecording, urdf: Path, frame: str, empty: EffortRecording | None = None
) -> WrenchRecording:
    """Return the load's wrench at a frame of the URDF: Jᵀ w explains what the efforts exceed.

    The robot's own efforts are the URDF's inverse dynamics, friction and offsets of the joints are
    left to be estimated with the load; `empty`, the same motion without the load, replaces both
    where it is given.

    Args:
        efforts: Positions and efforts of the loaded robot.
        urdf: Robot description with masses.
        frame: Link at whose origin the wrench acts.
        empty: The same motion without the load, record by record.

    Raises:
        InputError: names the joint, the frame, or the count of records.
    """
    model, places = _model(urdf, efforts)
    efforts = efforts.unwrapped(np.array(efforts.joints)[places.continuous].tolist())
    if not model.existFrame(frame):
        raise InputError(f"{urdf}: has no link {frame!r}")
    motion, data = _motion(efforts), model.createData()
    moved = _frame(model, data, places, model.getFrameId(frame), motion)
    if empty is None:
        own, friction = _own_efforts(model, data, places, motion), _friction(motion)
    else:
        own = _same_motion(efforts, empty)
        friction = np.zeros((*own.shape, 0))
    # Joints hold the load: their extra effort is minus Jᵀ times the wrench on the flange.
    load = own - efforts.efforts
    kept = motion.known & _shown(moved.jacobians)
    if kept.sum() < 2:
        raise InputError(
            f"{efforts.source}: all poses are singular; accepted are six or more joints"
        )
    joints = JointLoad(moved.jacobians[kept], load[kept], friction[kept])
    inverse = np.linalg.pinv(np.swapaxes(joints.jacobians, 1, 2))
    return WrenchRecording(
        efforts.times[kept],
        moved.poses[kept],
        moved.velocities[kept],
        moved.accelerations[kept],
        np.einsum("nij,nj->ni", inverse, joints.efforts),
        np.array(GRAVITY),
        _acceleration_std(moved, motion),
        source=efforts.source,
        left_out=int((~motion.known).sum()),
        joints=joints,
    )


def _model(urdf: Path, efforts: EffortRecording) -> tuple[Any, _Joints]:
    import pinocchio

    try:
        model = pinocchio.buildModelFromUrdf(str(urdf))
    except Exception as error:  # Pinocchio has errors of its own
        raise InputError(f"{urdf}: cannot be read as a URDF: {error}") from error
    joints = []
    for name in efforts.joints:
        if not model.existJointName(name):
            raise InputError(f"{urdf}: has no joint {name!r}, which {efforts.source} has")
        joint = model.joints[model.getJointId(name)]
        if joint.nv != 1:
            raise InputError(
                f"{urdf}: joint {name!r} has {joint.nv} degrees of freedom; accepted is 1"
            )
        joints.append((joint.idx_q, joint.idx_v, joint.nq == 2))
    positions, rates, continuous = (np.array(column) for column in zip(*joints, strict=True))
    return model, _Joints(positions, rates, continuous)


def _motion(efforts: EffortRecording) -> _Motion:
    least = MOTION_OPTIONS.least
    if len(efforts.times) < least:
        raise InputError(
            f"{efforts.source}: {len(efforts.times)} records; accepted are {least} or more"
        )
    positions, known = efforts.positions, known_motion(efforts.times)
    filters, noise = chosen_filters(efforts.times, tuple(positions.T[..., None]))
    velocities, accelerations = (filters.derivative(positions, order) for order in (1, 2))
    first, second = (filters.gain(order, known) * np.array(noise) for order in (1, 2))
    return _Motion(positions, velocities, accelerations, first, second, known)


def _frame(model: Any, data: Any, places: _Joints, number: int, motion: _Motion) -> _Frame:
    """The motion of a frame by that of the joints.

    Joints follow smoother ways than the frame that all of them move, whose poses would need shorter
    windows to be differentiated in.
    """
    import pinocchio

    neutral, local = pinocchio.neutral(model), pinocchio.ReferenceFrame.LOCAL
    rows = []
    states = zip(motion.positions, motion.velocities, motion.accelerations, strict=True)
    for position, velocity, acceleration in states:
        whole = places.configuration(neutral, position)
        jacobian = pinocchio.computeFrameJacobian(model, data, whole, number, local)
        rates = places.rate(velocity, model.nv), places.rate(acceleration, model.nv)
        pinocchio.forwardKinematics(model, data, whole, *rates)
        rows.append(
            (
                pinocchio.updateFramePlacement(model, data, number).homogeneous.copy(),
                jacobian[:, places.rates],
                pinocchio.getFrameVelocity(model, data, number, local).vector.copy(),
                pinocchio.getFrameClassicalAcceleration(model, data, number, local).vector.copy(),
            )
        )
    poses, jacobians, velocities, accelerations = map(np.array, zip(*rows, strict=True))
    return _Frame(poses, jacobians, velocities, accelerations)


def _acceleration_std(moved: _Frame, motion: _Motion) -> tuple[float, float]:
    """Deviations of an axis' linear (m/s²) and angular (rad/s²) acceleration."""
    variance = (moved.jacobians**2 @ motion.acceleration_std**2).mean(0)
    return float(np.sqrt(variance[:3].mean())), float(np.sqrt(variance[3:].mean()))


def _shown(jacobians: Array) -> NDArray[np.bool_]:
    """Whether the efforts of a pose show the whole wrench."""
    values = np.linalg.svd(jacobians, compute_uv=False)
    if values.shape[1] < 6:
        return np.zeros(len(jacobians), bool)
    return np.asarray(values[:, -1] >= _SINGULAR * values[:, 0])


def _friction(motion: _Motion) -> Array:
    """Efforts (n, J, 3 J) of unit Coulomb friction, viscous friction and offset of each joint.

    Within the noise of its velocity a joint counts as standing still.
    """
    still = _RESTING * motion.velocity_std + np.finfo(float).tiny
    signs = np.clip(motion.velocities / still, -1.0, 1.0)
    units = np.stack([signs, motion.velocities, np.ones_like(signs)], axis=1)
    count, joints = signs.shape
    spread = units[:, None] * np.eye(joints)[:, None]  # (n, J, 3, J)
    return np.asarray(spread.reshape(count, joints, 3 * joints))


def _own_efforts(model: Any, data: Any, places: _Joints, motion: _Motion) -> Array:
    """Efforts (n, J) of the robot alone."""
    import pinocchio

    neutral = pinocchio.neutral(model)
    efforts = []
    states = zip(motion.positions, motion.velocities, motion.accelerations, strict=True)
    for position, velocity, acceleration in states:
        state = places.configuration(neutral, position)
        rates = places.rate(velocity, model.nv), places.rate(acceleration, model.nv)
        efforts.append(pinocchio.rnea(model, data, state, *rates)[places.rates])
    return np.array(efforts)


def _same_motion(efforts: EffortRecording, empty: EffortRecording) -> Array:
    if empty.joints != efforts.joints or len(empty.times) != len(efforts.times):
        raise InputError(
            f"{empty.source}: is not the motion of {efforts.source} without the load; accepted are "
            "the same joints and as many records"
        )
    return empty.efforts

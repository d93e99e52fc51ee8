"""Joint efforts as a linear function of inertial parameters and friction, by Pinocchio.

Atkeson, An, Hollerbach, "Estimation of Inertial Parameters of Manipulator Loads and Links", IJRR
1986. Links that do not move against each other are one body in Pinocchio; here each link keeps its
own ten parameters, whose columns are those of its body, moved.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from scipy.special import erf

from autourdf_ros.errors import InputError
from autourdf_ros.model.inertial.inertial_parameters import PARAMETERS, moving_matrix
from autourdf_ros.model.urdf.urdf_extras import read_mimics

Array = NDArray[np.float64]

RESISTANCES = ("friction", "damping", "armature", "offset")
"""Columns of each joint beside the links': Coulomb and viscous friction, reflected inertia of the
drive, and a constant effort."""


@dataclass(frozen=True)
class JointMotion:
    """n records of J joints: what efforts follow from.

    Attributes:
        positions, velocities, accelerations: (n, J).
        velocity_std, acceleration_std: (J,) standard deviations of their noise.
    """

    positions: Array
    velocities: Array
    accelerations: Array
    velocity_std: Array
    acceleration_std: Array

    @property
    def directions(self) -> Array:
        """(n, J) expected signs of the velocities, which noise blurs where they are small."""
        return np.asarray(erf(self.velocities / np.maximum(np.sqrt(2) * self.velocity_std, 1e-12)))


class TorqueModel:
    """The links that measured joints move, and the matrix of their efforts.

    Columns are ten parameters of each link, in the order of `links`, then the `RESISTANCES` of each
    joint. A joint that mimics another counts for that one; a joint that nobody measured stands
    still at zero, or where its limits come nearest to it.
    """

    def __init__(
        self, urdf: Path, joints: Collection[str], massive: Collection[str] | None = None
    ) -> None:
        """Read the robot.

        Args:
            urdf: The robot.
            joints: Names of the joints that were measured; others of the recording are left out.
            massive: Links that have a mass; None: all that move.

        Raises:
            InputError: it is no usable URDF, or none of the joints moves a link with a mass.
        """
        mimics = read_mimics(urdf)
        try:
            self._model = pin.buildModelFromUrdf(str(urdf))
        except (ValueError, RuntimeError) as error:
            raise InputError(f"{urdf}: not a usable URDF ({str(error).strip()})") from error
        self._data = self._model.createData()
        movable = [
            name
            for number, name in enumerate(self._model.names)
            if number and self._model.joints[number].nv == 1
        ]
        self.joints = tuple(name for name in movable if name in set(joints) - set(mimics))
        self.unmeasured = tuple(name for name in movable if name not in {*joints, *mimics})
        if not self.joints:
            raise InputError(
                f"{urdf}: has none of the joints {', '.join(joints)}; its joints are "
                f"{', '.join(movable)}"
            )
        self._couple(mimics)
        moved = [
            frame
            for frame in self._model.frames
            if frame.type == pin.FrameType.BODY
            and self._moves(frame.parentJoint)
            and (massive is None or frame.name in massive)
        ]
        if not moved:
            raise InputError(f"{urdf}: no link with a shape or a mass moves with these joints")
        self.links = tuple(frame.name for frame in moved)
        self._spread = np.zeros((10 * (self._model.njoints - 1), 10 * len(moved)))
        for number, frame in enumerate(moved):
            body = 10 * (frame.parentJoint - 1)
            self._spread[body : body + 10, 10 * number : 10 * number + 10] = moving_matrix(
                frame.placement.homogeneous
            )

    def _couple(self, mimics: Mapping[str, tuple[str, float, float]]) -> None:
        """Set the matrix and the constant by which all joint values follow from measured ones."""
        self._coupling = np.zeros((self._model.nv, len(self.joints)))
        self._constant = np.zeros(self._model.nv)
        for number in range(1, self._model.njoints):
            name, factor, offset = self._model.names[number], 1.0, 0.0
            for _ in mimics:  # a mimic joint may follow another one
                if name in mimics:
                    name, multiplier, shift = mimics[name]
                    factor, offset = factor * multiplier, offset + factor * shift
            joint = self._model.joints[number]
            if joint.nv != 1:
                continue
            if name in self.joints:
                self._coupling[joint.idx_v, self.joints.index(name)] = factor
                self._constant[joint.idx_v] = offset
            elif joint.nq == 1:
                low, high = (
                    float(limit[joint.idx_q])
                    for limit in (
                        self._model.lowerPositionLimit,
                        self._model.upperPositionLimit,
                    )
                )
                self._constant[joint.idx_v] = np.clip(0.0, low, high)

    def _moves(self, joint: int) -> bool:
        """Whether a measured joint moves this one's body."""
        while joint:
            own = self._model.joints[joint]
            if self._coupling[own.idx_v : own.idx_v + own.nv].any():
                return True
            joint = self._model.parents[joint]
        return False

    @property
    def size(self) -> int:
        """Columns."""
        return 10 * len(self.links) + len(RESISTANCES) * len(self.joints)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns, such as `m elbow` and `damping shoulder_joint`."""
        inertial = [f"{one} {link}" for link in self.links for one in PARAMETERS]
        return (*inertial, *(f"{one} {joint}" for joint in self.joints for one in RESISTANCES))

    @property
    def limits(self) -> tuple[Array, Array, Array]:
        """(J,) lower and upper positions and largest velocities, infinite where none is stated."""
        places = [
            (joint.idx_q, joint.idx_v) if joint.nq == 1 else (-1, joint.idx_v)
            for joint in (self._model.joints[self._model.getJointId(name)] for name in self.joints)
        ]
        lower = [self._model.lowerPositionLimit[q] if q >= 0 else -np.pi for q, _ in places]
        upper = [self._model.upperPositionLimit[q] if q >= 0 else np.pi for q, _ in places]
        speed = [self._model.velocityLimit[v] or np.inf for _, v in places]
        return np.array(lower), np.array(upper), np.array(speed)

    @property
    def continuous(self) -> tuple[str, ...]:
        """Names of the joints that turn without end."""
        joints = self._model.joints
        return tuple(one for one in self.joints if joints[self._model.getJointId(one)].nq == 2)

    @property
    def effort_limits(self) -> Array:
        """(J,) largest efforts of the drives (N m or N), infinite where the URDF states none."""
        joints = [self._model.joints[self._model.getJointId(name)] for name in self.joints]
        return np.array([self._model.effortLimit[one.idx_v] or np.inf for one in joints])

    def regressor(self, motion: JointMotion) -> Array:
        """Return the matrix (n, J, size) of a motion's efforts."""
        count, joints, inertial = len(motion.positions), len(self.joints), 10 * len(self.links)
        matrix = np.zeros((count, joints, self.size))
        values = motion.positions @ self._coupling.T + self._constant
        rates, rises = (
            given @ self._coupling.T for given in (motion.velocities, motion.accelerations)
        )
        configurations = self._configurations(values)
        for record in range(count):  # Pinocchio takes one state at a time
            own = pin.computeJointTorqueRegressor(
                self._model, self._data, configurations[record], rates[record], rises[record]
            )
            matrix[record, :, :inertial] = self._coupling.T @ (own @ self._spread)
        each = np.arange(joints)
        columns = (
            motion.directions,
            motion.velocities,
            motion.accelerations,
            np.ones_like(motion.velocities),
        )
        for place, values in enumerate(columns):
            matrix[:, each, inertial + len(RESISTANCES) * each + place] = values
        return matrix

    def mass_matrices(self, positions: Array, parameters: Array) -> Array:
        """Return the joint-space inertia (n, J, J), armature included, by columns of regressors.

        Args:
            positions: (n, J).
            parameters: (size,).
        """
        inertial = 10 * len(self.links)
        bodies = (self._spread @ parameters[:inertial]).reshape(-1, 10)
        for number, own in enumerate(bodies, start=1):
            self._model.inertias[number] = (
                pin.Inertia.FromDynamicParameters(own) if own[0] > 0 else pin.Inertia.Zero()
            )
        armature = parameters[inertial:].reshape(-1, len(RESISTANCES))[:, 2]
        found = np.empty((len(positions), self._model.nv, self._model.nv))
        values = positions @ self._coupling.T + self._constant
        for record, configuration in enumerate(self._configurations(values)):
            found[record] = pin.crba(self._model, self._data, configuration)
        upper = np.triu(found)  # Pinocchio promises no more
        found = upper + np.swapaxes(np.triu(upper, 1), -1, -2)
        return np.asarray(self._coupling.T @ found @ self._coupling + np.diag(armature))

    def _configurations(self, values: Array) -> Array:
        """Pinocchio's configurations (n, nq): continuous joints by cosine and sine."""
        found = np.tile(pin.neutral(self._model), (len(values), 1))
        for joint in list(self._model.joints)[1:]:
            if joint.nv == 1 and joint.nq == 2:
                angle = values[:, joint.idx_v]
                found[:, joint.idx_q], found[:, joint.idx_q + 1] = np.cos(angle), np.sin(angle)
            elif joint.nv == 1:
                found[:, joint.idx_q] = values[:, joint.idx_v]
        return found

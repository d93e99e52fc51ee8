"""The simulated robot: kinematics and self-collision from a URDF, with Pinocchio and Coal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.body_surfaces import body_surfaces
from autourdf_ros.model.urdf.robot_library import package_directories
from autourdf_ros.model.urdf.urdf_extras import disabled_collisions, read_mimics

JointKind = Literal["revolute", "continuous", "prismatic"]

_SAMPLES, _NEARLY_ALWAYS = 40, 0.95


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: value = multiplier * value of `joint` + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class SimulatedJoint:
    """One moving joint; its child body's number is its own place in the list plus one.

    Attributes:
        parent: Number of the parent body, 0 the fixed one.
        axis: (3,) unit, in the joint's frame.
        lower, upper: rad or m; for a continuous joint -pi and pi, where random targets are drawn.
        velocity: Limit in rad/s or m/s, infinite where the URDF gives none.
    """

    name: str
    kind: JointKind
    parent: int
    axis: NDArray[np.float64]
    lower: float
    upper: float
    velocity: float
    mimic: Mimic | None = None


class SimulatedRobot:
    """Bodies are what moves as one: links joined by fixed joints; body 0 is the fixed one.

    Not a `KinematicTree`: any URDF with floating or planar joints, and collisions by Coal.

    Joints that are neither revolute, continuous nor prismatic, and joints without any range, are
    held at their neutral position. `values` below are always (J,), one for each of `joints`.
    The fixed frame is the URDF's root link. `model` is Pinocchio's, of `joints` and in their order.
    """

    def __init__(self, urdf: Path) -> None:
        """Read the robot. Raises InputError naming the file where it cannot be used."""
        self.urdf = urdf
        self.name = urdf.stem
        # Read before Pinocchio, whose parser writes lines of its own about XML that is broken.
        mimics = read_mimics(urdf)
        model, visual, collision = _read(urdf)
        self.model, (visual, self._collision) = _without_immovable(model, visual, collision)
        self._data = self.model.createData()
        self.joints = _joints(self.model, mimics)
        if not self.joints:
            raise InputError(
                f"{urdf}: has no revolute, continuous or prismatic joint that can move"
            )
        self.driven = np.array([joint.mimic is None for joint in self.joints])
        self.surfaces = body_surfaces(visual, self.model.njoints)
        self.links = _link_names(self.model)
        self._prepare_collision()

    @property
    def lower(self) -> NDArray[np.float64]:
        """(J,) lower limits, rad or m."""
        return np.array([joint.lower for joint in self.joints])

    @property
    def upper(self) -> NDArray[np.float64]:
        """(J,) upper limits, rad or m."""
        return np.array([joint.upper for joint in self.joints])

    @property
    def names(self) -> list[str]:
        """Joint names, in the order of values."""
        return [joint.name for joint in self.joints]

    @property
    def neutral(self) -> NDArray[np.float64]:
        """(J,) zero, or the nearest value within the limits."""
        return self.follow_mimics(np.clip(0.0, self.lower, self.upper))

    def follow_mimics(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values with every mimic joint set by the joint that it follows."""
        values = np.array(values, dtype=np.float64)
        for _ in self.joints:  # a mimic joint may follow another one
            before = values.copy()
            for index, joint in enumerate(self.joints):
                if joint.mimic is not None and joint.mimic.joint in self.names:
                    source = values[self.names.index(joint.mimic.joint)]
                    values[index] = joint.mimic.multiplier * source + joint.mimic.offset
            if np.array_equal(before, values):
                break
        return values

    def body_poses(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the (J + 1, 4, 4) pose of every body in the fixed frame, the fixed body first."""
        data = self.model.createData()  # of its own, so that several threads may ask
        pin.forwardKinematics(self.model, data, self.configuration(values))
        return np.stack([placement.homogeneous for placement in data.oMi])

    def axis_lines(
        self, values: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return ((J, 3) unit axes, (J, 3) joint origins in metres), both in the fixed frame."""
        poses = self.body_poses(values)[1:]
        axes = np.array([joint.axis for joint in self.joints])
        return np.einsum("jab,jb->ja", poses[:, :3, :3], axes), poses[:, :3, 3].copy()

    def colliding_links(self, values: NDArray[np.float64]) -> tuple[str, str] | None:
        """Return the names of two parts of the robot that collide, or None where none do."""
        hit = pin.computeCollisions(
            self.model,
            self._data,
            self._collision,
            self._collisions_data,
            self.configuration(values),
            True,
        )
        if not hit:
            return None
        # The search stopped at the first hit; what comes after it in the results is old.
        pairs = zip(
            self._collision.collisionPairs, self._collisions_data.collisionResults, strict=True
        )
        pair = next(pair for pair, result in pairs if result.isCollision())
        objects = self._collision.geometryObjects
        return objects[pair.first].name, objects[pair.second].name

    def vertices(self, values: NDArray[np.float64], *, moving: bool = False) -> NDArray[np.float64]:
        """Return (N, 3) hull vertices (m) of all, or only the moving, bodies in the fixed frame."""
        poses = self.body_poses(values)
        return np.concatenate(
            [np.empty((0, 3))]
            + [
                surface.hull @ pose[:3, :3].T + pose[:3, 3]
                for body, (surface, pose) in enumerate(zip(self.surfaces, poses, strict=True))
                if surface is not None and (body or not moving)
            ]
        )

    def configuration(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return Pinocchio's configuration (nq,): continuous joints by cosine and sine."""
        q = pin.neutral(self.model)
        for joint, value in zip(list(self.model.joints)[1:], values, strict=True):
            if joint.nq == 2:
                q[joint.idx_q : joint.idx_q + 2] = np.cos(value), np.sin(value)
            else:
                q[joint.idx_q] = value
        return q

    def _prepare_collision(self) -> None:
        """Choose the pairs to check, as MoveIt's setup assistant does.

        Left out: neighbours, pairs that the SRDF disables, pairs that touch in the neutral
        configuration, and those that touch nearly always.
        """
        collision = self._collision
        collision.addAllCollisionPairs()
        disabled = disabled_collisions(self.urdf)
        movable = [not self._may_touch(pair, disabled) for pair in collision.collisionPairs]
        self._keep_pairs(np.array(movable, dtype=bool))
        self._keep_pairs(~self._touching(self.neutral))
        rng = np.random.default_rng(0)
        samples = [
            self._touching(self.follow_mimics(rng.uniform(self.lower, self.upper)))
            for _ in range(_SAMPLES)
        ]
        self._keep_pairs(np.mean(samples, axis=0) < _NEARLY_ALWAYS)

    def _touching(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """(P,) whether each collision pair touches."""
        pin.computeCollisions(
            self.model,
            self._data,
            self._collision,
            self._collisions_data,
            self.configuration(values),
            False,
        )
        results = self._collisions_data.collisionResults
        return np.array([result.isCollision() for result in results], dtype=bool)

    def _may_touch(self, pair: pin.CollisionPair, disabled: set[frozenset[str]]) -> bool:
        objects = [self._collision.geometryObjects[index] for index in (pair.first, pair.second)]
        first, second = (item.parentJoint for item in objects)
        parents = self.model.parents
        links = frozenset(self.model.frames[item.parentFrame].name for item in objects)
        return parents[first] == second or parents[second] == first or links in disabled

    def _keep_pairs(self, kept: NDArray[np.bool_]) -> None:
        numbers = [(pair.first, pair.second) for pair in self._collision.collisionPairs]
        self._collision.removeAllCollisionPairs()
        for pair, keep in zip(numbers, kept, strict=True):
            if keep:
                self._collision.addCollisionPair(pin.CollisionPair(*pair))
        self._collisions_data = pin.GeometryData(self._collision)


def _read(urdf: Path) -> tuple[pin.Model, pin.GeometryModel, pin.GeometryModel]:
    directories = package_directories(urdf)
    try:
        model = pin.buildModelFromUrdf(str(urdf))
        geometries = [
            pin.buildGeomFromUrdf(model, str(urdf), kind, package_dirs=directories)
            for kind in (pin.VISUAL, pin.COLLISION)
        ]
    except (ValueError, RuntimeError) as error:
        raise InputError(f"{urdf}: not a usable URDF ({str(error).strip()})") from error
    return model, geometries[0], geometries[1]


def _without_immovable(
    model: pin.Model, *geometries: pin.GeometryModel
) -> tuple[pin.Model, list[pin.GeometryModel]]:
    """Weld the joints of other types and those without any range."""
    immovable = [
        index
        for index in range(1, model.njoints)
        if _kind(model.joints[index]) is None
        or (model.joints[index].nq == 1 and _range(model, index)[1] <= _range(model, index)[0])
    ]
    if not immovable:
        return model, list(geometries)
    reduced, reduced_geometries = pin.buildReducedModel(
        model, list(geometries), immovable, pin.neutral(model)
    )
    return reduced, list(reduced_geometries)


def _kind(joint: pin.JointModel) -> JointKind | None:
    name = joint.shortname()
    if name.startswith(("JointModelRUB", "JointModelRevoluteUnbounded")):
        return "continuous"
    if joint.nv != 1 or joint.nq != 1:
        return None
    return "prismatic" if name.startswith("JointModelP") else "revolute"


def _range(model: pin.Model, index: int) -> tuple[float, float]:
    place = model.joints[index].idx_q
    return float(model.lowerPositionLimit[place]), float(model.upperPositionLimit[place])


def _joints(model: pin.Model, mimics: dict[str, tuple[str, float, float]]) -> list[SimulatedJoint]:
    data = model.createData()
    joints = []
    for index in range(1, model.njoints):
        name, kind = model.names[index], _kind(model.joints[index])
        assert kind is not None
        lower, upper = (-np.pi, np.pi) if kind == "continuous" else _range(model, index)
        pin.computeJointJacobians(model, data, pin.neutral(model))
        jacobian = pin.getJointJacobian(model, data, index, pin.ReferenceFrame.LOCAL)
        motion = jacobian.reshape(6, model.nv)[:, model.joints[index].idx_v]
        axis = motion[:3] if kind == "prismatic" else motion[3:]
        velocity = float(model.velocityLimit[model.joints[index].idx_v])
        joints.append(
            SimulatedJoint(
                name,
                kind,
                int(model.parents[index]),
                np.array(axis),
                lower,
                upper,
                velocity if velocity > 0 else np.inf,
                Mimic(*mimics[name]) if name in mimics else None,
            )
        )
    return joints


def _link_names(model: pin.Model) -> list[list[str]]:
    names: list[list[str]] = [[] for _ in range(model.njoints)]
    for frame in model.frames:
        if frame.type == pin.FrameType.BODY:
            names[frame.parentJoint].append(frame.name)
    return names

"""What may change, as parameters, and how each moves what the cameras see of every segment.

Every cause is a few parameters; to first order the segments' twists are linear in them. A joint's
zero moves all that it carries about its axis, a camera's pose all that this camera sees, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.articulation import (
    Articulation,
    body_poses,
    jacobians,
    move_lines,
)
from autourdf_ros.geometry.rigid_motion import adjoint, exp_se3, from_translation, inverse, log_se3
from autourdf_ros.monitoring.change import ChangeKind
from autourdf_ros.monitoring.observing.observation_comparison import CroppedObservation
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

Array = NDArray[np.float64]

ZERO_STD = np.radians(0.05)  # rad: how well a zero is known without a change
SLIDE_ZERO_STD = 0.0005  # m
AXIS_STD = np.radians(0.1), 0.0003  # rad, m: beside what the model knows of its own errors
CAMERA_STD = np.radians(0.2), 0.003  # rad, m
LATENCY_STD = 0.02  # s: how old clouds are beyond their stamps, without a change
LATENCY_CHANGED = 0.1  # s
CHANGED = np.radians(3.0), 0.02  # rad, m: how far what has changed may be off
_ACROSS = 0.003  # m: a link's shift across its own way that is as unlikely as one at a joint
_LEAST_WAY = 0.01  # m: of a segment that has a direction


@dataclass(frozen=True)
class Cause:
    """columns: of its parameters. known, changed: their standard deviations without and with it.

    at_joint: whether it is a link that is off where a joint holds it, not between its joints. way:
    (3,) from one end of its segment to the other (m); None of what is no link, or has no direction.
    """

    kind: ChangeKind
    subject: str
    columns: slice
    known: Array
    changed: Array
    at_joint: bool = False
    way: Array | None = None

    @property
    def named(self) -> tuple[ChangeKind, str]:
        """Kind and subject."""
        return self.kind, self.subject

    @property
    def complexity(self) -> int:
        """Number of its parameters; of an axis as of a link.

        A link is bent far more often than an axis alone changes, which is like it while its joint
        hardly moves.
        """
        return 6 if self.kind == "joint_axis" else len(self.changed)

    def unlikeliness(self, parameters: Array) -> float:
        """Of these (K,) parameters beforehand, against others that explain the same.

        One for an axis, and for a link that is off where joints hold it, since that is told of two
        links; and more the farther a link is shifted across its own way: links are bent and get
        other lengths, but are seldom sheared. It may be bent a segment's length beside the place
        that it is told of.
        """
        if self.way is None:
            return float(self.at_joint or self.kind == "joint_axis")
        turn, shift = parameters[:3], parameters[3:]
        across = shift - self.way * (self.way @ shift) / (self.way @ self.way)
        swing = np.cross(turn, self.way)
        beside = float(np.clip(-(across @ swing) / max(float(swing @ swing), 1e-18), -1.0, 1.0))
        return self.at_joint + float(np.linalg.norm(across + beside * swing) / _ACROSS) ** 2


class Break(NamedTuple):
    """Where a link may be off: on its body, from the segment of this order on.

    place: (3,) m, at the reference. way: (3,) of the segment that begins or ends there.
    """

    body: int
    order: int
    place: Array
    at_joint: bool
    way: Array


@dataclass(frozen=True, eq=False)
class Causes:
    """All causes of one model before the cameras of these names. P parameters together."""

    model: WatchedModel
    cameras: tuple[str, ...]

    @cached_property
    def breaks(self) -> list[Break]:
        """Where a link may be off."""
        found = list[Break]()
        bodies = self.model.segment_body
        parents = self.model.articulation.parents
        for number, segment in enumerate(self.model.segments):
            if segment.body or segment.order:
                at_joint = not segment.order
                found.append(
                    Break(segment.body, segment.order, segment.start, at_joint, segment.way)
                )
            last = number + 1 == len(bodies) or bodies[number + 1] != segment.body
            if last and (parents == segment.body).any():
                end = self.model.places[parents == segment.body].mean(axis=0)
                found.append(Break(segment.body, segment.order + 1, end, True, segment.way))
        return found

    @cached_property
    def table(self) -> tuple[Cause, ...]:
        """The causes, in the order of their columns."""
        model, found = self.model, list[Cause]()
        turn, shift = CHANGED
        pose = np.repeat([turn, shift], 3)

        def add(
            kind: ChangeKind, subject: str, known: Array, changed: Array, at: Break | None = None
        ) -> None:
            first = found[-1].columns.stop if found else 0
            columns = slice(first, first + len(known))
            way = None if at is None or np.linalg.norm(at.way) < _LEAST_WAY else at.way
            at_joint = at is not None and at.at_joint
            found.append(Cause(kind, subject, columns, known, changed, at_joint, way))

        for motor, turns in zip(model.motors, self._motor_turns, strict=True):
            known = ZERO_STD if turns else SLIDE_ZERO_STD
            add("joint_zero", motor, np.array([known]), np.array([turn if turns else shift]))
        # A slide has no line.
        axes = np.hypot(model.line_std, AXIS_STD) * (model.line_std > 0)
        for joint, std in zip(model.joints, axes, strict=True):
            add("joint_axis", joint, np.repeat(std, 2), np.repeat([turn, shift], 2))
        for camera in self.cameras:
            add("camera_pose", camera, np.repeat(CAMERA_STD, 3), pose)
            add("camera_latency", camera, np.array([LATENCY_STD]), np.array([LATENCY_CHANGED]))
        add("base_pose", model.links[0], np.zeros(6), pose)
        for one in self.breaks:
            add("link_shape", model.links[one.body], np.zeros(6), pose, one)
        return tuple(found)

    @property
    def count(self) -> int:
        """P."""
        return self.table[-1].columns.stop

    @cached_property
    def known(self) -> Array:
        """(P,) standard deviations without a change."""
        return np.concatenate([cause.known for cause in self.table])

    def twists(self, look: CroppedObservation) -> Array:
        """(S, 6, P) by which each segment is seen off, per unit of each parameter.

        In the segment's body's frame at the reference, as the sums of the comparison are.
        """
        model = self.model
        poses, values = look.poses, look.values[None]
        joints = len(model.joints)
        own, lines = jacobians(model.articulation, values, np.eye(4)[None])
        bodies = len(poses)
        turned = own[0][..., :joints]
        columns = [turned @ model.gear, lines[0]]
        # Where it was, as long ago as the latency.
        earlier = -(turned @ look.rates)[..., None]
        for camera in self.cameras:
            here = float(camera == look.camera)
            seen = -here * adjoint(look.camera_pose)
            columns += [np.broadcast_to(seen, (bodies, 6, 6)), here * earlier]
        columns.append(np.broadcast_to(np.eye(6), (bodies, 6, 6)))
        back = adjoint(inverse(poses))
        at_bodies = back @ np.concatenate(columns, axis=-1)
        places = from_translation(np.stack([one.place for one in self.breaks]))
        carriers = np.array([one.body for one in self.breaks])
        of_breaks = back[:, None] @ adjoint(poses[carriers] @ places)[None]
        moved = self._beyond[:, :, None, None] * of_breaks[model.segment_body]
        return np.concatenate(
            [at_bodies[model.segment_body], np.moveaxis(moved, 1, 2).reshape(len(moved), 6, -1)],
            axis=-1,
        )

    @cached_property
    def axes(self) -> tuple[Cause, ...]:
        """Those of the joints' axes, in the joints' order."""
        return tuple(cause for cause in self.table if cause.kind == "joint_axis")

    def moved_axes(self, parameters: Array) -> Articulation:
        """The model's joints with their axes where parameters (P,) have them."""
        steps = np.reshape([parameters[cause.columns] for cause in self.axes], (-1, 4))
        return move_lines(self.model.articulation, steps)

    def displacements(self, look: CroppedObservation, parameters: Array) -> Array:
        """(S, 6) twists by which each segment is seen off: by axes exactly, else as `twists`.

        An axis that is off by degrees bends what it carries out of the tangent by a millimetre.
        """
        others = parameters.copy()
        for cause in self.axes:
            others[cause.columns] = 0.0
        poses = body_poses(self.moved_axes(parameters), look.values, np.eye(4))
        turned = (inverse(look.poses) @ poses)[self.model.segment_body]
        return log_se3(exp_se3(self.twists(look) @ others) @ turned)

    @cached_property
    def _beyond(self) -> NDArray[np.bool_]:
        """(S, K) whether a segment is beyond a break."""
        ancestors = self.model.articulation.ancestors
        result = np.zeros((len(self.model.segments), len(self.breaks)), bool)
        for number, segment in enumerate(self.model.segments):
            for column, one in enumerate(self.breaks):
                if segment.body == one.body:
                    result[number, column] = segment.order >= one.order
                else:
                    result[number, column] = not one.body or ancestors[segment.body, one.body - 1]
        return result

    @cached_property
    def _motor_turns(self) -> list[bool]:
        leading = np.abs(self.model.gear).argmax(axis=0)
        return [bool(self.model.articulation.revolute[joint]) for joint in leading]

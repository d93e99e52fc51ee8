"""What may change, as parameters, and how each displaces the segments that the cameras see.

Every cause has a few parameters; to first order the segments' twists are linear in them. A joint's
zero displaces everything beyond the joint about its axis, a camera's pose everything that this
camera sees, and so on.
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
from autourdf_ros.monitoring.observing.hanging_load import HangingLoad, hanging_loads
from autourdf_ros.monitoring.observing.observation_comparison import CroppedObservation
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

Array = NDArray[np.float64]

ZERO_STD = np.radians(0.05)  # rad: how well a zero is known without a change
SLIDE_ZERO_STD = 0.0005  # m
AXIS_STD = np.radians(0.1), 0.0003  # rad, m: added to the model's own standard deviations
CAMERA_STD = np.radians(0.2), 0.003  # rad, m
LATENCY_STD = 0.02  # s: age of clouds beyond their stamps without a change
LATENCY_CHANGED = 0.1  # s
CHANGED = np.radians(3.0), 0.02  # rad, m: standard deviations of a change
_ACROSS = 0.003  # m: shift across a link's span that is as unlikely as a displacement at a joint
_LEAST_SPAN = 0.01  # m: of a segment that has a direction


@dataclass(frozen=True)
class Cause:
    """One cause of a displacement.

    Attributes:
        kind: As in `Change`.
        subject: As in `Change`.
        columns: Of its parameters.
        known: (K,) standard deviations of the parameters without a change.
        changed: (K,) standard deviations with a change.
        at_joint: Whether a link is displaced where a joint holds it, and not between its joints.
        span: (3,) from one end of the cause's segment to the other (m); None where the cause is no
            link's shape, or the segment has no direction.
    """

    kind: ChangeKind
    subject: str
    columns: slice
    known: Array
    changed: Array
    at_joint: bool = False
    span: Array | None = None

    @property
    def named(self) -> tuple[ChangeKind, str]:
        """Kind and subject."""
        return self.kind, self.subject

    @property
    def complexity(self) -> int:
        """Number of its parameters; an axis counts as a link's shape.

        A link is bent far more often than an axis alone changes, and both are similar while the
        axis' joint hardly moves.
        """
        return 6 if self.kind == "joint_axis" else len(self.changed)

    def unlikeliness(self, parameters: Array) -> float:
        """Return the prior penalty of (K,) parameters against others that explain the same.

        It is 1 for an axis, and for a link that is displaced at its joint, which two links may
        explain. It grows with the square of the link's shift across its own span: links are bent
        and get other lengths, but are seldom sheared. A bend may be a segment's length beside the
        reported place.
        """
        if self.span is None:
            return float(self.at_joint or self.kind == "joint_axis")
        turn, shift = parameters[:3], parameters[3:]
        across = shift - self.span * (self.span @ shift) / (self.span @ self.span)
        swing = np.cross(turn, self.span)
        beside = float(np.clip(-(across @ swing) / max(float(swing @ swing), 1e-18), -1.0, 1.0))
        return self.at_joint + float(np.linalg.norm(across + beside * swing) / _ACROSS) ** 2


class Break(NamedTuple):
    """A place from which a link may be displaced.

    Attributes:
        body: Number of the link's body.
        order: First displaced segment of the body.
        place: (3,) at the reference (m).
        at_joint: Whether a joint holds the link there.
        span: (3,) of the segment that begins or ends there (m).
    """

    body: int
    order: int
    place: Array
    at_joint: bool
    span: Array


@dataclass(frozen=True, eq=False)
class Causes:
    """All causes of one model before some cameras, with P parameters together."""

    model: WatchedModel
    cameras: tuple[str, ...]

    @cached_property
    def breaks(self) -> list[Break]:
        """Places from which links may be displaced."""
        found = list[Break]()
        bodies = self.model.segment_body
        parents = self.model.articulation.parents
        for number, segment in enumerate(self.model.segments):
            if segment.body or segment.order:
                at_joint = not segment.order
                found.append(
                    Break(segment.body, segment.order, segment.start, at_joint, segment.span)
                )
            last = number + 1 == len(bodies) or bodies[number + 1] != segment.body
            if last and (parents == segment.body).any():
                end = self.model.places[parents == segment.body].mean(axis=0)
                found.append(Break(segment.body, segment.order + 1, end, True, segment.span))
        return found

    @cached_property
    def loads(self) -> list[HangingLoad]:
        """Loads to which the joints may yield."""
        return hanging_loads(self.model)

    @cached_property
    def table(self) -> tuple[Cause, ...]:
        """The causes in the order of their columns."""
        model, found = self.model, list[Cause]()
        turn, shift = CHANGED
        pose = np.repeat([turn, shift], 3)

        def add(
            kind: ChangeKind, subject: str, known: Array, changed: Array, at: Break | None = None
        ) -> None:
            first = found[-1].columns.stop if found else 0
            columns = slice(first, first + len(known))
            span = None if at is None or np.linalg.norm(at.span) < _LEAST_SPAN else at.span
            at_joint = at is not None and at.at_joint
            found.append(Cause(kind, subject, columns, known, changed, at_joint, span))

        stated = model.transmission.zero_std
        for number, (motor, joint) in enumerate(zip(model.motors, self._led_joints, strict=True)):
            turns = bool(model.articulation.revolute[joint])
            known = ZERO_STD if turns else SLIDE_ZERO_STD
            if stated is not None:
                known = float(np.hypot(known, stated[number]))
            changed = np.array([turn if turns else shift])
            add("joint_zero", motor, np.array([known]), changed)
        # A slide has no line.
        axes = np.hypot(model.line_std, AXIS_STD) * (model.line_std > 0)
        for joint, std in zip(model.joints, axes, strict=True):
            add("joint_axis", joint, np.repeat(std, 2), np.repeat([turn, shift], 2))
        for camera in self.cameras:
            add("camera_pose", camera, np.repeat(CAMERA_STD, 3), pose)
            add("camera_latency", camera, np.array([LATENCY_STD]), np.array([LATENCY_CHANGED]))
        add("base_pose", model.links[0], np.zeros(6), pose)
        for load in self.loads:
            add("sag", model.links[load.body], np.zeros(3), np.repeat(turn, 3))
        for one in self.breaks:
            add("link_shape", model.links[one.body], np.zeros(6), pose, one)
        return tuple(found)

    @property
    def count(self) -> int:
        """P, the number of parameters."""
        return self.table[-1].columns.stop

    @cached_property
    def known(self) -> Array:
        """(P,) standard deviations without a change."""
        return np.concatenate([cause.known for cause in self.table])

    def twists(self, observation: CroppedObservation) -> Array:
        """Return the (S, 6, P) derivatives of the segments' twists by the parameters.

        Twists are in the frame of the segment's body at the reference, as in `Comparison`.
        """
        model = self.model
        poses, values = observation.poses, observation.values[None]
        joints = len(model.joints)
        own, lines = jacobians(model.articulation, values, np.eye(4)[None])
        bodies = len(poses)
        turned = own[0][..., :joints]
        columns = [turned @ model.gear, lines[0]]
        # The motion within the latency.
        earlier = -(turned @ observation.rates)[..., None]
        for camera in self.cameras:
            here = float(camera == observation.camera)
            seen = -here * adjoint(observation.camera_pose)
            columns += [np.broadcast_to(seen, (bodies, 6, 6)), here * earlier]
        columns.append(np.broadcast_to(np.eye(6), (bodies, 6, 6)))
        columns += [turned @ load.turns(turned[load.body], poses[load.body]) for load in self.loads]
        back = adjoint(inverse(poses))
        at_bodies = back @ np.concatenate(columns, axis=-1)
        places = from_translation(np.stack([one.place for one in self.breaks]))
        holders = np.array([one.body for one in self.breaks])
        of_breaks = back[:, None] @ adjoint(poses[holders] @ places)[None]
        moved = self._beyond[:, :, None, None] * of_breaks[model.segment_body]
        return np.concatenate(
            [at_bodies[model.segment_body], np.moveaxis(moved, 1, 2).reshape(len(moved), 6, -1)],
            axis=-1,
        )

    @cached_property
    def axes(self) -> tuple[Cause, ...]:
        """The causes of kind joint_axis, in the joints' order."""
        return tuple(cause for cause in self.table if cause.kind == "joint_axis")

    def moved_axes(self, parameters: Array) -> Articulation:
        """Return the model's joints with their axes moved by parameters (P,)."""
        steps = np.reshape([parameters[cause.columns] for cause in self.axes], (-1, 4))
        return move_lines(self.model.articulation, steps)

    def displacements(self, observation: CroppedObservation, parameters: Array) -> Array:
        """Return the (S, 6) twists of the segments: exact for the axes, linear for all else.

        An axis that is off by degrees moves links out of the tangent by a millimetre.
        """
        others = parameters.copy()
        for cause in self.axes:
            others[cause.columns] = 0.0
        poses = body_poses(self.moved_axes(parameters), observation.values, np.eye(4))
        turned = (inverse(observation.poses) @ poses)[self.model.segment_body]
        return log_se3(exp_se3(self.twists(observation) @ others) @ turned)

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
    def _led_joints(self) -> NDArray[np.int64]:
        """(D,) joint that each motor moves most."""
        return np.abs(self.model.gear).argmax(axis=0)

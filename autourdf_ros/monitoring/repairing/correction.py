"""The few numbers of a model that a change replaces; all others are kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.joint_fit import normalise
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, move_lines
from autourdf_ros.geometry.rigid_motion import adjoint, exp_se3, from_translation, transform
from autourdf_ros.monitoring.diagnosis.causes import Cause, Causes
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cut:
    """A place of a body beyond which everything has moved, in the base frame at the reference.

    Attributes:
        body: Number of the body.
        place: (3,) m.
        span: (3,) through the body, away from the joint that moves it; zero where the whole body
            has moved, None where only its children have.
        motion: (4, 4) of everything beyond.
    """

    body: int
    place: Array
    span: Array | None
    motion: Array

    def beyond(self, vertices: Array) -> NDArray[np.bool_]:
        """Return which of the body's (N, 3) vertices have moved."""
        if self.span is None:
            return np.zeros(len(vertices), bool)
        return np.asarray((vertices - self.place) @ self.span >= 0)


@dataclass(frozen=True, eq=False)
class Correction:
    """What is replaced.

    Attributes:
        offsets: (J,) by which the true joint values exceed the model's (rad or m).
        lines: The corrected axes.
        cut: Where a body's shape changed; None without such a change.
    """

    offsets: Array
    lines: Articulation
    cut: Cut | None = None


def correction_of(causes: Causes, cause: Cause, parameters: Array) -> Correction:
    """Return the correction by a cause with (K,) parameters; those of cameras and a sag: none."""
    model = causes.model
    joints = len(model.joints)
    nothing = Correction(np.zeros(joints), model.articulation)
    if cause.kind == "joint_zero":
        motor = model.motors.index(cause.subject)
        return replace(nothing, offsets=model.gear[:, motor] * parameters[0])
    if cause.kind == "joint_axis":
        steps = np.zeros((joints, 4))
        steps[model.joints.index(cause.subject)] = parameters
        return replace(nothing, lines=move_lines(model.articulation, steps))
    if cause.kind == "base_pose":
        return _with_cut(model, Cut(0, np.zeros(3), np.zeros(3), exp_se3(parameters)))
    if cause.kind == "link_shape":
        return _with_cut(model, _cut(causes, cause, parameters))
    return nothing


def corrected(model: WatchedModel, correction: Correction) -> WatchedModel:
    """Return the corrected model in the old reference configuration.

    Values since the reference are larger by the offsets: the same readings give another pose.
    """
    vertices, segments = model.vertices, model.segments
    cut = correction.cut
    if cut is not None:
        bodies = model.segment_body[model.vertex_segment]
        moved = moved_bodies(model.articulation, cut.body)[bodies]
        own = bodies == cut.body
        moved[own] = cut.beyond(vertices[own])
        vertices = np.where(moved[:, None], transform(cut.motion, vertices), vertices)
    return replace(
        model,
        articulation=correction.lines,
        transmission=replace(
            model.transmission, offset=model.transmission.offset + correction.offsets
        ),
        vertices=vertices,
        segments=segments,
    )


def moved_bodies(lines: Articulation, body: int) -> NDArray[np.bool_]:
    """Return (B,) whether a body is a descendant of `body`; the body itself is not."""
    beyond = np.ones(len(lines.parents) + 1, bool)
    if body:
        beyond = lines.ancestors[:, body - 1].copy()
    beyond[body] = False
    return beyond


def _with_cut(model: WatchedModel, cut: Cut) -> Correction:
    lines = model.articulation
    beyond = moved_bodies(lines, cut.body)[1:]
    twists = np.where(
        beyond[:, None], normalise(lines.twists @ adjoint(cut.motion).T), lines.twists
    )
    anchors = np.where(beyond[:, None], transform(cut.motion, lines.anchors), lines.anchors)
    changed = replace(lines, twists=twists, anchors=anchors)
    return Correction(np.zeros(len(lines.parents)), changed, cut)


def _cut(causes: Causes, cause: Cause, parameters: Array) -> Cut:
    """Return the cut of a link's shape; its places are in the order of the causes of this kind."""
    shapes = [one for one in causes.table if one.kind == "link_shape"]
    starts = [one.columns.start for one in shapes]
    body, order, place, _, span = causes.breaks[starts.index(cause.columns.start)]
    middle = from_translation(place)
    motion = middle @ exp_se3(parameters) @ from_translation(-place)
    own = [one for one in causes.model.segments if one.body == body]
    if order == 0:
        return Cut(body, place, np.zeros(3), motion)
    if order >= len(own):
        return Cut(body, place, None, motion)
    return Cut(body, place, span / np.linalg.norm(span), motion)

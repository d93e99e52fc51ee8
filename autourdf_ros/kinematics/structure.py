"""What the motion tells of the structure that was found, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autourdf_ros.kinematics.adjustment import Adjustment
from autourdf_ros.kinematics.articulation import Articulation, body_poses
from autourdf_ros.kinematics.hypothesis import Hypothesis
from autourdf_ros.kinematics.joint_evidence import JointEvidence, weigh_joints
from autourdf_ros.kinematics.joint_fit import relative_motion
from autourdf_ros.kinematics.labelling import refit_bodies
from autourdf_ros.kinematics.loops import LoopJoint, find_loops
from autourdf_ros.kinematics.matching import VISIBLE, least_visible_share
from autourdf_ros.kinematics.merging import Bodies
from autourdf_ros.kinematics.preparation import Prepared
from autourdf_ros.kinematics.tracking import Motion
from autourdf_ros.kinematics.weak_directions import AxisChanges, weak_directions

GATE = 4.0  # point spacings


@dataclass(frozen=True)
class Structure:
    """What is known of a model of J joints beside the model itself.

    evidence: of the J joints. weak: changes of their axes that the frames hardly tell.
    loops: joints that a tree cannot hold. round: last links that may turn about their own axes, or
    slide along themselves, unseen.
    """

    evidence: JointEvidence
    weak: AxisChanges
    loops: tuple[LoopJoint, ...]
    round: tuple[int, ...]


def examine(
    prepared: Prepared,
    hypothesis: Hypothesis,
    motion: Motion,
    adjustment: Adjustment,
    noise: float,
) -> Structure:
    """What the believed frames say of the adjusted model; noise: of a point (engine units)."""
    bodies = _seen_bodies(prepared, hypothesis, motion, adjustment)
    model = adjustment.model
    between = relative_motion(bodies, model.parents, np.arange(1, len(model.parents) + 1))
    evidence = weigh_joints(*between, noise)
    loops = find_loops(
        model,
        adjustment.states.values,
        bodies,
        prepared.reference,
        hypothesis.labels,
        exists=evidence.exists,
        noise=noise,
    )
    weak = weak_directions(adjustment.information, model.revolute, adjustment.noise)
    return Structure(evidence, weak, loops, _round_links(model, prepared, hypothesis))


def _round_links(
    model: Articulation, prepared: Prepared, hypothesis: Hypothesis
) -> tuple[int, ...]:
    """Last links whose surface hides one of their own motions; others' children would show it."""
    reference, labels = prepared.reference, hypothesis.labels
    last = sorted(set(range(1, len(model.parents) + 1)) - set(model.parents.tolist()))
    return tuple(
        link
        for link in last
        if (labels == link).any()
        and least_visible_share(reference.points[labels == link], reference.normals[labels == link])
        < VISIBLE
    )


def _seen_bodies(
    prepared: Prepared, hypothesis: Hypothesis, motion: Motion, adjustment: Adjustment
) -> Bodies:
    """The links in the adjusted frames, each registered by itself: no joint holds them together."""
    reference, used = prepared.reference, np.flatnonzero(motion.used)
    states = adjustment.states
    return refit_bodies(
        reference,
        hypothesis.labels,
        [prepared.clouds[i] for i in used[used > 0]],
        body_poses(adjustment.model, states.values, states.base),
        gate=GATE * reference.spacing,
    )

"""Single frames in which a last link's joint was lost: it jumps away and back.

A small link that nothing shows in one frame finds another surface there, and widens the limits of
its joint by as much.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.kinematics.adjustment import States
from autourdf_ros.kinematics.articulation import body_poses
from autourdf_ros.kinematics.evidence import Evidence
from autourdf_ros.kinematics.hypothesis import LEAST_CONFIRMED, Hypothesis
from autourdf_ros.kinematics.matching import Array
from autourdf_ros.kinematics.savings import last_links, savings
from autourdf_ros.kinematics.tracking import Motion

STEPS = 0.75  # quantile of a joint's steps from frame to frame: one jump makes two of them large
AWAY = 3.0  # times that, by which a jump leaves what is between the frames beside it


def without_jumps(evidence: Evidence, hypothesis: Hypothesis, motion: Motion) -> Motion:
    """The motion with jumps of last links' joints that measured points do not confirm taken back.

    The joint is then where it was halfway between the frames beside, for it to be adjusted from.
    """
    labels, model = hypothesis.labels, hypothesis.model
    jumps, between = jumps_of(motion.states.values, evidence.owners, motion.used)
    last = last_links(model.parents, labels)
    values = motion.states.values.copy()
    for frame, joint in np.argwhere(jumps).tolist():
        if joint + 1 not in last:
            continue
        halfway = motion.states.values[[frame, frame]]
        halfway[1, joint] = between[frame, joint]
        poses = body_poses(model, halfway, motion.states.base[[frame, frame]])
        saving = savings(
            evidence.reference,
            labels,
            evidence.clouds(np.array([frame])),
            poses[:1],
            [joint + 1],
            poses[1:, [joint + 1]],
            noise=evidence.noise.total,
        )[0]
        if saving.known <= 0 or saving.confirmed < LEAST_CONFIRMED:
            values[frame, joint] = between[frame, joint]
    return replace(motion, states=States(values, motion.states.base))


def jumps_of(
    values: Array, owners: NDArray[np.int64], used: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], Array]:
    """(F, J) whether a joint is far from where both believed frames beside put it; their middles.

    values: (F, J). owners: (F,) sequence of every frame; used: (F,) whether it is believed. The
    first and last frames of a sequence never are: nothing tells a jump from a step there.
    """
    jumps, middles = np.zeros(values.shape, dtype=bool), np.zeros_like(values)
    frames = np.flatnonzero(used)
    same = owners[frames[1:]] == owners[frames[:-1]]
    if not same.any():
        return jumps, middles
    usual = np.quantile(np.abs(np.diff(values[frames], axis=0))[same], STEPS, axis=0)
    inner = 1 + np.flatnonzero(same[1:] & same[:-1])
    before, here, after = (values[frames[inner + step]] for step in (-1, 0, 1))
    beyond = np.maximum(here - np.maximum(before, after), np.minimum(before, after) - here)
    jumps[frames[inner]] = beyond > AWAY * usual
    middles[frames[inner]] = (before + after) / 2
    return jumps, middles

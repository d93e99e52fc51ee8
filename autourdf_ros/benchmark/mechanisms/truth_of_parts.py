"""The truth about a mechanism, stated for the parts that were found without any shape."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autourdf_ros.assessment.metrics.video.part_matching import (
    as_tracked,
    centre_wander,
    matching_bodies,
)
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.simulation.mechanisms.mechanism_truth import MechanismTruth


def truth_of_parts(truth: MechanismTruth, track: PoseTrack) -> MechanismTruth:
    """Return the truth with parts in the place of bodies, and the world for what stands still.

    A joint of a body that no part stands for keeps the body's name, so that its lack is an error.
    A part beyond the bodies whose centre goes with a driver stands for that: a finger that pushes
    is seen, too, and belongs to no mechanism.

    Args:
        truth: Of the bodies; drivers are none.
        track: Of the parts.

    Returns:
        The truth; its drivers are the parts that stand for one.
    """
    own = [body for body, name in enumerate(truth.bodies) if name not in truth.drivers]
    found = matching_bodies(track, truth.poses[own])
    pairs = [(part, own[body]) for part, body in found.items()]
    poses = {body: as_tracked(track, part, truth.poses[body]) for part, body in pairs}
    fixed = {body: np.linalg.inv(truth.poses[body, 0]) @ poses[body][0] for body in poses}
    names = {truth.bodies[body]: track.bodies[part] for part, body in pairs}
    still = {joint.child for joint in truth.joints if joint.kind == "fixed" and not joint.parent}

    def named(name: str | None) -> str | None:
        return None if name is None or name in still else names.get(name, name)

    return replace(
        truth,
        bodies=tuple(track.bodies[part] for part, _ in pairs),
        drivers=_driving(truth, track, own, set(found)),
        joints=tuple(
            replace(joint, parent=named(joint.parent), child=names.get(joint.child, joint.child))
            for joint in truth.joints
            if joint.child not in still
        ),
        poses=np.stack([poses[body] for _, body in pairs]),
        homes=np.stack([truth.homes[body] @ fixed[body] for _, body in pairs]),
    )


def _driving(
    truth: MechanismTruth, track: PoseTrack, own: list[int], matched: set[int]
) -> tuple[str, ...]:
    """Names of the parts that go with a driver rather than with a body."""
    drivers = [body for body, name in enumerate(truth.bodies) if name in truth.drivers]
    driving = []
    for part in set(range(len(track.bodies))) - matched if drivers else ():
        costs = [centre_wander(track, part, truth.poses[body]) for body in (*drivers, *own)]
        if int(np.argmin(costs)) < len(drivers):
            driving.append(track.bodies[part])
    return tuple(driving)

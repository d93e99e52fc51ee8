"""The truth about a mechanism, stated for the parts that were found without any shape."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autourdf_ros.assessment.metrics.video.part_matching import as_tracked, matching_bodies
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.simulation.mechanisms.mechanism_truth import MechanismTruth


def truth_of_parts(truth: MechanismTruth, track: PoseTrack) -> MechanismTruth:
    """Return the truth with parts in the place of bodies, and the world for what stands still.

    A joint of a body that no part stands for keeps the body's name, so that its lack is an error.

    Args:
        truth: Of the bodies; drivers are none.
        track: Of the parts.
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
        drivers=(),
        joints=tuple(
            replace(joint, parent=named(joint.parent), child=names.get(joint.child, joint.child))
            for joint in truth.joints
            if joint.child not in still
        ),
        poses=np.stack([poses[body] for _, body in pairs]),
        homes=np.stack([truth.homes[body] @ fixed[body] for _, body in pairs]),
    )

"""Distance between the recorded clouds and the model at its estimated joint values."""

from __future__ import annotations

import numpy as np

from autourdf_ros.data.frame import Recording
from autourdf_ros.estimation.motion.reconstruction import Reconstruction
from autourdf_ros.geometry.chamfer_distance import chamfer_distance
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.model.forward_kinematics import link_motions


def registration_error(reconstruction: Reconstruction, recording: Recording) -> float:
    """Return the Chamfer distance (m), mean over all frames with estimated joint values.

    The reference frame's points move with their links to every other frame and are compared with
    the cloud recorded there: the registration error of AutoURDF (Lin et al., CVPR 2025, Table 1).
    NaN without any such frame.
    """
    known = reconstruction.labels >= 0
    points, labels = reconstruction.reference_points[known], reconstruction.labels[known]
    distances = []
    for motion, sequence in zip(reconstruction.motions, recording.sequences, strict=True):
        links = link_motions(reconstruction.model.tree, motion.joint_values)
        for base, link, frame in zip(motion.base_poses, links, sequence.frames, strict=True):
            if np.isfinite(link).all() and np.isfinite(base).all():
                moved = transform((base @ link)[labels], points)
                distances.append(chamfer_distance(moved, frame.points))
    return float(np.mean(distances)) if distances else float("nan")

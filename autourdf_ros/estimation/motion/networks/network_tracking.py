"""AutoURDF's networks as the engine's registration: the graph's nodes are the clusters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autourdf_ros.estimation.motion.network_options import NeuralOptions
from autourdf_ros.estimation.motion.networks.cluster_tracking import ClusterTracker
from autourdf_ros.estimation.motion.registration.deformation_graph import DeformationGraph
from autourdf_ros.estimation.motion.registration.graph_registration import registration_score
from autourdf_ros.estimation.motion.registration.graph_tracking import Tracking
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import transform


def track_by_networks(
    graph: DeformationGraph,
    reference: Cloud,
    frames: list[Cloud],
    options: NeuralOptions,
    report: Callable[[float], None],
) -> Tracking:
    """Track the reference through the frames of one sequence, as `track_sequence` does."""
    tracker = ClusterTracker(reference, graph.nodes, graph.centres, options)
    poses = tracker.track(frames, report).poses
    moved = transform(poses[:, graph.nodes], reference.points)
    scores = [
        registration_score(points, frame, max(reference.spacing, frame.spacing))
        for points, frame in zip(moved, frames, strict=True)
    ]
    return Tracking(poses, np.array(scores), graph)

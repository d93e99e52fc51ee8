"""Build the robot model of AutoURDF's method, in metres."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.surface_matching import match
from autourdf_ros.estimation.motion.autourdf.link_tree import LinkTree
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import LabelledSurface, surface_of
from autourdf_ros.estimation.motion.networks.cluster_tracks import ClusterTracks
from autourdf_ros.estimation.motion.reconstruction import (
    LinkCost,
    Reconstruction,
    ReconstructionOptions,
    SequenceMotion,
)
from autourdf_ros.estimation.motion.registration.preparation import Prepared
from autourdf_ros.estimation.motion.result.confirmed_surfaces import fused_surface, link_surface
from autourdf_ros.estimation.motion.result.metric_poses import in_metres
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.model.limits.joint_limits import observed_limits
from autourdf_ros.model.self_model import Joint, Link, SelfModel

WARNING = (
    "AutoURDF's method gives no standard deviations and does not test its own result: nothing says "
    "how far it can be trusted"
)


def robot_of(
    prepared: Prepared,
    tracks: Sequence[ClusterTracks],
    links: NDArray[np.int64],
    tree: LinkTree,
    silhouettes: Mapping[int, float],
    options: ReconstructionOptions,
) -> Reconstruction:
    """Build the reconstruction in the recording's own units and frame.

    Args:
        prepared: the recording in engine units.
        tracks: of the clusters, by sequence.
        links: (N,) of the reference's points.
        tree: with the motion of all frames but the reference.
        silhouettes: of the grouping, by number of links.
        options: the user's choices.
    """
    model = tree.model
    # In the reference frame nothing has moved yet.
    values = np.concatenate([np.zeros((1, len(model.parents))), tree.values])
    base = np.concatenate([np.eye(4)[None], tree.base])
    body = np.empty(len(tree.links), dtype=np.int64)
    body[tree.links] = np.arange(len(body))
    labels = body[links]
    surface = surface_of(prepared.reference, labels)
    poses = body_poses(model, values, base)
    residuals = np.array(
        [_residual(surface, frame, own) for frame, own in zip(prepared.clouds, poses, strict=True)]
    )
    fused = fused_surface(prepared, surface, model, States(values, base))
    names = [f"link_{number}" for number in range(len(body))]
    losses = np.concatenate([own.losses for own in tracks])
    return Reconstruction(
        model=SelfModel.of(
            "robot",
            tuple(Link(name, link_surface(fused, i, prepared)) for i, name in enumerate(names)),
            _joints(model, values, names, prepared),
        ),
        motions=_motions(prepared, values, in_metres(base, prepared), residuals * prepared.scale),
        noise=float(np.median(residuals[1:])) * prepared.scale,
        reference_points=prepared.reference.points * prepared.scale + prepared.centre,
        labels=labels,
        verdict="doubtful",
        warnings=(WARNING,),
        options=options,
        notes=(
            f"the clusters are {1e3 * prepared.scale * losses.mean():.2f} mm off the frames "
            "(L1 Chamfer distance)",
        ),
        link_costs=tuple(LinkCost(np.nan, np.nan) for _ in names),
        tracking_error=float(losses.mean()) * prepared.scale,
        silhouettes=silhouettes,
    )


def _joints(
    model: Articulation, values: Array, names: Sequence[str], prepared: Prepared
) -> tuple[Joint, ...]:
    """Joints of the links with these names; values: (F, J)."""
    joints = []
    for j, parent in enumerate(model.parents.tolist()):
        kind, lower, upper = observed_limits(values[:, j], turns=True)
        point = model.anchors[j] * prepared.scale + prepared.centre
        axis = model.twists[j, :3]
        name = f"joint_{j + 1}"
        joints.append(Joint(name, kind, names[parent], names[j + 1], axis, point, lower, upper))
    return tuple(joints)


def _residual(surface: LabelledSurface, frame: Cloud, poses: Array) -> float:
    """Robust standard deviation of the point-to-plane distances of a surface posed on a frame."""
    turns = poses[surface.labels]
    moved = transform(turns, surface.points)
    normals = np.einsum("nij,nj->ni", turns[:, :3, :3], surface.normals)
    gate = 2 * frame.spacing
    matches = match(
        moved, normals, surface.flatness, frame, gate=gate, kernel=gate, directions="forward"
    )
    near = matches.weights > 0.3
    return float(1.4826 * np.median(np.abs(matches.distances[near]))) if near.any() else np.nan


def _motions(
    prepared: Prepared, values: Array, base: Array, residuals: Array
) -> tuple[SequenceMotion, ...]:
    result, start = [], 0
    for sequence in prepared.sequences:
        own = slice(start, start + len(sequence))
        start = own.stop
        count = len(sequence)
        result.append(
            SequenceMotion(
                values[own],
                np.full_like(values[own], np.nan),
                base[own],
                residuals[own],
                np.ones(count, dtype=bool),
                np.zeros(count, dtype=bool),
            )
        )
    return tuple(result)

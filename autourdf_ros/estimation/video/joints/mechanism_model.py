"""Build the model of a mechanism: links named after bodies, chains of 1-DoF joints, uncertainty.

A joint with several degrees of freedom becomes a row of 1-DoF joints with links between them that
no body has: BODY_slide_1, BODY_turn_2 and so on. Its joints are named after the links that they
move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import trimesh

from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.estimation.common.estimator import provenance
from autourdf_ros.estimation.video.joints.fitting.fitted_mechanism import Edge
from autourdf_ros.estimation.video.joints.fitting.lower_pairs import PAIRS
from autourdf_ros.estimation.video.joints.fitting.mechanism_fit import predicted
from autourdf_ros.estimation.video.joints.joints_options import JointsOptions
from autourdf_ros.estimation.video.joints.mechanism_adjustment import Adjusted
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.layers.kinematics import Confidence, JointEstimate, KinematicsLayer
from autourdf_ros.model.layers.layer import Verdict
from autourdf_ros.model.layers.shape import LinkShape, ShapeLayer, Surface
from autourdf_ros.model.limits.joint_limits import observed_limits
from autourdf_ros.model.names import legal_names
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.tree_joint import TreeJoint

WORLD_LINK = "world"


@dataclass(frozen=True)
class Row:
    """The 1-DoF joints in a row that stand for one joint of the mechanism.

    Attributes:
        joints: Parent first.
        estimates: What is known of each; None for one that is given by definition.
    """

    joints: tuple[TreeJoint, ...]
    estimates: tuple[JointEstimate | None, ...]


def link_names(track: PoseTrack) -> dict[str, str]:
    """Return the legal, unique name of every body's link, by the body's name."""
    return legal_names(track.bodies, (WORLD_LINK,))


def build_model(
    name: str,
    track: PoseTrack,
    adjusted: Adjusted,
    confidences: Sequence[Confidence | None],
    shapes: Sequence[VideoShape],
    options: JointsOptions,
) -> SelfModel:
    """Build the model of a mechanism; its root is the world, all joints are at zero.

    Args:
        name: Of the mechanism.
        track: Whose bodies the links are.
        adjusted: All joints, parents first.
        confidences: How sure each is; None where the method does not say.
        shapes: Of bodies; links of bodies without one have no surface.
        options: Number of surface points, the method's name.
    """
    rows = rows_of(track, adjusted, confidences)
    joints = tuple(joint for row in rows for joint in row.joints)
    estimates = {
        joint.name: estimate
        for row in rows
        for joint, estimate in zip(row.joints, row.estimates, strict=True)
        if estimate is not None
    }
    tree = KinematicTree((WORLD_LINK, *(joint.child for joint in joints)), joints)
    origin = provenance(f"video/{options.method}", "")
    kinematics = KinematicsLayer(joints=estimates).stamped(origin, Verdict())
    links = _surfaces(track, adjusted, shapes, options.surface_points)
    shape = ShapeLayer(links=links).stamped(origin, Verdict()) if links else None
    return SelfModel(legal_names([name])[name], tree, kinematics, shape)


def rows_of(
    track: PoseTrack, adjusted: Adjusted, confidences: Sequence[Confidence | None]
) -> tuple[Row, ...]:
    """Return the 1-DoF joints of every joint of the mechanism, in the order of `adjusted`."""
    names = link_names(track)
    poses = predicted(adjusted.fit.observations, adjusted.fit.edges)[:, adjusted.reference]
    taken = {*names.values(), WORLD_LINK}
    rows = []
    for number, edge in enumerate(adjusted.fit.edges):
        before = np.eye(4) if edge.parent < 0 else poses[edge.parent]
        parent = WORLD_LINK if edge.parent < 0 else names[track.bodies[edge.parent]]
        child = names[track.bodies[edge.child]]
        links = [parent, *_between(child, edge, taken), child]
        rows.append(_row(links, before @ edge.frame, number, adjusted, confidences[number]))
    return tuple(rows)


def _between(child: str, edge: Edge, taken: set[str]) -> list[str]:
    """Names of the links that no body has, for all but the last of the joints in a row."""
    wanted = [
        f"{child}_{'turn' if screw < 3 else 'slide'}_{number + 1}"
        for number, screw in enumerate(PAIRS[edge.kind].screws[:-1])
    ]
    found = list(legal_names(wanted, taken).values())
    taken.update(found)
    return found


def _row(
    links: list[str], frame: Array, number: int, adjusted: Adjusted, confidence: Confidence | None
) -> Row:
    edge = adjusted.fit.edges[number]
    if edge.kind == "fixed":
        joint = TreeJoint(
            f"{links[-1]}_joint", "fixed", links[0], links[1], frame[:3, 2], frame[:3, 3], 0.0, 0.0
        )
        return Row((joint,), (None,))
    joints, estimates = [], []
    for place, screw in enumerate(PAIRS[edge.kind].screws):
        values = adjusted.values[number][:, place]
        known = values[np.isfinite(values)]
        kind, lower, upper = observed_limits(np.append(known, 0.0), turns=screw < 3)
        joints.append(
            TreeJoint(
                f"{links[place + 1]}_joint",
                kind,
                links[place],
                links[place + 1],
                frame[:3, screw % 3],
                frame[:3, 3],
                lower,
                upper,
            )
        )
        estimates.append(
            None
            if confidence is None or edge.kind == "free"
            else _estimate(frame, screw, adjusted.frame_covariances[number], confidence)
        )
    return Row(tuple(joints), tuple(estimates))


def _estimate(frame: Array, screw: int, covariance: Array, confidence: Confidence) -> JointEstimate:
    """What is known of the axis `screw` of a joint's frame, its twists having a covariance."""
    across = [(screw + 1) % 3, (screw + 2) % 3]
    columns = [*across, *(3 + i for i in across)]
    own = covariance[np.ix_(columns, columns)].copy()
    if screw >= 3:
        own[2:], own[:, 2:] = np.nan, np.nan
    return JointEstimate(own, frame[:3, across].T, confidence)


def _surfaces(
    track: PoseTrack, adjusted: Adjusted, shapes: Sequence[VideoShape], count: int
) -> Mapping[str, LinkShape]:
    """Points on the meshes of bodies, in the world with all joints at zero."""
    names = link_names(track)
    poses = predicted(adjusted.fit.observations, adjusted.fit.edges)[:, adjusted.reference]
    found = {}
    for shape in shapes:
        if shape.name in track.bodies:
            pose = poses[track.bodies.index(shape.name)]
            found[names[shape.name]] = LinkShape(_surface(shape, pose, count))
    return found


def _surface(shape: VideoShape, pose: Array, count: int) -> Surface:
    mesh = trimesh.Trimesh(shape.mesh.vertices, shape.mesh.triangles, process=False)
    points, faces = trimesh.sample.sample_surface(mesh, count, seed=0)
    normals = mesh.face_normals[faces]
    colors = np.asarray(shape.mesh.colors)[faces]
    return Surface(points @ pose[:3, :3].T + pose[:3, 3], normals @ pose[:3, :3].T, colors)

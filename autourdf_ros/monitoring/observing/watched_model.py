"""A model prepared once for comparisons with clouds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import open3d as o3d
import trimesh
from numpy.typing import NDArray

from autourdf_ros.assessment.comparison.compared_robot import open_robot
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.geometry.rigid_motion import revolute_twist
from autourdf_ros.model.joint_grading import judge_joints
from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.monitoring.lengths import Lengths
from autourdf_ros.monitoring.observing.joint_places import joint_places
from autourdf_ros.monitoring.observing.segments import Segment, segments_of

SAMPLES = 3000
"""Points on the whole surface that are tested for visibility."""
TRIANGLES = 10_000
"""Most triangles of the whole surface, about: more cost time and add nothing above the noise."""
_OF_NORMAL = 0.6745
"""Median of a standard normal distribution's absolute values."""


@dataclass(frozen=True, eq=False)
class Transmission:
    """The linear map from the readings of D motors to the values of J joints.

    Attributes:
        motors: D names.
        gear: (J, D); joint values since the reference are gear @ readings + offset.
        offset: (J,) rad or m.
        readings_at_reference: (D,) rad or m; a motor without a reading stands there.
        zero_std: (D,) standard deviations of the zeros that the model states (rad or m).
    """

    motors: tuple[str, ...]
    gear: NDArray[np.float64]
    offset: NDArray[np.float64]
    readings_at_reference: NDArray[np.float64]
    zero_std: NDArray[np.float64] | None = None

    def values(self, readings: Mapping[str, float]) -> NDArray[np.float64]:
        """Map readings (rad or m) to (J,) joint values since the reference."""
        pairs = zip(self.motors, self.readings_at_reference, strict=True)
        return self.gear @ np.array([readings.get(n, r) for n, r in pairs]) + self.offset

    def rates(self, velocities: Mapping[str, float]) -> NDArray[np.float64]:
        """Map the motors' velocities to (J,) joint velocities (rad/s or m/s)."""
        return self.gear @ np.array([velocities.get(name, 0.0) for name in self.motors])


@dataclass(frozen=True, eq=False)
class WatchedModel:
    """A view of a result's model (`SelfModel`), prepared for comparisons with clouds.

    J joints move B = J + 1 bodies, driven by D motors. All geometry is in the base frame at the
    reference configuration, in metres.

    Attributes:
        articulation: Screw axes and parents of the joints.
        links: B names of the bodies' links.
        joints: J names.
        transmission: Map from the motors' readings to the joint values.
        line_std: (J, 2) standard deviations of every axis' direction (rad) and position (m).
        places: (J, 3) points on the axes where the joints hold their links.
        segments: S parts of the bodies' surfaces.
        vertices: (V, 3).
        faces: (T, 3).
        owner: (T,) segment of every triangle.
        lengths: In which clouds are compared with it.
        doubts: By the joints that are doubtful, why.
    """

    articulation: Articulation
    links: tuple[str, ...]
    joints: tuple[str, ...]
    transmission: Transmission
    line_std: NDArray[np.float64]
    places: NDArray[np.float64]
    segments: tuple[Segment, ...]
    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    owner: NDArray[np.int64]
    lengths: Lengths = field(default_factory=Lengths)
    doubts: Mapping[str, str] = field(default_factory=dict)

    @property
    def motors(self) -> tuple[str, ...]:
        """D names of the motors."""
        return self.transmission.motors

    @property
    def gear(self) -> NDArray[np.float64]:
        """(J, D) derivatives of the joint values by the motors' readings."""
        return self.transmission.gear

    def moved_by(self, motor: str) -> str:
        """Return the first link that a motor moves."""
        return self.links[int(np.abs(self.gear[:, self.motors.index(motor)]).argmax()) + 1]

    def values(self, readings: Mapping[str, float]) -> NDArray[np.float64]:
        """Return the (J,) joint values since the reference (rad or m)."""
        return self.transmission.values(readings)

    def rates(self, velocities: Mapping[str, float]) -> NDArray[np.float64]:
        """Return the (J,) joint velocities (rad/s or m/s); a missing velocity counts as 0."""
        return self.transmission.rates(velocities)

    @cached_property
    def segment_body(self) -> NDArray[np.int64]:
        """(S,) body of every segment."""
        return np.array([segment.body for segment in self.segments])

    @cached_property
    def triangle_body(self) -> NDArray[np.int64]:
        """(T,) body of every triangle."""
        return self.segment_body[self.owner]

    @cached_property
    def vertex_segment(self) -> NDArray[np.int64]:
        """(V,) segment of every vertex."""
        segments = np.zeros(len(self.vertices), np.int64)
        segments[self.faces] = self.owner[:, None]
        return segments

    @cached_property
    def normals(self) -> NDArray[np.float64]:
        """(T, 3) outer unit normals of the triangles."""
        corners = self.vertices[self.faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        return np.asarray(normals / np.maximum(np.linalg.norm(normals, axis=1), 1e-18)[:, None])

    @cached_property
    def samples(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """(M, 3) points spread evenly over the surface (m), and the (M,) triangle of each."""
        mesh = trimesh.Trimesh(self.vertices, self.faces, process=False)
        points, triangles = trimesh.sample.sample_surface(mesh, SAMPLES, seed=0)
        return np.asarray(points, float), np.asarray(triangles, np.int64)

    def poses(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the (B, 4, 4) motions of the bodies since the reference."""
        return body_poses(self.articulation, values, np.eye(4))


def watched(
    articulation: Articulation,
    meshes: list[trimesh.Trimesh | None],
    *,
    links: tuple[str, ...],
    joints: tuple[str, ...],
    transmission: Transmission,
    line_std: NDArray[np.float64],
) -> WatchedModel:
    """Prepare a model by cutting the bodies' meshes into segments.

    Args:
        articulation: As in `WatchedModel`.
        meshes: One per body, in the base frame at the reference; None for an unseen body.
        links: As in `WatchedModel`.
        joints: As in `WatchedModel`.
        transmission: As in `WatchedModel`.
        line_std: As in `WatchedModel`.

    Raises:
        InputError: No body has a surface.
    """
    lengths = Lengths.of(meshes)
    places = joint_places(articulation, meshes, lengths.coarse)
    segments: list[Segment] = []
    vertices, faces, owner = [], [], []
    first = 0
    for body, mesh in enumerate(meshes):
        if mesh is None or not len(mesh.faces):
            continue
        inward = places[body - 1] if body else None
        found, own = segments_of(
            body, mesh, inward, places[articulation.parents == body], lengths.segment
        )
        vertices.append(np.asarray(mesh.vertices, float))
        faces.append(np.asarray(mesh.faces, np.int64) + first)
        owner.append(own + len(segments))
        first += len(mesh.vertices)
        segments += found
    if not segments:
        raise InputError("the model has no link with a surface: it cannot be watched")
    return WatchedModel(
        articulation,
        links,
        joints,
        transmission,
        line_std,
        places,
        tuple(segments),
        np.concatenate(vertices),
        np.concatenate(faces),
        np.concatenate(owner),
        lengths,
    )


def load_watched_model(folder: Path) -> WatchedModel:
    """Prepare the model of a result folder.

    Raises:
        InputError: The folder is not a result folder, or is damaged.
    """
    live = LiveModel(folder)
    robot = open_robot(folder)
    document = live.document
    described = document["joints"]
    links = (document["base"]["link"], *(joint["child"] for joint in described))
    number = {name: body for body, name in enumerate(links)}
    revolute = np.array([joint["type"] != "prismatic" for joint in described])
    axes = np.array([joint["axis"] for joint in described], float).reshape(-1, 3)
    points = np.array([joint["point"] for joint in described], float).reshape(-1, 3)
    slides = np.concatenate([np.zeros_like(axes), axes], axis=1)
    articulation = Articulation(
        np.array([number[joint["parent"]] for joint in described], np.int64),
        np.where(revolute[:, None], revolute_twist(axes, points), slides),
        revolute,
        points,
    )
    surfaces = _simplified(robot.surfaces(document["reference_configuration"]))
    judged = judge_joints(document)
    doubtful = {name: one.reasons for name, one in judged.items() if one.grade == "doubtful"}
    model = watched(
        articulation,
        [surfaces.get(name) for name in links],
        links=links,
        joints=tuple(joint["name"] for joint in described),
        transmission=_transmission(live),
        line_std=np.array(
            [[joint.get("axis_std") or 0.0, joint.get("line_std") or 0.0] for joint in described]
        ).reshape(-1, 2),
    )
    return replace(model, doubts={name: ", ".join(why) for name, why in doubtful.items()})


def _simplified(surfaces: Mapping[str, trimesh.Trimesh]) -> dict[str, trimesh.Trimesh]:
    """Reduce the triangles (Garland and Heckbert, "Surface simplification", 1997)."""
    share = TRIANGLES / max(sum(len(mesh.faces) for mesh in surfaces.values()), 1)
    if share >= 1:
        return dict(surfaces)
    return {name: _with_fewer_triangles(mesh, share) for name, mesh in surfaces.items()}


def _with_fewer_triangles(mesh: trimesh.Trimesh, share: float) -> trimesh.Trimesh:
    found = o3d.geometry.TriangleMesh(
        o3d.utility.Vector3dVector(np.asarray(mesh.vertices)),
        o3d.utility.Vector3iVector(np.asarray(mesh.faces)),
    )
    # The simplification would tear the surface open where triangles do not share their corners.
    found = found.merge_close_vertices(1e-7)
    found = found.simplify_quadric_decimation(max(int(share * len(mesh.faces)), 4))
    return trimesh.Trimesh(np.asarray(found.vertices), np.asarray(found.triangles), process=False)


def _transmission(live: LiveModel) -> Transmission:
    """Return the map from readings to joint values; mimic joints follow their leaders' motors."""
    names = [joint["name"] for joint in live.document["joints"]]
    reference = np.array([joint["reference"] for joint in live.document["joints"]], float)
    row = {name: place for place, name in enumerate(names)}
    gear, offset = np.zeros((len(names), len(live.drives))), -reference
    at_reference = np.zeros(len(live.drives))
    for column, drive in enumerate(live.drives):
        gear[row[drive.joint], column] = 1 / drive.ratio
        offset[row[drive.joint]] -= drive.offset / drive.ratio
        at_reference[column] = drive.ratio * drive.reference + drive.offset
    for joint in live.document["joints"]:
        if joint["mimic"] is not None:
            follower, leader = row[joint["name"]], row[joint["mimic"]["joint"]]
            factor = joint["mimic"]["multiplier"]
            gear[follower] = factor * gear[leader]
            offset[follower] = (
                factor * (offset[leader] + reference[leader])
                + joint["mimic"]["offset"]
                - reference[follower]
            )
    motors = tuple(drive.motor for drive in live.drives)
    stated = {joint["name"]: joint.get("motor") or {} for joint in live.document["joints"]}
    stds = [
        (stated[drive.joint].get("residual") or 0.0) / abs(drive.ratio) / _OF_NORMAL
        for drive in live.drives
    ]
    return Transmission(motors, gear, offset, at_reference, np.array(stds))

"""A small arm before two depth cameras, and what they see of it after something happened to it."""

from dataclasses import replace

import numpy as np
import open3d as o3d
import trimesh
from made_once import copy_of
from synthetic_robot import arm_reconstruction, arm_recording

from autourdf_ros.data.images.posed_camera import look_at
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.observing.observation import Observation
from autourdf_ros.monitoring.observing.observation_comparison import compare_observation
from autourdf_ros.monitoring.repairing.attached_part import with_part
from autourdf_ros.monitoring.repairing.correction import corrected, correction_of
from autourdf_ros.shape.urdf_options import UrdfOptions
from autourdf_ros.simulation.cameras.pinhole_camera import Camera, Intrinsics
from autourdf_ros.workflows.reconstruct import write_reconstruction

NOISE = 0.001  # m
LENS = Intrinsics(200, 150, 170.0)
COARSE_LENS = Intrinsics(120, 90, 100.0)  # of long work
CAMERAS = {
    "left": look_at(np.array([0.9, 0.9, 0.8]), np.array([0.15, 0.0, 0.25])),
    "right": look_at(np.array([0.8, -1.0, 0.5]), np.array([0.15, 0.0, 0.25])),
}
MOVED = ("shoulder-pan", "arm/lift", "slide")


def written_arm(folder):
    """A result folder of the arm."""
    return copy_of("repaired_arm", _write_arm, folder)


def _write_arm(folder):
    made = arm_reconstruction(count=600)
    made = replace(made, base=replace(made.base, kind="fixed"))
    light = UrdfOptions(visual_triangles=3000)
    recording = arm_recording(made)
    write_reconstruction(made, folder, name="arm", recording=recording, options=light)


def work(stamp):
    """Where the motors stand while the arm works, by the seconds of a clock."""
    phase = 0.7 * stamp
    return {
        "shoulder-pan": 0.4 * np.sin(phase),
        "arm/lift": -0.15 + 0.4 * np.sin(1.3 * phase),
        "slide": 0.02 + 0.03 * np.sin(1.7 * phase),
        "spin": 0.7,
    }


def slipped(model, turn):
    """The model's robot after its second joint's zero slipped by `turn` (rad)."""
    causes = Causes(model, ())
    cause = next(one for one in causes.table if one.named == ("joint_zero", "arm/lift"))
    return corrected(model, correction_of(causes, cause, np.array([turn])))


def observations(model, number, seed, cameras=CAMERAS, nominal=CAMERAS):
    """What cameras that stand at `cameras` see of a model that stands as its motors read."""
    rng = np.random.default_rng(seed)
    for stamp in range(number):
        values = rng.uniform([-0.5, -0.6, -0.02], [0.5, 0.3, 0.06])
        readings = dict(zip(MOVED, values.tolist(), strict=True))
        for name, pose in cameras.items():
            points = depth_points(model, readings, Camera(LENS, pose), rng)
            yield Observation(name, float(stamp), points, nominal[name], readings)


def depth_points(model, readings, camera, rng):
    """(N, 3) what a camera measures of the posed model, in its optical frame."""
    poses = model.poses(model.values(readings))
    vertices = transform(poses[model.segment_body[model.vertex_segment]], model.vertices)
    scene = o3d.t.geometry.RaycastingScene()
    scene.add_triangles(
        o3d.core.Tensor(vertices.astype(np.float32)), o3d.core.Tensor(model.faces.astype(np.uint32))
    )
    directions = camera.intrinsics.directions.reshape(-1, 3)
    turned = directions @ camera.pose[:3, :3].T.astype(np.float32)
    starts = np.broadcast_to(camera.pose[:3, 3].astype(np.float32), turned.shape)
    depths = scene.cast_rays(o3d.core.Tensor(np.hstack([starts, turned])))["t_hit"].numpy()
    seen = np.isfinite(depths)
    noisy = depths[seen] + rng.normal(0, NOISE, seen.sum())
    return (directions[seen] * noisy[:, None]).astype(np.float32)


def compared(model, seen):
    """Comparisons of a model with observations."""
    return [compare_observation(model, one) for one in seen]


def with_box(model, link, size, middle):
    """The model with a box (m) on a link, at `middle` in the base frame at the reference."""
    mesh = trimesh.creation.box(size).apply_translation(middle)
    return with_part(model, model.links.index(link), mesh.subdivide())

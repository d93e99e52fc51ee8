"""Four boxes on three joints before two small cameras; every change of it is exactly known."""

import numpy as np
import trimesh
from moving_scene import AXES, BOXES, POINTS, camera_poses

from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.geometry.rigid_motion import exp_se3, revolute_twist
from autourdf_ros.geometry.triangle_mesh import from_trimesh
from autourdf_ros.monitoring.observing.observation import Observation
from autourdf_ros.monitoring.observing.watched_model import Transmission, watched
from autourdf_ros.simulation.cameras.pinhole_camera import Camera, Intrinsics
from autourdf_ros.simulation.cameras.renderer import Renderer

CAMERAS = ("left", "right")
MOTORS = ("pan", "lift", "roll")
LINKS = ("base", "column", "arm", "hand")
GREY = np.array([90, 90, 90], np.uint8)
INTRINSICS = Intrinsics.from_field_of_view(200, 160, 50.0)
SIGMA = 0.001


def mesh(size, centre):
    placed = trimesh.transformations.translation_matrix(centre)
    return trimesh.creation.box(size, transform=placed).subdivide().subdivide()


def model(line_std=1e-3):
    units = AXES / np.linalg.norm(AXES, axis=1)[:, None]
    articulation = Articulation(
        np.array([0, 1, 2]), revolute_twist(units, POINTS), np.ones(3, bool), POINTS
    )
    return watched(
        articulation,
        [mesh(*box) for box in BOXES],
        links=LINKS,
        joints=MOTORS,
        transmission=Transmission(MOTORS, np.eye(3), np.zeros(3), np.zeros(3)),
        line_std=np.full((3, 2), line_std),
    )


def path(count, seed=0):
    """(count, 3) smooth motion of the joints."""
    phases = np.random.default_rng(seed).uniform(0, 2 * np.pi, 3)
    times = np.arange(count)[:, None]
    return 0.6 * np.sin(times * np.array([0.23, 0.31, 0.41]) + phases)


def watch(
    readings,
    *,
    rate=5.0,
    first=0,
    zeros=0.0,
    bend=None,
    knocked=None,
    objects=(),
    seed=0,
    boxes=BOXES,
):
    """Yield what the cameras see.

    Args:
        readings: (F, 3) of the motors (rad).
        rate: Clouds of a camera a second.
        first: Number of the first cloud.
        zeros: (3,) or (F, 3) by which the joints exceed their readings (rad).
        bend: (4, 4) of arm and hand in the column's frame at the reference.
        knocked: (4, 4) of the left camera in its own frame.
        objects: (body, mesh), in addition to the links.
        seed: Of the noise.
        boxes: Of the links, as they truly are.
    """
    rng = np.random.default_rng(seed)
    robot = model()
    nominal = camera_poses(2, spread=1.4)
    true = [pose.copy() for pose in nominal]
    if knocked is not None:
        true[0] = true[0] @ knocked
    shapes = [from_trimesh(mesh(*box), GREY) for box in boxes]
    shapes += [from_trimesh(mesh_, GREY) for _, mesh_ in objects]
    renderer = Renderer(shapes, [Camera(INTRINSICS, pose) for pose in true])
    for number, (row, off) in enumerate(zip(readings, readings * 0 + zeros, strict=True)):
        poses = robot.poses(row + off)
        if bend is not None:
            poses[2:] = poses[1] @ bend @ np.linalg.inv(poses[1]) @ poses[2:]
        everything = np.stack([*poses, *(poses[body] for body, _ in objects)])
        for camera, name in enumerate(CAMERAS):
            depth = renderer.render(everything, camera).depth
            depth = depth + rng.normal(0, SIGMA, depth.shape).astype(np.float32)
            points = INTRINSICS.deproject(depth).reshape(-1, 3)
            stamp = (first + number) / rate
            named = dict(zip(MOTORS, row.tolist(), strict=True))
            yield Observation(name, stamp, points, nominal[camera], named)


def yielding(readings, degrees, factors=(1.0, 1.0, 1.0)):
    """(F, 3) turns of the joints (rad) by the weight of the hand: so many degrees at 1 m.

    factors: of the joints' compliances.
    """
    robot, middle = model(), np.array(BOXES[3][1])

    def height(row):
        pose = robot.poses(row)[3]
        return (pose[:3, :3] @ middle + pose[:3, 3])[2]

    step = 1e-5 * np.eye(3)
    rises = [[(height(row + s) - height(row - s)) / 2e-5 for s in step] for row in readings]
    return -np.radians(degrees) * np.array(rises) * factors


def turned(degrees, axis=(0, 0, 1), about=(0, 0, 0), shift=(0, 0, 0)):
    """(4, 4) turn about an axis through a place, then a shift."""
    unit = np.array(axis, float) / np.linalg.norm(axis)
    motion = exp_se3(np.radians(degrees) * revolute_twist(unit, np.array(about, float)))
    motion[:3, 3] += shift
    return motion

"""Writes a simulated video to disk as a user's video would be, with its truth beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.force_table import FORCES_FILE, ForceTable, write_forces
from autourdf_ros.data.video.shape_folder import write_shapes
from autourdf_ros.data.video.video_folder_writing import write_video_folder
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.errors import InputError
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.geometry.rigid_motion import exp_se3
from autourdf_ros.simulation.mechanisms.mechanism_drives import JointDrive
from autourdf_ros.simulation.mechanisms.mechanism_mjcf import mjcf
from autourdf_ros.simulation.mechanisms.mechanism_scene import MechanismScene
from autourdf_ros.simulation.mechanisms.mechanism_truth import (
    MECHANISM_TRUTH_FILE,
    MechanismTruth,
    write_mechanism_truth,
)

Array = NDArray[np.float64]

SHAPES_FOLDER = "shapes"
FIRST_SHIFT = 0.03
"""Length of the first poses' error in a random direction (m): the issue's 3 cm."""

FIRST_TURN = np.radians(10)
"""Angle of their error about a random axis (rad): the issue's 10 degrees."""


def first_shapes(
    scene: MechanismScene,
    truth: MechanismTruth,
    seed: int,
    shift: float = FIRST_SHIFT,
    turn: float = FIRST_TURN,
) -> tuple[VideoShape, ...]:
    """Return the mechanism's shapes with rough first poses; the driver is none of them.

    Args:
        scene: Mechanism.
        truth: Of its video.
        seed: Of the errors.
        shift: Length of their error (m).
        turn: Angle of their error (rad).
    """
    rng = np.random.default_rng([seed, len(scene.bodies)])
    shapes = []
    for number, body in enumerate(scene.bodies):
        if body.is_driver:
            continue
        error = exp_se3(np.r_[turn * _direction(rng), np.zeros(3)][None])[0]
        pose = truth.poses[number, 0].copy()
        pose[:3, :3] = error[:3, :3] @ pose[:3, :3]
        pose[:3, 3] += shift * _direction(rng)
        red, green, blue = body.mesh.colors.mean(axis=0).tolist()
        shapes.append(VideoShape(body.name, body.mesh, pose, (red, green, blue)))
    return tuple(shapes)


def forces_of(scene: MechanismScene, truth: MechanismTruth) -> ForceTable | None:
    """Return what acted as a force sensor reports it, or None where nothing did."""
    if truth.forces is None or truth.force_stamps is None:
        return None
    if isinstance(scene.drive, JointDrive):
        joint = scene.joints[scene.drive.coordinate]
        force = truth.forces[:, [scene.drive.coordinate]] * joint.axis
        return ForceTable(truth.force_stamps, {joint.child: force})
    return ForceTable(
        truth.force_stamps,
        {name: contacts[:, 1] for name, contacts in truth.contacts.items()},
        {name: contacts[:, 0] for name, contacts in truth.contacts.items()},
    )


def write_mechanism_video(
    scene: MechanismScene, video: CameraVideo, truth: MechanismTruth, out: Path, seed: int = 0
) -> None:
    """Write video, shapes with rough first poses, forces and truth to the new folder `out`.

    Raises:
        InputError: `out` is not empty.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out}: exists and is not an empty folder; a video needs a new one")
    with replacing(out) as folder:
        write_video_folder(video, folder)
        shapes = first_shapes(scene, truth, seed)
        (folder / SHAPES_FOLDER).mkdir()
        primitives = [body.primitive for body in scene.bodies if not body.is_driver]
        write_shapes(shapes, primitives, folder / SHAPES_FOLDER)
        forces = forces_of(scene, truth)
        if forces is not None:
            write_forces(forces, folder / FORCES_FILE)
        write_mechanism_truth(truth, folder / MECHANISM_TRUTH_FILE)
        (folder / f"{scene.name}.xml").write_text(mjcf(scene), encoding="utf-8")


def _direction(rng: np.random.Generator) -> Array:
    """Draw a unit vector (3,)."""
    return np.asarray(Rotation.random(random_state=rng).as_matrix()[0])

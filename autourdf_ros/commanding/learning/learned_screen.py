"""Screens motions by a model that was found while they go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from autourdf_ros.commanding.screening.link_distances import LinkDistances
from autourdf_ros.commanding.screening.path_screen import PathScreen
from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.estimation.motion.reconstruction import Reconstruction
from autourdf_ros.export.formats.urdf import urdf_names, write_urdf
from autourdf_ros.shape.collision.link_collisions import LinkCollisions
from autourdf_ros.shape.urdf_options import UrdfOptions

_NAME = "grown"
# Hulls take a second and are larger than the links; nobody looks at the visuals.
_SHAPES = UrdfOptions(collision="hull", visual_triangles=3000)


class LearnedScreen:
    """Whether links of a model would touch, by the motors' positions.

    Pairs of links that the model lets touch where the robot stood, or stands, are not asked: there
    it is wrong. Joints that no motor moves stand as in the reference frame.
    """

    def __init__(self, reconstruction: Reconstruction, folder: Path) -> None:
        """folder: for the model's shapes, which are read at once."""
        model = reconstruction.model
        names = urdf_names(model, _NAME).joints
        self._robot = LinkCollisions(write_urdf(model, folder, name=_NAME, options=_SHAPES))
        moving = {index: joint for index, joint in enumerate(model.joints) if joint.type != "fixed"}
        self._rest = {names[joint.name]: joint.reference for joint in moving.values()}
        self._motors = {
            names[joint.name]: joint.estimate.motor
            for joint in moving.values()
            if joint.estimate is not None and joint.estimate.motor is not None
        }
        self._unasked = self._robot.adjacent
        rows = np.vstack([motion.joint_values[motion.used] for motion in reconstruction.motions])
        stood = [dict(zip(self._rest, row, strict=True)) for row in rows[:, list(moving)].tolist()]
        self._stood([self._rest, *stood])
        self._screen = self._screen_of()

    def reason(self, waypoints: Sequence[Positions]) -> str | None:
        """Why the straight lines through positions of the motors are not free, or None.

        The robot stands at the first of them.
        """
        path = [self._joints(positions) for positions in waypoints]
        if self._stood([self._rest | path[0]]):
            self._screen = self._screen_of()
        return self._screen.reason(path)

    def _joints(self, positions: Positions) -> dict[str, float]:
        """Joint values of the model; those of motors that are not given are left out."""
        return {
            joint: (positions[motor.name] - motor.offset) / motor.ratio
            for joint, motor in self._motors.items()
            if motor.name in positions
        }

    def _stood(self, places: Sequence[Mapping[str, float]]) -> bool:
        """Note joint values at which nothing touches; whether the model says otherwise."""
        values = np.array([self._robot.configuration(place) for place in places])
        wrong = self._robot.touching(values, ~self._unasked).any(axis=0)
        self._unasked = self._unasked | wrong
        return bool(wrong.any())

    def _screen_of(self) -> PathScreen:
        pairs = zip(self._robot.pairs, self._unasked, strict=True)
        disabled = [frozenset(pair) for pair, unasked in pairs if unasked]
        distances = LinkDistances(self._robot.urdf, disabled)
        return PathScreen(distances=distances, unmoved=lambda: self._rest)

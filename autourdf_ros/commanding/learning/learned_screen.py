"""Screens motions by the model that was learnt so far."""

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

_NAME = "learned"
# Hulls take a second and contain the links; the visuals are not used.
_SHAPES = UrdfOptions(collision="hull", visual_triangles=3000)


class LearnedScreen:
    """Checks whether links of a model would touch, from the positions of the motors.

    Pairs of links that touch in the model where the real robot stood are not checked, since the
    model is wrong there. Joints without a motor stand as in the reference frame.
    """

    def __init__(self, reconstruction: Reconstruction, folder: Path) -> None:
        """Create it; the shapes of the model are written to `folder` and read at once."""
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
        self._unchecked = self._robot.adjacent
        rows = np.vstack([motion.joint_values[motion.used] for motion in reconstruction.motions])
        stood = [dict(zip(self._rest, row, strict=True)) for row in rows[:, list(moving)].tolist()]
        self._stood([self._rest, *stood])
        self._screen = self._new_screen()

    def reason(self, waypoints: Sequence[Positions]) -> str | None:
        """Return why the straight lines through positions of the motors are not free, or None.

        The robot stands at the first waypoint.
        """
        path = [self._joints(positions) for positions in waypoints]
        if self._stood([self._rest | path[0]]):
            self._screen = self._new_screen()
        return self._screen.reason(path)

    def _joints(self, positions: Positions) -> dict[str, float]:
        """Return joint values of the model; joints whose motor is not given are left out."""
        return {
            joint: (positions[motor.name] - motor.offset) / motor.ratio
            for joint, motor in self._motors.items()
            if motor.name in positions
        }

    def _stood(self, places: Sequence[Mapping[str, float]]) -> bool:
        """Note joint values at which the real links do not touch; return whether the model's do."""
        values = np.array([self._robot.configuration(place) for place in places])
        wrong = self._robot.touching(values, ~self._unchecked).any(axis=0)
        self._unchecked = self._unchecked | wrong
        return bool(wrong.any())

    def _new_screen(self) -> PathScreen:
        pairs = zip(self._robot.pairs, self._unchecked, strict=True)
        disabled = [frozenset(pair) for pair, unchecked in pairs if unchecked]
        distances = LinkDistances(self._robot.urdf, disabled)
        return PathScreen(distances=distances, unmoved=lambda: self._rest)

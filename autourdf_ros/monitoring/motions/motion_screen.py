"""Screen motions by the model of a result folder that has a reported change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from autourdf_ros.commanding.screening.model_screen import model_distances
from autourdf_ros.commanding.screening.obstacles import Obstacles
from autourdf_ros.commanding.screening.path_screen import PathScreen
from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.monitoring.motions.clearance import ExtraClearance


class MotionScreen:
    """The capture's screening for motors' readings, with extra clearance where a change needs it.

    Attributes:
        unmoved: Motors of the model that are not commanded.
    """

    def __init__(
        self, folder: Path, motors: Sequence[str], base_frame: str, obstacles: Obstacles
    ) -> None:
        """Load the model.

        Args:
            folder: Result folder.
            motors: Names of the commanded motors.
            base_frame: Of the obstacles.
            obstacles: What the robot must not touch.

        Raises:
            InputError: The model cannot screen all commanded motors.
        """
        self._live, self._obstacles = LiveModel(folder), obstacles
        joints = {drive.motor: drive.joint for drive in self._live.drives}
        if lacking := [name for name in motors if name not in joints]:
            raise InputError(
                f"joints names {', '.join(lacking)}, which {folder} does not have; it has "
                f"{', '.join(joints)}"
            )
        self._distances = model_distances(
            folder,
            [joints[name] for name in motors],
            base_frame,
            obstacles.keep_out,
            obstacles.minimum_height,
            obstacles.clearance,
        )
        if bare := [name for name in motors if joints[name] in self._distances.bare]:
            raise InputError(
                f"{folder}: nothing that {', '.join(bare)} moves has a collision shape; accepted "
                "in joints: those whose motion can be screened"
            )
        self.unmoved = tuple(name for name in joints if name not in motors)

    def with_clearance(
        self, extra_clearance: ExtraClearance, unmoved: Callable[[], Mapping[str, float]]
    ) -> PathScreen:
        """Return the screen of paths.

        Args:
            extra_clearance: Of pairs of links.
            unmoved: Returns the readings of the motors that are not commanded.
        """
        return PathScreen(
            self._obstacles.forbidden,
            self._distances,
            unmoved,
            self._distances.widened(extra_clearance),
            self._live.joint_values,
        )

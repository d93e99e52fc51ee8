"""Options for finding frames in a bag and cleaning them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autourdf_ros.data.background import TOLERANCE
from autourdf_ros.data.cleaning import Box, CleaningOptions, Ground
from autourdf_ros.errors import InputError

CLEANING = CleaningOptions(Box((-1.5, -1.5, -0.1), (1.5, 1.5, 2.0)), Ground(), gap=0.05)
STILL_VELOCITY = 0.02


@dataclass(frozen=True)
class ExtractionOptions:
    """Options for finding frames in a bag and cleaning them.

    Attributes:
        clouds: topics of the clouds; empty: all in the bag.
        joint_states: topics of the joint states; empty: found from the bag.
        fixed_frame: frame of all points; None: `base_link`, or else the topmost frame above all
            clouds.
        still_time: how long the robot must stand still (s); None: as long as the capture asks for,
            longer where readings are rare.
        still_velocity: speed below which a joint rests (rad/s or m/s).
        cleaning: of the clouds.
        cloud_scale: metres in a unit of the clouds: one number, or one a topic.
        background: recording of the scene without the robot, in the fixed frame.
        background_tolerance: points nearer to the background than this (m) are removed.
    """

    clouds: tuple[str, ...] = ()
    joint_states: tuple[str, ...] = ()
    fixed_frame: str | None = None
    still_time: float | None = None
    still_velocity: float = STILL_VELOCITY
    cleaning: CleaningOptions = CLEANING
    cloud_scale: tuple[float, ...] = (1.0,)
    background: Path | None = None
    background_tolerance: float = TOLERANCE

    def scale_of(self, clouds: tuple[str, ...]) -> tuple[float, ...]:
        """Return `cloud_scale`. Raise InputError where its length does not fit these topics."""
        if len(self.cloud_scale) not in (1, len(clouds)):
            raise InputError(
                f"cloud_scale has {len(self.cloud_scale)} numbers; accepted is one, or one for "
                f"each of {', '.join(clouds)}"
            )
        return self.cloud_scale

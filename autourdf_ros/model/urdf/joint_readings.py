"""The newest joint readings, and how they match a model's motors."""

from __future__ import annotations

import math
from collections.abc import Mapping

from autourdf_ros.model.urdf.live_model import LiveModel

MOST = 10_000  # names of joints, of which an untrusted source may send any number


class JointReadings:
    """What was last heard of every joint (rad or m), by the name that the joint state gives it.

    A joint state may name a model's joint by its motor or, as those do that read the URDF, by the
    joint; of both, the motor's counts.
    """

    def __init__(self) -> None:
        self._values: dict[str, float] = {}
        self.invalid: set[str] = set()
        self.heard = -math.inf

    def hear(self, positions: Mapping[str, float], now: float) -> None:
        """Take positions by name, heard at `now` (s); those that are not finite are only noted.

        Of more than `MOST` names those that came first are kept.
        """
        if len(self._values) + len(self.invalid) + len(positions) > MOST:
            known = self._values.keys() | self.invalid
            positions = {name: value for name, value in positions.items() if name in known}
        finite = {name: value for name, value in positions.items() if math.isfinite(value)}
        self.invalid = (self.invalid | positions.keys()) - finite.keys()
        self._values |= finite
        self.heard = now

    def by_motor(self, model: LiveModel) -> dict[str, float]:
        """Return the readings of the model's motors that were heard."""
        named_by_joint = {
            drive.motor: drive.ratio * self._values[drive.joint] + drive.offset
            for drive in model.drives
            if drive.joint in self._values
        }
        motors = {drive.motor for drive in model.drives} & self._values.keys()
        return named_by_joint | {motor: self._values[motor] for motor in motors}

    def moves(self, model: LiveModel) -> bool:
        """Return whether any joint of the model was heard of."""
        return bool(self.by_motor(model))

    def silent(self, model: LiveModel) -> set[str]:
        """Return the motors of the model that were never heard of."""
        return {drive.motor for drive in model.drives} - self.by_motor(model).keys()

    def unknown(self, model: LiveModel) -> set[str]:
        """Return names heard that are no motor and no joint of the model, following ones too."""
        return self._values.keys() - {drive.motor for drive in model.drives} - set(model.joints)

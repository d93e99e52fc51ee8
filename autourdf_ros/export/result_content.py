"""What a result folder is written from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autourdf_ros.data.frame import Recording
from autourdf_ros.estimation.motion.reconstruction import Reconstruction
from autourdf_ros.export.formats.urdf import UrdfNames
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.shape.urdf_options import DEFAULTS, UrdfOptions
from autourdf_ros.shape.visual.link_solids import LinkSolid


@dataclass(frozen=True)
class ResultContent:
    """Everything that is known when writing begins; names are those of the estimate.

    Attributes:
        reconstruction: The motion estimate. Its model has the surfaces that are written.
        model: That model with all its layers, the masses as well.
        names: Names in the URDF.
        recording: What it was reconstructed from.
        solids: Of the model's links, None for a link without points.
        options: Shapes, drives and density, the one by which a given mass is met.
        limits: File that limits in model and options come from, for the record.
        usd: Whether to write USD, too.
    """

    reconstruction: Reconstruction
    model: SelfModel
    names: UrdfNames
    recording: Recording
    solids: tuple[LinkSolid | None, ...]
    options: UrdfOptions = DEFAULTS
    limits: Path | None = None
    usd: bool = False

    @property
    def named_model(self) -> SelfModel:
        """The model under the names of the URDF."""
        return self.model.renamed(self.names.robot, self.names.links, self.names.joints)

    @property
    def recorded(self) -> list[dict[str, float]]:
        """Joint values, by name in the URDF, in the frames that the model explains."""
        joints = [
            (index, self.names.joints[joint.name])
            for index, joint in enumerate(self.model.joints)
            if joint.type != "fixed"
        ]
        return [
            {name: float(values[index]) for index, name in joints}
            for motion in self.reconstruction.motions
            for values in motion.joint_values[motion.used]
        ]

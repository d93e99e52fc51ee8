"""What a result folder is written from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from autourdf_ros.export.formats.urdf import UrdfNames
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.report.account import Account
from autourdf_ros.shape.urdf_options import DEFAULTS, UrdfOptions
from autourdf_ros.shape.visual.link_solids import LinkSolid


@dataclass(frozen=True)
class ResultContent:
    """Everything that is known when writing begins; names are those of the estimate.

    Attributes:
        account: Of the estimate, under the names of the URDF.
        model: With all its layers, the masses as well, and the surfaces that are written.
        names: Names in the URDF.
        solids: Of the model's links, None for a link without points.
        options: Shapes, drives and density, the one by which a given mass is met.
        limits: File that limits in model and options come from, for the record.
        usd: Whether to write USD, too.
    """

    account: Account
    model: SelfModel
    names: UrdfNames
    solids: tuple[LinkSolid | None, ...]
    options: UrdfOptions = DEFAULTS
    limits: Path | None = None
    usd: bool = False

    @cached_property
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
            for values in self.account.recorded
        ]

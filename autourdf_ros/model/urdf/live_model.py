"""A result folder brought to life: its URDF, and the transforms that joint readings give."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio
import urchin
from lxml import etree
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.files.xml_reading import parse_xml, read_xml
from autourdf_ros.model.result_files import SRDF, URDF, result_document
from autourdf_ros.model.result_paths import refuse_outside


@dataclass(frozen=True)
class LinkTransform:
    """Pose of link `child` in link `parent`, (4, 4)."""

    parent: str
    child: str
    matrix: NDArray[np.float64]


@dataclass(frozen=True)
class Drive:
    """How a joint follows a motor: joint value = (reading - offset) / ratio.

    Attributes:
        reference: The joint's value while there is no reading.
    """

    joint: str
    motor: str
    ratio: float
    offset: float
    reference: float


class LiveModel:
    """The robot of a result folder, as Pinocchio moves it from motor readings.

    Not a `SelfModel`: what the URDF on disk says, with meshes by name, for those that publish it.

    document: its reconstruction.json. semantic: its SRDF, None where it has none. joints: names of
    those that move, in the URDF.
    """

    def __init__(self, folder: Path) -> None:
        """Read the folder. Raises InputError where it is no result folder or is damaged."""
        document = result_document(folder)
        try:
            self._urdf = (folder / URDF).read_text()
            # Before the parsers of others, which resolve entities.
            refuse_outside(read_xml(folder / URDF), folder)
            self.semantic = _srdf(folder / SRDF)
            self._robot = urchin.URDF.load(str(folder / URDF), lazy_load_meshes=True)
            self._model = pinocchio.buildModelFromXML(self._urdf)
            self.drives = tuple(_drive(joint) for joint in document["joints"])
            self.verdict = str(document["verdict"])
        except (InputError, OSError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise InputError(f"{folder}: is a damaged result folder: {error}") from error
        self.drives = tuple(d for d in self.drives if d.joint in self._robot.actuated_joint_names)
        self.joints = tuple(j.name for j in self._robot.joints if j.joint_type != "fixed")
        self.document = document
        self._mimics = {j.name: j.mimic for j in self._robot.joints if j.mimic is not None}
        self._check_leaders(folder)
        self.folder = folder
        self.name = str(self._robot.name)
        self.root = str(self._robot.base_link.name)
        self._data = self._model.createData()
        self._frames = {
            link.name: self._model.getFrameId(link.name, pinocchio.FrameType.BODY)
            for link in self._robot.links
        }

    def _check_leaders(self, folder: Path) -> None:
        driven = {drive.joint for drive in self.drives}
        for name, mimic in self._mimics.items():
            if mimic.joint not in driven:
                raise InputError(
                    f"{folder}: is a damaged result folder: joint {name} follows {mimic.joint}, "
                    "which its document does not name"
                )

    def description(self, mesh_prefix: str = "") -> str:
        """Return the URDF with `mesh_prefix`, by default this folder's URI, before mesh paths."""
        root = parse_xml(self._urdf.encode(), self.folder / URDF)
        for mesh in root.iter("mesh"):
            mesh.set("filename", self.mesh_uri(mesh.get("filename"), mesh_prefix))
        return etree.tostring(root, encoding="unicode")

    def mesh_uri(self, filename: str, mesh_prefix: str = "") -> str:
        """Return the URI of a mesh that the URDF names by a relative path."""
        prefix = mesh_prefix or self.folder.resolve().as_uri()
        return f"{prefix.rstrip('/')}/{filename}"

    def visuals(self) -> list[tuple[str, urchin.Visual]]:
        """Return all visual shapes, each with the name of its link."""
        return [(link.name, visual) for link in self._robot.links for visual in link.visuals]

    def joint_values(self, readings: Mapping[str, float]) -> dict[str, float]:
        """Return values of the joints that mimic none, from readings; at reference without one."""
        return {
            drive.joint: (readings[drive.motor] - drive.offset) / drive.ratio
            if drive.motor in readings
            else drive.reference
            for drive in self.drives
        }

    def fixed_transforms(self) -> list[LinkTransform]:
        """Return the transforms of links that never move in their parent."""
        return self._transforms(pinocchio.neutral(self._model), moving=False)

    def moving_transforms(self, values: Mapping[str, float]) -> list[LinkTransform]:
        """Return the transforms of links that joints move, for values of the joints by name."""
        configuration = pinocchio.neutral(self._model)
        followed = {
            name: mimic.multiplier * values[mimic.joint] + mimic.offset
            for name, mimic in self._mimics.items()
        }
        for name, value in (*values.items(), *followed.items()):
            joint = self._model.joints[self._model.getJointId(name)]
            # Pinocchio keeps an unbounded joint's angle as its cosine and sine.
            entry = (value,) if joint.nq == 1 else (math.cos(value), math.sin(value))
            configuration[joint.idx_q : joint.idx_q + joint.nq] = entry
        return self._transforms(configuration, moving=True)

    def _transforms(
        self, configuration: NDArray[np.float64], *, moving: bool
    ) -> list[LinkTransform]:
        pinocchio.framesForwardKinematics(self._model, self._data, configuration)
        poses = self._data.oMf
        return [
            LinkTransform(
                joint.parent,
                joint.child,
                poses[self._frames[joint.parent]]
                .actInv(poses[self._frames[joint.child]])
                .homogeneous,
            )
            for joint in self._robot.joints
            if (joint.joint_type != "fixed") == moving
        ]


def _srdf(path: Path) -> str | None:
    if not path.exists():
        return None
    read_xml(path)
    return path.read_text()


def _drive(joint: Mapping) -> Drive:
    motor = joint.get("motor") or {"name": joint["name"], "ratio": 1.0, "offset": 0.0}
    numbers = [float(motor["ratio"]), float(motor["offset"]), float(joint["reference"])]
    if not np.isfinite(numbers).all() or not numbers[0]:
        raise ValueError(f"joint {joint['name']} has ratio, offset and reference {numbers}")
    return Drive(joint["name"], motor["name"], *numbers)

"""Reads a URDF of anybody's: nothing is fetched, no entity is resolved, nothing is assumed."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from lxml import etree
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from autourdf_ros.errors import InputError
from autourdf_ros.files.xml_reading import parse_xml
from autourdf_ros.model.tree_joint import Mimic
from autourdf_ros.model.urdf.described_robot import (
    JOINT_TYPES,
    DescribedJoint,
    DescribedLink,
    DescribedRobot,
    Inertial,
    Limit,
    Role,
    Shape,
)

_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def read_description(path: Path) -> DescribedRobot:
    """Read a URDF file.

    `problems` holds what is wrong in single elements. Raises InputError where the file
    cannot be read, is no XML, is no URDF, or declares a document type, as only hostile XML needs.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    root = parse_xml(text, path)
    if root.tag != "robot":
        raise InputError(f"{path}: its root element is <{root.tag}>; accepted is <robot>")
    reader = _Reader()
    links = tuple(reader.link(element) for element in root.findall("link"))
    joints = tuple(reader.joint(element) for element in root.findall("joint"))
    return DescribedRobot(path, text, root.get("name", ""), links, joints, tuple(reader.problems))


class _Reader:
    """Collects what cannot be understood, and goes on with what is nearest to it."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def link(self, element: etree._Element) -> DescribedLink:
        name = element.get("name", "")
        where = f"link '{name}'"
        shapes = []
        roles: tuple[Role, ...] = ("visual", "collision")
        for role in roles:
            for item in element.findall(role):
                shape = self._shape(item, role, where)
                if shape is not None:
                    shapes.append(shape)
        inertial = element.find("inertial")
        return DescribedLink(
            name, None if inertial is None else self._inertial(inertial, where), tuple(shapes)
        )

    def joint(self, element: etree._Element) -> DescribedJoint:
        name, kind = element.get("name", ""), element.get("type", "")
        where = f"joint '{name}'"
        if kind not in JOINT_TYPES:
            self.problems.append(f"{where} has type '{kind}'; accepted: {', '.join(JOINT_TYPES)}")
        ends = {}
        for end in ("parent", "child"):
            found = element.find(end)
            ends[end] = "" if found is None else found.get("link", "")
            if not ends[end]:
                self.problems.append(f'{where} has no <{end} link="...">')
        self._pose(element.find("origin"), where)
        return DescribedJoint(
            name,
            kind,
            ends["parent"],
            ends["child"],
            self._vector(element.find("axis"), "xyz", (1.0, 0.0, 0.0), f"{where}, axis"),
            self._limit(element.find("limit"), where),
            self._mimic(element.find("mimic"), where),
        )

    def _limit(self, element: etree._Element | None, where: str) -> Limit | None:
        if element is None:
            return None
        return Limit(
            *(
                self._number(element, key, math.nan, f"{where}, limit")
                for key in ("lower", "upper", "effort", "velocity")
            )
        )

    def _mimic(self, element: etree._Element | None, where: str) -> Mimic | None:
        if element is None:
            return None
        where = f"{where}, mimic"
        return Mimic(
            element.get("joint", ""),
            self._number(element, "multiplier", 1.0, where),
            self._number(element, "offset", 0.0, where),
        )

    def _inertial(self, element: etree._Element, where: str) -> Inertial:
        where = f"{where}, inertial"
        mass, inertia = element.find("mass"), element.find("inertia")
        moments = [self._number(inertia, key, None, where) for key in _MOMENTS]
        ixx, ixy, ixz, iyy, iyz, izz = moments
        tensor = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
        pose = self._pose(element.find("origin"), where)
        return Inertial(self._number(mass, "value", None, where), pose, tensor)

    def _shape(self, element: etree._Element, role: Role, where: str) -> Shape | None:
        where = f"{where}, {role}"
        geometry = element.find("geometry")
        kinds = [] if geometry is None else [item for item in geometry if _known(item)]
        if len(kinds) != 1:
            self.problems.append(
                f"{where} has {len(kinds)} geometries; accepted is one of mesh, box, cylinder, "
                "sphere, capsule"
            )
            return None
        (item,) = kinds
        pose = self._pose(element.find("origin"), where)
        if item.tag == "mesh":
            filename = item.get("filename", "")
            if not filename:
                self.problems.append(f"{where} has a mesh without filename")
                return None
            scale = self._vector(item, "scale", (1.0, 1.0, 1.0), where)
            return Shape(role, "mesh", pose, filename, scale)
        if item.tag == "box":
            half = self._vector(item, "size", None, where) / 2
        else:
            radius = self._number(item, "radius", None, where)
            length = 0.0 if item.tag == "sphere" else self._number(item, "length", None, where)
            ends = radius if item.tag in ("sphere", "capsule") else 0.0
            half = np.array([radius, radius, length / 2 + ends])
        return Shape(role, item.tag, pose, half_size=half)

    def _pose(self, element: etree._Element | None, where: str) -> NDArray[np.float64]:
        pose = np.eye(4)
        where = f"{where}, origin"
        angles = self._vector(element, "rpy", (0.0, 0.0, 0.0), where)
        pose[:3, 3] = self._vector(element, "xyz", (0.0, 0.0, 0.0), where)
        if np.isfinite(angles).all():
            pose[:3, :3] = Rotation.from_euler("xyz", angles).as_matrix()
        return pose

    def _number(
        self, element: etree._Element | None, key: str, default: float | None, where: str
    ) -> float:
        return float(self._numbers(element, key, None if default is None else (default,), where)[0])

    def _vector(
        self,
        element: etree._Element | None,
        key: str,
        default: tuple[float, ...] | None,
        where: str,
    ) -> NDArray[np.float64]:
        return self._numbers(element, key, default, where, 3)

    def _numbers(
        self,
        element: etree._Element | None,
        key: str,
        default: tuple[float, ...] | None,
        where: str,
        count: int = 1,
    ) -> NDArray[np.float64]:
        """(count,) numbers of an attribute; NaN, and a problem, where they are not to be read."""
        text = None if element is None else element.get(key)
        if text is None and default is not None:
            return np.array(default)
        try:
            values = np.array([float(word) for word in (text or "").split()])
        except ValueError:
            values = np.array([])
        if len(values) == count and np.isfinite(values).all():
            return values
        found = "is missing" if text is None else f"is '{text}'"
        expected = "a number" if count == 1 else f"{count} numbers"
        self.problems.append(f"{where}: {key} {found}; accepted: {expected}")
        return np.full(count, math.nan)


def _known(element: etree._Element) -> bool:
    return element.tag in ("mesh", "box", "cylinder", "sphere", "capsule")

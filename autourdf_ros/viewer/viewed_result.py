"""The content of a result folder for the viewer, read and checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autourdf_ros.errors import InputError
from autourdf_ros.files.xml_reading import read_xml
from autourdf_ros.model.document.alternatives import RankedJoint, ranked_joints
from autourdf_ros.model.joint_grading import Judgement, judge_joints
from autourdf_ros.model.result_files import DOCUMENT, URDF, result_document
from autourdf_ros.model.result_paths import refuse_outside


@dataclass(frozen=True)
class ViewedResult:
    """A result folder.

    Attributes:
        folder: Its path.
        document: The content of reconstruction.json.
        judgements: By joint name.
        alternatives: What joints between given parts may be; empty for other results.
    """

    folder: Path
    document: Mapping[str, Any]
    judgements: Mapping[str, Judgement]
    alternatives: tuple[RankedJoint, ...] = ()

    @property
    def urdf(self) -> Path:
        """The URDF's path."""
        return self.folder / URDF


def load_result(folder: Path) -> ViewedResult:
    """Read a result folder.

    Raises:
        InputError: The folder is no result, damaged or of another version.
    """
    folder = folder.expanduser().resolve()
    document = result_document(folder)
    try:
        _check_urdf(folder, document)
        alternatives = ranked_joints(document, str(folder / DOCUMENT))
        judgements = judge_joints(document)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{folder / DOCUMENT}: is damaged ({type(error).__name__}: {error})"
        ) from error
    return ViewedResult(folder, document, judgements, alternatives)


def _check_urdf(folder: Path, document: Mapping[str, Any]) -> None:
    """Refuse what yourdfpy would ignore silently: a truncated file, a missing mesh."""
    path = folder / URDF
    robot = read_xml(path)
    refuse_outside(robot, folder)
    for mesh in robot.iterfind("link/visual/geometry/mesh"):
        if not (folder / mesh.get("filename", "")).is_file():
            raise InputError(f"{path}: its mesh {mesh.get('filename')} is missing")
    for kind in ("link", "joint"):
        here = {element.get("name") for element in robot.iterfind(kind)}
        if unknown := {entry["name"] for entry in document[f"{kind}s"]} - here:
            raise InputError(f"{path}: has no {kind} {min(unknown)!r}, which {DOCUMENT} names")

"""What the files of a result folder are called, and where one may be written."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from autourdf_ros.errors import InputError
from autourdf_ros.model.document_migration import READ, migrated
from autourdf_ros.model.names import package_name

URDF = "robot.urdf"
SRDF = "robot.srdf"
MJCF = "robot.mjcf.xml"
DOCUMENT = "reconstruction.json"
REPORT = "report.html"
MESHES = "meshes"
USD = "usd"
FIGURES = "figures"
SPLATS = "splats"
"""Files of the appearance layer."""

FORMAT = "autourdf_ros/reconstruction"

ASSEMBLY = "assembly"
"""Key of the document's section that only results from parts have."""
MECHANISM = "mechanism"
"""Key of the document's section that only results from videos have."""
IMAGES_ALONE = "images_alone"
"""Key of the document's section that only results from images alone have."""
POSTERIOR = "dynamics_posterior.json"
"""What is known of a mechanism's dynamics, where it was estimated."""
BACKGROUND = "background.png"
"""Depth of what stands behind the bodies of a video (16-bit, mm, 0 where none)."""

_OWN = {URDF, SRDF, MJCF, USD, DOCUMENT, REPORT, MESHES, FIGURES, SPLATS, POSTERIOR, BACKGROUND}


def description_package(robot: str) -> str:
    """Name of the ROS package with a robot's description. robot: its name in the URDF."""
    return f"{package_name(robot)}_description"


def moveit_package(robot: str) -> str:
    """Name of the ROS package with a robot's MoveIt configuration."""
    return f"{package_name(robot)}_moveit_config"


def result_document(folder: Path) -> dict[str, Any]:
    """Return the content of a result folder's reconstruction.json, as today's version has it.

    Raises:
        InputError: this package did not write the folder, or the version is not one of `READ`.
    """
    path = folder / DOCUMENT
    try:
        content = json.loads(path.read_text())
    except OSError as error:
        raise _no_result(folder, f"{DOCUMENT} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise _no_result(folder, f"{DOCUMENT} is no JSON: {error}") from error
    if not _is_ours(content):
        raise _no_result(folder, f"{DOCUMENT} has no format {FORMAT}")
    if content.get("version") not in READ:
        raise InputError(
            f"{path}: has version {content.get('version')!r}; accepted are "
            f"{' and '.join(map(str, READ))}, what this autourdf_ros reads; reconstruct the "
            "recording again"
        )
    return migrated(content)


def _no_result(folder: Path, reason: str) -> InputError:
    return InputError(
        f"{folder}: is no result folder ({reason}); accepted is one that autourdf wrote"
    )


def _is_ours(content: Any) -> bool:
    return isinstance(content, dict) and content.get("format") == FORMAT


def _document(folder: Path) -> dict[str, Any] | None:
    """The document of whatever version; None where `folder` is no result."""
    try:
        content = json.loads((folder / DOCUMENT).read_text())
    except (OSError, ValueError, RecursionError):
        return None
    return content if _is_ours(content) else None


def check_output(out: Path) -> Path:
    """Return the absolute path of a result folder that may be written at `out`.

    Raises InputError where something else is there that would be lost, or where no folder can be
    made. Long work calls it first.
    """
    out = out.expanduser().resolve()
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: is a file; give a new or empty folder, or an earlier result")
    if out.is_dir():
        there = {path.name for path in out.iterdir()}
        document = _document(out)
        if there and document is None:
            raise InputError(
                f"{out}: holds something that is no result of autourdf ({min(there)}); give a new "
                "or empty folder, or an earlier result"
            )
        robot = str((document or {}).get("name"))
        if foreign := there - _OWN - {description_package(robot), moveit_package(robot)}:
            raise InputError(
                f"{out}: holds {min(foreign)} beside an earlier result, which would be lost; "
                "move it away or give another folder"
            )
    existing = next(path for path in out.parents if path.exists())
    if not (existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)):
        raise InputError(f"{out}: cannot be made: {existing} is not a writable folder")
    return out

"""The files of a result folder: the robot in all formats, and the account of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from autourdf_ros.export.document import to_text
from autourdf_ros.export.formats.end_frames import end_frames
from autourdf_ros.export.formats.mjcf import write_mjcf
from autourdf_ros.export.formats.semantics import Semantics, semantics
from autourdf_ros.export.formats.srdf import write_srdf
from autourdf_ros.export.formats.urdf import write_urdf
from autourdf_ros.export.formats.usd import write_usd
from autourdf_ros.export.packages.description_package import write_description_package
from autourdf_ros.export.packages.moveit_config import write_moveit_config
from autourdf_ros.export.result_content import ResultContent
from autourdf_ros.model.result_files import DOCUMENT, SRDF, URDF
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.report.report import write_report
from autourdf_ros.shape.collision.collision_pairs import DisabledPair, collision_pairs


def write_robot(
    content: ResultContent, folder: Path, progress: Progress = silent
) -> tuple[DisabledPair, ...]:
    """Write URDF, meshes, SRDF, MJCF, packages and USD; return the pairs that are not checked."""
    progress("description", 0.0)
    write_urdf(
        content.model,
        folder,
        name=content.names.robot,
        options=content.options,
        solids=content.solids,
    )
    base = content.account.base
    meaning = semantics(content.model, content.names, content.options.drives, base)
    meaning = replace(meaning, cameras=tuple(content.account.input.get("cameras", ())))
    return write_formats(meaning, content.recorded, folder, content.usd, part(progress, 1 / 3, 1.0))


def write_account(
    content: ResultContent, document: dict[str, Any], folder: Path, progress: Progress = silent
) -> None:
    """Write reconstruction.json, and the report, which reads the URDF back from the folder."""
    (folder / DOCUMENT).write_text(to_text(document))
    progress("report", 0.0)
    write_report(content.named_model, content.account, document, folder, progress)


def write_formats(
    meaning: Semantics,
    recorded: Sequence[Mapping[str, float]],
    folder: Path,
    usd: bool,
    progress: Progress,
) -> tuple[DisabledPair, ...]:
    """Write everything that is made of the URDF; return the pairs of links that are not checked.

    Args:
        meaning: Groups, drives and home.
        recorded: Joint values by name in the frames that the model explains.
        folder: With URDF and meshes.
        usd: Whether to write that, too.
        progress: Is called with stage and fraction.
    """
    progress("links that never touch", 0.0)
    home = {joint.name: joint.home for joint in meaning.joints}
    pairs = collision_pairs(folder / URDF, home, recorded=recorded)
    write_srdf(meaning, pairs, folder / SRDF)
    progress("MJCF and packages", 0.6)
    write_mjcf(meaning, pairs, folder)
    frames = end_frames(folder / URDF, meaning.groups)
    write_description_package(meaning.robot, folder, frames)
    write_moveit_config(meaning, folder, frames)
    if usd:
        progress("USD", 0.9)
        write_usd(folder)
    return pairs

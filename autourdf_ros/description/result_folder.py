"""The result folder: written whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from autourdf_ros.checking.gate import Findings, check_result, doubts, failed, told
from autourdf_ros.description.atomic_folder import replacing
from autourdf_ros.description.collision_pairs import DisabledPair, collision_pairs
from autourdf_ros.description.description_package import write_description_package
from autourdf_ros.description.document import observed_ranges, to_document, to_text
from autourdf_ros.description.link_solids import link_solids
from autourdf_ros.description.mjcf import write_mjcf
from autourdf_ros.description.moveit_config import write_moveit_config
from autourdf_ros.description.report import write_report
from autourdf_ros.description.result_files import DOCUMENT, SRDF, URDF, check_output
from autourdf_ros.description.round_surfaces import with_round_surfaces_between
from autourdf_ros.description.semantics import Semantics, semantics
from autourdf_ros.description.srdf import write_srdf
from autourdf_ros.description.urdf import (
    DEFAULTS,
    UrdfNames,
    UrdfOptions,
    urdf_names,
    weighed,
    write_urdf,
)
from autourdf_ros.description.usd import check_usd, write_usd
from autourdf_ros.kinematics.reconstruction import Reconstruction
from autourdf_ros.kinematics.verdict import with_doubts
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.recording.frame import Recording


def write_result(
    reconstruction: Reconstruction,
    out: Path,
    *,
    name: str,
    recording: Recording,
    options: UrdfOptions = DEFAULTS,
    limits: Path | None = None,
    usd: bool = False,
    progress: Progress = silent,
) -> Path:
    """Write a reconstruction's result folder at `out`; returns its absolute path.

    What the checks of `autourdf check` find is recorded, and those that fail are warnings: the
    result is written all the same. Its verdict is that of the reconstruction, or `doubtful` where
    a check contradicts what was recorded.
    The folder is written beside and renamed, so that a kill at any moment leaves the old or the
    new whole. name: the robot's. recording: what it was reconstructed from. limits: the file from
    which limits in model and options are, for the record. usd: whether to write that, too. Raises
    InputError as `check_output` and, for USD, `check_usd` do.
    """
    out = check_output(out)
    if usd:
        check_usd()
    model = with_round_surfaces_between(
        reconstruction.model, observed_ranges(reconstruction), reconstruction.noise
    )
    reconstruction = replace(reconstruction, model=model)
    names = urdf_names(model, name)
    with replacing(out) as folder:
        solids = link_solids(model, options.visual_triangles, part(progress, 0.0, 0.45))
        options = weighed(options, solids)
        progress("description", 0.45)
        write_urdf(model, folder, name=name, options=options, solids=solids)
        meaning = semantics(model, names, options.drives, reconstruction.base.kind)
        stood = _recorded(reconstruction, names)
        pairs = write_formats(meaning, stood, folder, usd, part(progress, 0.5, 0.6))
        document = to_document(
            reconstruction,
            names,
            recording,
            options,
            solids,
            pairs=pairs,
            limits=limits,
            usd=usd,
        )
        findings = check_result(folder, document, part(progress, 0.6, 0.7))
        add_checks(document, findings)
        (folder / DOCUMENT).write_text(to_text(document))
        progress("report", 0.7)
        write_report(
            reconstruction,
            document,
            recording,
            folder,
            progress=part(progress, 0.7, 1.0),
        )
    progress("written", 1.0)
    return out


def add_checks(document: dict[str, Any], findings: Findings) -> None:
    """Add what the checks found, and what that means for the verdict, to a document.

    Args:
        document: content of reconstruction.json, with the verdict and the warnings of before.
        findings: of all checks.
    """
    document["checks"] = [asdict(finding) for finding in findings]
    document["verdict"] = with_doubts(document["verdict"], doubts(findings))
    document["warnings"] += [told(bad) for bad in failed(findings)]


def _recorded(reconstruction: Reconstruction, names: UrdfNames) -> list[dict[str, float]]:
    """Joint values, by name in the URDF, in the frames that the model explains."""
    joints = [
        (index, names.joints[joint.name])
        for index, joint in enumerate(reconstruction.model.joints)
        if joint.type != "fixed"
    ]
    return [
        {name: float(values[index]) for index, name in joints}
        for motion in reconstruction.motions
        for values in motion.joint_values[motion.used]
    ]


def write_formats(
    meaning: Semantics,
    recorded: Sequence[Mapping[str, float]],
    folder: Path,
    usd: bool,
    progress: Progress,
) -> tuple[DisabledPair, ...]:
    """Everything that is made of the URDF; returns the pairs of links that are not checked."""
    progress("links that never touch", 0.0)
    home = {joint.name: joint.home for joint in meaning.joints}
    pairs = collision_pairs(folder / URDF, home, recorded=recorded)
    write_srdf(meaning, pairs, folder / SRDF)
    progress("MJCF and packages", 0.6)
    write_mjcf(meaning, pairs, folder)
    write_description_package(meaning.robot, folder)
    write_moveit_config(meaning, folder)
    if usd:
        progress("USD", 0.9)
        write_usd(folder)
    return pairs

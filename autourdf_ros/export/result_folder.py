"""The result folder: written whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from autourdf_ros.assessment.checks.gate import check_result, failed
from autourdf_ros.data.frame import Recording
from autourdf_ros.estimation.motion.reconstruction import Reconstruction
from autourdf_ros.estimation.motion.result.round_surfaces import with_round_surfaces_between
from autourdf_ros.export.document import observed_ranges, to_document, to_text
from autourdf_ros.export.formats.mjcf import write_mjcf
from autourdf_ros.export.formats.semantics import Semantics, semantics
from autourdf_ros.export.formats.srdf import write_srdf
from autourdf_ros.export.formats.urdf import UrdfNames, urdf_names, weighed, write_urdf
from autourdf_ros.export.formats.usd import check_usd, write_usd
from autourdf_ros.export.packages.description_package import write_description_package
from autourdf_ros.export.packages.moveit_config import write_moveit_config
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.model.result_files import DOCUMENT, SRDF, URDF, check_output
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.report.report import write_report
from autourdf_ros.shape.collision.collision_pairs import DisabledPair, collision_pairs
from autourdf_ros.shape.urdf_options import DEFAULTS, UrdfOptions
from autourdf_ros.shape.visual.link_solids import link_solids


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
    result is written all the same.
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
        document["checks"] = [asdict(finding) for finding in findings]
        document["warnings"] += [f"{bad.check}: {bad.message}" for bad in failed(findings)]
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

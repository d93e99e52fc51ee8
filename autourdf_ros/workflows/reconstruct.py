"""From a recording to its result folder: estimate, complete the model, write, check, account."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.checks.gate import check_result
from autourdf_ros.data.frame import Recording
from autourdf_ros.estimation.motion.head_start import HeadStart
from autourdf_ros.estimation.motion.pipeline import reconstruct
from autourdf_ros.estimation.motion.reconstruction import Reconstruction, ReconstructionOptions
from autourdf_ros.estimation.motion.result.round_surfaces import with_round_surfaces_between
from autourdf_ros.export.checked_document import with_checks
from autourdf_ros.export.document import to_document
from autourdf_ros.export.formats.urdf import urdf_names
from autourdf_ros.export.formats.usd import check_usd
from autourdf_ros.export.given_limits import GivenLimits, with_limits
from autourdf_ros.export.result_content import ResultContent
from autourdf_ros.export.result_folder import write_account, write_robot
from autourdf_ros.export.versions import forget_versions
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.model.limits.drive_limits import DriveLimits
from autourdf_ros.model.result_files import check_output
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.report.motion.motion_account import motion_account, observed_ranges
from autourdf_ros.shape.urdf_options import DEFAULTS, UrdfOptions
from autourdf_ros.shape.visual.link_solids import link_solids
from autourdf_ros.shape.volume_inertia import volume_inertia, weighed
from autourdf_ros.workflows.prior_reading import read_prior

SURELY = 3.0
"""Standard deviations beyond a limit that a joint was surely there."""


@dataclass(frozen=True)
class ResultOptions:
    """Choices of the user for a result folder.

    Attributes:
        engine: Of the estimation.
        written: Of shapes, density and drives.
        limits: Limits that are known, by motor or joint.
        limits_file: Where they come from, for the record.
        usd: Whether to write USD, too.
    """

    engine: ReconstructionOptions = field(default_factory=ReconstructionOptions)
    written: UrdfOptions = DEFAULTS
    limits: Mapping[str, GivenLimits] = field(default_factory=dict)
    limits_file: Path | None = None
    usd: bool = False


def reconstruct_to_folder(
    recording: Recording,
    out: Path,
    name: str,
    options: ResultOptions,
    progress: Progress = silent,
    begun: HeadStart | None = None,
) -> Reconstruction:
    """Reconstruct a robot and write its result folder at `out`; return the reconstruction.

    Args:
        recording: The frames.
        out: Where; an earlier result there is replaced.
        name: Of the robot.
        options: Of the user.
        progress: Is called with stage and fraction.
        begun: What was done while the recording was being made.

    Raises:
        InputError: as `reconstruct`, `read_prior` and `write_reconstruction`.
    """
    known = options.engine.prior
    prior = None if known is None else read_prior(Path(known))
    found = reconstruct(recording, options.engine, part(progress, 0.0, 0.85), prior, begun)
    found, drives = limited(found, options.limits)
    write_reconstruction(
        found,
        out,
        name=name,
        recording=recording,
        options=replace(options.written, drives=drives),
        limits=options.limits_file,
        usd=options.usd,
        progress=part(progress, 0.85, 1.0),
    )
    return found


def write_reconstruction(
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
    """Write a reconstruction's result folder at `out`; return its absolute path.

    The folder is written beside and renamed, so that a kill at any moment leaves the old or the
    new whole. What the checks of `autourdf check` find is recorded, and those that fail are
    warnings: the result is written all the same.

    Args:
        reconstruction: What was found.
        out: Where; an earlier result there is replaced.
        name: Of the robot.
        recording: What it was reconstructed from.
        options: Shapes, drives, and density or mass.
        limits: File that limits in model and options come from, for the record.
        usd: Whether to write USD, too.
        progress: Is called with stage and fraction.

    Raises:
        InputError: as `check_output` and, for USD, `check_usd`.
    """
    out = check_output(out)
    if usd:
        check_usd()
    with replacing(out) as folder:
        reconstruction = with_surfaces_between(reconstruction)
        content = completed(reconstruction, name, recording, options, part(progress, 0.0, 0.45))
        content = replace(content, limits=limits, usd=usd)
        pairs = write_robot(content, folder, part(progress, 0.45, 0.6))
        document = to_document(content, pairs, folder)
        findings = check_result(folder, document, part(progress, 0.6, 0.7))
        document = with_checks(document, findings)
        write_account(content, document, folder, part(progress, 0.7, 1.0))
    forget_versions(out)
    progress("written", 1.0)
    return out


def limited(
    reconstruction: Reconstruction, given: Mapping[str, GivenLimits]
) -> tuple[Reconstruction, dict[str, DriveLimits]]:
    """Return the reconstruction with given limits, and the drive limits by joint name.

    As `with_limits`: a joint that was surely seen beyond its limits gets such as hold what was
    seen, and notes report it.
    """
    seen = np.array(
        [_surely_seen(reconstruction, joint) for joint in range(len(reconstruction.model.joints))]
    ).reshape(-1, 2)
    model, drives, notes = with_limits(reconstruction.model, given, seen)
    return replace(reconstruction, model=model, notes=(*reconstruction.notes, *notes)), drives


def _surely_seen(reconstruction: Reconstruction, joint: int) -> NDArray[np.float64]:
    """(2,) least and largest value (rad or m) that a joint surely reached or went beyond.

    Of the frames that were adjusted to: the standard deviations of others do not cover all errors.
    """
    values, deviations = [], []
    for motion in reconstruction.motions:
        chosen = motion.used & ~motion.held_out
        values.append(motion.joint_values[chosen, joint])
        deviations.append(np.nan_to_num(motion.joint_stds[chosen, joint]))
    value, deviation = np.concatenate(values), SURELY * np.concatenate(deviations)
    if not len(value):
        return np.array([np.inf, -np.inf])
    return np.array([(value + deviation).min(), (value - deviation).max()])


def with_surfaces_between(reconstruction: Reconstruction) -> Reconstruction:
    """Return the reconstruction with round surfaces given to the links between them."""
    model = with_round_surfaces_between(
        reconstruction.model, observed_ranges(reconstruction), reconstruction.noise
    )
    return replace(reconstruction, model=model)


def completed(
    reconstruction: Reconstruction,
    name: str,
    recording: Recording,
    options: UrdfOptions,
    progress: Progress = silent,
) -> ResultContent:
    """Return the model closed to solids, with masses of their volumes and names of the URDF."""
    model = reconstruction.estimate.model
    solids = link_solids(model, options.visual_triangles, progress)
    options = weighed(options, solids)
    model = model.with_layer(volume_inertia(model, solids, options.density))
    names = urdf_names(model, name)
    account = motion_account(reconstruction, recording, names.links, names.joints)
    return ResultContent(account, model, names, solids, options)

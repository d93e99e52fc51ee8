"""Write the result folder of a mechanism that was found in a video."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import trimesh

from autourdf_ros.assessment.checks.gate import check_result
from autourdf_ros.data.video.derived.depth_picture import write_depth_picture
from autourdf_ros.data.video.derived.static_background import static_background
from autourdf_ros.estimation.video.video_mechanism import VideoMechanism
from autourdf_ros.export.checked_document import with_checks
from autourdf_ros.export.document import to_document
from autourdf_ros.export.formats.urdf import urdf_names
from autourdf_ros.export.result_content import ResultContent
from autourdf_ros.export.result_folder import write_account, write_robot
from autourdf_ros.export.versions import forget_versions
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.model.limits.joint_limits import observed_limits
from autourdf_ros.model.result_files import BACKGROUND, check_output
from autourdf_ros.model.self_model import Joint, SelfModel
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.report.mechanism.mechanism_account import mechanism_account
from autourdf_ros.shape.urdf_options import DEFAULTS, UrdfOptions
from autourdf_ros.shape.visual.given_solids import given_solids
from autourdf_ros.shape.visual.link_solids import LinkSolid
from autourdf_ros.shape.volume_inertia import volume_inertia, weighed


@dataclass(frozen=True)
class WrittenMechanism:
    """How a mechanism is written.

    Attributes:
        name: Of the mechanism.
        shapes: Collision shapes, density or mass, drives.
    """

    name: str
    shapes: UrdfOptions = DEFAULTS


def write_mechanism(
    found: VideoMechanism, out: Path, written: WrittenMechanism, progress: Progress = silent
) -> Path:
    """Write the result folder of a mechanism at `out`; return its absolute path.

    The folder is written beside and renamed, so that a kill at any moment leaves the old or the
    new whole. Failed checks are warnings: the result is written all the same.

    Raises:
        InputError: as `check_output`.
    """
    out = check_output(out)
    with replacing(out) as folder:
        content = completed_mechanism(found, written, part(progress, 0.0, 0.4))
        pairs = write_robot(content, folder, part(progress, 0.4, 0.6))
        background = static_background(found.video)
        if background is not None:
            write_depth_picture(background, folder / BACKGROUND)
        document = to_document(content, pairs, folder)
        findings = check_result(folder, document, part(progress, 0.6, 0.7))
        document = with_checks(document, findings)
        write_account(content, document, folder, part(progress, 0.7, 1.0))
    forget_versions(out)
    progress("written", 1.0)
    return out


def completed_mechanism(
    found: VideoMechanism, written: WrittenMechanism, progress: Progress = silent
) -> ResultContent:
    """Return the model with limits as observed, meshes, masses of volumes, and URDF names."""
    solids = _solids(found, progress)
    options = weighed(written.shapes, solids)
    model = with_observed_limits(found)
    model = model.with_layer(volume_inertia(model, solids, options.density))
    names = urdf_names(model, written.name)
    shown = tuple(None if one is None else (one.given or one.mesh) for one in solids)
    account = mechanism_account(found, model, shown, names.links, names.joints)
    return ResultContent(account, model, names, solids, options)


def with_observed_limits(found: VideoMechanism) -> SelfModel:
    """Return the model, its joints limited to what they were seen to do and a margin."""
    columns = found.joint_values[found.known].T
    joints = [
        _limited(joint, values) for joint, values in zip(found.model.joints, columns, strict=True)
    ]
    return found.model.with_parts(joints=joints)


def _limited(joint: Joint, values: np.ndarray) -> Joint:
    if joint.type == "fixed" or np.isfinite([joint.lower, joint.upper]).all() or not len(values):
        return joint
    kind, lower, upper = observed_limits(values, turns=joint.type != "prismatic")
    lower, upper = min(lower, joint.reference), max(upper, joint.reference)
    return replace(joint, type=kind, lower=lower, upper=upper)


def _solids(found: VideoMechanism, progress: Progress) -> tuple[LinkSolid | None, ...]:
    """Of the model's links at the reference configuration; None of links between bodies."""
    placed = {
        body: _mesh(shape.mesh.vertices, shape.mesh.triangles).apply_transform(pose)
        for body, shape, pose in zip(
            found.track.bodies, found.shapes, found.reference_poses, strict=True
        )
    }
    names = [link for link in found.model.tree.links if link in placed]
    made = given_solids([placed[link] for link in names], progress=progress)
    solids = dict(zip(names, made, strict=True))
    return tuple(solids.get(link) for link in found.model.tree.links)


def _mesh(vertices: np.ndarray, triangles: np.ndarray) -> trimesh.Trimesh:
    return trimesh.Trimesh(np.asarray(vertices, float), triangles, process=False)

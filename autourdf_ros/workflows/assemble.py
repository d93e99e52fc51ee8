"""From part meshes to their result folder: estimate, complete the model, write, check, account."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import trimesh

from autourdf_ros.assessment.checks.gate import check_result
from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.common.estimator import Estimate
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions
from autourdf_ros.estimation.parts.assembly_trace import AssemblyTrace
from autourdf_ros.estimation.parts.joint_types.type_model import TypeModel
from autourdf_ros.estimation.parts.pipeline import assemble
from autourdf_ros.export.checked_document import with_checks
from autourdf_ros.export.document import to_document
from autourdf_ros.export.formats.urdf import urdf_names
from autourdf_ros.export.formats.usd import check_usd
from autourdf_ros.export.result_content import ResultContent
from autourdf_ros.export.result_folder import write_account, write_robot
from autourdf_ros.export.versions import forget_versions
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.model.result_files import check_output
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.report.assembly.assembly_account import assembly_account, part_links
from autourdf_ros.shape.urdf_options import DEFAULTS, UrdfOptions
from autourdf_ros.shape.visual.given_solids import MOST_TRIANGLES, given_solids, is_solid
from autourdf_ros.shape.visual.link_solids import LinkSolid
from autourdf_ros.shape.volume_inertia import volume_inertia, weighed


@dataclass(frozen=True)
class AssembleOptions:
    """Choices of the user for a result folder of parts.

    Attributes:
        engine: Of the estimation.
        written: Of shapes, density and drives. Visual meshes are those given, so that
            `visual_triangles` has no meaning.
        usd: Whether to write USD, too.
    """

    engine: AssemblyOptions = field(default_factory=AssemblyOptions)
    written: UrdfOptions = DEFAULTS
    usd: bool = False


def assemble_to_folder(
    assembly: PartAssembly,
    out: Path,
    name: str,
    options: AssembleOptions,
    progress: Progress = silent,
    type_model: TypeModel | None = None,
) -> Estimate[AssemblyTrace]:
    """Find the kinematics of parts and write their result folder at `out`; return the estimate.

    A type model is asked for the types of the joints.

    Raises:
        InputError: as `assemble` and `write_assembly`.
    """
    out = check_output(out)
    found = assemble(assembly, None, options.engine, part(progress, 0.0, 0.7), type_model)
    write_assembly(found, out, name, options, part(progress, 0.7, 1.0))
    return found


def write_assembly(
    found: Estimate[AssemblyTrace],
    out: Path,
    name: str,
    options: AssembleOptions,
    progress: Progress = silent,
) -> Path:
    """Write the result folder of assembled parts at `out`; return its absolute path.

    The folder is written beside and renamed, so that a kill at any moment leaves the old or the
    new whole. Failed checks are warnings: the result is written all the same.

    Args:
        found: The model, whose links have the names of the parts, and how it came about.
        out: Where; an earlier result there is replaced.
        name: Of the robot or object.
        options: Choices of the user.
        progress: Is called with stage and fraction.

    Raises:
        InputError: as `check_output` and, for USD, `check_usd`.
    """
    out = check_output(out)
    if options.usd:
        check_usd()
    with replacing(out) as folder:
        content = completed(found, name, options, part(progress, 0.0, 0.4))
        pairs = write_robot(content, folder, part(progress, 0.4, 0.6))
        document = to_document(content, pairs, folder)
        findings = check_result(folder, document, part(progress, 0.6, 0.7))
        document = with_checks(document, findings)
        write_account(content, document, folder, part(progress, 0.7, 1.0))
    forget_versions(out)
    progress("written", 1.0)
    return out


def completed(
    found: Estimate[AssemblyTrace],
    name: str,
    options: AssembleOptions,
    progress: Progress = silent,
) -> ResultContent:
    """Return the model with the parts' meshes, masses of their volumes and names of the URDF."""
    assembly = found.trace.assembly
    parts = {
        link: trimesh.Trimesh(one.vertices, one.triangles, process=False)
        for link, one in zip(part_links(assembly, found.model), assembly.parts, strict=True)
    }
    meshes = [parts[link] for link in found.model.tree.links]
    solids = given_solids(meshes, progress=progress)
    written = weighed(options.written, solids)
    model, bounded = _with_ends(found.model, assembly.size)
    model = model.with_layer(volume_inertia(model, solids, written.density))
    names = urdf_names(model, name)
    shown = tuple(solid.given or solid.mesh for solid in solids)
    account = assembly_account(found.trace, model, shown, names.links, names.joints)
    notes = _notes_on_meshes(found, meshes, solids)
    account = replace(account, notes=(*account.notes, *bounded, *notes))
    return ResultContent(account, model, names, solids, written, usd=options.usd)


def _with_ends(model: SelfModel, size: float) -> tuple[SelfModel, list[str]]:
    """The model with limits that a URDF can state, and notes on those that are assumed.

    A joint that turns without an end on both sides is continuous; one that slides without an end
    stops at the size (m) of all parts.
    """
    joints, notes = [], []
    for joint in model.joints:
        known = np.isfinite([joint.lower, joint.upper])
        if joint.type == "revolute" and not known.all():
            joint = replace(joint, type="continuous", lower=-np.inf, upper=np.inf)
        elif joint.type == "prismatic" and not known.all():
            lower, upper = (joint.lower if known[0] else -size, joint.upper if known[1] else size)
            joint = replace(joint, lower=lower, upper=upper)
            notes.append(
                f"joint {joint.name!r} slides without an end that parts show: its limits are the "
                f"size of all parts, {size:.3g} m"
            )
        joints.append(joint)
    return model.with_parts(joints=joints), notes


def _notes_on_meshes(
    found: Estimate[AssemblyTrace],
    meshes: Sequence[trimesh.Trimesh],
    solids: Sequence[LinkSolid],
) -> list[str]:
    """What is not written as it was given, and which masses rest on more than the mesh."""
    links = found.model.tree.links
    open_ones = [link for link, mesh in zip(links, meshes, strict=True) if not is_solid(mesh)]
    lighter = [
        link
        for link, mesh, solid in zip(links, meshes, solids, strict=True)
        if solid.given is not None and len(solid.given.faces) < len(mesh.faces)
    ]
    notes = []
    if open_ones:
        notes.append(
            f"the meshes of {', '.join(open_ones)} bound no volume: mass and collision shapes are "
            "those of a closed surface around them"
        )
    if lighter:
        notes.append(
            f"the visual meshes of {', '.join(lighter)} are decimated: all together have at most "
            f"{MOST_TRIANGLES:,} triangles"
        )
    return notes

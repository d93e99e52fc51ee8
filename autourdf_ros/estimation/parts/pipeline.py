"""Kinematics from part meshes: the whole algorithm at a glance."""

from __future__ import annotations

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.common.estimator import Estimate
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions
from autourdf_ros.estimation.parts.assembly_trace import AssemblyTrace
from autourdf_ros.estimation.parts.contact.prepared_part import prepare_parts
from autourdf_ros.estimation.parts.joint_types.type_model import TypeModel
from autourdf_ros.estimation.parts.joint_types.with_types import with_types
from autourdf_ros.estimation.parts.ranges.tree_ranges import with_ranges
from autourdf_ros.estimation.parts.result.assembly_doubts import judge
from autourdf_ros.estimation.parts.result.assembly_model import build_model
from autourdf_ros.estimation.parts.result.overlaps import overlap_notes
from autourdf_ros.estimation.parts.result.result_options import ResultOptions
from autourdf_ros.estimation.parts.search_method import find_by_search
from autourdf_ros.estimation.parts.symmetry_method import find_by_symmetry
from autourdf_ros.model.layers.layer import Verdict
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.parallel import calm_blas
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.stopwatch import Stopwatch


def assemble(
    assembly: PartAssembly,
    model: SelfModel | None = None,
    options: AssemblyOptions = AssemblyOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
    type_model: TypeModel | None = None,
) -> Estimate[AssemblyTrace]:
    """Estimate the kinematic tree and the joints of parts that stand still.

    Args:
        assembly: The parts.
        model: Not used: parts say all.
        options: Choices of the user.
        progress: Is called with stage and fraction, and may raise to cancel.
        type_model: Is asked for the types of the joints; None without one.

    Returns:
        A model with kinematics and shape, and how it came about.

    Raises:
        InputError: The root is no part, or the parts cannot be assembled.
    """
    check_root(assembly, options)
    watch, limits = Stopwatch(), ResultOptions()
    with calm_blas():
        with watch.stage("preparation"):
            parts = prepare_parts(assembly, progress=part(progress, 0.0, 0.1))
        if options.method == "symmetry":
            found = find_by_symmetry(assembly, parts, options, watch, part(progress, 0.1, 0.75))
        else:
            found = find_by_search(assembly, parts, options, watch, part(progress, 0.1, 0.75))
        if type_model is not None:
            with watch.stage("type model"):
                found = with_types(assembly, found, type_model, part(progress, 0.75, 0.8))
        with watch.stage("ranges"):
            found = with_ranges(found, parts, limits.ranged, part(progress, 0.8, 0.95))
        with watch.stage("model"):
            progress("building the model", 0.95)
            warnings, trust = judge(assembly, found, parts, limits)
            notes = (*assembly.notes, *found.notes, *overlap_notes(parts, limits))
            built = build_model(assembly, found, parts, options, Verdict(trust, warnings), limits)
    progress("assembled", 1.0)
    trace = AssemblyTrace(
        assembly=assembly,
        options=options,
        contacts=found.contacts,
        clusters=found.clusters,
        tree=found.tree,
        runner_up=found.runner_up,
        joints=found.joints,
        verdict=trust,
        warnings=warnings,
        notes=(*notes, *_set_aside(assembly)),
        timings=dict(watch.seconds),
    )
    return Estimate(built, trace, warnings)


def check_root(assembly: PartAssembly, options: AssemblyOptions) -> None:
    """Raise an InputError where the root that the user names is no part."""
    names = [part.name for part in assembly.parts]
    if options.root is not None and options.root not in names:
        raise InputError(f"root: {options.root!r} is no part; accepted are {', '.join(names)}")


def _set_aside(assembly: PartAssembly) -> tuple[str, ...]:
    return tuple(f"part {one.name} is not used: {one.reason}" for one in assembly.set_aside)

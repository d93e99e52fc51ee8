"""Build the model of an assembly: links named after parts, joints, limits and surfaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from autourdf_ros.data.parts.assembly_digest import assembly_digest
from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.common.estimator import provenance
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions
from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.result.found_kinematics import FoundKinematics
from autourdf_ros.estimation.parts.result.joint_uncertainty import joint_estimate
from autourdf_ros.estimation.parts.result.result_options import ResultOptions
from autourdf_ros.geometry.normal_orientation import outward
from autourdf_ros.model.layers.layer import Verdict
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.model.names import legal_names
from autourdf_ros.model.self_model import Joint, Link, SelfModel
from autourdf_ros.model.tree_joint import JointType
from autourdf_ros.parallel import on_all_cores


def link_names(assembly: PartAssembly) -> dict[str, str]:
    """Return the legal, unique name of every part's link, by the part's name."""
    return legal_names(part.name for part in assembly.parts)


def build_model(
    assembly: PartAssembly,
    found: FoundKinematics,
    parts: Sequence[PreparedPart],
    options: AssemblyOptions,
    verdict: Verdict,
    result: ResultOptions = ResultOptions(),  # noqa: B008  (frozen)
) -> SelfModel:
    """Build the model of an assembly; its root is the base, and the given pose is at zero."""
    names = link_names(assembly)
    order = [found.tree.root, *(child for _, child in found.tree.edges)]
    surfaces = on_all_cores(lambda number: _surface(parts[number]), order)
    links = [
        Link(names[assembly.parts[number].name], surface)
        for number, surface in zip(order, surfaces, strict=True)
    ]
    joints = [_joint(joint, assembly, names, result) for joint in found.joints]
    name = legal_names([assembly.name])[assembly.name]
    model = SelfModel.of(name, links, joints)
    origin = provenance(f"parts/{options.method}", assembly_digest(assembly))
    for layer in (model.kinematics, model.shape):
        if layer is not None:
            model = model.with_layer(layer.stamped(origin, verdict))
    return model


def _surface(part: PreparedPart) -> Surface:
    points = part.samples.points
    return Surface(points, outward(points, part.samples.normals))


def _joint(
    joint: EdgeJoint, assembly: PartAssembly, names: Mapping[str, str], options: ResultOptions
) -> Joint:
    best = joint.best
    child = names[assembly.parts[joint.child].name]
    estimate = None if best.type == "fixed" else joint_estimate(joint, assembly.size, options)
    turns = best.type == "revolute" and not np.isfinite([best.lower, best.upper]).all()
    kind: JointType = "continuous" if turns else best.type
    return Joint(
        name=f"{child}_joint",
        type=kind,
        parent=names[assembly.parts[joint.parent].name],
        child=child,
        axis=best.axis,
        point=best.point,
        lower=-np.inf if turns else best.lower,
        upper=np.inf if turns else best.upper,
        estimate=estimate,
    )

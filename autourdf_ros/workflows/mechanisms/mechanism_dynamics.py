"""Masses, damping and friction of a mechanism from its joints' motion, as layers of its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.video.force_table import ForceTable
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.common.estimator import provenance
from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotion, JointMotionData
from autourdf_ros.estimation.dynamics.mechanism.body_coordinates import (
    body_coordinates,
    body_parameters,
)
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import mechanism_of_mjcf
from autourdf_ros.estimation.dynamics.pipeline import IdentifiedDynamics, identify_dynamics
from autourdf_ros.estimation.dynamics.posterior.dynamics_posterior import DynamicsPosterior
from autourdf_ros.estimation.dynamics.posterior.posterior_file import posterior_text
from autourdf_ros.estimation.dynamics.shooting.shooting_options import ShootingOptions
from autourdf_ros.export.enrichment import LayerAccount, enrich
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.inertial.inertial_parameters import mass_centre_inertia, parameters_from
from autourdf_ros.model.layers.dynamics import DynamicsLayer, JointDynamics
from autourdf_ros.model.layers.inertia import InertiaLayer, LinkInertia
from autourdf_ros.model.layers.layer import LayerName, Verdict
from autourdf_ros.model.result_files import MECHANISM, POSTERIOR, result_document
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.workflows.mechanisms.generalised_forces import generalised_forces
from autourdf_ros.workflows.mechanisms.model_simulator import simulated_xml

Array = NDArray[np.float64]

METHOD = "dynamics/multiple shooting"
FREE = ("mass", "centre", "radius", "damping", "friction")
"""Kinds of parameters that a motion is asked for."""
UNFORCED = (
    "no force was known: the overall scale of masses, damping and friction is that of the shapes "
    "and their density"
)
_STEP = 1e-6  # of the fitting coordinates, for derivatives of inertias


@dataclass(frozen=True)
class MechanismDynamicsOptions:
    """Choices of the user.

    Attributes:
        free: Kinds of parameters that are found.
        shooting: Of the fit.
        deviations: To either side of what the report states.
    """

    free: tuple[str, ...] = FREE
    shooting: ShootingOptions = field(default_factory=lambda: ShootingOptions(noise="student"))
    deviations: float = 2.0


def add_dynamics(
    out: Path,
    forces: ForceTable | None = None,
    options: MechanismDynamicsOptions | None = None,
    progress: Progress = silent,
) -> DynamicsPosterior:
    """Find the dynamics of a mechanism's folder from its joint values, and write them there.

    A new version of the folder gets the masses, damping and friction as layers, and the posterior
    as a file from which `autourdf forecast` goes on.

    Args:
        out: Result folder of a video.
        forces: That drove the mechanism; None where none is known.
        options: Choices.
        progress: Is called with stage and fraction.

    Raises:
        InputError: the folder is no result of a video, no joint moves, or forces name other joints.
    """
    options = options or MechanismDynamicsOptions()
    document, model = mechanism_document(out), read_self_model(out)
    bodies = frozenset(one["link"] for one in document[MECHANISM]["bodies"])
    mechanism = mechanism_of_mjcf(simulated_xml(model, bodies), options.free)
    data = observed_motion(document, model, mechanism.joints, forces)
    found = identify_dynamics(mechanism, data, options.shooting, part(progress, 0.0, 0.6))
    posterior = found.posterior
    inertia, dynamics = layers_of(posterior, model, document["input"]["sha256"], forces is None)
    section = {**document[MECHANISM], "dynamics": dynamics_section(found, options.deviations)}
    account = LayerAccount(
        layers=(dynamics,),
        sections={MECHANISM: section},
        files={POSTERIOR: posterior_text(posterior)},
    )
    enrich(out, inertia, part(progress, 0.6, 1.0), account=account)
    return posterior


def mechanism_document(out: Path) -> dict[str, Any]:
    """Return the document of a result of a video.

    Raises:
        InputError: it is another result, or none.
    """
    document = result_document(out)
    if not isinstance(document.get(MECHANISM), Mapping):
        raise InputError(
            f"{out}: is no result of a video; accepted is a folder that autourdf mechanism wrote"
        )
    return document


def observed_motion(
    document: Mapping[str, Any],
    model: SelfModel,
    joints: tuple[str, ...],
    forces: ForceTable | None,
) -> JointMotionData:
    """Return what a document says that the named joints did, with the forces on them.

    Args:
        document: Of a result of a video.
        model: Its model.
        joints: Names of the joints that move, the order of all columns.
        forces: Known ones.

    Raises:
        InputError: values are known in fewer than two frames, or forces name what is unknown.
    """
    names = list(model.tree.joint_names)
    (sequence,) = document["sequences"]
    values, stds = (
        np.array(sequence[key], float).reshape(-1, len(names))
        for key in ("joint_values", "joint_stds")
    )
    stamps = np.array(sequence["stamps"], float)
    known = np.flatnonzero(np.isfinite(values).any(axis=1))
    if len(known) < 2:
        raise InputError("dynamics: joint values are known in fewer than 2 frames; accepted: more")
    used, columns = slice(known[0], known[-1] + 1), [names.index(name) for name in joints]
    motion = JointMotion(stamps[used], values[used][:, columns], stds[used][:, columns])
    if forces is None:
        return JointMotionData(joints, (motion,))
    origins = {
        one["link"]: np.array(one["reference_pose"], float) for one in document[MECHANISM]["bodies"]
    }
    there = interpolated(stamps, values, forces.stamps, model.tree.reference_values)
    applied = generalised_forces(forces, model.tree, origins, there, joints)
    motion = replace(motion, forces=applied, force_stamps=forces.stamps)
    return JointMotionData(joints, (motion,))


def interpolated(stamps: Array, values: Array, wanted: Array, missing: Array) -> Array:
    """Return values (F, J) at wanted stamps (F,), of values (T, J) that may be NaN.

    Args:
        stamps: (T,) s.
        values: Of the joints.
        wanted: s; before the first and after the last known value this is held.
        missing: (J,) values of joints that are never known.
    """
    found = np.empty((len(wanted), values.shape[1]))
    for column, own in enumerate(values.T):
        known = np.isfinite(own)
        found[:, column] = (
            np.interp(wanted, stamps[known], own[known]) if known.any() else missing[column]
        )
    return found


def layers_of(
    posterior: DynamicsPosterior, model: SelfModel, digest: str, unforced: bool
) -> tuple[InertiaLayer, DynamicsLayer]:
    """Return masses of the bodies and resistances of the joints, with their uncertainty.

    Args:
        posterior: What was found.
        model: Whose shapes and joints it rests on.
        digest: Of the video.
        unforced: Whether no force was known.
    """
    reasons = (*posterior.warnings, *((UNFORCED,) if unforced else ()))
    header: dict[str, Any] = {
        "provenance": provenance(METHOD, digest),
        "verdict": Verdict("doubtful" if reasons else "trusted", reasons),
    }
    assert model.inertia is not None
    targets = dict.fromkeys(
        one.target for one in posterior.table.parameters if one.target in model.tree.links
    )
    links = {name: _inertia(posterior, model.inertia.links[name], name) for name in targets}
    digests = model.digests
    wanted: tuple[LayerName, ...] = ("kinematics", "shape")
    kept = {name: digests[name] for name in wanted if name in digests}
    joints = {name: _resistance(posterior, name) for name in posterior.mechanism.joints}
    return (
        InertiaLayer(links=links, rests_on=kept, **header),
        DynamicsLayer(joints=joints, rests_on=kept, **header),
    )


def _inertia(posterior: DynamicsPosterior, before: LinkInertia, link: str) -> LinkInertia:
    """A link's mass properties, and their covariance by the fitting coordinates' derivatives."""
    start = body_coordinates(parameters_from(before.mass, before.centre, before.inertia))
    places = {"mass": 0, "centre": 1, "radius": 4, "shear": 7}
    own = [
        (number, places[one.kind] + one.component)
        for number, one in enumerate(posterior.table.parameters)
        if one.target == link and one.kind in places
    ]
    rows, slots = [number for number, _ in own], [slot for _, slot in own]
    start[slots] = posterior.mean[rows]
    there = body_parameters(start)
    jacobian = np.stack(
        [(body_parameters(start + _STEP * np.eye(10)[slot]) - there) / _STEP for slot in slots], 1
    )
    covariance = jacobian @ posterior.covariance[np.ix_(rows, rows)] @ jacobian.T
    return LinkInertia(*mass_centre_inertia(there), covariance)


def _resistance(posterior: DynamicsPosterior, joint: str) -> JointDynamics:
    values, stds = posterior.values, posterior.natural_stds
    found = {
        one.kind: (float(values[number]), float(stds[number]))
        for number, one in enumerate(posterior.table.parameters)
        if one.target == joint
    }
    known = {kind: found[kind] for kind in ("damping", "friction", "armature") if kind in found}
    return JointDynamics(
        **{kind: value for kind, (value, _) in known.items()},
        **{f"{kind}_std": std for kind, (_, std) in known.items()},
    )


def dynamics_section(found: IdentifiedDynamics, deviations: float) -> dict[str, Any]:
    """Return what the document and the report say of the dynamics."""
    posterior = found.posterior
    lower, upper = posterior.interval(deviations)
    learned = 1 - found.identifiability.ratios
    return {
        "parameters": [
            {
                "name": name,
                "unit": unit,
                "value": value,
                "lower": low,
                "upper": high,
                "learned": max(share, 0.0),
            }
            for name, unit, value, low, high, share in zip(
                posterior.names,
                posterior.units,
                posterior.values.tolist(),
                lower.tolist(),
                upper.tolist(),
                learned.tolist(),
                strict=True,
            )
        ],
        "directions": list(found.identifiability.sentences),
        "noise": posterior.noise,
        "warnings": list(posterior.warnings),
    }

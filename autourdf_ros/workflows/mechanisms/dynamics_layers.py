"""Layers of a model from the posterior of its dynamics: masses of bodies, resistances of joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from autourdf_ros.estimation.common.estimator import provenance
from autourdf_ros.estimation.dynamics.mechanism.body_coordinates import (
    body_coordinates,
    body_parameters,
)
from autourdf_ros.estimation.dynamics.posterior.dynamics_posterior import DynamicsPosterior
from autourdf_ros.model.inertial.inertial_parameters import mass_centre_inertia, parameters_from
from autourdf_ros.model.layers.dynamics import DynamicsLayer, JointDynamics
from autourdf_ros.model.layers.inertia import InertiaLayer, LinkInertia
from autourdf_ros.model.layers.layer import LayerName, Verdict
from autourdf_ros.model.self_model import SelfModel

METHOD = "dynamics/multiple shooting"
UNFORCED = (
    "no force was known: the overall scale of masses, damping and friction is that of the shapes "
    "and their density"
)
_STEP = 1e-6  # of the fitting coordinates, for derivatives of inertias


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

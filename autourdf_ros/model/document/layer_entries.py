"""The key `layers` of reconstruction.json, in and out.

The values of kinematics are the joints, which have a key of their own; all other layers have
theirs here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from autourdf_ros.errors import InputError
from autourdf_ros.model.document.entries import Entries
from autourdf_ros.model.layers.appearance import AppearanceLayer, LinkSplats
from autourdf_ros.model.layers.dynamics import DynamicsLayer, JointDynamics
from autourdf_ros.model.layers.inertia import InertiaLayer, LinkInertia
from autourdf_ros.model.layers.layer import LAYERS, TRUST, Layer, LayerName, Provenance, Verdict
from autourdf_ros.model.layers.shape import LinkShape, ShapeLayer
from autourdf_ros.model.self_model import SelfModel


def layers_document(model: SelfModel) -> dict[str, Any]:
    """Return what the key `layers` holds for a model: its layers by name, as JSON values."""
    digests, stale = model.digests, model.stale
    return {
        name: {
            "method": layer.provenance.method,
            "data_digest": layer.provenance.data_digest,
            "created": layer.provenance.created,
            "digest": digests[name],
            "verdict": layer.verdict.trust,
            "reasons": list(layer.verdict.reasons),
            "rests_on": dict(layer.rests_on),
            "stale": name in stale,
            **({} if name == "kinematics" else layer.values),
        }
        for name, layer in model.layers.items()
    }


def read_header(layer: Entries) -> dict[str, Any]:
    """Return the fields that all layers share, from a layer's entry."""
    rests_on = layer.child("rests_on")
    if unknown := sorted(set(rests_on.content) - set(LAYERS)):
        raise InputError(
            f"{rests_on.where}.{unknown[0]}: is no layer; accepted are {', '.join(LAYERS)}"
        )
    trust = next(one for one in TRUST if one == layer.text("verdict", TRUST))
    return {
        "provenance": Provenance(
            layer.text("method"), layer.text("data_digest"), layer.text("created")
        ),
        "verdict": Verdict(trust, layer.texts("reasons")),
        "rests_on": {name: rests_on.text(name) for name in LAYERS if name in rests_on},
    }


def read_layers(layers: Entries) -> dict[LayerName, Layer]:
    """Return the layers that have values of their own: all but kinematics."""
    readers: Mapping[LayerName, Callable[[Entries], Layer]] = {
        "shape": _shape,
        "appearance": _appearance,
        "inertia": _inertia,
        "dynamics": _dynamics,
    }
    return {name: read(layers.child(name)) for name, read in readers.items() if name in layers}


def _shape(entry: Entries) -> ShapeLayer:
    links = {
        name: LinkShape(
            visual=one.texts("visual"),
            collision=one.texts("collision"),
            unseen_share=one.maybe_number("unseen_share"),
            stored_digest=one.text("digest"),
        )
        for name, one in entry.by_name("links").items()
    }
    return ShapeLayer(links=links, noise=entry.maybe_number("noise"), **read_header(entry))


def _appearance(entry: Entries) -> AppearanceLayer:
    links = {
        name: LinkSplats(one.text("file"), one.text("sha256"), one.maybe_number("color_std"))
        for name, one in entry.by_name("links").items()
    }
    return AppearanceLayer(links=links, **read_header(entry))


def _inertia(entry: Entries) -> InertiaLayer:
    links = {name: _link_inertia(one) for name, one in entry.by_name("links").items()}
    return InertiaLayer(links=links, **read_header(entry))


def _link_inertia(one: Entries) -> LinkInertia:
    covariance = one.array("covariance", (10, 10)) if "covariance" in one else None
    mass, centre = one.number("mass"), one.array("centre", (3,))
    inertia, payload = one.array("inertia", (3, 3)), one.flag("payload")
    try:
        return LinkInertia(mass, centre, inertia, covariance, payload)
    except InputError as error:
        raise InputError(f"{one.where}: {error}") from error


def _dynamics(entry: Entries) -> DynamicsLayer:
    joints = {name: _joint_dynamics(one) for name, one in entry.by_name("joints").items()}
    return DynamicsLayer(joints=joints, **read_header(entry))


def _joint_dynamics(one: Entries) -> JointDynamics:
    names = ("damping", "friction", "armature")
    values = [one.number(name) for name in names]
    stds = [one.maybe_number(f"{name}_std") for name in names]
    try:
        return JointDynamics(*values, *stds)
    except InputError as error:
        raise InputError(f"{one.where}: {error}") from error

"""What the report says of a model's layers beyond those that every reconstruction has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autourdf_ros.model.document.self_model_reading import described_model
from autourdf_ros.model.document.urdf_layers import BY_VOLUME
from autourdf_ros.model.layers.inertia import LinkInertia


def layer_rows(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the entries of all layers with their names, the first one first.

    Empty where there is nothing to say: kinematics, shape and masses by volume, none stale.
    """
    layers: Mapping[str, Any] = document.get("layers", {})
    plain = all(_is_plain(name, entry) for name, entry in layers.items())
    return [] if plain else [{"name": name, **entry} for name, entry in layers.items()]


def doubted_layers(document: Mapping[str, Any]) -> list[str]:
    """Return the names of the layers beside the kinematics that are not trusted.

    The document's verdict is that of the kinematics.
    """
    layers: Mapping[str, Any] = document.get("layers", {})
    return [
        name
        for name, entry in layers.items()
        if name != "kinematics" and entry.get("verdict", "trusted") != "trusted"
    ]


def measured_masses(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the links whose masses have a covariance: mass (kg), centre (mm), and their sources.

    Sources say what came from efforts and what from the shape; None for a link that was weighed by
    its wrenches, or of which efforts say nothing.
    """
    if "inertia" not in document.get("layers", {}):
        return []
    inertia = described_model(document).inertia
    links: Mapping[str, LinkInertia] = {} if inertia is None else inertia.links
    efforts = {row["name"]: row for row in document.get("efforts", {}).get("links", [])}
    return [
        {
            "name": name,
            "payload": own.payload,
            "mass": own.mass,
            "mass_std": own.mass_std,
            "centre": [f"{1e3 * value:.1f}" for value in own.centre],
            "centre_std": [f"{1e3 * value:.1f}" for value in own.centre_std],
            "sources": None if own.payload else efforts.get(name),
        }
        for name, own in links.items()
        if own.mass_std is not None and own.centre_std is not None
    ]


def _is_plain(name: str, entry: Mapping[str, Any]) -> bool:
    if entry.get("stale"):
        return False
    always = name in ("kinematics", "shape")
    return always or (name == "inertia" and entry.get("method") == BY_VOLUME)

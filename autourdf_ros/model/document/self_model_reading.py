"""The model that a result folder states, whoever wrote the folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.errors import InputError
from autourdf_ros.model.document.entries import Entries
from autourdf_ros.model.document.layer_entries import read_header, read_layers
from autourdf_ros.model.document.urdf_layers import inertia_of_urdf, shape_of_urdf
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.layers.kinematics import (
    Confidence,
    JointEstimate,
    KinematicsLayer,
    MotorMatch,
)
from autourdf_ros.model.result_files import DOCUMENT, URDF, result_document
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.tree_joint import JOINT_TYPES, Mimic, TreeJoint
from autourdf_ros.model.urdf.urdf_reading import read_description


def read_self_model(folder: Path) -> SelfModel:
    """Return the model of a result folder, its shapes as mesh files.

    Layers that an earlier version of the document does not hold are taken from the URDF.

    Raises:
        InputError: it is no result folder, or is damaged; names file and key.
    """
    model = described_model(result_document(folder), str(folder / DOCUMENT))
    if model.shape is not None and model.inertia is not None:
        return model
    robot = read_description(folder / URDF)
    if model.shape is None:
        model = model.with_layer(shape_of_urdf(robot, model))
    if model.inertia is None:
        model = model.with_layer(inertia_of_urdf(robot, model))
    return model


def described_model(document: Mapping[str, Any], where: str = DOCUMENT) -> SelfModel:
    """Return the model that a document states, by the names of the URDF.

    Args:
        document: Content of reconstruction.json, as `result_document` gives it.
        where: The file, for errors.

    Raises:
        InputError: a key is missing or has a value that is not accepted; names it.
    """
    entries = Entries(document, where)
    layers = entries.child("layers")
    header = read_header(layers.child("kinematics")) if "kinematics" in layers else {}
    joints = entries.each("joints")
    try:
        tree = KinematicTree(
            tuple(link.text("name") for link in entries.each("links")),
            tuple(_joint(joint) for joint in joints),
        )
        estimates = {one.text("name"): _estimate(one) for one in joints if "probabilities" in one}
        kinematics = KinematicsLayer(joints=estimates, **header)
        model = SelfModel(entries.text("name"), tree, kinematics)
        for layer in read_layers(layers).values():
            model = model.with_layer(layer)
    except InputError as error:
        text = str(error)
        raise InputError(text if text.startswith(where) else f"{where}: {text}") from error
    return model


def _joint(entry: Entries) -> TreeJoint:
    kind = next(one for one in JOINT_TYPES if one == entry.text("type", JOINT_TYPES))
    mimic = None
    if "mimic" in entry:
        inner = entry.child("mimic")
        mimic = Mimic(inner.text("joint"), inner.number("multiplier"), inner.number("offset"))
    return TreeJoint(
        entry.text("name"),
        kind,
        entry.text("parent"),
        entry.text("child"),
        entry.array("axis", (3,)),
        entry.array("point", (3,)),
        entry.number("lower", -np.inf),
        entry.number("upper", np.inf),
        entry.number("reference"),
        mimic,
    )


def _estimate(entry: Entries) -> JointEstimate:
    sure, motor = entry.child("probabilities"), None
    if "motor" in entry:
        inner = entry.child("motor")
        numbers = (inner.number(key) for key in ("ratio", "offset", "residual"))
        motor = MotorMatch(inner.text("name"), *numbers)
    return JointEstimate(
        entry.array("covariance", (4, 4)),
        entry.array("across", (2, 3)),
        Confidence(*(sure.number(key) for key in ("exists", "parent", "type"))),
        motor,
    )

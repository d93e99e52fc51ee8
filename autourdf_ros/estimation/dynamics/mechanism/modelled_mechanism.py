"""A self-model as a mechanism: MJCF of its kinematic tree, with inertias of its shapes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import (
    FREE,
    Mechanism,
    mechanism_of_mjcf,
)
from autourdf_ros.estimation.dynamics.mechanism.simulator_parameters import PriorOptions
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.tree_joint import TreeJoint
from autourdf_ros.shape.mass_properties import MassProperties

STEP = 0.002  # s
GRAVITY = (0.0, 0.0, -9.81)  # m/s²
_LIGHT = 1e-6
"""Mass (kg) and moments (kg m²) of links without a shape, such as those between two joints of a
planar base."""
_KINDS = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide"}


def mechanism_of_model(
    model: SelfModel,
    solids: Mapping[str, MassProperties],
    free: Iterable[str] = FREE,
    options: PriorOptions = PriorOptions(),  # noqa: B008  (frozen)
    gravity: ArrayLike = GRAVITY,
) -> Mechanism:
    """Return the mechanism of a self-model; its root is fixed to the world.

    Args:
        model: Joints that follow others move by themselves. Friction and armature of its dynamics
            layer are nominal values.
        solids: Mass properties by link, in the base frame at the reference configuration: of
            meshes and a density (`mass_properties`).
        free: Kinds or names of the free parameters.
        options: Widths of the prior.
        gravity: (3,) m/s² in the base frame.

    Raises:
        InputError: no joint moves, or a name is unknown.
    """
    if unknown := sorted(set(solids) - set(model.tree.links)):
        raise InputError(
            f"solid of link {unknown[0]!r}: the model has links {', '.join(model.tree.links)}"
        )
    return mechanism_of_mjcf(mjcf_of(model, solids, gravity), free, options)


def mjcf_of(
    model: SelfModel, solids: Mapping[str, MassProperties], gravity: ArrayLike = GRAVITY
) -> str:
    """Return the MJCF of a self-model, without anything that touches.

    Frames of bodies lie in the points of their joints, along the base frame's axes at the
    reference configuration.
    """
    root = ElementTree.Element("mujoco", model=model.name or "mechanism")
    ElementTree.SubElement(root, "compiler", angle="radian", balanceinertia="true")
    ElementTree.SubElement(
        root, "option", timestep=f"{STEP}", integrator="RK4", gravity=_text(gravity)
    )
    bodies = {model.tree.root: ElementTree.SubElement(root, "worldbody")}
    origins = {model.tree.root: np.zeros(3)}
    for link in model.tree.links[1:]:
        joint = model.tree.joint_of(link)
        assert joint is not None
        origins[link] = np.asarray(joint.point, float)
        bodies[link] = ElementTree.SubElement(
            bodies[joint.parent],
            "body",
            name=link,
            pos=_text(origins[link] - origins[joint.parent]),
        )
        _add_inertia(bodies[link], solids.get(link), origins[link])
        if joint.type != "fixed":
            _add_joint(bodies[link], joint, model)
    return ElementTree.tostring(root, encoding="unicode")


def _add_inertia(
    body: ElementTree.Element, solid: MassProperties | None, origin: ArrayLike
) -> None:
    if solid is None:
        solid = MassProperties(_LIGHT, np.asarray(origin, float), _LIGHT * np.eye(3))
    tensor = solid.inertia
    entries = [*np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2]]
    ElementTree.SubElement(
        body,
        "inertial",
        pos=_text(solid.centre - np.asarray(origin)),
        mass=f"{solid.mass:.12g}",
        fullinertia=_text(entries),
    )


def _add_joint(body: ElementTree.Element, joint: TreeJoint, model: SelfModel) -> None:
    known = None if model.dynamics is None else model.dynamics.joints.get(joint.name)
    stated: dict[str, str] = {}
    if known is not None:
        stated = {
            "damping": f"{known.damping:.12g}",
            "frictionloss": f"{known.friction:.12g}",
            "armature": f"{known.armature:.12g}",
        }
    if np.isfinite([joint.lower, joint.upper]).all() and joint.lower < joint.upper:
        stated["range"] = _text([joint.lower, joint.upper])
    stated |= {
        "name": joint.name,
        "type": _KINDS[joint.type],
        "axis": _text(joint.axis),
        "ref": f"{joint.reference:.12g}",
    }
    ElementTree.SubElement(body, "joint", stated)


def _text(values: ArrayLike) -> str:
    return " ".join(f"{value:.12g}" for value in np.asarray(values, float).ravel())

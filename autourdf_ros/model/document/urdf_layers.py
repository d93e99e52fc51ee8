"""Layers as a URDF states them: mesh files, and masses without their uncertainty."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np

from autourdf_ros.errors import InputError
from autourdf_ros.model.layers.inertia import InertiaLayer, LinkInertia
from autourdf_ros.model.layers.layer import UNKNOWN_ORIGIN, Provenance, Verdict
from autourdf_ros.model.layers.shape import LinkShape, ShapeLayer
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.urdf.described_robot import DescribedLink, DescribedRobot

_ROUNDED = 1e-6  # relative: a URDF has nine digits of a mass, but fewer of a turned tensor

BY_VOLUME = "volume"
"""Method of masses that follow from closed meshes and one density."""

ONE_DENSITY = "masses follow from volumes and one density: motion does not show the true ones"


def shape_of_urdf(robot: DescribedRobot, model: SelfModel) -> ShapeLayer:
    """Return the mesh files of the model's links, each with a digest of their names.

    The names of meshes hold a hash of their content.
    """
    origin = UNKNOWN_ORIGIN if model.kinematics is None else model.kinematics.provenance
    links = {link.name: mesh_files(link) for link in robot.links if link.name in model.tree.links}
    return ShapeLayer(links=links, provenance=origin)


def synchronised(model: SelfModel, robot: DescribedRobot) -> SelfModel:
    """Return the model whose shapes and masses are those of its URDF, which was changed.

    Where the URDF has what the layers have, these keep digest and covariance. Masses by volume
    were found anew with each changed shape.
    """
    shape = shape_of_urdf(robot, model)
    if model.shape is not None:
        before = model.shape
        links = {
            name: _kept_shape(before.links.get(name), new) for name, new in shape.links.items()
        }
        shape = replace(before, links=links)
    model = model.with_layer(shape)
    inertia, known = inertia_of_urdf(robot, model), model.inertia
    if known is None:
        return model.with_layer(inertia)
    masses = {name: _kept_mass(known.links.get(name), new) for name, new in inertia.links.items()}
    known = replace(known, links=masses)
    if known.provenance.method == BY_VOLUME:
        known = replace(known, rests_on={"shape": model.digests["shape"]})
    return model.with_layer(known)


def _kept_shape(before: LinkShape | None, new: LinkShape) -> LinkShape:
    """The new files; with the digest of before where they are the same or are named first."""
    if before is None:
        return new
    files = before.visual, before.collision
    if files == (new.visual, new.collision) or files == ((), ()):
        return replace(
            new,
            surface=before.surface,
            unseen_share=before.unseen_share,
            stored_digest=before.digest,
        )
    return replace(new, unseen_share=before.unseen_share)


def _kept_mass(before: LinkInertia | None, new: LinkInertia) -> LinkInertia:
    """What is known of a mass, where the URDF says the same."""
    if before is None:
        return new
    same = all(
        np.allclose(getattr(before, name), getattr(new, name), rtol=_ROUNDED, atol=1e-15)
        for name in ("mass", "centre", "inertia")
    )
    return before if same else replace(new, payload=before.payload)


def mesh_files(link: DescribedLink) -> LinkShape:
    """Return a link's mesh files."""
    visual, collision = (
        tuple(one.filename for one in link.shapes if one.role == role and one.kind == "mesh")
        for role in ("visual", "collision")
    )
    digest = hashlib.sha256("\n".join([*visual, *collision]).encode()).hexdigest()
    return LinkShape(visual=visual, collision=collision, stored_digest=digest)


def inertia_of_urdf(robot: DescribedRobot, model: SelfModel) -> InertiaLayer:
    """Return the masses of the model's links, which rest on its shapes.

    Raises:
        InputError: the mass or the inertia of a link is that of no body.
    """
    links = {
        link.name: _link_inertia(robot, link)
        for link in robot.links
        if link.inertial is not None and link.name in model.tree.links
    }
    return InertiaLayer(
        links=links,
        provenance=Provenance(BY_VOLUME),
        verdict=Verdict("doubtful", (ONE_DENSITY,)),
        rests_on={"shape": model.digests["shape"]},
    )


def _link_inertia(robot: DescribedRobot, link: DescribedLink) -> LinkInertia:
    assert link.inertial is not None
    pose, tensor = link.inertial.pose, link.inertial.tensor
    try:
        return LinkInertia(link.inertial.mass, pose[:3, 3], pose[:3, :3] @ tensor @ pose[:3, :3].T)
    except InputError as error:
        raise InputError(f"{robot.path}: link '{link.name}', inertial: {error}") from error

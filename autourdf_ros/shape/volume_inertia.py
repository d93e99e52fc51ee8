"""The inertia layer that shapes and a density give, where nothing measured the masses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import trimesh

from autourdf_ros.model.document.urdf_layers import BY_VOLUME, ONE_DENSITY
from autourdf_ros.model.forward_kinematics import link_frames
from autourdf_ros.model.layers.inertia import InertiaLayer, LinkInertia
from autourdf_ros.model.layers.layer import Provenance, Verdict
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.shape.mass_properties import density_of, mass_properties
from autourdf_ros.shape.urdf_options import UrdfOptions
from autourdf_ros.shape.visual.link_solids import LinkSolid


def weighed(options: UrdfOptions, solids: Sequence[LinkSolid | None]) -> UrdfOptions:
    """Return the options with the density that their total mass means for these links."""
    if options.total_mass is None:
        return options
    meshes = [None if solid is None else solid.mesh for solid in solids]
    return replace(options, density=density_of(options.total_mass, meshes))


def volume_inertia(
    model: SelfModel, solids: Sequence[LinkSolid | None], density: float
) -> InertiaLayer:
    """Return the masses of the links as solids of one density (kg/m³); they rest on the shapes.

    Args:
        model: Links, and their frames at the reference configuration.
        solids: Of the links, in the base frame at the reference configuration.
        density: Of all links.
    """
    meshes = [
        link_mesh(solid, frame)
        for solid, frame in zip(solids, link_frames(model.tree), strict=True)
    ]
    masses = [mass_properties(mesh, density) for mesh in meshes]
    return InertiaLayer(
        links={
            name: LinkInertia(own.mass, own.centre, own.inertia)
            for name, own in zip(model.tree.links, masses, strict=True)
        },
        provenance=Provenance(BY_VOLUME),
        verdict=Verdict("doubtful", (ONE_DENSITY,)),
        rests_on={} if model.shape is None else {"shape": model.digests["shape"]},
    )


def link_mesh(solid: LinkSolid | None, frame: np.ndarray) -> trimesh.Trimesh | None:
    """Return a solid's mesh in the frame (4, 4) of its link; None without one."""
    if solid is None:
        return None
    return solid.mesh.copy().apply_transform(np.linalg.inv(frame))

"""Parts of simple shapes, with a joint that is known."""

from __future__ import annotations

import numpy as np
import trimesh

from autourdf_ros.data.parts.part_assembly import Part, PartAssembly
from autourdf_ros.estimation.parts.contact.contact_options import ContactOptions
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart, prepare_parts

FEW = ContactOptions(samples=600, pool=3000, region=300)
"""Few samples, for tests that are quick."""


def tilted(seed: int = 0) -> np.ndarray:
    """A rigid motion (4, 4) that is along no axis."""
    return trimesh.transformations.random_rotation_matrix(np.random.default_rng(seed).random(3))


def part(name: str, *meshes: trimesh.Trimesh, pose: np.ndarray | None = None) -> Part:
    """A part of meshes, moved."""
    mesh = trimesh.util.concatenate([mesh.copy() for mesh in meshes])
    if pose is not None:
        mesh.apply_transform(pose)
    return Part(name, np.asarray(mesh.vertices, float), np.asarray(mesh.faces, np.int64))


def box(extents: tuple[float, float, float], centre: tuple[float, float, float]) -> trimesh.Trimesh:
    """A box along the axes."""
    mesh = trimesh.creation.box(extents)
    mesh.apply_translation(centre)
    return mesh


def pin_in_ring(pose: np.ndarray | None = None) -> PartAssembly:
    """A pin with an arm, in a ring on a foot; it turns about z."""
    pin = trimesh.creation.cylinder(radius=0.02, height=0.12, sections=48)
    arm = box((0.2, 0.06, 0.02), (0.08, 0.0, 0.051))
    cap = trimesh.creation.cylinder(radius=0.03, height=0.02, sections=48)
    cap.apply_translation((0.0, 0.0, -0.051))
    ring = trimesh.creation.annulus(r_min=0.0205, r_max=0.035, height=0.08, sections=48)
    foot = box((0.03, 0.2, 0.08), (0.0, -0.13, 0.0))
    parts = part("base", ring, foot, pose=pose), part("arm", pin, arm, cap, pose=pose)
    return PartAssembly("pin", parts)


def slider_on_rail(pose: np.ndarray | None = None) -> PartAssembly:
    """A sleeve around a square rail; it slides along x."""
    rail = box((0.5, 0.04, 0.03), (0.0, 0.0, 0.0))
    plates = [box((0.08, 0.062, 0.01), (0.05, 0.0, z)) for z in (-0.0205, 0.0205)] + [
        box((0.08, 0.01, 0.03), (0.05, y, 0.0)) for y in (-0.0255, 0.0255)
    ]
    parts = part("rail", rail, pose=pose), part("sleeve", *plates, pose=pose)
    return PartAssembly("slider", parts)


def prepared(assembly: PartAssembly) -> tuple[PreparedPart, ...]:
    """The parts, prepared with few samples."""
    return prepare_parts(assembly, FEW)

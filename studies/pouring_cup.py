"""Write the parts of a cup with a hinged lid, as a CAD program exports them: two closed meshes.

`.venv/bin/python studies/pouring_cup.py FOLDER` writes `cup.ply` and `lid.ply`, in metres, closed.
The hinge has knuckles and a pin. `studies/pouring_scene.py` pours from what is found of them.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import trimesh


@dataclass(frozen=True)
class CupSize:
    """Lengths of a cup that stands on its origin, z up, its hinge towards −y; all in metres.

    Attributes:
        radius: Outer one.
        hinge: Distance of the pin behind the wall.
        knuckle: Outer radius of the knuckles.
        clearance: Between pin and bore.
        gap: Between rim and lid, where a seal would sit.
    """

    radius: float = 0.03
    height: float = 0.1
    wall: float = 0.004
    hinge: float = 0.0055
    knuckle: float = 0.004
    pin: float = 0.0015
    clearance: float = 0.0003
    gap: float = 0.0025


SIZE = CupSize()


def _box(low: tuple[float, ...], high: tuple[float, ...]) -> trimesh.Trimesh:
    return trimesh.creation.box(bounds=np.array([low, high]))


def _upright(radius: float, low: float, high: float) -> trimesh.Trimesh:
    made = trimesh.creation.cylinder(radius, high - low, sections=64)
    return made.apply_translation((0, 0, (low + high) / 2))


def _along_x(
    radius: float, low: float, high: float, centre: tuple[float, float]
) -> trimesh.Trimesh:
    made = trimesh.creation.cylinder(radius, high - low, sections=32)
    made.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, (0, 1, 0)))
    return made.apply_translation(((low + high) / 2, *centre))


def cup_parts(size: CupSize = SIZE) -> dict[str, trimesh.Trimesh]:
    """Return the closed meshes of the cup and its lid, by name, with the lid closed."""
    top, behind = size.height, -(size.radius + size.hinge)
    low, inner, outer = top + size.gap, 0.006, 0.014
    high, centre = low + size.wall, (behind, low + size.wall / 2)
    cup = [_upright(size.radius, 0.0, top)]
    for side in (-1, 1):
        near, far = sorted((side * (inner + 2 * size.clearance), side * outer))
        cup.append(_along_x(size.knuckle, near, far, centre))
        cup.append(_box((near, behind - size.knuckle, top - 0.012), (far, behind + 0.0075, top)))
    hollow = _upright(size.radius - size.wall, size.wall, top + size.wall)
    body = trimesh.boolean.difference([trimesh.boolean.union(cup), hollow])
    body = trimesh.boolean.union([body, _along_x(size.pin, -outer, outer, centre)])
    lid = [
        _upright(size.radius, low, high),
        _along_x(size.knuckle, -inner, inner, centre),
        _box((-inner, behind, low), (inner, -size.radius / 2, high)),
    ]
    bore = _along_x(size.pin + size.clearance, -outer, outer, centre)
    return {"cup": body, "lid": trimesh.boolean.difference([trimesh.boolean.union(lid), bore])}


def main() -> None:
    """Write the parts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, mesh in cup_parts().items():
        mesh.export(folder / f"{name}.ply")
        print(f"{name}: {len(mesh.faces)} triangles, closed: {mesh.is_watertight}")


if __name__ == "__main__":
    main()

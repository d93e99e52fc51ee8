"""Write a long chain as parts, to time their assembly: `studies/parts_chain.py LINKS CASE`.

Every link is a bar with a ring at one end and a pin at the other, which fills the ring of the next.
`autourdf benchmark --suite parts --data FOLDER` takes the folder that contains CASE.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import trimesh
from numpy.typing import NDArray

LENGTH = 0.1  # m, from pin to pin; all other lengths are shares of it
BENDS = (0.5, -0.7, 0.9)  # rad, of a link against the one before, in turn
FOLD, EVERY = -2.33, 10  # rad, by which the chain turns back, and after how many links


def link() -> trimesh.Trimesh:
    """Return a link whose ring is about the origin's z axis and whose pin is at x = LENGTH."""
    shape = trimesh.creation
    pieces = [
        shape.annulus(0.105, 0.2, 0.2, sections=48),
        shape.box((0.45, 0.2, 0.1)).apply_translation((0.41, 0, 0)),
        shape.box((0.6, 0.2, 0.06)).apply_translation((0.85, 0, -0.135)),
        shape.box((0.08, 0.2, 0.2)).apply_translation((0.6, 0, -0.06)),
        shape.cylinder(0.1, 0.24, sections=48).apply_translation((1, 0, 0)),
    ]
    return trimesh.util.concatenate(pieces).apply_scale(LENGTH)


def poses(count: int) -> NDArray[np.float64]:
    """Return the poses (count, 4, 4) of the links."""
    step = trimesh.transformations.translation_matrix((LENGTH, 0, 0))
    found = [np.eye(4)]
    for number in range(count - 1):
        bend = BENDS[number % len(BENDS)] + (FOLD if number % EVERY == EVERY - 1 else 0.0)
        found.append(found[-1] @ step @ trimesh.transformations.rotation_matrix(bend, (0, 0, 1)))
    return np.array(found)


def write_chain(count: int, case: Path) -> None:
    """Write the parts and the truth of a chain."""
    (case / "parts").mkdir(parents=True)
    names = [f"part_{number:03d}" for number in range(count)]
    placed = [link().apply_transform(pose) for pose in poses(count)]
    for name, mesh in zip(names, placed, strict=True):
        mesh.export(case / "parts" / f"{name}.ply")
    joints = [
        {
            "type": "revolute",
            "axis": pose[:3, 2].tolist(),
            "point": pose[:3, 3].tolist(),
            "parent": number,
            "child": number + 1,
        }
        for number, pose in enumerate(poses(count)[1:])
    ]
    size = float(np.linalg.norm(np.ptp(np.vstack([mesh.bounds for mesh in placed]), axis=0)))
    truth = {"root": None, "parts": count, "size": size, "joints": joints}
    (case / "truth.json").write_text(json.dumps(truth), encoding="utf-8")


def main() -> None:
    """Write a chain."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("links", type=int)
    parser.add_argument("case", type=Path)
    arguments = parser.parse_args()
    write_chain(arguments.links, arguments.case)


if __name__ == "__main__":
    main()

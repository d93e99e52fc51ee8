"""The digest by which an assembly is recognised."""

from __future__ import annotations

import hashlib

import numpy as np

from autourdf_ros.data.parts.part_assembly import PartAssembly


def assembly_digest(assembly: PartAssembly) -> str:
    """Return the SHA-256 of names, vertices and triangles of all parts, in order."""
    total = hashlib.sha256()
    for part in assembly.parts:
        header = (part.name, len(part.vertices), len(part.triangles))
        total.update(repr(header).encode())
        total.update(np.ascontiguousarray(part.vertices, dtype="<f8").tobytes())
        total.update(np.ascontiguousarray(part.triangles, dtype="<i8").tobytes())
    return total.hexdigest()

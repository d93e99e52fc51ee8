"""The digest by which an assembly of parts is recognised."""

from __future__ import annotations

import hashlib

import numpy as np

from autourdf_ros.data.parts.part_assembly import PartAssembly


def assembly_digest(assembly: PartAssembly) -> str:
    """Return the SHA-256 of the names, vertices and triangles of all parts, in order."""
    total = hashlib.sha256()
    for part in assembly.parts:
        total.update(part.name.encode())
        total.update(np.ascontiguousarray(part.vertices, np.float64).tobytes())
        total.update(np.ascontiguousarray(part.triangles, np.int64).tobytes())
    return total.hexdigest()

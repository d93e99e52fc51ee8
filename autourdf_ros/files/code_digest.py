"""The identity of the code that computed a result."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import autourdf_ros


@cache
def code_digest(below: str = ".") -> str:
    """Return a digest of all modules of the package, or of those below one of its folders."""
    folder = Path(autourdf_ros.__file__).parent
    total = hashlib.sha256()
    for module in sorted((folder / below).rglob("*.py")):
        total.update(module.relative_to(folder).as_posix().encode() + b"\0")
        total.update(module.read_bytes() + b"\0")
    return total.hexdigest()[:16]

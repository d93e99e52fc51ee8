"""A case of the suite: a tool with its truth, and how its payload is estimated."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from autourdf_ros.errors import InputError
from autourdf_ros.files.code_digest import code_digest

SuiteMethod = Literal[
    "field", "field-cloud", "materials", "hps", "hps-true", "ols", "geo",
    "parts", "parts-authors", "parts-full",
]  # fmt: skip
METHODS: tuple[SuiteMethod, ...] = (
    "field",
    "field-cloud",
    "materials",
    "hps",
    "hps-true",
    "ols",
    "geo",
    "parts",
    "parts-authors",
    "parts-full",
)
"""field, materials: of the given mesh; field-cloud, hps: of the cloud alone; hps-true: the mesh
and its true parts. parts: no payload, but shape and parts from the cloud, compared with the true
ones; parts-authors: with the constants of Nadeau et al.; parts-full: without initial clustering."""

FILES = ("cloud.ply", "mesh.ply", "truth.yaml", "trajectory.npz")


@dataclass(frozen=True)
class PayloadCase:
    """A case.

    Attributes:
        name: Of the tool.
        folder: With `FILES`.
        method: What estimates, from which shape.
        draws: Of noise at each level.
        seed: Of the first draw.
    """

    name: str
    folder: Path
    method: SuiteMethod = "field"
    draws: int = 10
    seed: int = 0

    @property
    def measured_by(self) -> str:
        """The module that measures it, as `SuiteCase` says."""
        return "autourdf_ros.benchmark.payload.measure_payload"

    def title(self) -> dict[str, Any]:
        """Return what identifies the case in a row, as JSON values."""
        return {"name": self.name, "method": self.method, "draws": self.draws, "seed": self.seed}

    def key(self) -> dict[str, Any]:
        """Return everything that determines a row, as JSON values."""
        total = hashlib.sha256()
        for name in FILES:
            total.update(name.encode() + b"\0" + (self.folder / name).read_bytes() + b"\0")
        return {**self.title(), "input": total.hexdigest()[:16], "code": code_digest()}


def payload_cases_in(
    folder: Path, methods: Sequence[SuiteMethod], draws: int, seed: int
) -> tuple[PayloadCase, ...]:
    """Return a case for every tool of a folder and every method.

    Raises:
        InputError: there is none, or a tool lacks a file.
    """
    tools = sorted(path.parent for path in folder.glob("*/truth.yaml"))
    if not tools:
        raise InputError(
            f"{folder}: has no tool; accepted is a folder of TOOL/, each with {', '.join(FILES)}"
        )
    for tool in tools:
        if lacking := [name for name in FILES if not (tool / name).is_file()]:
            raise InputError(f"{tool}: lacks {', '.join(lacking)}")
    return tuple(
        PayloadCase(tool.name, tool, method, draws, seed) for tool in tools for method in methods
    )

"""A case of the suite: a scene with a seed, and the method that finds its joints."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from autourdf_ros.errors import InputError
from autourdf_ros.files.code_digest import code_digest

MechanismMethod = Literal["likelihood", "ransac"]
KnownShapes = Literal["given", "unknown"]
MECHANISM_METHODS: tuple[MechanismMethod, ...] = ("likelihood", "ransac")
SCENE_NAMES = ("cart_pole", "driven_cart_pole", "rott_pendulum", "three_links", "drawer", "door")
FILES = ("transforms.json", "shapes/shapes.yaml", "truth.json")
"""What a case of one's own has beside its images and meshes."""


@dataclass(frozen=True)
class MechanismCase:
    """A case.

    Attributes:
        name: Of the scene, or of the folder.
        seed: Of parameters, start, drive and noise.
        method: Of the joints.
        shapes: Whether the bodies' shapes and masks are given, or neither.
        frames: Of the video.
        size: Width and height of its images (pixels).
        folder: A video of one's own with its truth, which has its own frames and size; None: the
            scene is simulated.
    """

    name: str
    seed: int = 0
    method: MechanismMethod = "likelihood"
    shapes: KnownShapes = "given"
    frames: int = 200
    size: tuple[int, int] = (320, 240)
    folder: Path | None = None

    @property
    def measured_by(self) -> str:
        """The module that measures it, as `SuiteCase` says."""
        return "autourdf_ros.benchmark.mechanisms.measure_mechanism"

    def title(self) -> dict[str, Any]:
        """Return what identifies the case in a row, as JSON values; a folder has its own frames."""
        return {
            "name": self.name,
            "seed": self.seed,
            "method": self.method,
            "shapes": self.shapes,
            **({} if self.folder else {"frames": self.frames, "size": list(self.size)}),
        }

    def key(self) -> dict[str, Any]:
        """Return everything that determines a row, as JSON values."""
        return {**self.title(), "input": self._digest(), "code": code_digest()}

    def _digest(self) -> str:
        """Digest names, sizes and times of a folder's files."""
        total = hashlib.sha256()
        if self.folder is not None:
            for path in sorted(path for path in self.folder.rglob("*") if path.is_file()):
                status, name = path.stat(), path.relative_to(self.folder).as_posix()
                total.update(f"{name} {status.st_size} {status.st_mtime_ns}\0".encode())
        return total.hexdigest()[:16]


def mechanism_cases(
    scenes: Sequence[str],
    methods: Sequence[MechanismMethod],
    seeds: int,
    shapes: KnownShapes = "given",
) -> list[MechanismCase]:
    """Return the cases of simulated scenes.

    Raises:
        InputError: a scene is unknown.
    """
    if unknown := [name for name in scenes if name not in SCENE_NAMES]:
        raise InputError(f"--robots {unknown[0]}: accepted are {', '.join(SCENE_NAMES)}")
    return [
        MechanismCase(name, seed, method, shapes)
        for name in scenes
        for seed in range(seeds)
        for method in methods
    ]


def mechanism_cases_in(
    folder: Path, methods: Sequence[MechanismMethod], shapes: KnownShapes = "given"
) -> list[MechanismCase]:
    """Return the cases of the videos in a folder, each in a folder of its own.

    Raises:
        InputError: there is none.
    """
    found = [
        path
        for path in (sorted(folder.iterdir()) if folder.is_dir() else [])
        if all((path / name).is_file() for name in FILES)
    ]
    if not found:
        raise InputError(f"--data {folder}: accepted are folders with {', '.join(FILES)}")
    return [
        MechanismCase(path.name, method=method, shapes=shapes, folder=path)
        for path in found
        for method in methods
    ]

"""A case of the suite: a scene with a seed, and the method that finds its joints."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from autourdf_ros.benchmark.run_key import code_digest
from autourdf_ros.errors import InputError

MechanismMethod = Literal["likelihood", "ransac"]
MECHANISM_METHODS: tuple[MechanismMethod, ...] = ("likelihood", "ransac")
SCENE_NAMES = ("cart_pole", "driven_cart_pole", "rott_pendulum", "three_links", "drawer", "door")
FILES = ("transforms.json", "truth.json")
"""What a case of one's own has beside its images and shapes."""


@dataclass(frozen=True)
class MechanismCase:
    """A case.

    Attributes:
        name: Of the scene, or of the folder.
        seed: Of parameters, start, drive and noise.
        method: Of the joints.
        frames: Of the video.
        folder: A video of one's own with its truth; None: the scene is simulated.
    """

    name: str
    seed: int = 0
    method: MechanismMethod = "likelihood"
    frames: int = 200
    folder: Path | None = None

    def title(self) -> dict[str, Any]:
        """Return what identifies the case in a row, as JSON values."""
        return {
            "name": self.name,
            "seed": self.seed,
            "method": self.method,
            "frames": self.frames,
        }

    def key(self) -> dict[str, Any]:
        """Return everything that determines a row, as JSON values."""
        total = hashlib.sha256()
        if self.folder is not None:
            for name in FILES:
                total.update((self.folder / name).read_bytes())
        return {**self.title(), "input": total.hexdigest()[:16], "code": code_digest()}


def mechanism_cases(
    scenes: Sequence[str], methods: Sequence[MechanismMethod], seeds: int
) -> list[MechanismCase]:
    """Return the cases of simulated scenes.

    Raises:
        InputError: a scene is unknown.
    """
    if unknown := [name for name in scenes if name not in SCENE_NAMES]:
        raise InputError(f"--robots {unknown[0]}: accepted are {', '.join(SCENE_NAMES)}")
    return [
        MechanismCase(name, seed, method)
        for name in scenes
        for seed in range(seeds)
        for method in methods
    ]


def mechanism_cases_in(folder: Path, methods: Sequence[MechanismMethod]) -> list[MechanismCase]:
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
        raise InputError(f"--data {folder}: accepted are folders with {' and '.join(FILES)}")
    return [
        MechanismCase(path.name, method=method, folder=path) for path in found for method in methods
    ]

"""A case of the suite: images of a robot, simulated or of a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autourdf_ros.errors import InputError
from autourdf_ros.files.code_digest import code_digest
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.simulation.images.image_motions import ImageMotion
from autourdf_ros.simulation.images.image_noise import ImageNoise
from autourdf_ros.simulation.images.image_recording import ImageOptions

FILES = ("transforms.json", "robot.urdf")
"""What a case of one's own has beside its images and meshes."""

_LIGHT = {
    "panda": ImageOptions(renderer="pybullet"),
    "panda_no_shadows": ImageOptions(renderer="pybullet", shadows=False),
    "panda_free": ImageOptions(renderer="pybullet", motion=ImageMotion(reach=None)),
    "panda_sun": ImageOptions(),
    "panda_real": ImageOptions(renderer="pybullet"),
    "panda_real_stated": ImageOptions(renderer="pybullet"),
}
REAL = "_real"
"""In the name of a case whose images are as real cameras make them. It is fitted with exposures and
cameras found along with the splats, or `_stated` with cameras and exposures as they are stated. Of
images alone, a robot's name ends with it."""
IMAGES_ALONE = "images"
"""Method that knows no robot: tree, joints and shapes are found, too."""
BONES = "bones"
"""The paper's own method, as a baseline."""
ROBOTS = ("panda", "ur5_robot", "so101", "solo12")
"""Of these two; others of example-robot-data can be named."""

CASE_NAMES = tuple(_LIGHT)
"""Panda within 90 degrees in PyBullet's light, without its shadows, within its limits; in ours,
with the colours of its meshes, which PyBullet leaves out; and as real cameras make images."""


@dataclass(frozen=True)
class AppearanceCase:
    """A case.

    Attributes:
        name: Of the case, or of the folder.
        seed: Of configurations, cameras and the points to begin with.
        images: Simulated ones that are fitted.
        size: Of their width and height (pixels).
        folder: Images of one's own with the robot's URDF, of which every tenth is predicted; None:
            they are simulated.
        method: Of the fit.
        lpips: File with the weights of LPIPS; None: it is not measured.
        seconds: Of a fit of bones (s).
    """

    name: str
    seed: int = 0
    images: int = 300
    size: int = 400
    folder: Path | None = None
    method: str = "splats"
    lpips: Path | None = None
    seconds: float = 600.0

    @property
    def measured_by(self) -> str:
        """The module that measures it, as `SuiteCase` says."""
        own = {IMAGES_ALONE: "measure_images_alone", BONES: "bones.measure_bones"}
        module = own.get(self.method, "measure_appearance")
        return f"autourdf_ros.benchmark.appearance.{module}"

    @property
    def noise(self) -> ImageNoise | None:
        """What real cameras do to its images, or None."""
        return ImageNoise() if self.folder is None and REAL in self.name else None

    @property
    def refined(self) -> bool:
        """Whether exposures and cameras are found along with the splats."""
        return self.folder is None and self.name.endswith(REAL)

    def options(self, images: int, seed: int) -> ImageOptions:
        """Return what is simulated."""
        light = _LIGHT[self.name]
        motion = ImageMotion(images, reach=light.motion.reach)
        return ImageOptions(
            motion, self.size, renderer=light.renderer, shadows=light.shadows, seed=seed
        )

    def title(self) -> dict[str, Any]:
        """Return what identifies the case in a row, as JSON values; a folder has its own images."""
        own: dict[str, Any] = {}
        if self.folder is None:
            own = {"images": self.images, "size": self.size}
        if self.lpips is not None:
            own["lpips_weights"] = str(self.lpips)
        if self.method == BONES:
            own["limit"] = self.seconds
        return {"name": self.name, "seed": self.seed, "method": self.method, **own}

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


def robots_alone(names: Sequence[str], seeds: int, method: str) -> list[AppearanceCase]:
    """Return simulated cases of robots of which nothing is known, by one of the two methods.

    Raises:
        InputError: A robot is unknown.
    """
    for name in names:
        find_urdf(name.removesuffix(REAL))
    return [AppearanceCase(name, seed, method=method) for name in names for seed in range(seeds)]


def appearance_cases(names: Sequence[str], seeds: int) -> list[AppearanceCase]:
    """Return the simulated cases.

    Raises:
        InputError: A case is unknown.
    """
    if unknown := [name for name in names if name not in CASE_NAMES]:
        raise InputError(f"--robots {unknown[0]}: accepted are {', '.join(CASE_NAMES)}")
    return [AppearanceCase(name, seed) for name in names for seed in range(seeds)]


def appearance_cases_in(folder: Path, seeds: int, method: str = "splats") -> list[AppearanceCase]:
    """Return the cases of the images in a folder, each in a folder of its own.

    The seed is that of the first splats. From images alone it changes nothing, and there is one.

    Raises:
        InputError: There is none.
    """
    found = [
        path
        for path in (sorted(folder.iterdir()) if folder.is_dir() else [])
        if all((path / name).is_file() for name in FILES)
    ]
    if not found:
        raise InputError(f"--data {folder}: accepted are folders with {', '.join(FILES)}")
    return [
        AppearanceCase(path.name, seed, folder=path, method=method)
        for path in found
        for seed in range(1 if method == IMAGES_ALONE else seeds)
    ]

"""Finds a robot of known kinematics in a scene of unknown scale, by its outlines in images.

For every one of many turns of its base, the middle of each mask gives a direction, and the size of
the mask a distance; unit and place follow from all images by linear least squares. The best turns
are refined by the robot's drawn outline, which must lie on that of the masks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_erosion, map_coordinates
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.cameras.similarity import Similarity
from autourdf_ros.estimation.appearance.silhouettes.silhouettes import Silhouettes
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.progress import Progress, silent

Draw = Callable[[int, PinholeCamera], NDArray[np.float32]]
"""Returns depths (H, W) of the robot as in an image, NaN where it is not, from a camera in its base
frame."""


@dataclass(frozen=True)
class AlignmentOptions:
    """Constants of the search.

    Attributes:
        turns: Of the base, tried at random; 10,000 are about 9 degrees apart.
        tried: Of them refined.
        images: By which all are refined, and the last one.
        rounds: In which the outline is drawn anew, for all and for the last one.
        sides: Pixels along the longer side of the images, for all and for the last one.
        rim: Points of an outline.
        robust: Distance (pixels) from which one counts less.
        apart: Angle (rad) from which two turns are not the same.
        least_images: That show the robot.
        least_overlap: Of drawn and given masks, below which the robot is not found.
        seed: Of the turns.
    """

    turns: int = 10_000
    tried: int = 12
    images: tuple[int, int] = (12, 60)
    rounds: tuple[int, int] = (6, 6)
    sides: tuple[int, int] = (100, 400)
    rim: int = 150
    robust: float = 2.0
    apart: float = float(np.radians(15))
    least_images: int = 3
    least_overlap: float = 0.5
    seed: int = 0


@dataclass(frozen=True)
class RobotViews:
    """What images show of a robot.

    Attributes:
        cameras: F, in the scene.
        masks: F of (H, W), shares of pixels.
        points: (F, N, 3) on its surface in the base frame, as its joints stand in each image (m).
        draw: Draws it as in one of them.
    """

    cameras: Sequence[PinholeCamera]
    masks: Sequence[NDArray[np.float32]]
    points: Array
    draw: Draw


@dataclass(frozen=True)
class FoundRobot:
    """A robot in the scene.

    Attributes:
        similarity: From the scene to its base frame.
        overlap: Median intersection over union of drawn and given masks.
        runner_up: That of the best other turn of the base; 0 where none was refined.
        images: Number of images in which it was compared.
    """

    similarity: Similarity
    overlap: float
    runner_up: float
    images: int


def find_robot(
    views: RobotViews,
    options: AlignmentOptions = AlignmentOptions(),
    progress: Progress = silent,
) -> FoundRobot:
    """Return where the robot's base is, and the unit of the scene.

    Raises:
        InputError: Too few masks show the robot, or none of its places meets them.
    """
    seen = np.flatnonzero([(mask > 0.5).any() for mask in views.masks])
    if len(seen) < options.least_images:
        raise InputError(
            f"the robot is in {len(seen)} masks of images whose cameras were found; accepted are "
            f"{options.least_images} or more"
        )
    few, many = (_spread(seen, count) for count in options.images)
    starts = _starts(views, _spread(seen, max(options.images)), options)
    found: list[tuple[float, Similarity]] = []
    outlines = _Outlines(views, few, options.sides[0], options)
    for number, start in enumerate(starts):
        progress("finding the robot", 0.8 * number / len(starts))
        near = outlines.refined(start, options.rounds[0])
        found.append((outlines.overlap(near), near))
    found.sort(key=lambda one: -one[0])
    overlap, best = found[0] if found else (0.0, None)
    others = [
        value for value, one in found if best is not None and _angle(one, best) > options.apart
    ]
    if best is None or overlap < options.least_overlap:
        raise InputError(
            "the robot is nowhere in the scene: drawn and given masks overlap by "
            f"{overlap:.0%} at best; accepted are {options.least_overlap:.0%} and more: images, "
            "masks and joint positions of the model's robot"
        )
    progress("finding the robot", 0.8)
    exact = _Outlines(views, many, options.sides[1], options)
    best = exact.refined(best, options.rounds[1])
    return FoundRobot(best, exact.overlap(best), max(others, default=0.0), len(many))


def _spread(numbers: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """Return at most `count` of them, evenly."""
    chosen = np.linspace(0, len(numbers) - 1, min(count, len(numbers))).round().astype(int)
    return numbers[chosen]


def _angle(one: Similarity, two: Similarity) -> float:
    return float(Rotation.from_matrix(one.turn @ two.turn.T).magnitude())


def _starts(
    views: RobotViews, chosen: NDArray[np.intp], options: AlignmentOptions
) -> list[Similarity]:
    """Return the similarities by which middles and sizes of masks are met best."""
    eyes = np.array([views.cameras[f].pose[:3, 3] for f in chosen])
    toward, sizes = (
        np.array(group)
        for group in zip(*(_middle(views.cameras[f], views.masks[f]) for f in chosen), strict=True)
    )
    points = views.points[chosen]
    middles = points.mean(axis=1)
    centred = points - middles[:, None]
    spreads = np.einsum("fni,fnj->fij", centred, centred) / points.shape[1]
    turns = Rotation.random(options.turns, random_state=options.seed).as_matrix()
    # Distances along the rays at which the robot has the masks' size (m).
    along = np.einsum("mji,fj->mfi", turns, toward)
    across = np.trace(spreads, axis1=1, axis2=2) - np.einsum(
        "mfi,fij,mfj->mf", along, spreads, along
    )
    depths = np.sqrt(np.maximum(across, 0)) / sizes
    # eye + depth * toward / scale = (turn @ middle) / scale + place, in the scene.
    arms = np.einsum("mij,fj->mfi", turns, middles) - depths[..., None] * toward
    level = arms.mean(axis=1, keepdims=True)
    lone = eyes - eyes.mean(axis=0)
    units = np.einsum("mfi,fi->m", arms - level, lone) / np.sum((arms - level) ** 2, axis=(1, 2))
    residuals = np.sum((lone - units[:, None, None] * (arms - level)) ** 2, axis=(1, 2))
    residuals[units <= 0] = np.inf
    starts: list[Similarity] = []
    for number in np.argsort(residuals, kind="stable"):
        if len(starts) == options.tried or not np.isfinite(residuals[number]):
            break
        place = eyes.mean(axis=0) - units[number] * level[number, 0]
        turn, scale = turns[number].T, 1 / units[number]
        one = Similarity(float(scale), turn, -scale * turn @ place)
        if all(_angle(one, other) > options.apart for other in starts):
            starts.append(one)
    return starts


def _middle(camera: PinholeCamera, mask: NDArray[np.float32]) -> tuple[Array, float]:
    """Return the direction (3,) of a mask's middle in the scene, and its root mean square size.

    The size is a tangent: times the distance it is the size of what fills the mask.
    """
    rays = camera.directions[mask > 0.5]
    middle = rays.mean(axis=0)
    size = np.sqrt(np.sum((rays - middle)[:, :2] ** 2, axis=1).mean()) / np.linalg.norm(middle)
    turned = camera.pose[:3, :3] @ middle
    return turned / np.linalg.norm(turned), float(size)


class _Outlines:
    """Outlines in some of the images, and the drawn robot beside them."""

    def __init__(
        self, views: RobotViews, chosen: NDArray[np.intp], side: int, options: AlignmentOptions
    ) -> None:
        self._views, self._chosen, self._options = views, chosen, options
        self._cameras: list[PinholeCamera] = []
        self._masks: list[NDArray[np.float32]] = []
        for number in chosen:
            camera, mask = smaller(views.cameras[number], views.masks[number], side)
            self._cameras.append(camera)
            self._masks.append(mask)
        rows, columns = np.max([mask.shape for mask in self._masks], axis=0)
        self._fields = np.stack(
            [
                np.pad(
                    Silhouettes.of([camera], [mask]).fields[0],
                    ((0, rows - mask.shape[0]), (0, columns - mask.shape[1])),
                    mode="edge",
                )
                for camera, mask in zip(self._cameras, self._masks, strict=True)
            ]
        )
        self._poses = np.array([camera.pose for camera in self._cameras])
        self._lenses = np.array([[one.focal, one.principal] for one in self._cameras])

    def refined(self, start: Similarity, rounds: int) -> Similarity:
        """Return the similarity near a start by which outlines lie on each other."""
        for _ in range(rounds):
            rims = [self._rim(number, camera, start) for number, camera in enumerate(self._cameras)]
            if not any(len(rim) for rim in rims):
                return start
            start = self._fitted(start, rims)
        return start

    def overlap(self, found: Similarity) -> float:
        """Return the median intersection over union of masks."""
        shares = []
        for number, (camera, mask) in enumerate(zip(self._cameras, self._masks, strict=True)):
            drawn = np.isfinite(self._drawn(number, found.camera(camera)))
            given = mask > 0.5
            shares.append((drawn & given).sum() / max(1, (drawn | given).sum()))
        return float(np.median(shares))

    def _drawn(self, number: int, camera: PinholeCamera) -> NDArray[np.float32]:
        return self._views.draw(int(self._chosen[number]), camera)

    def _rim(self, number: int, camera: PinholeCamera, found: Similarity) -> Array:
        """Return points (R, 3) of the robot's surface along its drawn outline, in its base frame.

        Each is where the edge of the drawn mask is: half a pixel beyond the last pixel's middle.
        """
        placed = found.camera(camera)
        depth = self._drawn(number, placed)
        shown = np.isfinite(depth)
        rows, columns = np.nonzero(shown & ~binary_erosion(shown, border_value=1))
        every = max(1, len(rows) // self._options.rim)
        rows, columns = rows[::every], columns[::every]
        rays = camera.directions[rows, columns] * depth[rows, columns, None]
        return np.asarray(rays @ placed.pose[:3, :3].T + placed.pose[:3, 3])

    def _fitted(self, start: Similarity, rims: Sequence[Array]) -> Similarity:
        def changed(step: Array) -> Similarity:
            turn = Rotation.from_rotvec(step[:3]).as_matrix()
            shift = turn @ start.shift + step[3:6] * size
            return Similarity(start.scale * float(np.exp(step[6])), turn @ start.turn, shift)

        owners = np.repeat(np.arange(len(rims)), [len(rim) for rim in rims])
        points = np.concatenate(rims)
        focal, principal = self._lenses[owners, 0], self._lenses[owners, 1]

        def residuals(step: Array) -> Array:
            near = changed(step)
            turns, eyes = near.turn @ self._poses[:, :3, :3], near.points(self._poses[:, :3, 3])
            local = np.einsum("nji,nj->ni", turns[owners], points - eyes[owners])
            pixels = local[:, :2] / np.maximum(local[:, 2:], 1e-9) * focal + principal
            places = np.stack([owners, pixels[:, 1], pixels[:, 0]])
            # The middle of a pixel on the rim lies half a pixel within the outline.
            return map_coordinates(self._fields, places, order=1, mode="nearest") + 0.5

        size = max(float(np.ptp(self._views.points, axis=(0, 1)).max()), 1e-9)
        fit = least_squares(
            residuals, np.zeros(7), loss="soft_l1", f_scale=self._options.robust, max_nfev=8
        )
        return changed(fit.x)


def smaller(
    camera: PinholeCamera, mask: NDArray[np.float32], side: int
) -> tuple[PinholeCamera, NDArray[np.float32]]:
    """Return camera and mask with at most `side` pixels along a side, as the means of blocks."""
    block = -(-max(mask.shape) // side)
    height, width = mask.shape[0] // block, mask.shape[1] // block
    if block == 1 or not height or not width:
        return camera, mask
    cut = mask[: height * block, : width * block]
    means = cut.reshape(height, block, width, block).mean(axis=(1, 3))
    column, row = ((value + 0.5) / block - 0.5 for value in camera.principal)
    focal = camera.focal[0] / block, camera.focal[1] / block
    found = replace(camera, width=width, height=height, focal=focal, principal=(column, row))
    return found, np.asarray(means, np.float32)

"""Faults of a recording: dropped frames, a hand in front, a bumped camera, a rolling shutter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import trimesh
from numpy.typing import NDArray

from autourdf_ros.data.video.primitive_shapes import PrimitiveShape
from autourdf_ros.errors import InputError
from autourdf_ros.geometry.rigid_motion import from_translation
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh, from_trimesh
from autourdf_ros.simulation.cameras.pinhole_camera import Camera
from autourdf_ros.simulation.cameras.renderer import Renderer, View

Array = NDArray[np.float64]

HAND_MASK = 255
"""Number of the hand in masks: none of the shapes."""

_SKIN = np.array([215, 165, 135], np.uint8)
_ARM, _PALM = (0.035, 0.35), 0.05  # radius and length of the forearm, radius of the palm (m)
_NEARNESS = 0.6  # distance of the hand from the camera, of that of what the camera faces
_SWEEP = (0.35, 0.65)  # the hand crosses the image between these shares of the video
_BANDS = 8  # groups of rows of a rolling shutter that are rendered at one moment


@dataclass(frozen=True)
class VideoFaults:
    """Faults; zero switches one off.

    Attributes:
        dropped: Share of the frames that are lost, the first one never.
        hand: Whether a person's hand crosses the image before the mechanism.
        bump: How far the camera is turned in the middle of the video (rad), equally about the three
            axes of its optical frame.
        readout: Time from the first to the last row of an image (s); the stamp is that of the
            first one.

    Raises:
        InputError: a number is out of its range.
    """

    dropped: float = 0.0
    hand: bool = False
    bump: float = 0.0
    readout: float = 0.0

    def __post_init__(self) -> None:
        if not (0 <= self.dropped < 1 and np.isfinite(self.bump) and self.readout >= 0):
            raise InputError(
                f"faults: dropped {self.dropped}, bump {self.bump} rad, readout {self.readout} s; "
                "accepted are a share below 1, a finite angle and a time of 0 or more"
            )

    def kept(self, stamps: Array, rng: np.random.Generator) -> Array:
        """Return the stamps (s) of the frames that are not dropped."""
        lost = rng.random(len(stamps)) < self.dropped if self.dropped else np.zeros(len(stamps))
        return np.asarray(stamps[(lost == 0) | (np.arange(len(stamps)) == 0)])

    @property
    def bands(self) -> int:
        """Number of moments at which an image is rendered."""
        return _BANDS if self.readout else 1

    def moments(self, stamps: Array) -> Array:
        """Return the (T * bands,) moments (s) of the rows of images at `stamps` (T,)."""
        late = np.arange(self.bands) * self.readout / self.bands
        return np.asarray(np.maximum.accumulate((stamps[:, None] + late).ravel()))


NO_FAULTS = VideoFaults()


class Studio:
    """Renders a mechanism with the faults of a recording."""

    def __init__(
        self,
        surfaces: list[SurfaceMesh],
        camera: Camera,
        background: SurfaceMesh | None,
        distance: float,
        faults: VideoFaults,
    ) -> None:
        """Prepare the scenes.

        Args:
            surfaces: One a body, in its own frame.
            camera: Of the video.
            background: Static scene in the world.
            distance: From the camera to what it faces (m).
            faults: What goes wrong.
        """
        self._faults, self._camera, self._distance = faults, camera, distance
        self._count = len(surfaces)
        bumped = camera.perturbed(np.zeros(3), np.full(3, faults.bump / np.sqrt(3)))
        hands = [_hand()] if faults.hand else []
        self._renderer = Renderer([*surfaces, *hands], [camera, bumped], background)

    def view(self, poses: Array, share: float) -> View:
        """Return what the camera sees.

        Args:
            poses: (bands, B, 4, 4) of the bodies at the moments of one image.
            share: How much of the video has passed, 0 to 1.
        """
        index = int(self._faults.bump != 0 and share >= 0.5)
        if self._faults.hand:
            hand = np.tile(self._hand_pose(share), (len(poses), 1, 1, 1))
            poses = np.concatenate([poses, hand], axis=1)
        views = [self._renderer.render(moment, index) for moment in poses]
        return views[0] if len(views) == 1 else _rolled(views)

    def mask(self, view: View) -> NDArray[np.uint8]:
        """Return (H, W) the numbers of the bodies from 1, 0 for none, `HAND_MASK` for a hand."""
        numbers = np.maximum(view.body + 1, 0)
        return np.where(numbers > self._count, HAND_MASK, numbers).astype(np.uint8)

    def _hand_pose(self, share: float) -> Array:
        """Return (4, 4) of the hand, which crosses from the right to the left."""
        start, end = _SWEEP
        progress = (share - start) / (end - start)
        inner = self._camera.intrinsics
        depth = _NEARNESS * self._distance
        half = inner.width / 2 / inner.focal * depth + _PALM
        across = half * (1 - 2 * progress) if 0 <= progress <= 1 else 100 * half
        pose = from_translation(np.array([across, 0.0, depth]))
        return np.asarray(self._camera.pose @ pose)


def _rolled(views: list[View]) -> View:
    """Return the image whose groups of rows are of one view after another."""
    whole = views[0].copy()
    edges = np.linspace(0, len(whole.depth), len(views) + 1).round().astype(int)
    for view, low, high in zip(views, edges, edges[1:], strict=False):
        for name in vars(whole):
            getattr(whole, name)[low:high] = getattr(view, name)[low:high]
    return whole


def _hand() -> SurfaceMesh:
    """Return a forearm that comes from below the image, with a palm, in the camera's axes."""
    arm = PrimitiveShape("capsule", _ARM).solid()
    arm.apply_transform(trimesh.geometry.align_vectors([0, 0, 1], [0, 1, 0]))
    arm.apply_translation([0, _ARM[1] / 2, 0])
    palm = PrimitiveShape("sphere", (_PALM,)).solid()
    return from_trimesh(trimesh.boolean.union([arm, palm], engine="manifold"), _SKIN)

"""Orthographic images of part meshes by ray casting: no display and no graphics card."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import open3d as o3d
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from autourdf_ros.data.encoded_image import EncodedImage
from autourdf_ros.data.parts.part_assembly import Part

Array = NDArray[np.float64]

_BACKGROUND = 1.0
_AMBIENT = 0.35
"""Share of a colour that a surface across the view still has."""

DIRECTIONS: dict[str, tuple[float, float, float]] = {
    "front": (-1.0, 0.0, 0.0),
    "left": (0.0, -1.0, 0.0),
    "top": (0.0, 0.0, -1.0),
    "oblique": (-1.0, -0.6, -0.7),
}
"""Along which the views are taken: x points to the front, y to the left, z up (REP 103)."""


@dataclass(frozen=True)
class OrthographicView:
    """A view along a direction.

    Attributes:
        direction: (3,) along which it is taken.
        centre: (3,) of the image (m).
        half: Half the width of the image (m).
        reach: Distance of the image's plane from the centre, in front of everything (m).
        side: Of the image, in pixels.
    """

    direction: Array
    centre: Array
    half: float
    reach: float
    side: int

    @cached_property
    def axes(self) -> Array:
        """(3, 3) rows right, up and forward, unit."""
        forward = self.direction / np.linalg.norm(self.direction)
        up = np.array([1.0, 0.0, 0.0]) if abs(forward[2]) > 0.99 else np.array([0.0, 0.0, 1.0])
        right = np.cross(forward, up)
        right /= np.linalg.norm(right)
        return np.array([right, np.cross(right, forward), forward])

    def pixels(self, points: Array) -> Array:
        """Return (N, 2) columns and rows of points (N, 3)."""
        across = (points - self.centre) @ self.axes[:2].T / self.half
        return (across * [1, -1] + 1) * self.side / 2

    def rays(self) -> NDArray[np.float32]:
        """Return (side, side, 6) origins and directions of the pixels' rays."""
        steps = (np.arange(self.side) + 0.5) * 2 / self.side - 1
        right, up, forward = self.axes
        across = steps[None, :, None] * right - steps[:, None, None] * up
        origins = self.centre - self.reach * forward + self.half * across
        return np.concatenate(
            [origins, np.broadcast_to(forward, origins.shape)], axis=2, dtype=np.float32
        )


class PartScene:
    """Parts that views are taken of.

    Args:
        parts: That are shown.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._scene = o3d.t.geometry.RaycastingScene(nthreads=1)
        for part in parts:
            self._scene.add_triangles(
                o3d.core.Tensor.from_numpy(np.ascontiguousarray(part.vertices, np.float32)),
                o3d.core.Tensor.from_numpy(np.ascontiguousarray(part.triangles, np.uint32)),
            )

    def image(self, view: OrthographicView, colors: Array) -> Image.Image:
        """Return the shaded parts with dark outlines.

        Args:
            view: That is taken.
            colors: (P, 3) of the parts, in [0, 1].
        """
        cast = self._scene.cast_rays(o3d.core.Tensor.from_numpy(view.rays()), nthreads=1)
        hit = np.isfinite(cast["t_hit"].numpy())
        numbers = np.where(hit, cast["geometry_ids"].numpy().astype(np.int64), -1)
        facing = np.abs(cast["primitive_normals"].numpy() @ view.axes[2])
        shade = _AMBIENT + (1 - _AMBIENT) * facing
        pixels = np.full((view.side, view.side, 3), _BACKGROUND)
        pixels[hit] = colors[numbers[hit]] * shade[hit][:, None]
        pixels[_outlines(numbers)] = 0.0
        return Image.fromarray((255 * pixels).round().astype(np.uint8), "RGB")


def _outlines(numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where a pixel shows another part than its right or its lower neighbour."""
    edge = np.zeros(numbers.shape, dtype=bool)
    edge[:, :-1] |= numbers[:, :-1] != numbers[:, 1:]
    edge[:-1] |= numbers[:-1] != numbers[1:]
    return edge


def draw_axis(
    image: Image.Image, view: OrthographicView, ends: Array, text: str, color: Array
) -> None:
    """Draw a numbered axis between `ends` (2, 3); seen along it, as a ring."""
    pen = ImageDraw.Draw(image)
    first, last = (tuple(float(value) for value in one) for one in view.pixels(ends))
    ink = tuple(int(value) for value in (255 * color).round())
    width = max(1, view.side // 200)
    if np.hypot(last[0] - first[0], last[1] - first[1]) < 4 * width:
        radius = 3 * width
        box = (last[0] - radius, last[1] - radius, last[0] + radius, last[1] + radius)
        pen.ellipse(box, outline=ink, width=width)
    else:
        pen.line((*first, *last), fill=ink, width=width)
    size = view.side / 24
    across, down = (float(np.clip(value, 0, view.side - size)) for value in last)
    pen.text((across, down), text, fill=ink, font_size=size)


def png(image: Image.Image) -> EncodedImage:
    """Return an image as PNG, without metadata."""
    written = io.BytesIO()
    image.save(written, "PNG")
    return EncodedImage("image/png", written.getvalue())

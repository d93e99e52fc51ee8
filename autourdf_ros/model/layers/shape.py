"""The shape layer: surfaces and mesh files of links."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.layers.layer import Layer


@dataclass(frozen=True)
class Surface:
    """Points on a link's surface, fused from all frames.

    In the base frame with every joint at its `reference` value.

    Attributes:
        points: (N, 3) metres.
        normals: (N, 3) unit, outward.
        colors: (N, 3) uint8 RGB, or None.
    """

    points: NDArray[np.float64]
    normals: NDArray[np.float64]
    colors: NDArray[np.uint8] | None = None


NO_SURFACE = Surface(np.empty((0, 3)), np.empty((0, 3)))


@dataclass(frozen=True)
class LinkShape:
    """What a link looks like.

    Attributes:
        surface: Its points, where they are in memory; empty for a model read from a folder.
        visual: Its visual mesh files, relative to the result folder; empty in memory.
        collision: Its collision mesh files, likewise.
        unseen_share: Share of its closed surface that no frame shows; None where unknown.
        stored_digest: SHA-256 of the points that the files were made from; empty in memory.
    """

    surface: Surface = NO_SURFACE
    visual: tuple[str, ...] = ()
    collision: tuple[str, ...] = ()
    unseen_share: float | None = None
    stored_digest: str = ""

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the surface: of its points, or as it was when its files were written."""
        if self.stored_digest:
            return self.stored_digest
        total = hashlib.sha256()
        for values in (self.surface.points, self.surface.normals, self.surface.colors):
            if values is not None:
                total.update(np.ascontiguousarray(values).tobytes())
        return total.hexdigest()


@dataclass(frozen=True, kw_only=True)
class ShapeLayer(Layer):
    """Shapes of links.

    Attributes:
        links: Shapes by link name.
        noise: Standard deviation of a surface point along its normal (m); None where unknown.
    """

    links: Mapping[str, LinkShape] = field(default_factory=dict)
    noise: float | None = None

    @property
    def values(self) -> dict[str, Any]:
        """Digest, mesh files and unseen share of every link, and the noise."""
        return {
            "links": {
                name: {
                    "digest": link.digest,
                    "visual": list(link.visual),
                    "collision": list(link.collision),
                    "unseen_share": link.unseen_share,
                }
                for name, link in self.links.items()
            },
            "noise": self.noise,
        }

    @property
    def content(self) -> Any:
        """Digests of the links' surfaces: files that are made from them may change."""
        return {name: link.digest for name, link in self.links.items()}

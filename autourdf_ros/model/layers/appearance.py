"""The appearance layer: Gaussian splats on the links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from autourdf_ros.model.layers.layer import Layer


@dataclass(frozen=True)
class LinkSplats:
    """A file of Gaussian splats in the link's frame.

    Attributes:
        file: Relative to the result folder.
        sha256: Of the file's content.
        color_std: Standard deviation of a rendered colour channel on held-out images, of 1;
            None where unknown.
    """

    file: str
    sha256: str
    color_std: float | None = None


@dataclass(frozen=True, kw_only=True)
class AppearanceLayer(Layer):
    """Splats by link name."""

    links: Mapping[str, LinkSplats] = field(default_factory=dict)

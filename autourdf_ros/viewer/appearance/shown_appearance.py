"""What the page shows of a robot's appearance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from autourdf_ros.viewer.appearance.link_splats import ShownSplats
from autourdf_ros.viewer.appearance.seen_images import SeenImage


@dataclass(frozen=True)
class ShownAppearance:
    """Splats and images of a result.

    Attributes:
        splats: By link name; empty where the result has none.
        images: Held-out images; empty where they are not found.
    """

    splats: Mapping[str, ShownSplats] = field(default_factory=dict)
    images: tuple[SeenImage, ...] = ()

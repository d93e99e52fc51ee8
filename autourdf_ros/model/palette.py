"""One colour for every link, the same in meshes, figures and tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_COLORS = np.array(
    [
        [0.467, 0.490, 0.525], [0.149, 0.424, 0.725], [0.937, 0.478, 0.102],
        [0.165, 0.616, 0.361], [0.831, 0.208, 0.255], [0.529, 0.353, 0.737],
        [0.106, 0.678, 0.710], [0.890, 0.690, 0.110], [0.871, 0.380, 0.620],
        [0.545, 0.369, 0.235], [0.412, 0.651, 0.894], [0.592, 0.769, 0.251],
    ]
)  # fmt: skip

UNKNOWN = np.array([0.85, 0.85, 0.85])
"""Of points on no link."""


def link_color(index: int) -> NDArray[np.float64]:
    """Return the (3,) RGB colour in [0, 1] of the link at `index`; the root is grey.

    Colours repeat with a lighter shade.
    """
    turn, place = divmod(index, len(_COLORS))
    lightness = 1 - 0.7**turn
    shade: NDArray[np.float64] = _COLORS[place] * (1 - lightness) + lightness
    return shade

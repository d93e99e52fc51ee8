"""Joints that nearly every part may have: about the edges of its box, or along them.

They help to follow a part that moves as no alternative says. They are no alternatives.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from autourdf_ros.estimation.parts.assembly_trace import JointCandidate
from autourdf_ros.estimation.parts.confirmation.tracking.surface_samples import PartSamples
from autourdf_ros.estimation.parts.contact import part_samples
from autourdf_ros.estimation.parts.contact.oriented_box import oriented_box

SOURCE = "box"
"""Name of what proposed the joints."""
POINTS = 2000
"""Samples of a part that its box is found by; a resource bound."""


def box_joints(samples: PartSamples, part: int) -> tuple[JointCandidate, ...]:
    """Return turns about the edges and the middle lines of a part's box, and slides along them."""
    own = np.flatnonzero(samples.owners == part)
    own = own[:: max(len(own) // POINTS, 1)]
    surface = part_samples.PartSamples(samples.points[own], samples.normals[own], 0.0)
    box = oriented_box(surface.points, surface)
    found = []
    for number, axis in enumerate(box.axes):
        others = [k for k in range(3) if k != number]
        for first, second in (*product((-1, 1), repeat=2), (0, 0)):
            across = first * box.half[others[0]], second * box.half[others[1]]
            point = box.middle + across[0] * box.axes[others[0]] + across[1] * box.axes[others[1]]
            found.append(JointCandidate("revolute", axis, point, 0.0, source=SOURCE))
        found.append(JointCandidate("prismatic", axis, box.middle, 0.0, source=SOURCE))
    return tuple(found)

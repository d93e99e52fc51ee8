"""Where the axis of a joint may be, as it is seen from one side."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.self_model import Joint

DEVIATIONS = 2.0
"""Standard deviations to either side."""

_STEPS = 9


def axis_region(joint: Joint, half: float, view: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the outline (P, 2) of an uncertain axis in view coordinates; None where unknown.

    Covariances are propagated to first order: a point at t along the axis moves across it by t
    times the change of direction plus that of position. For a prismatic joint, whose position means
    nothing, the direction alone. None also where the axis points at the viewer.

    Args:
        half: Length to either side of the joint's point (m).
        view: (3, 3) rows right, up and toward the viewer.
    """
    along = view[:2] @ joint.axis
    length = float(np.linalg.norm(along))
    if joint.estimate is None or length < 0.05:
        return None
    aside = np.array([-along[1], along[0]]) / length
    seen = view[:2].T @ aside
    turned = np.cross(joint.estimate.across, joint.axis) @ seen
    shifted = joint.estimate.across @ seen
    covariance = np.nan_to_num(joint.estimate.covariance)
    steps = np.linspace(-half, half, _STEPS)
    gradients = np.concatenate([steps[:, None] * turned, np.tile(shifted, (_STEPS, 1))], axis=1)
    variances = np.einsum("ti,ij,tj->t", gradients, covariance, gradients)
    reach = np.minimum(DEVIATIONS * np.sqrt(np.maximum(variances, 0)), half)
    middle = view[:2] @ joint.point + steps[:, None] * along
    sides = [middle + sign * reach[:, None] * aside for sign in (1, -1)]
    return np.concatenate([sides[0], sides[1][::-1]])

"""How far a joint goes: as it was seen to, or as the joint that it follows does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.self_model import Joint
from autourdf_ros.model.tree_joint import JointType

LIMIT_MARGIN = 0.1  # share of the observed range added at either end
FULL_TURN = 2 * np.pi  # rad; a joint that was seen to turn as far has no limits


def observed_limits(values: NDArray[np.float64], *, turns: bool) -> tuple[JointType, float, float]:
    """Return type, lower and upper limit of a joint, from its values (F,) in rad or m.

    A joint that was seen to turn by `FULL_TURN` is continuous; its limits are infinite.
    """
    low, high = float(values.min()), float(values.max())
    if turns and high - low >= FULL_TURN:
        return "continuous", -np.inf, np.inf
    margin = LIMIT_MARGIN * (high - low)
    return "revolute" if turns else "prismatic", low - margin, high + margin


def following(joint: Joint, master: Joint) -> Joint:
    """Return a joint that mimics `master` with limits that let it follow wherever that goes.

    Its own where the master has none.
    """
    if joint.mimic is None or not np.isfinite([master.lower, master.upper]).all():
        return joint
    mimic = joint.mimic
    ends = [mimic.multiplier * end + mimic.offset for end in (master.lower, master.upper)]
    return replace(
        joint,
        type="revolute" if joint.type == "continuous" else joint.type,
        lower=min(*ends, joint.reference),
        upper=max(*ends, joint.reference),
    )

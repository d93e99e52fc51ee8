"""Weights of the features of joint candidates: the most likely ones over known joints.

Written by `studies/part_joints_study.py`, from joints of robots and objects whose parts and joints
are known. The features are described where they are measured.
"""

from __future__ import annotations

SLIDES = -2.06
"""Added to the score of an axis along which a part slides."""

EDGE = 0.70
"""Added to the score of an edge at which a part may be hinged."""

TURNING: dict[str, float] = {
    "along_greatest": -7.62,
    "along_least": -3.08,
    "arm": 0.93,
    "away_mover": 0.80,
    "chain": -4.28,
    "flat": -2.36,
    "from_middle": -1.53,
    "from_slippage": 0.63,
    "gap_max": 4.41,
    "gap_min": 4.35,
    "log_gap_max": 0.46,
    "log_slip_max": 1.39,
    "slip_max": 4.41,
    "spread": 0.97,
    "stop_max": -0.13,
    "sym_min": 2.30,
    "up": 1.03,
}
"""Of axes about which a part turns."""

SLIDING: dict[str, float] = {
    "along_greatest": -8.69,
    "along_least": -0.46,
    "arm": 0.91,
    "chain": 2.56,
    "closed": 3.75,
    "deeper": -5.49,
    "flat": 6.33,
    "gap_min": 3.92,
    "hit_min": -4.18,
    "log_gap_max": 0.16,
    "log_gap_min": 0.48,
    "log_slip_max": 0.83,
    "log_sym_max": 1.33,
    "rod": -3.03,
    "round_min": 3.87,
    "slip_max": 1.76,
    "slip_min": 4.01,
    "smaller": -2.62,
    "stop_max": 2.57,
    "stop_min": -3.03,
    "strength": 0.09,
    "thin": -0.83,
    "up": -1.54,
}
"""Of axes along which a part slides."""

EDGES: dict[str, float] = {
    "across": 0.09,
    "along_greatest": 0.11,
    "along_least": 1.23,
    "arm": -0.33,
    "away_mover": 1.91,
    "away_other": 3.89,
    "chain": 0.31,
    "flat": -5.36,
    "handle": 3.24,
    "offset": 0.58,
    "rod": -1.94,
    "slip_max": 1.52,
    "smaller": -3.30,
    "spread": 2.94,
    "sym_max": 7.44,
    "sym_min": 1.31,
    "up": 1.35,
}
"""Of edges at which a part may be hinged."""

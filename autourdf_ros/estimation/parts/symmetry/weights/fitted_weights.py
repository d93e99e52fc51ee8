"""Weights of the features of joint candidates: the most likely ones over known joints.

Written by `studies/joint_weights_study.py`, from joints of robots, of objects and of procedural
objects whose parts and joints are known. The features are described where they are measured.
"""

from __future__ import annotations

SLIDES = -3.02
"""Added to the score of an axis along which a part slides."""

EDGE = 0.43
"""Added to the score of an edge at which a part may be hinged."""

TURNING: dict[str, float] = {
    "along_greatest": -7.64,
    "along_least": -1.30,
    "arm": -0.87,
    "away_mover": -1.95,
    "boxy_up": -0.81,
    "chain": -2.53,
    "deeper": -2.17,
    "flat": -2.11,
    "from_middle": -2.80,
    "from_slippage": 0.35,
    "gap_max": 1.40,
    "gap_min": 2.91,
    "hit_max": -1.20,
    "hit_min": -0.81,
    "in_plane": -0.25,
    "log_gap_max": 2.14,
    "log_slip_max": 1.19,
    "log_slip_min": 0.80,
    "slip_max": 3.97,
    "slip_min": 1.76,
    "spread": 3.61,
    "sym_min": 1.56,
    "up": 0.84,
    "whole": -9.19,
}
"""Of axes about which a part turns."""

SLIDING: dict[str, float] = {
    "along_greatest": -6.73,
    "along_least": -4.56,
    "arm": 0.86,
    "boxy": 0.19,
    "boxy_along_least": 0.55,
    "boxy_contact": -2.22,
    "boxy_gap_min": 3.19,
    "boxy_hit_min": -1.77,
    "boxy_in_plane": 1.63,
    "boxy_slip_max": 0.53,
    "boxy_smaller": 1.55,
    "boxy_thin": 3.37,
    "boxy_up": -2.76,
    "boxy_whole": -4.41,
    "chain": 0.75,
    "closed": 0.67,
    "flat": 7.05,
    "gap_min": 0.36,
    "hit_min": -5.68,
    "in_plane": -1.44,
    "log_round_min": 2.42,
    "log_slip_max": 0.86,
    "rod": -0.23,
    "slip_max": 2.72,
    "slip_min": 1.38,
    "smaller": -2.18,
    "stop_max": 2.60,
    "stop_min": -2.01,
    "strength": -0.16,
    "thin": -0.39,
    "up": 1.27,
    "whole": 8.70,
}
"""Of axes along which a part slides."""

EDGES: dict[str, float] = {
    "across": -1.16,
    "along_greatest": -2.18,
    "along_least": -0.06,
    "arm": -0.08,
    "away_mover": -1.49,
    "away_other": 4.63,
    "boxy": 3.38,
    "boxy_away_mover": -3.30,
    "boxy_contact": 1.35,
    "boxy_handle": 2.08,
    "boxy_hit_min": -0.34,
    "boxy_smaller": 1.08,
    "boxy_spread": 1.16,
    "boxy_thin": 0.80,
    "boxy_up": 2.29,
    "chain": 0.21,
    "flat": -10.56,
    "hit_min": -0.57,
    "in_plane": -0.85,
    "offset": 1.18,
    "rod": -2.95,
    "slip_max": 6.18,
    "smaller": -2.07,
    "spread": 1.30,
    "strength": 0.77,
    "sym_max": 3.79,
    "sym_min": 2.94,
    "up": -1.22,
    "whole": -5.27,
}
"""Of edges at which a part may be hinged."""

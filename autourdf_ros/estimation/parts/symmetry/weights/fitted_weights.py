"""Weights of the features of joint candidates: the most likely ones over known joints.

Written by `studies/part_joints_study.py`, from joints of robots and objects whose parts and joints
are known. The features are described where they are measured.
"""

from __future__ import annotations

SLIDES = -2.51
"""Added to the score of an axis along which a part slides."""

EDGE = 0.62
"""Added to the score of an edge at which a part may be hinged."""

TURNING: dict[str, float] = {
    "along_greatest": -8.03,
    "along_least": 0.33,
    "arm": 0.83,
    "away_mover": 0.05,
    "boxy_up": -0.98,
    "chain": -3.54,
    "deeper": -0.09,
    "flat": -4.50,
    "from_middle": -2.80,
    "from_slippage": 0.46,
    "gap_max": 3.37,
    "gap_min": 4.41,
    "in_plane": -0.05,
    "log_gap_max": 1.41,
    "log_round_min": 2.01,
    "log_slip_max": 1.79,
    "slip_max": 5.12,
    "slip_min": 3.12,
    "spread": 2.94,
    "stop_max": -0.04,
    "sym_min": 4.42,
    "up": 2.03,
    "whole": -8.23,
}
"""Of axes about which a part turns."""

SLIDING: dict[str, float] = {
    "along_greatest": -10.95,
    "along_least": -3.78,
    "arm": 0.44,
    "boxy": 0.47,
    "boxy_along_least": 1.04,
    "boxy_closed": 1.08,
    "boxy_contact": -2.45,
    "boxy_gap_min": 7.77,
    "boxy_hit_min": -3.11,
    "boxy_in_plane": 3.02,
    "boxy_slip_max": 2.32,
    "boxy_smaller": 0.30,
    "boxy_stop_min": -2.54,
    "boxy_thin": 6.44,
    "boxy_up": 0.59,
    "boxy_whole": -5.89,
    "chain": 2.37,
    "closed": 3.59,
    "deeper": -3.99,
    "flat": 4.03,
    "gap_min": 2.63,
    "hit_min": -5.61,
    "in_plane": -4.06,
    "log_gap_min": 0.67,
    "log_slip_max": 0.23,
    "log_sym_max": 1.31,
    "rod": -3.27,
    "round_min": 7.99,
    "slip_max": 0.05,
    "slip_min": 1.99,
    "smaller": -2.03,
    "stop_max": 3.22,
    "stop_min": -1.11,
    "strength": -1.45,
    "thin": -1.79,
    "up": -1.71,
    "whole": 10.82,
}
"""Of axes along which a part slides."""

EDGES: dict[str, float] = {
    "across": 0.03,
    "along_greatest": -2.59,
    "along_least": -1.77,
    "arm": 0.25,
    "away_mover": -0.42,
    "away_other": 8.18,
    "boxy": 5.08,
    "boxy_away_mover": -4.53,
    "boxy_contact": 2.72,
    "boxy_handle": 4.81,
    "boxy_smaller": -3.55,
    "boxy_spread": 1.72,
    "boxy_up": 2.85,
    "chain": 1.63,
    "flat": -6.22,
    "hit_max": -2.62,
    "in_plane": -2.40,
    "offset": 0.86,
    "rod": -0.14,
    "smaller": -2.45,
    "spread": 1.48,
    "sym_max": 8.44,
    "sym_min": 4.27,
    "up": -1.20,
    "whole": -2.85,
}
"""Of edges at which a part may be hinged."""

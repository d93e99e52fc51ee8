"""Weights of the features of joint candidates: the most likely ones over known joints.

Written by `studies/part_joints_study.py`, from joints of robots and objects whose parts and joints
are known. The features are described where they are measured.
"""

from __future__ import annotations

SLIDES = -2.29
"""Added to the score of an axis along which a part slides."""

EDGE = -0.24
"""Added to the score of an edge at which a part may be hinged."""

TURNING: dict[str, float] = {
    "along_greatest": -8.12,
    "along_least": -1.27,
    "arm": 1.19,
    "away_mover": 0.46,
    "boxy_up": 0.66,
    "chain": -4.38,
    "flat": -3.17,
    "from_middle": -1.44,
    "from_slippage": 0.63,
    "gap_max": 4.39,
    "gap_min": 5.12,
    "in_plane": 0.74,
    "log_gap_max": 0.64,
    "log_slip_max": 1.60,
    "slip_max": 4.61,
    "slip_min": 0.95,
    "spread": 1.33,
    "stop_max": -0.19,
    "sym_min": 3.08,
    "up": 0.42,
    "whole": -3.00,
}
"""Of axes about which a part turns."""

SLIDING: dict[str, float] = {
    "along_greatest": -11.81,
    "along_least": -7.43,
    "arm": 0.28,
    "boxy": -1.38,
    "boxy_along_least": 0.01,
    "boxy_closed": 2.14,
    "boxy_contact": -3.49,
    "boxy_gap_min": 10.19,
    "boxy_hit_min": -2.21,
    "boxy_in_plane": -1.60,
    "boxy_smaller": 2.29,
    "boxy_stop_min": -3.19,
    "boxy_thin": 5.62,
    "boxy_up": 3.93,
    "boxy_whole": -2.26,
    "chain": 2.47,
    "closed": 2.82,
    "deeper": -2.69,
    "flat": 5.29,
    "gap_min": 2.41,
    "hit_min": -4.14,
    "in_plane": -4.62,
    "log_gap_max": 0.04,
    "log_gap_min": 0.12,
    "log_round_min": 2.09,
    "log_slip_max": 0.39,
    "log_sym_max": 1.54,
    "rod": -3.00,
    "round_min": 4.06,
    "slip_max": 1.50,
    "slip_min": 2.87,
    "smaller": -2.94,
    "stop_max": 2.86,
    "stop_min": -1.38,
    "strength": -0.90,
    "thin": 3.03,
    "up": -4.61,
    "whole": 7.44,
}
"""Of axes along which a part slides."""

EDGES: dict[str, float] = {
    "across": 0.20,
    "along_greatest": -0.64,
    "along_least": -2.68,
    "arm": 0.25,
    "away_mover": 1.68,
    "away_other": 4.57,
    "boxy": 4.68,
    "boxy_away_mover": -0.19,
    "boxy_contact": -0.15,
    "boxy_handle": 4.78,
    "boxy_smaller": -6.68,
    "boxy_spread": 1.85,
    "boxy_stop_min": -0.01,
    "boxy_thin": 5.00,
    "boxy_up": 3.00,
    "chain": 1.66,
    "flat": -7.33,
    "hit_max": -0.98,
    "in_plane": -5.34,
    "offset": 1.27,
    "rod": -2.72,
    "smaller": -1.79,
    "spread": 2.08,
    "strength": 0.56,
    "sym_max": 9.31,
    "sym_min": 5.48,
    "up": -1.46,
    "whole": -2.73,
}
"""Of edges at which a part may be hinged."""

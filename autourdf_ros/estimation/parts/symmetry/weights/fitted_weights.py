"""Weights of the features of joint candidates: the most likely ones over known joints.

Written by `studies/part_joints_study.py`, from joints of robots and objects whose parts and joints
are known. The features are described where they are measured.
"""

from __future__ import annotations

SLIDES = -2.46
"""Added to the score of an axis along which a part slides."""

TURNING: dict[str, float] = {
    "across": -4.26,
    "deeper": 0.56,
    "flat": -6.75,
    "from_centre": 0.17,
    "from_edge": 1.55,
    "from_middle": -0.81,
    "from_slippage": 0.74,
    "gap_max": 3.43,
    "gap_min": -1.06,
    "hit_max": 6.19,
    "hit_min": 0.23,
    "log_gap_max": 0.67,
    "log_gap_min": 1.46,
    "log_round_max": -7.95,
    "log_round_min": 0.06,
    "log_slip_max": 2.12,
    "log_slip_min": 2.72,
    "log_sym_max": -1.09,
    "log_sym_min": -0.17,
    "offset": 5.24,
    "round_max": 11.66,
    "round_min": 0.69,
    "slip_max": -1.51,
    "slip_min": -2.29,
    "sym_max": 2.90,
    "sym_min": 6.04,
}
"""Of axes about which a part turns."""

SLIDING: dict[str, float] = {
    "across": 2.71,
    "blocked": 1.16,
    "deeper": 8.24,
    "flat": 7.27,
    "from_slide": -2.52,
    "from_slippage": -1.35,
    "gap_max": -3.70,
    "gap_min": 5.50,
    "hit_max": -0.96,
    "hit_min": -6.08,
    "log_gap_max": 0.20,
    "log_gap_min": 1.62,
    "log_round_max": 3.48,
    "log_round_min": -3.80,
    "log_slip_max": 1.50,
    "log_slip_min": -1.99,
    "log_sym_max": 0.82,
    "log_sym_min": -0.44,
    "offset": -64.75,
    "open": -3.62,
    "round_max": -5.00,
    "round_min": 2.90,
    "slip_max": 1.26,
    "slip_min": 5.23,
    "sym_max": -3.10,
    "sym_min": 2.07,
}
"""Of axes along which a part slides."""

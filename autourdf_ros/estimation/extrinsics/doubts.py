"""Find reasons why estimated extrinsics may not be trusted."""

from __future__ import annotations

import numpy as np

from autourdf_ros.estimation.extrinsics.camera_views import CameraViews
from autourdf_ros.estimation.extrinsics.motion_start import Start
from autourdf_ros.estimation.extrinsics.surface_alignment import (
    Alignment,
    equations,
    motion_between,
    noise_of,
)
from autourdf_ros.geometry.arrays import Array

LARGEST_TURN, LARGEST_SHIFT = np.radians(0.5), 0.005  # rad, m: deviation of what is known
START_TURN, START_SHIFT = np.radians(12.0), 0.15  # the same of a start that alignment mends
WORSE = 1.5  # times the noise: of frames that were held out
DISAGREE = 22.5  # chi-square of six, exceeded by chance once in a thousand times
LEAST_HELD_OUT = 200  # matches by which frames that were held out are judged


def doubts(
    found: Alignment, covariances: Array, start: Start | None, held_out: CameraViews
) -> tuple[str, ...]:
    """Return sentences, one a reason.

    Args:
        found: the alignment.
        covariances: (C, 6, 6) of the cameras relative to the first.
        start: what it started from, if from motion.
        held_out: views that did not enter the fit.
    """
    reasons = [
        weakness(f"camera {camera + 1}", covariance, LARGEST_TURN, LARGEST_SHIFT)
        for camera, covariance in enumerate(covariances)
    ]
    if start is not None:
        reasons += _start_doubts(found, start)
    reasons.append(_held_out_doubt(found, held_out))
    return tuple(reason for reason in reasons if reason)


def weakness(name: str, covariance: Array, turn: float, shift: float) -> str:
    """Describe the motion of a camera that is known worst, where worse than `turn` and `shift`."""
    scale = np.repeat([turn, shift], 3)
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    if values[-1] <= 1:
        return ""
    motion = np.sqrt(values[-1]) * vectors[:, -1] * scale
    parts = []
    if np.linalg.norm(motion[:3]) > 0.3 * turn:
        parts.append(
            f"turned by {np.degrees(np.linalg.norm(motion[:3])):.1f} degrees about "
            f"{_direction(motion[:3])}"
        )
    if np.linalg.norm(motion[3:]) > 0.3 * shift:
        parts.append(
            f"shifted by {1e3 * np.linalg.norm(motion[3:]):.0f} mm along {_direction(motion[3:])}"
        )
    return f"{name} may be {' and '.join(parts)} (fixed frame), and the frames would hardly differ"


def _direction(vector: Array) -> str:
    unit = vector / np.linalg.norm(vector)
    return "(" + ", ".join(f"{value:.2f}" for value in unit + 0.0) + ")"


def _start_doubts(found: Alignment, start: Start) -> list[str]:
    """Where motion hardly determines a pose: alignment may begin too far off; where both differ."""
    reasons = []
    moved = motion_between(start.poses, found.poses, found.centre)
    for edge in start.edges:
        information = start.information(edge, found.centre)
        ridge = 1e-9 * np.trace(information) * np.eye(6)
        names = f"cameras {edge.first + 1} and {edge.second + 1}"
        covariance = np.linalg.inv(information + ridge)
        worst = f"{names}: by the motion alone the second"
        weak = weakness(worst, covariance, START_TURN, START_SHIFT)
        if weak:
            reasons.append(weak + "; move joints whose axes point elsewhere, too")
        apart = moved[edge.second] - moved[edge.first]
        if float(apart @ information @ apart) > DISAGREE:
            reasons.append(
                f"{names}: their surfaces coincide elsewhere than their bodies' motions say, by "
                f"{np.degrees(np.linalg.norm(apart[:3])):.1f} degrees and "
                f"{1e3 * np.linalg.norm(apart[3:]):.0f} mm"
            )
    return reasons


def _held_out_doubt(found: Alignment, held_out: CameraViews) -> str:
    frames = equations(held_out, found.poses, found.centre, found.gate)
    noise = noise_of(frames, found.gate)
    if sum(len(one.distances) for one in frames) < LEAST_HELD_OUT:
        return "hardly any surface is seen by two cameras in frames that were held out"
    if noise > WORSE * found.noise:
        return (
            f"surfaces are {1e3 * noise:.1f} mm apart in frames that were held out, "
            f"{1e3 * found.noise:.1f} mm in those fitted: did a camera move?"
        )
    return ""

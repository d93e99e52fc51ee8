"""Recorded positions and efforts of a robot as short motions, and as longer ones to predict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotion, JointMotionData

Array = NDArray[np.float64]

_THIRD = np.sqrt(20.0)
"""Standard deviation of the third differences of white noise of 1: √(1 + 9 + 9 + 1)."""
_MEDIAN = 0.6745  # of a Gaussian's absolute values, over its standard deviation
_FINEST = 1e-7
"""Least noise of positions, of the range that they pass: what files of six to eight digits keep."""


@dataclass(frozen=True)
class CuttingOptions:
    """How a recording is used.

    Attributes:
        duration: Of a motion (s).
        motions: At most; they are spread over the recording.
        stamps: Of positions in a motion at most; efforts count at their full rate.
        predicted: Duration of the motions that are held out and predicted (s).
        held_out: Share of the recording, at its end, for these.
        resisting: Share of a joint's effort that damping and friction each take before anything is
            known of them.
        spacing: Time over which speeds are taken for that (s).
        efforts: Least noise of efforts, of their root mean square: no model of friction is exact.
        commanded: Whether efforts are what the drives give from a stamp to the next one, exactly;
            else they are readings at their stamps, with noise.
    """

    duration: float = 0.5
    motions: int = 40
    stamps: int = 25
    predicted: float = 2.0
    held_out: float = 0.25
    resisting: float = 0.05
    spacing: float = 0.1
    efforts: float = 0.001
    commanded: bool = False


def position_noise(recording: EffortRecording) -> Array:
    """(J,) standard deviations of the encoders' noise."""
    span = np.ptp(recording.positions, axis=0)
    return np.maximum(_white(recording.positions), _FINEST * np.maximum(span, span.max()))


def effort_noise(recording: EffortRecording, options: CuttingOptions) -> Array:
    """(J,) standard deviations of what efforts have from one record to the next."""
    size = np.sqrt(np.mean(recording.efforts**2, axis=0))
    least = options.efforts * np.maximum(size, _FINEST * size.max())
    return least if options.commanded else np.maximum(_white(recording.efforts), least)


def _white(values: Array) -> Array:
    """(J,) standard deviations of white noise, by differences that smooth motion lacks."""
    third = np.abs(np.diff(values, 3, axis=0))
    rounding = np.array([_resolution(column) for column in values.T]) / np.sqrt(12)
    return np.maximum(np.median(third, axis=0) / _MEDIAN / _THIRD, rounding)


def _resolution(values: Array) -> float:
    steps = np.abs(np.diff(values))
    return float(np.min(steps[steps > 0], initial=np.inf)) if (steps == 0).mean() > 0.5 else 0.0


def resistance_levels(recording: EffortRecording, options: CuttingOptions) -> dict[str, float]:
    """Return typical damping and Coulomb friction of the joints, by name of the parameter.

    Each takes a share of the joint's effort, as in geared drives, whatever its inertia: without
    efforts' scale a fit would begin where nothing resists, orders of magnitude away.
    """
    each = max(1, round(options.spacing * recording.rate))
    speeds = (
        np.diff(recording.positions[::each], axis=0) / np.diff(recording.times[::each])[:, None]
    )
    effort = np.sqrt(np.mean(recording.efforts**2, axis=0))
    speed = np.sqrt(np.mean(speeds**2, axis=0))
    found = {}
    for name, own, moved in zip(recording.joints, effort.tolist(), speed.tolist(), strict=True):
        if own > 0 and moved > 0:
            found[f"friction of {name}"] = options.resisting * own
            found[f"damping of {name}"] = options.resisting * own / moved
    return found


def fitted_motions(recording: EffortRecording, options: CuttingOptions) -> JointMotionData:
    """Return the short motions of the first part of a recording.

    Raises:
        InputError: it is too short.
    """
    end = recording.times[-1] - options.held_out * (recording.times[-1] - recording.times[0])
    return _cut(recording, recording.times[0], end, options.duration, options)


def predicted_motions(recording: EffortRecording, options: CuttingOptions) -> HeldOutMotions:
    """Return the longer motions of the last part of a recording, which is held out.

    Raises:
        InputError: it is too short.
    """
    start = recording.times[-1] - options.held_out * (recording.times[-1] - recording.times[0])
    duration = min(options.predicted, recording.times[-1] - start)
    ahead = _cut(recording, start, recording.times[-1], duration, options)
    noise = position_noise(recording), effort_noise(recording, options)
    starts = [motion.stamps[0] for motion in ahead.motions]
    before = tuple(
        _motion(recording, start - options.duration, options.duration, noise, options)
        for start in starts
    )
    return HeldOutMotions(JointMotionData(recording.joints, before), ahead)


@dataclass(frozen=True)
class HeldOutMotions:
    """Motions that are predicted, and what was recorded before each of them.

    Attributes:
        before: M motions: where each of them ends, and how fast, is known from them.
        ahead: M motions that go on from there.
    """

    before: JointMotionData
    ahead: JointMotionData


def _cut(
    recording: EffortRecording, start: float, end: float, duration: float, options: CuttingOptions
) -> JointMotionData:
    count = int((end - start) / duration + 1e-6)
    if (
        min(count, duration / options.duration) < 1
        or duration * recording.rate < 2 * options.stamps / 5
    ):
        raise InputError(
            f"{recording.source}: {recording.times[-1] - recording.times[0]:.3g} s at "
            f"{recording.rate:.3g} Hz; accepted are {4 * options.duration:g} s or more, with "
            f"{2 * options.stamps / 5 / options.duration:g} records a second or more"
        )
    noise = position_noise(recording), effort_noise(recording, options)
    used = np.unique(np.linspace(0, count - 1, min(count, options.motions)).astype(int))
    motions = [
        _motion(recording, start + place * duration, duration, noise, options) for place in used
    ]
    return JointMotionData(recording.joints, tuple(motions))


def _motion(
    recording: EffortRecording,
    start: float,
    duration: float,
    noise: tuple[Array, Array],
    options: CuttingOptions,
) -> JointMotion:
    """A stretch, with efforts of what was before, too; noise: of positions and of efforts."""
    first, last = np.searchsorted(recording.times, [start - 1e-9, start + duration])
    rows = np.arange(first, min(last + 1, len(recording.times)))
    driven = np.arange(np.searchsorted(recording.times, start - duration), rows[-1] + 1)
    held = recording.efforts[driven]
    if not options.commanded:
        held = np.vstack([(held[:-1] + held[1:]) / 2, held[-1:]])
    each = max(1, len(rows) // max(1, int(options.stamps * duration / options.duration)))
    seen = rows[::each]
    return JointMotion(
        recording.times[seen],
        recording.positions[seen],
        np.broadcast_to(noise[0], (len(seen), len(noise[0]))).copy(),
        held,
        recording.times[driven],
        noise[1],
    )

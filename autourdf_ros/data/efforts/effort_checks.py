"""What makes a recording of efforts unusable, by name: silent joints, units, saturation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.data.efforts.saturation import saturated_end
from autourdf_ros.errors import InputError

Array = NDArray[np.float64]

DEGREE = np.pi / 180


@dataclass(frozen=True)
class CheckOptions:
    """Bounds of what is accepted.

    Attributes:
        saturated: Share of the records at one largest effort that means a limit.
        crowded: How many times as many records the largest effort has as the next one, which
            quantised efforts do not have.
        agreeing: Logarithm by which recorded velocities may differ from the positions' differences:
            a fifth of that between degrees and radians.
        shortest: Records at least: a filter and its ends need them.
        beyond: Of a joint's range, by which positions may exceed it.
        slowest: Speed (rad/s or m/s) that the fastest joint reaches at least: below it, efforts
            show no inertia, and no robot is measured so.
    """

    saturated: float = 0.02
    crowded: float = 10.0
    agreeing: float = 0.8
    shortest: int = 100
    beyond: float = 0.5
    slowest: float = 0.004


@dataclass(frozen=True)
class CheckedEfforts:
    """A recording that can be used.

    Attributes:
        silent: Joints whose efforts do not change: their positions count, their efforts do not.
        warnings: Sentences for the user.
    """

    silent: tuple[str, ...]
    warnings: tuple[str, ...]


def check_efforts(
    recording: EffortRecording,
    lower: Array,
    upper: Array,
    effort: Array,
    options: CheckOptions = CheckOptions(),
) -> CheckedEfforts:
    """Return what may be used of a recording.

    Args:
        recording: Of the joints that are to be used.
        lower: (J,) ranges (rad or m), infinite where there is none.
        upper: Likewise.
        effort: (J,) largest efforts that the drives have (N m or N), infinite where unknown.
        options: Bounds.

    Raises:
        InputError: it cannot be used; the message names the joint and what is wrong.
    """
    if len(recording.times) < options.shortest:
        raise InputError(
            f"{recording.source}: {len(recording.times)} records; accepted are "
            f"{options.shortest} or more"
        )
    _check_units(recording, lower, upper, options)
    names = np.array(recording.joints)
    constant = np.ptp(recording.efforts, axis=0) <= 0
    if constant.all():
        values = ", ".join(f"{value:g}" for value in recording.efforts[0])
        raise InputError(
            f"{recording.source}: no effort ever changes ({values}); accepted are measured efforts"
        )
    if not (np.ptp(recording.positions, axis=0) > 0).any():
        raise InputError(f"{recording.source}: no joint moves; accepted is a motion of the robot")
    _check_speed(recording, options)
    for number in np.flatnonzero(~constant):
        _check_saturation(recording, int(number), float(effort[number]), options)
    silent = tuple(names[constant].tolist())
    warnings = [f"efforts of {', '.join(silent)} never change; they are left out"] if silent else []
    return CheckedEfforts(silent, tuple(warnings))


def _check_units(
    recording: EffortRecording, lower: Array, upper: Array, options: CheckOptions
) -> None:
    span = upper - lower
    outside = np.maximum(
        recording.positions.max(0) - upper, lower - recording.positions.min(0)
    ) > options.beyond * np.where(np.isfinite(span), span, np.inf)
    if outside.any():
        number = int(np.argmax(outside))
        low, high = recording.positions[:, number].min(), recording.positions[:, number].max()
        raise InputError(
            f"{recording.source}: joint {recording.joints[number]!r} goes from {low:.4g} to "
            f"{high:.4g}, but its range is {lower[number]:.4g} to {upper[number]:.4g}; accepted "
            "are positions in rad or m (are these degrees?)"
        )
    if recording.velocities is None:
        return
    moved = np.abs(np.diff(recording.positions, axis=0)).sum(0)
    stated = np.abs(recording.velocities[1:] * np.diff(recording.times)[:, None]).sum(0)
    usable = (moved > 0) & (stated > 0) & (np.ptp(recording.positions, axis=0) > 0.1 * moved.max())
    factors = np.log(stated[usable] / moved[usable])
    wrong = np.abs(factors) > options.agreeing
    if wrong.any():
        number = int(np.flatnonzero(usable)[np.argmax(wrong)])
        raise InputError(
            f"{recording.source}: velocities of {recording.joints[number]!r} are "
            f"{np.exp(factors[np.argmax(wrong)]):.3g} times the change of its positions; accepted "
            "are positions in rad or m and velocities in the same per second (are some degrees, or "
            "the stamps wrong?)"
        )


def _check_speed(recording: EffortRecording, options: CheckOptions) -> None:
    steps = np.abs(np.diff(recording.positions, axis=0)) / np.diff(recording.times)[:, None]
    fastest = float(np.percentile(steps, 99, axis=0).max())
    if fastest < options.slowest:
        raise InputError(
            f"{recording.source}: no joint is faster than {fastest:.2g} rad/s or m/s in "
            f"{recording.times[-1] - recording.times[0]:.4g} s; accepted are times in s (are these "
            f"ms?), and motions of {options.slowest:g} or more"
        )


def _check_saturation(
    recording: EffortRecording, number: int, largest: float, options: CheckOptions
) -> None:
    values = recording.efforts[:, number]
    stuck = saturated_end(values, options.saturated, options.crowded, largest)
    if stuck is not None:
        raise InputError(
            f"{recording.source}: effort of {recording.joints[number]!r} stays at "
            f"{stuck.value:.4g} in {stuck.share:.0%} of the records: the sensor or the drive is "
            "saturated; accepted are efforts within their range"
        )

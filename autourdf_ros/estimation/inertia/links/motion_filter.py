"""Velocities and accelerations from measured positions, with the noise that is left in them.

A zero-phase low-pass filter removes what the motion does not hold; central differences follow.
Both are linear and the same at every record, so that the noise of the results is that of the
positions times the norm of an impulse's response.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import signal
from scipy.ndimage import uniform_filter1d

from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.errors import InputError

Array = NDArray[np.float64]

_SEGMENT = 4096  # records: a resource bound
_STILL = 1e-12  # of the largest density: what a joint that stands still has by rounding
_NEIGHBOURS = 5  # frequencies that the window spreads a line over

FilterKind = Literal["butterworth", "savitzky-golay"]


@dataclass(frozen=True)
class FilterOptions:
    """How positions are differentiated.

    Attributes:
        kind: Of the filter.
        cutoff: Hz; None: where the positions' spectrum meets its floor of noise.
        order: Of the Butterworth filter, which runs forth and back, and of the polynomial.
        above_floor: Power of what counts as motion, over the floor of noise: its significance.
        passed: Cut-off over the highest frequency of the motion, which the filter then passes
            to 0.1 %.
        edge: Periods of the cut-off at either end of a piece in which the filter still settles.
        widest: Largest cut-off, as a share of the rate: above it, motion folds into noise.
        margin: Largest gap between stamps, in median intervals, that is bridged.
        shortest: Least length of an unbroken piece, in periods of the cut-off.
    """

    kind: FilterKind = "butterworth"
    cutoff: float | None = None
    order: int = 4
    above_floor: float = 10.0
    passed: float = 2.4
    edge: float = 1.5
    widest: float = 0.2
    margin: float = 5.0
    shortest: float = 6.0


@dataclass(frozen=True)
class FilteredMotion:
    """n records of J joints with what the regressor needs.

    Attributes:
        joints: Names.
        times: (n,) s.
        positions, velocities, accelerations: (n, J), filtered.
        efforts: (n, J) as measured.
        velocity_std, acceleration_std: (J,) standard deviations of their noise.
        cutoff: Hz.
        rate: Records a second (Hz).
        starts: Numbers of the records at which unbroken pieces begin.
    """

    joints: tuple[str, ...]
    times: Array
    positions: Array
    velocities: Array
    accelerations: Array
    efforts: Array
    velocity_std: Array
    acceleration_std: Array
    cutoff: float
    rate: float
    starts: NDArray[np.intp]


def filtered_motion(recording: EffortRecording, options: FilterOptions) -> FilteredMotion:
    """Return the motion of a recording, differentiated.

    Raises:
        InputError: the rate is too low for the motion, or no piece is long enough.
    """
    rate = recording.rate
    pieces = _pieces(recording, options)
    uniform = [_uniform(recording, piece, rate) for piece in pieces]
    longest = max(uniform, key=lambda one: len(one[0]))
    cutoff = options.cutoff or _cutoff(longest[1], rate, options)
    if cutoff > options.widest * rate * (1 + 1e-9):
        raise InputError(
            f"{recording.source}: {rate:.3g} records a second are too few for this motion, which "
            f"reaches {cutoff:.3g} Hz; accepted is a rate of {cutoff / options.widest:.3g} Hz or "
            "more, or a slower motion"
        )
    edge = round(options.edge * rate / cutoff)
    kept = [one for one in uniform if len(one[0]) > options.shortest * rate / cutoff]
    if not kept:
        raise InputError(
            f"{recording.source}: no unbroken piece is longer than "
            f"{options.shortest / cutoff:.2g} s; accepted is a recording without gaps"
        )
    differentiated = [_differentiated(one, rate, cutoff, edge, options) for one in kept]
    times, positions, velocities, accelerations, efforts = (
        np.concatenate(one) for one in zip(*differentiated, strict=True)
    )
    noise = _position_noise(longest[1], rate, cutoff, options)
    gains = _noise_gains(rate, cutoff, options)
    lengths = [len(one[0]) for one in differentiated]
    starts = np.cumsum([0, *lengths[:-1]])
    return FilteredMotion(
        recording.joints,
        times,
        positions,
        velocities,
        accelerations,
        efforts,
        noise * gains[0],
        noise * gains[1],
        cutoff,
        rate,
        starts,
    )


def _pieces(recording: EffortRecording, options: FilterOptions) -> list[slice]:
    """Unbroken runs of records."""
    gaps = np.diff(recording.times) > options.margin / recording.rate
    ends = [0, *(np.flatnonzero(gaps) + 1).tolist(), len(recording.times)]
    return [slice(a, b) for a, b in pairwise(ends) if b - a > 2]


def _uniform(recording: EffortRecording, piece: slice, rate: float) -> tuple[Array, Array, Array]:
    """Times, positions and efforts of a piece at even intervals; as they are where they are even.

    Raises:
        InputError: by `_pieces`, never.
    """
    times = recording.times[piece]
    even = times[0] + np.arange(round((times[-1] - times[0]) * rate) + 1) / rate
    if len(even) == len(times) and np.abs(even - times).max() < 0.01 / rate:
        return times, recording.positions[piece], recording.efforts[piece]
    even = even[even <= times[-1]]

    def at(values: Array) -> Array:
        return np.column_stack([np.interp(even, times, column) for column in values[piece].T])

    return even, at(recording.positions), at(recording.efforts)


def _spectrum(positions: Array, rate: float) -> tuple[Array, Array]:
    """Frequencies, and the spectral density (f, J) of positions, by Welch's method."""
    length = max(min(len(positions) // 2, _SEGMENT), 8)
    frequencies, density = signal.welch(
        positions, rate, "blackmanharris", nperseg=length, detrend="linear", axis=0
    )
    return frequencies, uniform_filter1d(density, _NEIGHBOURS, axis=0, mode="nearest")


def _floor(frequencies: Array, density: Array, rate: float) -> Array:
    """Density (J,) of the noise: the median over the upper half of all frequencies."""
    upper = frequencies > rate / 4
    return np.maximum(np.median(density[upper], axis=0), np.finfo(float).tiny)


def _cutoff(positions: Array, rate: float, options: FilterOptions) -> float:
    """The frequency (Hz) up to which the joints' motion stands out of its noise, with a margin."""
    frequencies, density = _spectrum(positions, rate)
    floor = _floor(frequencies, density, rate)
    above = (density > options.above_floor * floor) & (density > _STILL * density.max())
    found = above.any(1)
    highest = frequencies[found].max(initial=frequencies[1])
    return float(max(options.passed * highest, 8 * frequencies[1]))


def _position_noise(positions: Array, rate: float, cutoff: float, options: FilterOptions) -> Array:
    """Standard deviations (J,) of the positions' white noise."""
    frequencies, density = _spectrum(positions, rate)
    return np.sqrt(_floor(frequencies, density, rate) * rate / 2)


def _low_pass(values: Array, rate: float, cutoff: float, options: FilterOptions) -> Array:
    if options.kind == "butterworth":
        sections = signal.butter(options.order, cutoff, fs=rate, output="sos")
        pad = min(round(3 * rate / cutoff), len(values) - 1)
        return np.asarray(signal.sosfiltfilt(sections, values, axis=0, padlen=pad))
    return np.asarray(
        signal.savgol_filter(values, _window(rate, cutoff, options), options.order, axis=0)
    )


def _window(rate: float, cutoff: float, options: FilterOptions) -> int:
    """Odd length of the polynomial filter whose response falls to -3 dB at the cut-off.

    Schafer, "What is a Savitzky-Golay filter?", IEEE Signal Processing Magazine 2011, Eq. 12:
    f_c = (order + 1) / (3.2 M - 4.6) of half the rate, with 2 M + 1 samples.
    """
    half = ((options.order + 1) * rate / (2 * cutoff) + 4.6) / 3.2
    return 2 * max(round(half), options.order) + 1


def _derivatives(
    positions: Array, rate: float, cutoff: float, options: FilterOptions
) -> tuple[Array, Array, Array]:
    """Filtered positions, velocities and accelerations."""
    if options.kind == "savitzky-golay":
        window = _window(rate, cutoff, options)
        return tuple(
            signal.savgol_filter(positions, window, options.order, n, 1 / rate, axis=0)
            for n in range(3)
        )
    smooth = _low_pass(positions, rate, cutoff, options)
    spline = _quintic_differences(smooth, rate)
    return smooth, *spline


def _quintic_differences(values: Array, rate: float) -> tuple[Array, Array]:
    """First and second derivatives by central differences of the sixth order."""
    first = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60 * rate
    second = np.array([2, -27, 270, -490, 270, -27, 2]) / 180 * rate**2
    padded = np.concatenate(
        [2 * values[:1] - values[3:0:-1], values, 2 * values[-1:] - values[-2:-5:-1]]
    )
    return tuple(
        sum(weight * padded[k : k + len(values)] for k, weight in enumerate(stencil))
        for stencil in (first, second)
    )


def _differentiated(
    piece: tuple[Array, Array, Array],
    rate: float,
    cutoff: float,
    edge: int,
    options: FilterOptions,
) -> tuple[Array, ...]:
    times, positions, efforts = piece
    motion = _derivatives(positions, rate, cutoff, options)
    inner = slice(edge, len(times) - edge)
    return times[inner], *(values[inner] for values in motion), efforts[inner]


def _noise_gains(rate: float, cutoff: float, options: FilterOptions) -> tuple[float, float]:
    """What the noise of positions is multiplied with in velocities and accelerations."""
    half = round(20 * rate / cutoff)  # periods after which the response is over
    impulse = np.zeros((2 * half + 1, 1))
    impulse[half] = 1.0
    _, velocity, acceleration = _derivatives(impulse, rate, cutoff, options)
    return float(np.linalg.norm(velocity)), float(np.linalg.norm(acceleration))

"""Reasons to doubt a track, as sentences for the user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label

from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.estimation.video.tracking.pixels.image_fit import BodyFit
from autourdf_ros.estimation.video.tracking.pixels.known_body import KnownBody
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import transform

SIZE_ERROR = 0.02
"""Relative error of a body's size from which its mesh is called wrong."""
READOUT = 0.1
"""Time from an image's top to its bottom, in periods, from which the shutter is called rolling."""
SHOWN = 0.1
"""Residual (pixels) below which a rolling shutter does not show."""
SURE = 5.0
"""Standard deviations, of the spread between frames, beyond which an effect is real."""
POOR = 0.85
"""Median overlap below which a shape fits badly."""
FOREIGN = 0.004
"""Share of the image from which something in front that is no body is named."""
CELLS, CELL_SHARE, MOVED_CELLS = 3, 0.15, 6
"""The image is cut into CELLS x CELLS; where so much of so many is off, the camera has moved."""


@dataclass(frozen=True)
class Surroundings:
    """What one frame shows beside the bodies.

    Attributes:
        moved: Whether the background is off all over the image.
        foreign: Share of the image that is one thing in front of the background, and no body.
    """

    moved: bool
    foreign: float


def surroundings(
    off: NDArray[np.bool_], free: NDArray[np.bool_], in_front: NDArray[np.bool_]
) -> Surroundings:
    """Say what of a frame is no body and not the background.

    Args:
        off: (H, W) pixels that differ from the first frames.
        free: (H, W) pixels that show no body.
        in_front: (H, W) those of them that show something in front of the background.
    """
    parts, count = label(in_front)
    largest = np.bincount(parts.ravel())[1:].max() if count else 0
    moved = _is_off_everywhere(off, free & ~in_front)
    return Surroundings(moved, float(largest / off.size))


def _is_off_everywhere(off: NDArray[np.bool_], free: NDArray[np.bool_]) -> bool:
    """Return whether pixels are off in most parts of an image (H, W), of those that are free."""
    cells = 0
    for rows in np.array_split(np.arange(off.shape[0]), CELLS):
        for columns in np.array_split(np.arange(off.shape[1]), CELLS):
            cell = np.ix_(rows, columns)
            known = free[cell].sum()
            enough = known > CELL_SHARE * free[cell].size
            cells += bool(enough and (off & free)[cell].sum() > CELL_SHARE * known)
    return cells >= MOVED_CELLS


def scene_doubts(seen: Sequence[Surroundings], known: bool) -> Iterator[str]:
    """Name a camera that moved and things in front that are no bodies.

    Args:
        seen: By frame.
        known: The whole shapes are: what no shape explains may else be another side of a body.
    """
    moved = np.array([one.moved for one in seen])
    if moved.any():
        yield (
            f"the background is off all over the image in {_frames(moved)}: the camera has moved, "
            "and poses are not of one frame"
        )
    foreign = ~moved & np.array([one.foreign > FOREIGN for one in seen])
    if known and foreign.any():
        share = max(one.foreign for one, is_one in zip(seen, foreign, strict=True) if is_one)
        yield (
            f"something that is no known body (a hand?) is in front in {_frames(foreign)}, up to "
            f"{share:.1%} of the image"
        )


def _frames(marked: NDArray[np.bool_]) -> str:
    return f"{marked.sum()} of {len(marked)} frames, first in frame {int(np.argmax(marked))}"


def sight_doubts(track: PoseTrack) -> Iterator[str]:
    """Name bodies that were not seen at the start, later or at all."""
    for name, seen in zip(track.bodies, track.seen, strict=True):
        if not seen.any():
            yield f"{name}: is not seen in any frame; its poses are unknown"
        elif not seen[0]:
            yield f"{name}: is not in sight at the start; first seen in frame {np.argmax(seen)}"
        later = ~seen & (np.arange(len(seen)) > np.argmax(seen))
        if seen.any() and later.any():
            yield f"{name}: is not seen in {_frames(later)}; its poses are unknown there"


def fit_doubts(
    body: KnownBody, fits: Sequence[BodyFit | None], period: float, focal: float
) -> Iterator[str]:
    """Name a wrong size, a bad shape and a rolling shutter.

    Args:
        body: The body.
        fits: Of every frame.
        period: Of the frames (s).
        focal: Focal length (pixels).
    """
    known = [fit for fit in fits if fit is not None]
    if not known:
        return
    size, is_real = _effect(known, 0)
    if is_real and abs(size) > SIZE_ERROR:
        yield (
            f"{body.name}: looks {abs(np.expm1(size)):.0%} {'larger' if size > 0 else 'smaller'} "
            "than its mesh: its scale may be wrong"
        )
    time, is_real = _effect(known, 1)
    if is_real and abs(time) > READOUT * period and abs(time) * _shown_speed(known, focal) > SHOWN:
        yield (
            f"{body.name}: rows of an image differ by {1e3 * abs(time):.0f} ms from top to bottom: "
            "a rolling shutter"
        )
    overlap = float(np.median([fit.overlap for fit in known]))
    if overlap < POOR:
        yield f"{body.name}: only {overlap:.0%} of its pixels agree: its shape may be wrong"


def _shown_speed(fits: Sequence[BodyFit], focal: float) -> float:
    """Return by how much residuals change with the time from top to bottom (pixels/s)."""
    changes = [
        fit.side.information[1, 1]
        / max(np.trace(fit.information[3:, 3:]), 1e-30)
        / max(fit.pose[2, 3], 1e-3) ** 2
        for fit in fits
    ]
    return float(focal * np.sqrt(np.mean(changes)))


def _effect(fits: Sequence[BodyFit], number: int) -> tuple[float, bool]:
    """Return the mean of a side effect over all frames, and whether it is real."""
    weights = np.array([fit.side.information[number, number] for fit in fits])
    gradients = np.array([fit.side.gradient[number] for fit in fits])
    total = weights.sum()
    if not total > 0:
        return 0.0, False
    mean = gradients.sum() / total
    # Neighbouring frames are alike: blocks of them count as one.
    scores = gradients - weights * mean
    blocks = [part.sum() for part in np.array_split(scores, min(10, len(scores)))]
    spread = np.sqrt(np.sum(np.square(blocks))) / total
    return float(mean), bool(len(fits) > 3 and abs(mean) > SURE * spread)


def swap_doubts(bodies: Sequence[KnownBody], track: PoseTrack, masks: bool) -> Iterator[str]:
    """Name bodies of one shape that come so near that a swap would not show."""
    for first, second in combinations(range(len(bodies)), 2):
        if masks or not _alike(bodies[first], bodies[second]):
            continue
        centres = [transform(track.poses[k], track.centres[k]) for k in (first, second)]
        apart = np.linalg.norm(centres[0] - centres[1], axis=1)
        near = apart < bodies[first].radius + bodies[second].radius
        if near.any():
            yield (
                f"{track.bodies[first]} and {track.bodies[second]}: have one shape and are near "
                f"each other in {_frames(near)}: they may be swapped"
            )


def _alike(first: KnownBody, second: KnownBody) -> bool:
    """Return whether two shapes are one, whatever their frames: by sizes about the centre."""
    spans = [_span(body) for body in (first, second)]
    return bool(np.allclose(spans[0], spans[1], rtol=SIZE_ERROR))


def _span(body: KnownBody) -> Array:
    offsets = body.corners - body.symmetry.centre
    return np.append(np.linalg.svd(offsets, compute_uv=False), body.radius)

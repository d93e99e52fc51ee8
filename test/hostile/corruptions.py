"""Corrupts whole recordings at random, as cameras, people, cables and wrong scripts do.

A corruption takes a `Corrupted` recording, another recording, a strength from 0 (mild) to 1
(absurd) and a generator. The motions of whole frames are kept, so that the truth of the robot in
the first frame stays known: where all frames are mirrored alike, the robot is a mirrored one.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.data.validate import extent
from autourdf_ros.geometry.rigid_motion import transform

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Corrupted:
    """Frames of one sequence, and their origins.

    Attributes:
        frames: F corrupted frames.
        origins: (F,) number n in the good recording, or -1 - n in the other one.
        moves: (F, 4, 4) motion, scale and reflection of every whole frame, m.
    """

    frames: tuple[Frame, ...]
    origins: NDArray[np.int64]
    moves: Array

    @property
    def recording(self) -> Recording:
        """The frames, stamped anew in their order."""
        stamped = (replace(frame, stamp=float(i)) for i, frame in enumerate(self.frames))
        return Recording((Sequence(tuple(stamped), "0000"),))

    @property
    def size(self) -> float:
        """Of the robot (m)."""
        return float(np.median([extent(frame.points) for frame in self.frames]))


Corruption = Callable[[Corrupted, Recording, float, np.random.Generator], Corrupted]


def uncorrupted(recording: Recording) -> Corrupted:
    """Return the first sequence as it is."""
    frames = recording.sequences[0].frames
    return Corrupted(frames, np.arange(len(frames)), np.tile(np.eye(4), (len(frames), 1, 1)))


def corrupted(
    recording: Recording, other: Recording, rng: np.random.Generator
) -> tuple[Corrupted, str]:
    """Apply one to three corruptions of random strengths. Return also their names."""
    count = int(rng.choice([1, 1, 1, 2, 3]))
    result, names = uncorrupted(recording), []
    for corruption in rng.choice(len(CORRUPTIONS), count, replace=False):
        strength = float(rng.random())
        result = CORRUPTIONS[corruption](result, other, strength, rng)
        names.append(f"{CORRUPTIONS[corruption].__name__} {strength:.2f}")
    return result, ", ".join(names)


def strewn(corrupted, other, strength, rng):
    """A share of the points is anywhere in a box around the robot."""

    def change(points):
        lost = rng.random(len(points)) < _logarithmic(0.005, 0.9, strength)
        low, high = points.min(axis=0), points.max(axis=0)
        anywhere = (low + high) / 2 + (high - low) * rng.uniform(-0.75, 0.75, points.shape)
        return np.where(lost[:, None], anywhere, points)

    return _changed(corrupted, _some(corrupted, rng), change)


def noisy(corrupted, other, strength, rng):
    """Every point is off by itself."""
    sigma = _logarithmic(0.0005, 0.1, strength) * corrupted.size
    some = _some(corrupted, rng)
    return _changed(corrupted, some, lambda points: points + rng.normal(0, sigma, points.shape))


def bent(corrupted, other, strength, rng):
    """All points of a frame are off by a smooth wave, in every frame by another one."""
    size = corrupted.size
    height = _logarithmic(0.002, 0.2, strength) * size

    def change(points):
        direction, wave = rng.normal(size=(2, 3))
        phase = points @ (wave * 2 * np.pi / size) + rng.uniform(0, 2 * np.pi)
        return points + height * np.sin(phase)[:, None] * direction / np.linalg.norm(direction)

    return _changed(corrupted, _some(corrupted, rng), change)


def stepped(corrupted, other, strength, rng):
    """Coordinates are quantized, as those of a camera that measures disparities."""
    step = _logarithmic(0.002, 0.2, strength) * corrupted.size
    return _changed(corrupted, _some(corrupted, rng), lambda points: np.round(points / step) * step)


def cut(corrupted, other, strength, rng):
    """Some frames are missing, at most all but one."""
    count = len(corrupted.frames)
    kept = max(1, round((1 - strength) * count))
    return _taken(corrupted, np.sort(rng.permutation(count)[:kept]))


def repeated(corrupted, other, strength, rng):
    """Some frames are shown again in place of those that follow."""
    again = rng.random(len(corrupted.frames)) < strength
    numbers = np.arange(len(again))
    return _taken(corrupted, np.maximum.accumulate(np.where(again, 0, numbers)))


def shuffled(corrupted, other, strength, rng):
    """The frames are in another order: reversed, or some of them change places."""
    count = len(corrupted.frames)
    if rng.random() < 0.2:
        return _taken(corrupted, np.arange(count)[::-1])
    order, some = np.arange(count), np.flatnonzero(rng.random(count) < max(strength, 0.3))
    order[some] = rng.permutation(some)
    return _taken(corrupted, order)


def strange(corrupted, other, strength, rng):
    """Some frames are of another recording."""
    chosen = _share(len(corrupted.frames), strength, rng)
    others = other.frames
    numbers = np.arange(len(chosen)) % len(others)
    frames = tuple(
        others[numbers[i]] if chosen[i] else frame for i, frame in enumerate(corrupted.frames)
    )
    return Corrupted(
        frames,
        np.where(chosen, -1 - numbers, corrupted.origins),
        np.where(chosen[:, None, None], np.eye(4), corrupted.moves),
    )


def mirrored(corrupted, other, strength, rng):
    """Frames are seen in a mirror: one, some or all."""
    normal = rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    mirror = np.eye(3) - 2 * np.outer(normal, normal)
    return _moved(corrupted, _some(corrupted, rng), lambda: mirror)


def scaled(corrupted, other, strength, rng):
    """Frames are larger or smaller, up to millimetres for metres: one, some or all."""
    factor = _logarithmic(1.005, 1000.0, strength) ** rng.choice([-1, 1])
    return _moved(corrupted, _some(corrupted, rng), lambda: factor * np.eye(3))


def turned(corrupted, other, strength, rng):
    """Frames are turned as a whole, each otherwise or all alike: one, some or all."""
    angle = np.pi * strength**2
    alike = _turn(angle, rng) if rng.random() < 0.3 else None
    return _moved(
        corrupted, _some(corrupted, rng), lambda: _turn(angle, rng) if alike is None else alike
    )


def shifted(corrupted, other, strength, rng):
    """Frames are shifted as a whole, each otherwise: one, some or all."""
    length = _logarithmic(0.005, 2.0, strength) * corrupted.size
    shift = lambda: length * rng.normal(size=3)  # noqa: E731
    return _moved(corrupted, _some(corrupted, rng), lambda: np.eye(3), shift)


def holed(corrupted, other, strength, rng):
    """A share of the points is NaN or infinite."""

    def change(points):
        lost = rng.random(len(points)) < strength
        return np.where(lost[:, None], rng.choice([np.nan, np.inf]), points)

    return _changed(corrupted, _some(corrupted, rng), change)


def littered(corrupted, other, strength, rng):
    """A foreign object that does not move stands there in some frames."""
    thing = _thing(corrupted, strength, rng)
    return _extended(corrupted, _some(corrupted, rng), lambda points, share: thing)


def passed(corrupted, other, strength, rng):
    """A moving object passes by or through the robot in some frames."""
    thing, way = _thing(corrupted, strength, rng), rng.normal(size=3) * corrupted.size
    shift = lambda points, share: thing + (share - 0.5) * way  # noqa: E731
    return _extended(corrupted, _some(corrupted, rng), shift)


def joined(corrupted, other, strength, rng):
    """Another robot moves next to it, or within it, in some frames."""
    away = 2 * strength * corrupted.size * _direction(rng)
    others = other.frames

    def add(points, share):
        frame = others[round(share * (len(others) - 1))]
        return frame.points[: len(points)] + away

    return _extended(corrupted, _some(corrupted, rng), add)


def occluded(corrupted, other, strength, rng):
    """A ball of the robot is not seen in some frames, at the same place or at another in each."""
    radius = (0.05 + 0.5 * strength) * corrupted.size
    same = corrupted.frames[0].points[rng.integers(len(corrupted.frames[0].points))]
    stays = rng.random() < 0.5

    def keep(points):
        centre = same if stays else points[rng.integers(len(points))]
        return np.linalg.norm(points - centre, axis=1) > radius

    return _kept(corrupted, _some(corrupted, rng), keep)


def thinned(corrupted, other, strength, rng):
    """Points are missing everywhere, in some frames."""
    left = _logarithmic(0.9, 0.005, strength)
    return _kept(corrupted, _some(corrupted, rng), lambda points: rng.random(len(points)) < left)


def flattened(corrupted, other, strength, rng):
    """Frames are flat, or nearly."""
    normal = _direction(rng)
    flat = np.eye(3) - strength * np.outer(normal, normal)
    return _changed(corrupted, _some(corrupted, rng), lambda points: points @ flat)


def doubled(corrupted, other, strength, rng):
    """Points occur several times."""

    def change(points):
        again = points[rng.integers(len(points), size=int(strength * len(points)))]
        return np.concatenate([points[len(again) :], again])

    return _changed(corrupted, _some(corrupted, rng), change)


def smeared(corrupted, other, strength, rng):
    """Some points of a frame were seen a frame later: the robot had not stopped."""
    later = corrupted.frames[1:] + corrupted.frames[-1:]
    share = strength / 2
    frames = []
    for frame, next_one, chosen in zip(corrupted.frames, later, _some(corrupted, rng), strict=True):
        if chosen:
            own = _masked(frame, rng.random(len(frame.points)) >= share)
            frame = _with(own, next_one.points[rng.random(len(next_one.points)) < share])
        frames.append(frame)
    return replace(corrupted, frames=tuple(frames))


def misread(corrupted, other, strength, rng):
    """The motors' readings belong to other frames or motors, are of another unit or not finite."""
    known = [frame.joint_positions or {} for frame in corrupted.frames]
    names = list(known[0])
    values = np.array([[reading.get(name, 0.0) for name in names] for reading in known])
    if strength < 0.25:
        values = values + rng.normal(0, 0.2 * strength, values.shape)
    elif strength < 0.5:
        values = rng.permutation(values)
    elif strength < 0.7:
        values = rng.permutation(values, axis=1)
    elif strength < 0.9:
        values = np.degrees(values)
    else:
        values = np.where(rng.random(values.shape) < 0.2, np.nan, values)
    frames = tuple(
        replace(frame, joint_positions=dict(zip(names, row.tolist(), strict=True)))
        for frame, row in zip(corrupted.frames, values, strict=True)
    )
    return replace(corrupted, frames=frames)


CORRUPTIONS: tuple[Corruption, ...] = (
    strewn, noisy, bent, stepped, cut, repeated, shuffled, strange, mirrored, scaled, turned,
    shifted, holed, littered, passed, joined, occluded, thinned, flattened, doubled, smeared,
    misread,
)  # fmt: skip


def _logarithmic(low: float, high: float, strength: float) -> float:
    return float(low * (high / low) ** strength)


def _share(count: int, share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """About this share of frames (F,), one at least."""
    chosen = rng.random(count) < share
    chosen[rng.integers(count)] = True
    return chosen


def _some(corrupted: Corrupted, rng: np.random.Generator) -> NDArray[np.bool_]:
    """One frame, some or all (F,)."""
    return _share(len(corrupted.frames), float(rng.choice([0.0, 0.4, 1.0])), rng)


def _direction(rng: np.random.Generator) -> Array:
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)


def _turn(angle: float, rng: np.random.Generator) -> Array:
    return Rotation.from_rotvec(angle * _direction(rng)).as_matrix()


def _thing(corrupted: Corrupted, strength: float, rng: np.random.Generator) -> Array:
    """Points (N, 3) on an ellipsoid somewhere about the robot, up to twice its size."""
    first = corrupted.frames[0].points
    count = max(10, int((0.02 + strength) * len(first)))
    sphere = rng.normal(size=(count, 3))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    sides = (0.05 + 0.6 * strength) * rng.uniform(0.3, 1, 3)
    middle = first.mean(axis=0) + corrupted.size * rng.uniform(0, 1) * _direction(rng)
    return middle + corrupted.size * sides * sphere


def _taken(corrupted: Corrupted, numbers: NDArray[np.int64]) -> Corrupted:
    frames = tuple(corrupted.frames[i] for i in numbers)
    return Corrupted(frames, corrupted.origins[numbers], corrupted.moves[numbers])


def _changed(
    corrupted: Corrupted, chosen: NDArray[np.bool_], change: Callable[[Array], Array]
) -> Corrupted:
    frames = tuple(
        replace(frame, points=change(frame.points.astype(float)).astype(np.float32)) if c else frame
        for frame, c in zip(corrupted.frames, chosen, strict=True)
    )
    return replace(corrupted, frames=frames)


def _moved(
    corrupted: Corrupted,
    chosen: NDArray[np.bool_],
    linear: Callable[[], Array],
    shift: Callable[[], Array] = lambda: np.zeros(3),
) -> Corrupted:
    """Chosen frames by a linear map about the middle of the first, and a shift."""
    middle = corrupted.frames[0].points.mean(axis=0, dtype=float)
    frames, after = [], np.array(corrupted.moves)
    for i, frame in enumerate(corrupted.frames):
        if chosen[i]:
            move = np.eye(4)
            move[:3, :3] = linear()
            move[:3, 3] = middle - move[:3, :3] @ middle + shift()
            frame = replace(
                frame, points=transform(move, frame.points.astype(float)).astype(np.float32)
            )
            after[i] = move @ after[i]
        frames.append(frame)
    return replace(corrupted, frames=tuple(frames), moves=after)


def _extended(
    corrupted: Corrupted, chosen: NDArray[np.bool_], added: Callable[[Array, float], Array]
) -> Corrupted:
    """Chosen frames with the points that are added, by what share of the recording is over."""
    last = max(len(chosen) - 1, 1)
    frames = tuple(
        _with(frame, added(frame.points.astype(float), i / last)) if chosen[i] else frame
        for i, frame in enumerate(corrupted.frames)
    )
    return replace(corrupted, frames=frames)


def _kept(
    corrupted: Corrupted, chosen: NDArray[np.bool_], keep: Callable[[Array], NDArray[np.bool_]]
) -> Corrupted:
    frames = tuple(
        _masked(frame, keep(frame.points.astype(float))) if c else frame
        for frame, c in zip(corrupted.frames, chosen, strict=True)
    )
    return replace(corrupted, frames=frames)


def _masked(frame: Frame, mask: NDArray[np.bool_]) -> Frame:
    return replace(
        frame,
        points=frame.points[mask],
        colors=None if frame.colors is None else frame.colors[mask],
        cameras=None if frame.cameras is None else frame.cameras[mask],
    )


def _with(frame: Frame, points: Array) -> Frame:
    """The frame with more points, which are grey and seen by its first camera."""
    count = len(points)
    grey = np.full((count, 3), 128, np.uint8)
    return replace(
        frame,
        points=np.concatenate([frame.points, points]).astype(np.float32),
        colors=None if frame.colors is None else np.concatenate([frame.colors, grey]),
        cameras=None
        if frame.cameras is None
        else np.concatenate([frame.cameras, np.zeros(count, np.uint8)]),
    )

"""The motors of a robot in images: where all are at rest, and in which images one moves alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.errors import InputError
from autourdf_ros.geometry.arrays import Array

_LEAST = 1e-6
"""Range of a reading (rad or m) from which it moves at all."""


@dataclass(frozen=True)
class MotorOptions:
    """How motors are distinguished.

    Attributes:
        still: Distance from rest, as a share of a motor's range, within which it is at rest.
        alike: Correlation from which two readings are of one motor.
        resting: Images with all motors at rest that are needed.
        alone: Images with one motor away from rest by which its screw is searched first.
    """

    still: float = 5e-4
    alike: float = 0.9999
    resting: int = 6
    alone: int = 4


@dataclass(frozen=True)
class ImageMotor:
    """A motor.

    Attributes:
        readings: Names of the readings that it moves, always together.
        away: (F,) whether it is away from rest.
        alone: (A,) numbers of the images in which all others are at rest, and it is not.
    """

    readings: tuple[str, ...]
    away: NDArray[np.bool_]
    alone: NDArray[np.int64]


@dataclass(frozen=True)
class ImageMotors:
    """All motors.

    Attributes:
        rest: By reading, where it is at rest (rad or m).
        values: By reading, (F,) in all images.
        resting: (R,) numbers of the images in which all are at rest.
        motors: That move in some image.
        still: Readings that are the same in all images.
    """

    rest: dict[str, float]
    values: dict[str, Array]
    resting: NDArray[np.int64]
    motors: tuple[ImageMotor, ...]
    still: tuple[str, ...]


def image_motors(
    names: Sequence[str], readings: Array, options: MotorOptions = MotorOptions()
) -> ImageMotors:
    """Return the motors of readings (F, R).

    Rest is the configuration that most images show.

    Raises:
        InputError: No configuration has enough images, or nothing moves.
    """
    ranges = np.ptp(readings, axis=0)
    moving = ranges > _LEAST
    if not moving.any():
        raise InputError(
            f"joint_positions are the same in all {len(readings)} images; accepted are images in "
            "which the motors move, one at a time and all together"
        )
    steps = np.where(moving, options.still * ranges, 1.0)
    tree = cKDTree(readings / steps)
    counts = tree.query_ball_point(tree.data, 1.0, p=np.inf, return_length=True)
    resting = np.sort(tree.query_ball_point(tree.data[int(np.argmax(counts))], 1.0, p=np.inf))
    if len(resting) < options.resting:
        raise InputError(
            f"{len(resting)} images show one and the same configuration; accepted are "
            f"{options.resting} or more of a robot at rest, from all sides"
        )
    rest = np.median(readings[resting], axis=0)
    away: NDArray[np.bool_] = np.asarray(np.abs(readings - rest) > steps)
    groups = _groups(readings[:, moving], options.alike)
    columns = np.flatnonzero(moving)
    motors = []
    for group in groups:
        own = columns[group]
        others = np.setdiff1d(columns, own)
        moves = np.asarray(away[:, own].any(axis=1))
        alone = moves & ~away[:, others].any(axis=1)
        motors.append(
            ImageMotor(
                tuple(names[column] for column in own),
                moves,
                np.flatnonzero(alone),
            )
        )
    return ImageMotors(
        dict(zip(names, rest.tolist(), strict=True)),
        {name: readings[:, column] for column, name in enumerate(names)},
        resting,
        tuple(motors),
        tuple(name for name, moves in zip(names, moving, strict=True) if not moves),
    )


def _groups(readings: Array, alike: float) -> list[list[int]]:
    """Return columns in groups that always move together."""
    related = np.abs(np.corrcoef(readings.T).reshape(readings.shape[1], -1)) >= alike
    groups: list[list[int]] = []
    taken: set[int] = set()
    for column in range(len(related)):
        if column not in taken:
            group = [other for other in np.flatnonzero(related[column]) if other not in taken]
            groups.append([int(other) for other in group])
            taken.update(groups[-1])
    return groups

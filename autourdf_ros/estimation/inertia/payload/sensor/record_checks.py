"""Refuse records that no estimate can be trusted on: each fault by its name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from autourdf_ros.data.efforts.saturation import saturated_end
from autourdf_ros.data.wrenches.channel_checks import CHANNELS
from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.regressor import (
    cross_matrices,
    gravity_in_sensor,
    orthonormal,
    recording_regressor,
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CheckOptions:
    """Constants of the checks.

    Attributes:
        saturated: Share of the records at a channel's largest or smallest value from which it
            counts as saturated: a level of significance.
        crowded: And how many times as many they are as at the value beside: likewise.
        rank: Second singular value of the directions of gravity over the first, below which the
            poses count as one: a physical limit, a turn of about 5 degrees.
        other_frame: How many times smaller the residual has to be in another frame: a level of
            significance.
        slip: How many deviations the centre of mass has to shift: a level of significance.
        slip_distance: And how far (m): a physical limit, below it a slip harms nothing.
        unexplained: Share of the forces' variance that a rigid load leaves and noise does not
            explain, from which they are not a load's: a level of significance.
        reach: Of a load's centre of mass from the sensor (m): a physical limit.
        rests: Orientations in which the sensor rests, below which a slip and a bias look alike.
        rest_speed: Share of its fastest turn below which the sensor rests.
        apart: Angle of gravity (rad) between two orientations.
    """

    saturated: float = 0.02
    crowded: float = 10.0
    rank: float = 0.08
    other_frame: float = 4.0
    slip: float = 8.0
    slip_distance: float = 0.002
    unexplained: float = 0.5
    reach: float = 5.0
    rests: int = 3
    rest_speed: float = 0.05
    apart: float = 0.2


CHECK_OPTIONS = CheckOptions()


def check_saturation(recording: WrenchRecording, options: CheckOptions = CHECK_OPTIONS) -> None:
    """Raise InputError where a channel stays at its largest or smallest value."""
    for name, values in zip(CHANNELS, recording.wrenches.T, strict=True):
        stuck = saturated_end(values, options.saturated, options.crowded)
        if stuck is not None:
            raise InputError(
                f"{recording.source}: {name} stays at {stuck.value:g} in "
                f"{100 * stuck.share:.0f} % of the records: the sensor is saturated; accepted are "
                "loads within its range"
            )


def check_poses(
    recording: WrenchRecording, tared: bool, options: CheckOptions = CHECK_OPTIONS
) -> None:
    """Raise InputError where gravity has too few directions in the sensor's frame."""
    fall = gravity_in_sensor(recording) - recording.accelerations[:, :3]
    gravity = gravity_in_sensor(recording)
    directions = gravity - gravity.mean(0) if tared else gravity
    values = np.linalg.svd(directions / np.linalg.norm(recording.gravity), compute_uv=False)
    values = values / np.sqrt(len(fall))
    if values[1] < options.rank:
        raise InputError(
            f"{recording.source}: too few poses: gravity has {int((values > options.rank).sum())} "
            f"independent directions in the sensor's frame{' beside the bias' if tared else ''}; "
            "accepted are 2 or more, each turned by tens of degrees"
        )


def check_frame(
    recording: WrenchRecording, bias: bool, options: CheckOptions = CHECK_OPTIONS
) -> None:
    """Raise InputError where the forces are a load's in another frame, or of the other sign."""
    fall = gravity_in_sensor(recording) - recording.accelerations[:, :3]
    forces = recording.wrenches[:, :3]
    turns = recording.sensor_poses[:, :3, :3]
    own, mass = _residual(fall, forces, bias)
    _check_turning(recording, fall, options)
    world = np.einsum("nij,nj->ni", turns, fall)
    from_world, _ = _residual(world, forces, bias)
    if own > options.other_frame * from_world:
        raise InputError(
            f"{recording.source}: the forces fit a load in the world frame, not in the sensor's "
            "frame: wrong frame; accepted are wrenches along the sensor's axes"
        )
    _check_poses_as_read(recording, own, bias, options)
    if mass < 0:
        raise InputError(
            f"{recording.source}: the forces point against gravity (mass {mass:.3g} kg): wrong "
            "sign; accepted is the wrench that the load exerts on the sensor (--reaction turns "
            "it), with poses in a world whose z points up"
        )
    noise = 3 * (recording.wrench_std or (0.0, 0.0))[0] ** 2
    total = float(((forces - forces.mean(0)) ** 2).sum(1).mean())
    if own > 4 * noise and own > options.unexplained * total:
        raise InputError(
            f"{recording.source}: gravity explains {100 * max(1 - own / total, 0):.0f} % of the "
            "forces: wrong frame, or no rigid load; accepted are wrenches along the sensor's axes"
        )


def _check_poses_as_read(
    recording: WrenchRecording, own: float, bias: bool, options: CheckOptions
) -> None:
    """Raise InputError where the forces fit gravity once the poses are read in another way."""
    turns = Rotation.from_matrix(recording.sensor_poses[:, :3, :3])
    down, forces = recording.gravity, recording.wrenches[:, :3]
    reordered = Rotation.from_quat(turns.as_quat()[:, [1, 2, 3, 0]])
    others = {
        "quaternions in the order w x y z: accepted is qx qy qz qw": reordered.inv().apply(down),
        "poses of the world in the sensor's frame: accepted are the sensor's in the world": (
            turns.apply(down)
        ),
        "a world whose y points up: accepted is one whose z does": (
            turns.inv().apply([down[0], down[2], down[1]])
        ),
        "a world whose x points up: accepted is one whose z does": (
            turns.inv().apply([down[2], down[1], down[0]])
        ),
    }
    for what, fall in others.items():
        left, mass = _residual(fall, forces, bias)
        if mass > 0 and own > options.other_frame * left:
            raise InputError(f"{recording.source}: the forces fit gravity by {what}")


def check_tare(recording: WrenchRecording, options: CheckOptions = CHECK_OPTIONS) -> None:
    """Raise InputError where a sensor that is said to be tared has a bias."""
    fall = gravity_in_sensor(recording) - recording.accelerations[:, :3]
    forces = recording.wrenches[:, :3]
    own, mass = _residual(fall, forces, False)
    if own > options.other_frame * _residual(fall, forces, True)[0]:
        force = float(np.linalg.norm((forces - mass * fall).mean(0)))
        raise InputError(
            f"{recording.source}: --tared, but the forces have a constant part of about "
            f"{force:.2g} N beside the load; accepted with --tared is a sensor without a bias"
        )


def check_torques(
    recording: WrenchRecording, bias: bool, options: CheckOptions = CHECK_OPTIONS
) -> None:
    """Raise InputError where torques put the centre of mass out of reach of any robot."""
    fall = gravity_in_sensor(recording) - recording.accelerations[:, :3]
    _, mass = _residual(fall, recording.wrenches[:, :3], bias)
    arms, torques = -cross_matrices(fall), recording.wrenches[:, 3:]
    if bias:
        arms, torques = arms - arms.mean(0), torques - torques.mean(0)
    moment = np.linalg.lstsq(arms.reshape(-1, 3), torques.ravel(), rcond=None)[0]
    weight = abs(mass) * float(np.linalg.norm(recording.gravity))
    distance = float(np.linalg.norm(moment)) / max(abs(mass), np.finfo(float).tiny)
    if weight > (recording.wrench_std or (0.0, 0.0))[0] and distance > options.reach:
        raise InputError(
            f"{recording.source}: the torques put the centre of mass {distance:.3g} m from the "
            "sensor: wrong unit of torque; accepted are N m (are these N mm?)"
        )


def _check_turning(recording: WrenchRecording, fall: Array, options: CheckOptions) -> None:
    """Raise InputError where the forces stay the same while the sensor turns."""
    forces = recording.wrenches[:, :3]
    mean = forces.mean(0)
    noise = 3 * (recording.wrench_std or (0.0, 0.0))[0] ** 2
    gravity = float(recording.gravity @ recording.gravity)
    turning = float(((fall - fall.mean(0)) ** 2).sum(1).mean()) / gravity
    expected = float(mean @ mean) * turning
    change = float(((forces - mean) ** 2).sum(1).mean()) - noise
    if expected > options.other_frame * noise and change < expected / options.other_frame**2:
        raise InputError(
            f"{recording.source}: the forces stay at {np.linalg.norm(mean):.3g} N along one "
            "direction while the sensor turns: wrong frame (one that does not turn with the "
            "sensor), or the bias is larger than the load; accepted are wrenches along the "
            "sensor's axes"
        )


def _residual(fall: Array, forces: Array, bias: bool) -> tuple[float, float]:
    """Mean squared residual of forces = mass x fall (+ bias), and the mass."""
    if bias:
        fall, forces = fall - fall.mean(0), forces - forces.mean(0)
    mass = float((fall * forces).sum() / max((fall**2).sum(), np.finfo(float).tiny))
    return float(((forces - mass * fall) ** 2).sum(1).mean()), mass


def check_slip(recording: WrenchRecording, options: CheckOptions = CHECK_OPTIONS) -> None:
    """Raise InputError where the centre of mass shifts during the recording.

    Each split into before and after gets its own first moment; the best one counts.
    """
    rows = recording_regressor(recording)
    count = len(rows)
    fall = gravity_in_sensor(recording) - recording.accelerations[:, :3]
    first = -cross_matrices(fall)
    rest, std = _torque_rest(rows, recording.wrenches)
    mass = max(_residual(fall, recording.wrenches[:, :3], True)[1], np.finfo(float).tiny)
    found = []
    for split in np.linspace(0.1, 0.9, 17):
        late = (np.arange(count) >= split * count).astype(float)
        shift, deviation = _shift(rows, first, late, rest, std)
        found.append((float((np.abs(shift) / deviation).max()), split, shift))
    deviations, split, shift = max(found, key=lambda one: one[0])
    distance = float(np.linalg.norm(shift)) / mass
    if deviations > options.slip and distance > options.slip_distance:
        if (rests := _rests(recording, options)) < options.rests:
            raise InputError(
                f"{recording.source}: too few poses: the sensor rests in {rests}; accepted are "
                f"{options.rests} or more, each turned by tens of degrees"
            )
        moment = recording.times[int(split * count)] - recording.times[0]
        raise InputError(
            f"{recording.source}: the centre of mass shifts by {1e3 * distance:.1f} mm at about "
            f"{moment:.1f} s: the object slips in the grasp, or the sensor is turned by some "
            "degrees from its stated frame; accepted is a firm grasp, in the sensor's true frame"
        )


def _rests(recording: WrenchRecording, options: CheckOptions) -> int:
    """Number of directions of gravity in the sensor's frame in which the sensor rests."""
    speed = np.linalg.norm(recording.velocities[:, 3:], axis=1)
    left = gravity_in_sensor(recording)[speed <= options.rest_speed * speed.max()]
    left = left / np.linalg.norm(recording.gravity)
    count = 0
    while len(left) and count < options.rests:
        left = left[left @ left[0] < np.cos(options.apart)]
        count += 1
    return count


def _torque_rest(rows: Array, wrenches: Array) -> tuple[Array, float]:
    columns = _load_and_bias(rows)
    target = wrenches[:, 3:].ravel()
    rest = target - columns @ (columns.T @ target)
    return rest, float(rest.std()) + float(np.finfo(float).eps)


def _load_and_bias(rows: Array) -> Array:
    """The torques' columns of parameters beside the mass, and of a bias."""
    count = len(rows)
    columns = np.hstack([rows[:, 3:, 1:].reshape(-1, 9), np.tile(np.eye(3), (count, 1))])
    return orthonormal(columns)


def _shift(rows: Array, first: Array, late: Array, rest: Array, std: float) -> tuple[Array, Array]:
    """The change (3,) of the first moment in late records, and its deviations."""
    extra = (first * late[:, None, None]).reshape(-1, 3)
    basis = _load_and_bias(rows)
    own = extra - basis @ (basis.T @ extra)
    normal = np.linalg.pinv(own.T @ own, hermitian=True)
    shift = normal @ (own.T @ rest)
    left = float((rest - own @ shift).std())
    return shift, np.sqrt(np.diag(normal)) * max(left, 1e-3 * std)

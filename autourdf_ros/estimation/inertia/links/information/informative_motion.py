"""How much a motion would show: the expected information of candidates, before any is moved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.inertia.links.effort_weights import EffortNoise
from autourdf_ros.estimation.inertia.links.torque_model import JointMotion, TorqueModel

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SwingOptions:
    """The candidates.

    Attributes:
        postures: In which each joint is swung, beside the middle of the ranges: a resource bound.
        swing: Largest amplitude (rad or m), where the range is wide.
        speed: Largest velocity where the URDF states none, or a higher one (rad/s or m/s).
        slow: Share of the velocity of a swing that shows gravity and friction alone.
        samples: Of one swing: a resource bound.
        duration: Of a swing with its repetitions (s).
        rate: Of the records (Hz).
        named: Candidates that are returned, and parameters that are named of each.
        seed: Of the postures.
    """

    postures: int = 8
    swing: float = 0.8
    speed: float = 2.0
    slow: float = 0.1
    samples: int = 24
    duration: float = 10.0
    rate: float = 100.0
    named: int = 5
    seed: int = 0


@dataclass(frozen=True)
class Swing:
    """One joint swings as a sine while the others stand still.

    Attributes:
        joint: Name.
        posture: Position of every joint in the middle of the swing (rad or m), by name.
        amplitude: rad or m.
        speed: Largest velocity (rad/s or m/s).
        information: That it is expected to add (nats): half the logarithm by which it shrinks the
            volume of uncertainty.
        learned: Names of the parameters whose standard deviation would shrink most, and the share
            that would be left of each.
    """

    joint: str
    posture: dict[str, float]
    amplitude: float
    speed: float
    information: float
    learned: tuple[tuple[str, float], ...]


def expected_information(rows: Array, covariance: Array, weights: Array) -> tuple[float, Array]:
    """Return the information (nats) of rows (n, J, p), and the covariance that they would leave.

    Lindley, "On a Measure of the Information Provided by an Experiment", 1956: ½ log det of the
    ratio of the covariances.

    Args:
        rows: Regressor.
        covariance: (p, p) now.
        weights: (J,) reciprocal variances of a row.
    """
    matrix = (rows * np.sqrt(weights)[:, None]).reshape(-1, rows.shape[-1])
    across = matrix @ covariance
    inner = np.eye(len(matrix)) + across @ matrix.T
    factor = np.linalg.cholesky((inner + inner.T) / 2)
    half = np.linalg.solve(factor, across)
    return float(np.log(np.diag(factor)).sum()), covariance - half.T @ half


def informative_swings(
    model: TorqueModel, covariance: Array, noise: EffortNoise, options: SwingOptions
) -> tuple[Swing, ...]:
    """Return the swings of single joints that would show most, the best first, one a joint.

    Args:
        model: The robot.
        covariance: (p, p) of the parameters now.
        noise: Of the efforts.
        options: The candidates.
    """
    found = [
        max(
            (
                _swing(model, covariance, noise, joint, posture, share, options)
                for posture in _postures(model, options)
                for share in (1.0, options.slow)
            ),
            key=lambda one: one.information,
        )
        for joint in range(len(model.joints))
    ]
    return tuple(sorted(found, key=lambda one: -one.information)[: options.named])


def _ranges(model: TorqueModel) -> tuple[Array, Array, Array]:
    lower, upper, speed = model.limits
    return np.maximum(lower, -np.pi), np.minimum(upper, np.pi), speed


def _postures(model: TorqueModel, options: SwingOptions) -> Array:
    lower, upper, _ = _ranges(model)
    rng = np.random.default_rng(options.seed)
    drawn = rng.uniform(lower, upper, (options.postures, len(lower)))
    return np.vstack([(lower + upper) / 2, drawn])


def _swing(
    model: TorqueModel,
    covariance: Array,
    noise: EffortNoise,
    joint: int,
    posture: Array,
    share: float,
    options: SwingOptions,
) -> Swing:
    lower, upper, speeds = _ranges(model)
    amplitude = min(options.swing, 0.45 * (upper[joint] - lower[joint]))
    middle = posture.copy()
    middle[joint] = np.clip(posture[joint], lower[joint] + amplitude, upper[joint] - amplitude)
    speed = share * min(options.speed, speeds[joint])
    motion = _sine(middle, joint, amplitude, speed, options)
    records = options.duration * options.rate / options.samples
    weights = records / (noise.std**2 * np.maximum(noise.repeats, 1.0))
    rows = model.regressor(motion)
    gain, left = expected_information(rows, covariance, weights)
    shares = np.sqrt(np.maximum(np.diag(left), 0) / np.maximum(np.diag(covariance), 1e-300))
    best = np.argsort(shares)[: options.named]
    learned = tuple((model.names[k], float(shares[k])) for k in best)
    at = dict(zip(model.joints, middle.tolist(), strict=True))
    return Swing(model.joints[joint], at, float(amplitude), float(speed), gain, learned)


def _sine(
    middle: Array, joint: int, amplitude: float, speed: float, options: SwingOptions
) -> JointMotion:
    phase = 2 * np.pi * (np.arange(options.samples) + 0.5) / options.samples
    rate = speed / amplitude
    positions = np.tile(middle, (options.samples, 1))
    velocities, accelerations = np.zeros_like(positions), np.zeros_like(positions)
    positions[:, joint] += amplitude * np.sin(phase)
    velocities[:, joint] = speed * np.cos(phase)
    accelerations[:, joint] = -speed * rate * np.sin(phase)
    still = np.zeros(len(middle))
    return JointMotion(positions, velocities, accelerations, still, still)

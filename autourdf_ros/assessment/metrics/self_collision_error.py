"""Errors of the model's self-collisions against those of the true robot."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.metrics.assignment import assign_joints
from autourdf_ros.assessment.metrics.estimate_reading import Estimate
from autourdf_ros.assessment.metrics.truth.truth import TrueModel
from autourdf_ros.errors import InputError
from autourdf_ros.model.result_files import URDF
from autourdf_ros.shape.collision.collision_pairs import FIRST, NEARLY_ALWAYS, default_pairs
from autourdf_ros.shape.collision.link_collisions import LinkCollisions, Shapes

SAMPLES = 5000


@dataclass(frozen=True)
class SelfCollisionError:
    """Counts of configurations in which the model and the true robot collide with themselves.

    Attributes:
        samples: Configurations in all.
        colliding: Those in which the true robot collides.
        found: Those in which both collide.
        false: Those in which only the model collides.
    """

    samples: int
    colliding: int
    found: int
    false: int

    @property
    def recall(self) -> float | None:
        """Share of the colliding configurations in which the model collides; None without any."""
        return self.found / self.colliding if self.colliding else None

    @property
    def false_positive_rate(self) -> float | None:
        """Share of the free configurations in which the model collides; None without any."""
        free = self.samples - self.colliding
        return self.false / free if free else None


def self_collisions(estimate: Estimate, truth: TrueModel) -> dict[str, dict[str, float | None]]:
    """Return the errors against both shapes of the true robot as JSON values."""
    errors = {shapes: self_collision_error(estimate, truth, shapes) for shapes in get_args(Shapes)}
    return {
        shapes: {
            **asdict(error),
            "recall": error.recall,
            "false_positive_rate": error.false_positive_rate,
        }
        for shapes, error in errors.items()
    }


def self_collision_error(
    estimate: Estimate,
    truth: TrueModel,
    shapes: Shapes = "collision",
    samples: int = SAMPLES,
    seed: int = 0,
) -> SelfCollisionError:
    """Compare self-collisions in configurations drawn uniformly within the true robot's limits.

    The limits are wider than the recorded ranges, in which robots hardly ever collide. True joints
    without an estimate move, too. `collides` says which pairs of links count.

    Args:
        estimate: The result.
        truth: At the estimate's reference configuration.
        shapes: Of the true robot: the collision shapes of its maker, or its visible surface, which
            is all that cameras can observe.
        samples: Number of configurations.
        seed: Of the configurations.

    Raises:
        InputError: The truth has no URDF or no meshes.
    """
    if truth.robot is None:
        raise InputError("self-collisions need a truth with its URDF file and meshes")
    true = LinkCollisions(truth.robot.path, shapes)
    model = LinkCollisions(estimate.folder / URDF)
    start = true.configuration(truth.configuration or {})
    home = _home(estimate, model)
    stood = np.array([model.configuration(frame) for frame in _recorded(estimate)] or [home])
    values = true.sampled(samples, np.random.default_rng(seed))
    turned = turned_model(values, estimate, truth, model, true)
    colliding = collides(true, values, start[None])
    found = collides(model, turned, np.vstack([home, stood]))
    return SelfCollisionError(
        samples,
        int(colliding.sum()),
        int((colliding & found).sum()),
        int((~colliding & found).sum()),
    )


def collides(
    robot: LinkCollisions, values: NDArray[np.float64], free: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return whether the robot collides with itself.

    The pairs that no planner checks do not count: neighbours, pairs that touch by default (see
    `default_pairs`), and pairs that touch in nearly all of `values`.

    Args:
        robot: The robot.
        values: (N, J) joint values (rad or m).
        free: (F, J) joint values that are free of collisions.

    Returns:
        (N,) by configuration.
    """
    drawn = robot.sampled(FIRST, np.random.default_rng(0))
    shares = robot.touching(drawn, ~robot.neighbours).mean(0)
    asked = ~robot.neighbours & ~default_pairs(robot, free, shares)
    touching = robot.touching(values, asked)
    return np.asarray(touching[:, touching.mean(0) < NEARLY_ALWAYS].any(1), bool)


def _recorded(estimate: Estimate) -> list[dict[str, float]]:
    """Return the joint values (rad or m) by name in the frames that the model explains."""
    report = estimate.report
    names = [joint["name"] for joint in report.get("joints", ())]
    frames = [
        dict(zip(names, values, strict=True))
        for sequence in report.get("sequences", ())
        for values, used in zip(sequence["joint_values"], sequence["used"], strict=True)
        if used
    ]
    moving = set(estimate.robot.joint_names)
    return [{n: v for n, v in frame.items() if n in moving} for frame in frames]


def turned_model(
    values: NDArray[np.float64],
    estimate: Estimate,
    truth: TrueModel,
    model: LinkCollisions,
    true: LinkCollisions,
) -> NDArray[np.float64]:
    """Return (N, J) joint values of the model where the true robot has (N, K) values.

    Joints of the model that no true one is assigned to stay at the reference.
    """
    moved = values - true.configuration(truth.configuration or {})
    turned = np.tile(_home(estimate, model), (len(values), 1))
    for e, t in assign_joints(estimate.skeleton, truth.skeleton).pairs:
        guess, known = estimate.skeleton.joints[e], truth.skeleton.joints[t]
        sign = np.sign(np.dot(guess.axis, known.axis))
        column = moved[:, true.joints.index(known.name)]
        turned[:, model.joints.index(guess.name)] += sign * column
    return turned


def _home(estimate: Estimate, model: LinkCollisions) -> NDArray[np.float64]:
    """Return (J,) the model's joint values in the reference configuration."""
    reference = estimate.report["reference_configuration"]
    return model.configuration({n: v for n, v in reference.items() if n in model.joints})

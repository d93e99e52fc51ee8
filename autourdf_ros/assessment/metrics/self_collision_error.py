"""Whether the model collides with itself where the true robot does."""

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
from autourdf_ros.model.skeleton import Skeleton
from autourdf_ros.shape.collision.collision_pairs import FIRST, NEARLY_ALWAYS, default_pairs
from autourdf_ros.shape.collision.link_collisions import LinkCollisions, Shapes

SAMPLES = 5000


@dataclass(frozen=True)
class SelfCollisionError:
    """Verdicts of the model on configurations, against those of the true robot.

    samples: configurations; colliding: those in which the true robot collides with itself, found:
    those in which the model does as well, false: those in which only the model does.
    """

    samples: int
    colliding: int
    found: int
    false: int

    @property
    def recall(self) -> float | None:
        """Share of the colliding configurations that the model knows; None without any."""
        return self.found / self.colliding if self.colliding else None

    @property
    def false_positive_rate(self) -> float | None:
        """Share of the free configurations that the model takes for colliding."""
        free = self.samples - self.colliding
        return self.false / free if free else None


def self_collisions(estimate: Estimate, truth: TrueModel) -> dict[str, dict[str, float | None]]:
    """The errors against both shapes of the true robot, as JSON values."""
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
    """Compare verdicts on configurations drawn evenly within the true robot's limits.

    Those are wider than what the recording showed, in which robots hardly ever collide. truth: at
    the estimate's reference configuration. shapes: of the true robot: those that its maker gave for
    checking collisions, or its visible surface, which is all that cameras can know. True joints
    that no estimate stands for move all the same. See `collides` for the pairs of links that count.
    Raises InputError for a truth without its URDF or meshes.
    """
    if truth.robot is None:
        raise InputError("self-collisions need a truth with its URDF file and meshes")
    true = LinkCollisions(truth.robot.path, shapes)
    model = LinkCollisions(estimate.folder / URDF)
    reference = estimate.report["reference_configuration"]
    start = true.configuration(truth.configuration or {})
    home = model.configuration({n: v for n, v in reference.items() if n in model.joints})
    stood = np.array([model.configuration(frame) for frame in _recorded(estimate)] or [home])
    values = true.sampled(samples, np.random.default_rng(seed))
    turned = home + _turned(values - start, (true, model), (truth.skeleton, estimate.skeleton))
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
    """(N,) whether the robot collides with itself at (N, J) values.

    Left out are the pairs that nobody checks: neighbours, those that touch by default (see
    `default_pairs`; free: (F, J)), and those that touch in nearly all of `values`.
    """
    drawn = robot.sampled(FIRST, np.random.default_rng(0))
    shares = robot.touching(drawn, ~robot.neighbours).mean(0)
    asked = ~robot.neighbours & ~default_pairs(robot, free, shares)
    touching = robot.touching(values, asked)
    return np.asarray(touching[:, touching.mean(0) < NEARLY_ALWAYS].any(1), bool)


def _recorded(estimate: Estimate) -> list[dict[str, float]]:
    """Joint values by name in the frames that the model explains."""
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


def _turned(
    moved: NDArray[np.float64],
    robots: tuple[LinkCollisions, LinkCollisions],
    skeletons: tuple[Skeleton, Skeleton],
) -> NDArray[np.float64]:
    """(N, J) moves of the model's joints from its reference for (N, J) of the true ones.

    robots, skeletons: of the truth and of the estimate.
    """
    (true, model), (truth, estimate) = robots, skeletons
    turned = np.zeros((len(moved), len(model.joints)))
    for e, t in assign_joints(estimate, truth).pairs:
        guess, known = estimate.joints[e], truth.joints[t]
        sign = np.sign(np.dot(guess.axis, known.axis))
        turned[:, model.joints.index(guess.name)] = sign * moved[:, true.joints.index(known.name)]
    return turned

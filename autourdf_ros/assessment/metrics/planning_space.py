"""How much of a robot's free space a planner may use, with a model's own SRDF and meshes."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.metrics.estimate_reading import Estimate
from autourdf_ros.assessment.metrics.self_collision_error import (
    SelfCollisionError,
    collides,
    turned_model,
)
from autourdf_ros.assessment.metrics.truth.truth import TrueModel
from autourdf_ros.errors import InputError
from autourdf_ros.model.result_files import SRDF, URDF
from autourdf_ros.shape.collision.link_collisions import LinkCollisions

SAMPLES = 2000


@dataclass(frozen=True)
class PlanningSpace:
    """What of the true robot's space the model leaves free.

    Attributes:
        model: The model's shapes, and its P pairs of links.
        asked: (P,) whether the SRDF leaves a pair to be checked.
        colliding: (N,) whether the true robot collides, by its visible surface.
        touching: (N, P) whether an asked pair touches.
    """

    model: LinkCollisions
    asked: NDArray[np.bool_]
    colliding: NDArray[np.bool_]
    touching: NDArray[np.bool_]

    @property
    def error(self) -> SelfCollisionError:
        """Counts of the configurations in which both, or only the model, collide."""
        found = np.asarray(self.touching.any(axis=1))
        return SelfCollisionError(
            len(found),
            int(self.colliding.sum()),
            int((self.colliding & found).sum()),
            int((~self.colliding & found).sum()),
        )


def planning_space(
    estimate: Estimate, truth: TrueModel, samples: int = SAMPLES, seed: int = 0
) -> PlanningSpace:
    """Compare configurations drawn uniformly within the true robot's limits.

    Args:
        estimate: The result, with its SRDF.
        truth: At the estimate's reference configuration.
        samples: Number of configurations.
        seed: Of the configurations.

    Raises:
        InputError: The truth has no URDF or no meshes.
    """
    if truth.robot is None:
        raise InputError("planning spaces need a truth with its URDF file and meshes")
    true = LinkCollisions(truth.robot.path, "visual")
    model = LinkCollisions(estimate.folder / URDF)
    values = true.sampled(samples, np.random.default_rng(seed))
    start = true.configuration(truth.configuration or {})
    asked = _asked(estimate, model)
    touching = model.touching(turned_model(values, estimate, truth, model, true), asked)
    return PlanningSpace(model, asked, collides(true, values, start[None]), touching)


def _asked(estimate: Estimate, model: LinkCollisions) -> NDArray[np.bool_]:
    """Return (P,) the pairs of links that the SRDF leaves to be checked."""
    root = ElementTree.parse(estimate.folder / SRDF).getroot()
    entries = root.iter("disable_collisions")
    disabled = {frozenset((entry.get("link1"), entry.get("link2"))) for entry in entries}
    return np.array([frozenset(pair) not in disabled for pair in model.pairs], bool)

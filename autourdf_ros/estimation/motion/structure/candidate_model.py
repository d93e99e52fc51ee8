"""A candidate model: bodies on the reference cloud, and the tree of joints between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.estimation.common.joint_fit import on_axes
from autourdf_ros.estimation.common.structure.scored_search import Decision
from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.estimation.motion.fitting.frame_fit import ArticulatedSurface, BasePrior, States
from autourdf_ros.estimation.motion.fitting.motors import GEAR_TOLERANCE
from autourdf_ros.estimation.motion.fitting.surface import LabelledSurface
from autourdf_ros.estimation.motion.segmentation.segmented_bodies import Segmentation
from autourdf_ros.estimation.motion.structure.candidate_tree import CandidateTree
from autourdf_ros.estimation.motion.structure.expansion.motor_expansion import ExpandedTree
from autourdf_ros.geometry.arrays import Array, Labels

PRIORS = {
    "still": BasePrior(rotation=0.0, translation=0.0),
    "shifts": BasePrior(rotation=0.0),
    "turns": BasePrior(rotation=np.inf),
}
LOST_COST = 3.0  # mean cost per point and frame above which a model does not explain a link
MATCHED = 0.1  # share of a joint's values that its motor may leave unexplained


@dataclass(frozen=True)
class CandidateModel:
    """A candidate model of the robot, as some frames show it.

    Not the model's `SelfModel`: it holds numeric arrays in robot sizes for the search's inner
    loops, and how it was found, so that it can be refined, extended and pruned.

    Attributes:
        model: joints on B bodies, in the tree's order.
        surface: of the reference, with the same bodies.
        states: of the frames that it was found in.
        tree: how bodies were joined.
        segmentation: how bodies were found.
        labels: (N,) body, in the tree's order, of every reference point, -1 none.
        expanded: the tree that it comes from, if it was found by the motors' readings.
        decisions: changes that were decided by the likelihood; their words name links by the
            numbers of `pieces` in braces.
        suspected: changes that some frames speak for, which do not hold in all.
        pieces: (B,) of every link: by which numbers `decisions` know it, the parts that were united
            in it last; empty where there are none.
    """

    model: Articulation
    surface: LabelledSurface
    states: States
    tree: CandidateTree
    segmentation: Segmentation
    labels: Labels
    expanded: ExpandedTree | None = None
    decisions: tuple[Decision, ...] = ()
    suspected: tuple[Decision, ...] = ()
    pieces: tuple[tuple[int, ...], ...] = ()

    @property
    def matched_count(self) -> int:
        """Motors that explain joints, less the joints that none does."""
        motors, explained = self.tree.motors, self.follow_motors
        return len(np.unique(motors.columns[explained])) - int((~explained).sum())

    @property
    def explained(self) -> float:
        """Share of the reference points that follow a body."""
        return float(np.mean(self.labels >= 0))

    def predicted(self, readings: Array) -> Array:
        """Return joint values (F, J) by readings (F, M), NaN where no motor explains a joint."""
        motors = self.tree.motors
        values = readings[:, motors.columns] * motors.ratios
        return np.where(self.follow_motors, values, np.nan)

    @property
    def follow_motors(self) -> NDArray[np.bool_]:
        """(J,) whether a motor explains a joint."""
        motors = self.tree.motors
        return (motors.columns >= 0) & (motors.unexplained_shares < MATCHED)

    @property
    def motor_columns(self) -> NDArray[np.int64]:
        """(J,) number of the motor that each joint follows, -1 none."""
        return np.where(self.follow_motors, self.tree.motors.columns, -1)

    @property
    def alone_on_motors(self) -> NDArray[np.bool_]:
        """(J,) whether a joint follows a motor that no other follows."""
        motors = self.motor_columns
        return np.asarray((motors >= 0) & (np.bincount(motors + 1)[motors + 1] == 1))

    def direct_ratios(self, metre: float) -> Array:
        """Return the sizes (J,) of ratios by which motors move joints one to one, by their types.

        Args:
            metre: one metre in robot sizes, by which a prismatic joint slides a metre of a reading.
        """
        return np.where(self.model.revolute, 1.0, metre)

    def off_direct(self, metre: float) -> Array:
        """Return by what share (J,) the size of every joint's ratio is not that of one to one.

        Args:
            metre: one metre in robot sizes.
        """
        return np.asarray(np.abs(np.abs(self.tree.motors.ratios) / self.direct_ratios(metre) - 1))

    def geared(self, metre: float) -> NDArray[np.bool_]:
        """Return which joints (J,) a motor moves by another ratio than one to one.

        Args:
            metre: one metre in robot sizes.
        """
        return self.follow_motors & (self.off_direct(metre) >= GEAR_TOLERANCE)

    def unmatched_motors(self, count: int) -> list[int]:
        """Return which of `count` motors turn no joint."""
        return sorted(
            set(range(count)) - set(self.tree.motors.columns[self.follow_motors].tolist())
        )

    @property
    def prior(self) -> BasePrior:
        """How far the base may move in a frame: as the root was seen to move."""
        return PRIORS[self.segmentation.root_motion]


def articulated_surface(candidate: CandidateModel, noise: float) -> ArticulatedSurface:
    """Return the candidate as frames are fitted by it.

    Args:
        candidate: the candidate model.
        noise: standard deviation of a point along its normal.
    """
    return ArticulatedSurface(candidate.model, candidate.surface, candidate.prior, noise)


def joint_anchors(
    points: Array, labels: Labels, parents: Labels, twists: Array, revolute: NDArray[np.bool_]
) -> Array:
    """Return points (J, 3) on the joints' axes next to where the bodies meet.

    The point of a prismatic joint may be anywhere. For a body without points, those count that it
    joins.

    Args:
        points: (N, 3) of the reference.
        labels: (N,) body of every point, in the tree's order, -1 none.
        parents: (J,) body that each joint hangs on.
        twists: (J, 6) unit screw axes.
        revolute: (J,) bool, else prismatic.
    """
    result = np.zeros((len(parents), 3))
    seen = np.isin(np.arange(len(parents) + 1), labels)
    above, below = np.arange(len(seen)), np.arange(len(seen))
    for body in range(1, len(seen)):
        above[body] = body if seen[body] else above[parents[body - 1]]
    for body in range(len(seen) - 1, 0, -1):
        if not seen[parents[body - 1]]:
            below[parents[body - 1]] = below[body]
    for j, parent in enumerate(parents):
        child_points, parent_points = (
            points[labels == below[j + 1]],
            points[labels == above[parent]],
        )
        distances, _ = cKDTree(parent_points).query(child_points)
        nearest = child_points[distances <= np.quantile(distances, 0.05) + 1e-12].mean(axis=0)
        result[j] = nearest
    return on_axes(twists, result, revolute)

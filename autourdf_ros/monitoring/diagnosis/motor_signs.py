"""A motor that reads backwards: the robot is seen where the turned sign of its reading puts it.

The links that the motor moves may then be anywhere, too far away for matches. So two candidate
models are compared: the share of the expected surface that a camera sees with the reading as it is,
and with its sign turned; each expects the baseline's share. The log odds are those of binomials, of
patches that are seen or not independently of each other. A part that turns about its own middle is
seen in both cases: its sign cannot be determined. The sign of a small reading moves its links by
little, as a bend or a wrong zero may as well: it is named where none of these explains it all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.observing.depth_image import depth_image
from autourdf_ros.monitoring.observing.observation import Observation
from autourdf_ros.monitoring.observing.observation_comparison import CroppedObservation, coverage
from autourdf_ros.monitoring.observing.posed_scene import PosedScene
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

Array = NDArray[np.float64]

PATCHES = 20  # independent patches of what a motor moves, in one observation
LEAST_SAMPLES = 20  # samples of what a motor moves, in one observation
# Drop of the seen share below the baseline: in one observation, from which a sign is tried; in the
# mean of all, from which it is clear.
_SUSPECT = 0.3
_FAIR = 0.15  # drop of the seen share below the baseline that a turned sign may have
_MOST = 0.98  # largest baseline share


@dataclass(frozen=True, eq=False)
class SignSums:
    """Visibility in one observation of the surface that each of D motors moves, in samples.

    Attributes:
        expected: (D,) samples that should be seen, by the readings.
        seen: (D,) samples that are.
        turned_expected: (D,) with the sign of this motor's reading turned; NaN where not tried.
        turned_seen: (D,) likewise.
        suspect: (D,) whether much less is seen than at the baseline.
    """

    expected: Array
    seen: Array
    turned_expected: Array
    turned_seen: Array
    suspect: NDArray[np.bool_]

    def shares(self, motor: int) -> tuple[float, float]:
        """Return the seen shares of what a motor moves: as read, and with its sign turned."""
        turned = self.turned_seen[motor] / self.turned_expected[motor]
        return float(self.seen[motor] / self.expected[motor]), float(turned)


def baseline_coverage(model: WatchedModel, observations: Sequence[CroppedObservation]) -> Array:
    """Return the (D,) seen share of the surface that every motor moves, of what should be seen."""
    seen = moved_by_motors(model) @ np.sum([one.seen for one in observations], axis=0)
    missing = moved_by_motors(model) @ np.sum([one.missing for one in observations], axis=0)
    return np.asarray(seen / np.maximum(seen + missing, 1))


def sign_sums(
    model: WatchedModel,
    observation: Observation,
    cropped: CroppedObservation,
    baseline: Array,
    before: Sequence[SignSums],
) -> SignSums:
    """Try turned signs of motors whose links are seen much less than at the baseline.

    A motor suspected in an observation before is tried again, so that observations which the
    readings explain well count as well.

    Args:
        model: The watched model.
        observation: The raw cloud.
        cropped: What is left of it near the robot.
        baseline: (D,) of `baseline_coverage`.
        before: Sums of the earlier observations in the window.
    """
    moved = moved_by_motors(model)
    seen, expected = moved @ cropped.seen, moved @ (cropped.seen + cropped.missing)
    turned = np.full((2, len(baseline)), np.nan)
    suspect = (expected >= LEAST_SAMPLES) & (seen < (baseline - _SUSPECT) * expected)
    tried = np.flatnonzero(suspect | np.any([one.suspect for one in before], axis=0))
    if len(tried):
        image = depth_image(observation.points, observation.camera_pose)
    for motor in tried:
        name = model.motors[motor]
        reading = observation.readings.get(name, model.transmission.readings_at_reference[motor])
        values = model.values({**observation.readings, name: -reading})
        there, missing = coverage(PosedScene(model, model.poses(values)), image)
        turned[:, motor] = moved[motor] @ (there + missing), moved[motor] @ there
    return SignSums(expected.astype(float), seen.astype(float), turned[0], turned[1], suspect)


@dataclass(frozen=True)
class TurnedSign:
    """A motor that may read backwards.

    Attributes:
        change: That it does.
        clear: Whether its links are so far from where its readings put them that no other cause
            explains it.
    """

    change: Change
    clear: bool


def turned_sign(
    model: WatchedModel, sums: Sequence[SignSums], baseline: Array, least: float
) -> TurnedSign | None:
    """Return the motor whose turned sign explains best, above `least` log odds.

    Args:
        model: The watched model.
        sums: Of the observations in the window.
        baseline: (D,) of `baseline_coverage`.
        least: Log odds.
    """
    odds = np.zeros(len(baseline))
    shares = np.zeros((2, len(baseline)))
    for motor, share in enumerate(baseline):
        tried = [
            one.shares(motor)
            for one in sums
            if one.expected[motor] >= LEAST_SAMPLES and one.turned_expected[motor] >= LEAST_SAMPLES
        ]
        if not tried:
            continue
        shares[:, motor] = np.mean(tried, axis=0)
        if shares[1, motor] > share - _FAIR:
            read, turned = PATCHES * _divergence(np.array(tried), share).sum(axis=0)
            odds[motor] = read - turned
    best = int(odds.argmax())
    if odds[best] < least:
        return None
    name = model.motors[best]
    text = (
        f"of what motor {name} moves, {shares[0, best]:.0%} is seen where its readings put it, "
        f"and {shares[1, best]:.0%} with their sign turned: the motor reads backwards"
    )
    change = Change("joint_sign", name, (), float(odds[best]), text)
    return TurnedSign(change, bool(shares[0, best] < baseline[best] - _SUSPECT))


def moved_by_motors(model: WatchedModel) -> NDArray[np.bool_]:
    """Return (D, S) whether a motor moves a segment."""
    moves = np.abs(model.gear.T) > 0
    return np.asarray(moves.astype(int) @ model.articulation.ancestors[model.segment_body].T > 0)


def _divergence(share: Array, baseline: float) -> Array:
    """Kullback-Leibler divergence of `share` (...) from the baseline; 0 where more is seen."""
    baseline = float(np.clip(baseline, 1 - _MOST, _MOST))
    share = np.clip(share, 1e-3, 1 - 1e-3)
    lost = np.log(share / baseline) * share + np.log((1 - share) / (1 - baseline)) * (1 - share)
    return np.where(share < baseline, lost, 0.0)

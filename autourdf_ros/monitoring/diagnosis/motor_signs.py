"""A motor that reads backwards: the robot is seen where the turned sign of its reading puts it.

What it carries may be anywhere then, too far for surfaces to be matched. So it is asked how much of
the surface that a camera should see is seen where the readings put it, and where they put it with
the sign turned: both hypotheses expect as much as usual. The log odds are those of binomials, of
patches that are seen or not independently of each other. A part that turns about its own middle is
seen either way: its sign is not told.
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

PATCHES = 20  # of what a motor carries, in one look
LEAST_SAMPLES = 20  # of what a motor carries, in one look
_SUSPECT = 0.3  # by which less than usual is seen, from where on a sign is tried
_FAIR = 0.15  # by which less than usual may be seen with the sign turned
_MOST = 0.98  # no share is taken for surer


@dataclass(frozen=True, eq=False)
class SignSums:
    """Of one look; D motors: samples of what each carries that should be seen, and are.

    expected, seen: (D,) as the readings say. turned_expected, turned_seen: (D,) with the sign of
    this motor's reading turned; NaN where that was not tried. suspect: (D,) whether much less is
    seen than usual.
    """

    expected: Array
    seen: Array
    turned_expected: Array
    turned_seen: Array
    suspect: NDArray[np.bool_]

    def shares(self, motor: int) -> tuple[float, float]:
        """Of what a motor carries: seen as read, and with its sign turned."""
        turned = self.turned_seen[motor] / self.turned_expected[motor]
        return float(self.seen[motor] / self.expected[motor]), float(turned)


def baseline_coverage(model: WatchedModel, looks: Sequence[CroppedObservation]) -> Array:
    """(D,) share of what every motor carries that is seen, of what should be."""
    seen = carried_by_motors(model) @ np.sum([one.seen for one in looks], axis=0)
    missing = carried_by_motors(model) @ np.sum([one.missing for one in looks], axis=0)
    return np.asarray(seen / np.maximum(seen + missing, 1))


def sign_sums(
    model: WatchedModel,
    observation: Observation,
    look: CroppedObservation,
    baseline: Array,
    before: Sequence[SignSums],
) -> SignSums:
    """Try the signs of motors of whose carried surface much less is seen than usual (D,).

    Now, or in a look before: looks that are well explained as read must count as well.
    """
    carried = carried_by_motors(model)
    seen, expected = carried @ look.seen, carried @ (look.seen + look.missing)
    turned = np.full((2, len(baseline)), np.nan)
    suspect = (expected >= LEAST_SAMPLES) & (seen < (baseline - _SUSPECT) * expected)
    tried = np.flatnonzero(suspect | np.any([one.suspect for one in before], axis=0))
    if len(tried):
        image = depth_image(observation.points, observation.camera_pose)
    for motor in tried:
        name = model.motors[motor]
        reading = observation.readings.get(name, model.readings_at_reference[motor])
        values = model.values({**observation.readings, name: -reading})
        there, missing = coverage(PosedScene(model, model.poses(values)), image)
        turned[:, motor] = carried[motor] @ (there + missing), carried[motor] @ there
    return SignSums(expected.astype(float), seen.astype(float), turned[0], turned[1], suspect)


def turned_sign(
    model: WatchedModel, looks: Sequence[SignSums], baseline: Array, least: float
) -> Change | None:
    """The motor whose turned sign explains best what is seen, with log odds of `least` or more."""
    odds = np.zeros(len(baseline))
    shares = np.zeros((2, len(baseline)))
    for motor, share in enumerate(baseline):
        tried = [
            one.shares(motor)
            for one in looks
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
        f"of what motor {name} carries {shares[0, best]:.0%} is seen where its readings put it, "
        f"and {shares[1, best]:.0%} where they would with their sign turned: it reads backwards"
    )
    return Change("joint_sign", name, (), float(odds[best]), text)


def carried_by_motors(model: WatchedModel) -> NDArray[np.bool_]:
    """(D, S) whether a motor moves a segment."""
    moves = np.abs(model.gear.T) > 0
    return np.asarray(moves.astype(int) @ model.articulation.ancestors[model.segment_body].T > 0)


def _divergence(share: Array, baseline: float) -> Array:
    """Of Kullback and Leibler, from `share` (...) to what is usual; 0 where more is seen."""
    baseline = float(np.clip(baseline, 1 - _MOST, _MOST))
    share = np.clip(share, 1e-3, 1 - 1e-3)
    lost = np.log(share / baseline) * share + np.log((1 - share) / (1 - baseline)) * (1 - share)
    return np.where(share < baseline, lost, 0.0)

"""All axes of a model together, from observations of daily work without a change.

The estimate is that of `learn_baseline`: a prior from the model's own deviations, and errors of the
surface's cells that are the same in all observations. So no number of observations averages the
errors of the meshes out; an axis is determined by how the displacements beyond it differ between
configurations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.geometry.rigid_motion import revolute_twist
from autourdf_ros.monitoring.diagnosis.baseline import (
    Baseline,
    learn_baseline,
    learn_from_observations,
)
from autourdf_ros.monitoring.diagnosis.causes import Cause, Causes
from autourdf_ros.monitoring.diagnosis.change_wording import quantities_of
from autourdf_ros.monitoring.observing.held_out_check import (
    SIGMAS,
    HeldOutCheck,
    PosedModel,
    held_out_check,
)
from autourdf_ros.monitoring.observing.observation_comparison import Comparison, CroppedObservation
from autourdf_ros.monitoring.observing.watched_model import WatchedModel
from autourdf_ros.monitoring.repairing.corrected_document import correct_document
from autourdf_ros.monitoring.repairing.corrected_result import write_corrected
from autourdf_ros.monitoring.repairing.corrected_urdf import correct_urdf
from autourdf_ros.monitoring.repairing.correction import Correction

Array = NDArray[np.float64]

KIND = "refinement"
LEAST_OBSERVATIONS = 12  # of every camera
ROUNDS = 4  # of Gauss-Newton
HELD_OUT = 4  # one of so many observations of a camera is held out


@dataclass(frozen=True, eq=False)
class RefinedAxes:
    """Re-estimated axes.

    Attributes:
        model: The model whose axes these replace.
        prior: The same with its axes before any refinement, to which the observations are added.
        causes: Of the prior.
        baseline: The estimate, as deviations from the prior.
        check: On the held-out observations.
        counts: Numbers of fitted and of held-out observations.
    """

    model: WatchedModel
    prior: WatchedModel
    causes: Causes
    baseline: Baseline
    check: HeldOutCheck
    counts: tuple[int, int]

    @property
    def accepted(self) -> bool:
        """Whether held-out observations are surely explained better than by the current model."""
        return self.check.passed

    @property
    def line_std(self) -> Array:
        """(J, 2) standard deviations as in `WatchedModel`."""
        return line_std_of(self.causes, self.baseline)

    @property
    def summary(self) -> str:
        """The refinement as a sentence."""
        share = std_reduction(self.model.line_std, self.line_std)
        size = f"{100 * abs(share):.0f}% {'smaller' if share >= 0 else 'larger'}"
        return (
            f"all axes re-estimated from {self.counts[0]} observations of daily work: their "
            f"standard deviations are {size}; points of {self.counts[1]} held-out observations are "
            f"{1e3 * self.check.new:.3f} mm off on average, {1e3 * self.check.old:.3f} mm without "
            f"it: nearer by {self.check.gain:.1f} standard deviations (required: {SIGMAS})"
        )


def refine_axes(
    model: WatchedModel,
    cameras: Sequence[str],
    seen: Sequence[Comparison],
    prior: WatchedModel,
) -> RefinedAxes:
    """Estimate all axes from observations of an unchanged robot.

    Args:
        model: The watched model.
        cameras: Names of all cameras.
        seen: Comparisons with the model.
        prior: Of `prior_model`.

    Raises:
        InputError: A camera has too few observations.
    """
    causes = Causes(prior, tuple(cameras))
    observations = [
        replace(one.observation, poses=prior.poses(one.observation.values)) for one in seen
    ]
    fitted, held = _split(cameras, observations)
    found = learn_from_observations(causes, fitted, ROUNDS)
    # The model as it is may use errors of zeros and cameras in the same way.
    as_it_is = replace(model, line_std=np.zeros_like(model.line_std))
    kept = Causes(as_it_is, tuple(cameras))
    own = [
        replace(observation, poses=model.poses(observation.values)) for observation in observations
    ]
    stands = learn_from_observations(kept, _split(cameras, own)[0], ROUNDS)
    pairs = [
        (
            _Standing(model, kept.twists(old) @ stands.parameters),
            _Standing(prior, causes.displacements(new, found.parameters)),
        )
        for old, new in zip(_split(cameras, own)[1], held, strict=True)
    ]
    everything = [np.ones(len(model.segments), bool)] * len(held)
    nothing = _Standing(model, np.zeros((len(model.segments), 6)))
    check = held_out_check(held, pairs, held, nothing, everything)
    return RefinedAxes(model, prior, causes, found, check, (len(fitted), len(held)))


def predicted_std_reduction(
    model: WatchedModel, prior: WatchedModel, cameras: Sequence[str], seen: Sequence[Comparison]
) -> float:
    """Predict the reduction of the axes' deviations by a refinement, as in `std_reduction`.

    Args:
        model: The watched model.
        prior: Of `prior_model`.
        cameras: Names of all cameras.
        seen: Comparisons with the model.
    """
    causes = Causes(prior, tuple(cameras))
    return std_reduction(model.line_std, line_std_of(causes, learn_baseline(causes, seen)))


def std_reduction(old: Array, new: Array) -> float:
    """Return the share by which deviations (J, 2) shrink, their geometric mean; 0 without any."""
    known = (old > 0) & (new > 0)
    return 1 - float(np.exp(np.log(new[known] / old[known]).mean())) if known.any() else 0.0


def line_std_of(causes: Causes, baseline: Baseline) -> Array:
    """Return the (J, 2) standard deviations of the axes, as in `WatchedModel`."""
    stds = [np.sqrt(np.diag(baseline.covariance)[cause.columns]) for cause in causes.axes]
    each = np.reshape(stds, (-1, 2, 2))
    return np.asarray(np.sqrt((each**2).mean(axis=-1)))


def prior_model(model: WatchedModel, document: Mapping[str, Any]) -> WatchedModel:
    """Return the model with its axes, and their deviations, from before it was refined.

    Errors of the meshes are the same in all observations at all times: added to a model refined by
    others, they would count twice. So a refined model is refined anew from its prior.

    Args:
        model: The watched model.
        document: Its reconstruction.json.
    """
    last = next(reversed(document.get("repairs", [])), None)
    if last is None or last["kind"] != KIND:
        return model
    lines, std = model.articulation, model.line_std.copy()
    twists, anchors = lines.twists.copy(), lines.anchors.copy()
    for name, before in last["before"].items():
        number = model.joints.index(name)
        axis, point = np.array(before["axis"]), np.array(before["point"])
        slides = np.concatenate([np.zeros(3), axis])
        twists[number] = revolute_twist(axis, point) if lines.revolute[number] else slides
        anchors[number] = point
        std[number] = before["axis_std"], before["line_std"]
    return replace(model, articulation=replace(lines, twists=twists, anchors=anchors), line_std=std)


def write_refined(
    source: Path, out: Path, made: RefinedAxes, also: Mapping[str, Any] | None = None
) -> Path:
    """Write the refined model of the result `source` as a result folder; return its path.

    Args:
        source: Result folder.
        out: Folder to write.
        made: The refinement.
        also: Further keys of its reconstruction.json.

    Raises:
        InputError: As `write_corrected`.
    """
    baseline, model = made.baseline, made.model
    axes = made.causes.axes
    lines = made.causes.moved_axes(baseline.parameters)
    correction = Correction(np.zeros(len(model.joints)), lines)
    covariances = {
        number: baseline.covariance[cause.columns, cause.columns]
        for number, cause in enumerate(axes)
        if cause.known.any()
    }

    def edit(folder: Path, document: dict[str, Any]) -> dict[str, Any]:
        new = correct_document(document, correction, covariances)
        correct_urdf(folder, model, correction, new)
        return new | dict(also or {})

    return write_corrected(source, out, edit, _record(source, made, axes))


def _record(source: Path, made: RefinedAxes, axes: Sequence[Cause]) -> dict[str, Any]:
    """The entry of `repairs` in reconstruction.json."""
    baseline, prior = made.baseline, made.prior
    lines = prior.articulation
    directions = np.where(lines.revolute[:, None], lines.twists[:, :3], lines.twists[:, 3:])
    return {
        "kind": KIND,
        "subject": "",
        "told": made.summary,
        "evidence": "no change in daily work",
        "replaced": "`axis`, `point`, `covariance` and `across` of all joints",
        "parameters": [
            asdict(quantity) | {"name": f"{one.subject}: {quantity.name}"}
            for one in axes
            for quantity in quantities_of(
                one,
                baseline.parameters[one.columns],
                baseline.covariance[one.columns, one.columns],
                prior,
            )
        ],
        "before": {
            name: {
                "axis": directions[number].tolist(),
                "point": lines.anchors[number].tolist(),
                "axis_std": float(prior.line_std[number, 0]),
                "line_std": float(prior.line_std[number, 1]),
            }
            for number, name in enumerate(prior.joints)
        },
        "source": str(source),
        "looks_fitted": made.counts[0],
        "looks_held_out": made.counts[1],
        "held_out_check": made.check.to_document(),
    }


class _Standing(PosedModel):
    """A posed model whose bodies are placed by its own axes, not by those of the observation."""

    def distances(self, observation: CroppedObservation) -> tuple[Array, NDArray[np.int64]]:
        """Return the distances as `PosedModel` does."""
        return super().distances(replace(observation, poses=self.model.poses(observation.values)))


def _split(
    cameras: Sequence[str], observations: Sequence[CroppedObservation]
) -> tuple[list[CroppedObservation], list[CroppedObservation]]:
    """Split into fitted and held-out ones. Raises InputError where a camera has too few."""
    fitted: list[CroppedObservation] = []
    held: list[CroppedObservation] = []
    for camera in cameras:
        own = [one for one in observations if one.camera == camera]
        if len(own) < LEAST_OBSERVATIONS:
            raise InputError(
                f"{len(own)} observations of camera {camera!r} are too few to refine the model; "
                f"accepted: at least {LEAST_OBSERVATIONS}: refine later"
            )
        fitted += [observation for number, observation in enumerate(own) if number % HELD_OUT != 1]
        held += own[1::HELD_OUT]
    return fitted, held

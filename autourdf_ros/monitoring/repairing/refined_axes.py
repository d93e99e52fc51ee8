"""All axes of a model together, from looks of daily work, in which nothing has changed.

The estimate is that of `learn_usual`: the model's own deviations beforehand, and the errors of the
surface's cells, the same in all looks. So no number of looks averages the errors of the meshes
out; what tells of an axis is how what it carries is off otherwise in other configurations.
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
from autourdf_ros.monitoring.repairing.model_repair import parameters_of
from autourdf_ros.monitoring.repairing.refit import Refit

Array = NDArray[np.float64]

KIND = "refinement"
LEAST_LOOKS = 12  # of every camera
ROUNDS = 4  # of Gauss-Newton
HELD_OUT = 4  # one look of a camera in so many is held out


@dataclass(frozen=True, eq=False)
class RefinedAxes:
    """model: whose axes these are instead. prior: the same, with the axes as they were before any
    refinement, which is what the looks are added to. usual: what was found, as off from the prior.
    """

    model: WatchedModel
    prior: WatchedModel
    causes: Causes
    baseline: Baseline
    check: HeldOutCheck
    looks: tuple[int, int]

    @property
    def accepted(self) -> bool:
        """Whether the held-out looks are surely explained better than by the model as it is."""
        return self.check.passed

    @property
    def line_std(self) -> Array:
        """(J, 2) as of `WatchedModel`."""
        return line_std_of(self.causes, self.baseline)

    @property
    def told(self) -> str:
        """A sentence."""
        share = tighter(self.model.line_std, self.line_std)
        size = f"{100 * abs(share):.0f}% {'smaller' if share >= 0 else 'larger'}"
        return (
            f"all axes re-estimated from {self.looks[0]} looks of daily work: their standard "
            f"deviations are {size}; points of {self.looks[1]} looks held out "
            f"are {1e3 * self.check.new:.3f} mm off on average, {1e3 * self.check.old:.3f} mm "
            f"without it: nearer by {self.check.gain:.1f} standard deviations ({SIGMAS} are asked)"
        )


def refine_axes(
    model: WatchedModel,
    cameras: Sequence[str],
    seen: Sequence[Comparison],
    prior: WatchedModel,
) -> RefinedAxes:
    """Estimate all axes from looks at a robot of which nothing has changed.

    prior: as of `prior_model`. Raises InputError where a camera has too few looks.
    """
    causes = Causes(prior, tuple(cameras))
    looks = [replace(one.look, poses=prior.poses(one.look.values)) for one in seen]
    fitted, held = _split(cameras, looks)
    found = learn_from_observations(causes, fitted, ROUNDS)
    # What zeros and cameras are off by, the model as it is may explain just as well.
    as_it_is = replace(model, line_std=np.zeros_like(model.line_std))
    kept = Causes(as_it_is, tuple(cameras))
    own = [replace(look, poses=model.poses(look.values)) for look in looks]
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


def promised(
    model: WatchedModel, prior: WatchedModel, cameras: Sequence[str], seen: Sequence[Comparison]
) -> float:
    """How much tighter the model's axes would be, as of `tighter`, about.

    prior: as of `prior_model`. seen: comparisons with the model.
    """
    causes = Causes(prior, tuple(cameras))
    return tighter(model.line_std, line_std_of(causes, learn_baseline(causes, seen)))


def tighter(old: Array, new: Array) -> float:
    """Share by which standard deviations (J, 2) are smaller, their geometric mean; 0 of nothing."""
    known = (old > 0) & (new > 0)
    return 1 - float(np.exp(np.log(new[known] / old[known]).mean())) if known.any() else 0.0


def line_std_of(causes: Causes, baseline: Baseline) -> Array:
    """(J, 2) standard deviations of the axes, as of `WatchedModel`."""
    stds = [np.sqrt(np.diag(baseline.covariance)[cause.columns]) for cause in causes.axes]
    each = np.reshape(stds, (-1, 2, 2))
    return np.asarray(np.sqrt((each**2).mean(axis=-1)))


def prior_model(model: WatchedModel, document: Mapping[str, Any]) -> WatchedModel:
    """The model with its axes, and their deviations, as they were before it was refined.

    Errors of the meshes are the same in all looks, whenever they came: were looks added to a model
    refined by others, they would count twice. So what was refined last is refined anew. document:
    the model's reconstruction.json.
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
    """Write the refined model of the result `source` as a result folder; returns its path.

    also: what else its reconstruction.json tells. Raises InputError as `write_corrected`.
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
    found = [
        Refit(
            one,
            baseline.parameters[one.columns],
            baseline.covariance[one.columns, one.columns],
            0.0,
        )
        for one in axes
    ]
    lines = prior.articulation
    directions = np.where(lines.revolute[:, None], lines.twists[:, :3], lines.twists[:, 3:])
    return {
        "kind": KIND,
        "subject": "",
        "told": made.told,
        "evidence": "nothing was off in daily work",
        "replaced": "`axis`, `point`, `covariance` and `across` of all joints",
        "parameters": [
            asdict(quantity) | {"name": f"{one.cause.subject}: {quantity.name}"}
            for one in found
            for quantity in parameters_of(one, prior)
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
        "looks_fitted": made.looks[0],
        "looks_held_out": made.looks[1],
        "held_out_check": made.check.to_document(),
    }


class _Standing(PosedModel):
    """A posed model whose bodies are where its own axes have them, not those of the look."""

    def distances(self, look: CroppedObservation) -> tuple[Array, NDArray[np.int64]]:
        """As of `PosedModel`."""
        return super().distances(replace(look, poses=self.model.poses(look.values)))


def _split(
    cameras: Sequence[str], looks: Sequence[CroppedObservation]
) -> tuple[list[CroppedObservation], list[CroppedObservation]]:
    """Those to be fitted and those held out. Raises InputError where a camera has too few."""
    fitted: list[CroppedObservation] = []
    held: list[CroppedObservation] = []
    for camera in cameras:
        own = [look for look in looks if look.camera == camera]
        if len(own) < LEAST_LOOKS:
            raise InputError(
                f"{len(own)} looks of camera {camera!r} are too few to refine the model; accepted "
                f"are {LEAST_LOOKS} at least: refine when more was seen"
            )
        fitted += [look for number, look in enumerate(own) if number % HELD_OUT != 1]
        held += own[1::HELD_OUT]
    return fitted, held

"""Re-estimate what one change names from a few recent observations, and check it on others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.geometry.rigid_motion import exp_se3
from autourdf_ros.monitoring.change import Change, Quantity
from autourdf_ros.monitoring.diagnosis.baseline import learn_baseline
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.diagnosis.change_wording import quantities_of
from autourdf_ros.monitoring.observing.held_out_check import (
    HeldOutCheck,
    PosedModel,
    held_out_check,
)
from autourdf_ros.monitoring.observing.observation_comparison import Comparison
from autourdf_ros.monitoring.observing.watched_model import WatchedModel
from autourdf_ros.monitoring.repairing.attached_link import attach_link
from autourdf_ros.monitoring.repairing.attached_part import attached_part, with_part
from autourdf_ros.monitoring.repairing.corrected_document import correct_document
from autourdf_ros.monitoring.repairing.corrected_result import write_corrected
from autourdf_ros.monitoring.repairing.corrected_urdf import correct_urdf
from autourdf_ros.monitoring.repairing.correction import Correction, correction_of
from autourdf_ros.monitoring.repairing.refit import Refit, refit

Array = NDArray[np.float64]

HELD_OUT = 3  # one of so many observations of a camera is held out
LEAST_OBSERVATIONS = 4  # since the change

Edit = Callable[[Path, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Repair:
    """Re-estimated parameters of one change.

    Attributes:
        model: The model before.
        change: The reported change.
        check: On the held-out observations.
        summary: A sentence: what is replaced, and how well it explains the held-out observations.
        counts: Numbers of fitted and of held-out observations.
        refit: The parameters; None for an attachment.
        correction: Their meaning for the model; None for an attachment.
        part: Attached part in the base frame at the reference (m); None for other changes.
    """

    model: WatchedModel
    change: Change
    check: HeldOutCheck
    summary: str
    counts: tuple[int, int]
    refit: Refit | None = None
    correction: Correction | None = None
    part: trimesh.Trimesh | None = None

    @property
    def accepted(self) -> bool:
        """Whether held-out observations are explained better than before, and near the baseline."""
        return self.check.passed

    @property
    def for_model(self) -> bool:
        """Whether the model changes; a camera's pose is not part of it."""
        return self.change.kind != "camera_pose"

    def camera_pose(self, nominal: Array) -> Array:
        """Return the (4, 4) true pose of the camera of a `camera_pose` with the pose `nominal`."""
        assert self.refit is not None
        return np.asarray(nominal @ exp_se3(self.refit.parameters))


def repair(
    model: WatchedModel,
    change: Change,
    healthy: Sequence[Comparison],
    recent: Sequence[Comparison],
) -> Repair:
    """Re-estimate only what the change names; everything else of the model is kept.

    Args:
        model: The watched model.
        change: The reported change.
        healthy: Observations from before the change, for the baseline.
        recent: Observations since the change.

    Raises:
        InputError: Too few observations, or the change cannot be repaired.
    """
    refuse_others(change)
    if len(recent) < LEAST_OBSERVATIONS or not healthy:
        raise InputError(
            f"{len(healthy)} observations from before the change and {len(recent)} since then; "
            f"accepted: at least 1 and {LEAST_OBSERVATIONS}"
        )
    fitted, held = _split(recent)
    if change.kind == "attachment":
        return _attached(model, change, healthy, fitted, held)
    cameras = sorted({one.observation.camera for one in (*healthy, *recent)})
    causes = Causes(model, tuple(cameras))
    found = refit(causes, change.kind, change.subject, fitted, learn_baseline(causes, healthy))
    if found is None:
        raise InputError(
            f"{change.kind} of {change.subject!r}: the model and its cameras have no such part"
        )
    nowhere = PosedModel(model, np.zeros((len(model.segments), 6)))
    check = held_out_check(
        [one.observation for one in held],
        [(nowhere, PosedModel(model, found.twists(causes, one.observation))) for one in held],
        [one.observation for one in healthy],
        nowhere,
        [np.abs(found.twists(causes, one.observation)).max(axis=1) > 0 for one in held],
    )
    summary = _sentence(change, check, _magnitude(found, model))
    correction = correction_of(causes, found.cause, found.parameters)
    return Repair(model, change, check, summary, (len(fitted), len(held)), found, correction)


def refuse_others(change: Change) -> None:
    """Raise InputError for a change that no model repair corrects."""
    if change.kind == "object":
        raise InputError(
            f"nothing to repair: {change.summary}; the model is right, remove the foreign object"
        )
    if change.kind == "sag":
        raise InputError(
            f"nothing to repair: {change.summary}; state the load to the controller, or take it off"
        )
    if change.unsteady:
        raise InputError(
            f"nothing to repair: {change.summary}; fasten {change.subject}, then calibrate it"
        )
    if change.kind in ("joint_sign", "camera_latency"):
        raise InputError(
            f"nothing to repair: {change.summary}; correct it in the driver of {change.subject}"
        )


def write_repair(
    source: Path, out: Path, made: Repair, also: Mapping[str, Any] | None = None
) -> Path:
    """Write the repaired model of the result `source` as a result folder; return its path.

    Args:
        source: Result folder.
        out: Folder to write.
        made: The repair.
        also: Further keys of its reconstruction.json.

    Raises:
        InputError: The repair does not change the model, or the folder cannot be written.
    """
    if not made.for_model:
        raise InputError(f"{made.summary}: the model stays as it is")
    edit = _edit_part(made) if made.part is not None else _edit_numbers(made)

    def edit_all(folder: Path, document: dict[str, Any]) -> dict[str, Any]:
        return edit(folder, document) | dict(also or {})

    return write_corrected(source, out, edit_all, _record(source, made))


def _attached(
    model: WatchedModel,
    change: Change,
    healthy: Sequence[Comparison],
    fitted: Sequence[Comparison],
    held: Sequence[Comparison],
) -> Repair:
    if change.subject not in model.links:
        raise InputError(f"attachment to {change.subject!r}: the model has no such link")
    body = model.links.index(change.subject)
    before = [one.observation for one in healthy]
    part = attached_part(model, body, [one.observation for one in fitted], before)
    if part is None:
        raise InputError(f"too few points of the part attached to {change.subject} were seen")
    new = with_part(model, body, part)
    old = PosedModel(model, np.zeros((len(model.segments), 6)))
    asked = np.arange(len(new.segments)) == len(model.segments)
    check = held_out_check(
        [one.observation for one in held],
        [(old, PosedModel(new, np.zeros((len(new.segments), 6))))] * len(held),
        before,
        old,
        [asked] * len(held),
    )
    size = " x ".join(f"{100 * side:.1f}" for side in part.extents)
    summary = _sentence(change, check, f"a part of {size} cm")
    return Repair(model, change, check, summary, (len(fitted), len(held)), part=part)


def _split(recent: Sequence[Comparison]) -> tuple[list[Comparison], list[Comparison]]:
    """Split into fitted and held-out ones, with the same share for every camera."""
    seen: dict[str, int] = defaultdict(int)
    fitted: list[Comparison] = []
    held: list[Comparison] = []
    for one in recent:
        camera = one.observation.camera
        (held if seen[camera] % HELD_OUT == 1 else fitted).append(one)
        seen[camera] += 1
    return fitted, held


def _edit_numbers(made: Repair) -> Edit:
    found, model, correction = made.refit, made.model, made.correction
    assert found is not None and correction is not None
    covariances = {}
    if found.cause.kind == "joint_axis":
        number = model.joints.index(found.cause.subject)
        known = np.diag(np.repeat(model.line_std[number], 2) ** 2)
        covariances[number] = found.covariance + known

    def edit(folder: Path, document: dict[str, Any]) -> dict[str, Any]:
        new = correct_document(document, correction, covariances)
        correct_urdf(folder, model, correction, new)
        return new

    return edit


def _edit_part(made: Repair) -> Edit:
    part = made.part
    assert part is not None
    return lambda folder, document: attach_link(folder, document, made.change.subject, part)


_REPLACED = {
    "joint_zero": "the zero of {0}: `reference`, `observed`, observed limits and `joint_values`",
    "joint_axis": "`axis`, `point`, `covariance` and `across` of {0}",
    "link_shape": "the shape of {0} beyond a place, its inertia, and `axis`, `point` and `across` "
    "of the joints beyond",
    "base_pose": "`axis`, `point` and `across` of all joints, and where {0} is",
    "attachment": "one more link, fixed to {0}; its mesh is fused from the observations since",
}


def _record(source: Path, made: Repair) -> dict[str, Any]:
    """The entry of `repairs` in reconstruction.json."""
    change, found = made.change, made.refit
    parameters = () if found is None else _quantities(found, made.model)
    return {
        "kind": change.kind,
        "subject": change.subject,
        "told": made.summary,
        "evidence": change.summary,
        "replaced": _REPLACED[change.kind].format(change.subject),
        "parameters": [asdict(quantity) for quantity in parameters],
        "source": str(source),
        "looks_fitted": made.counts[0],
        "looks_held_out": made.counts[1],
        "held_out_check": made.check.to_document(),
    }


def _quantities(found: Refit, model: WatchedModel) -> tuple[Quantity, ...]:
    return quantities_of(found.cause, found.parameters, found.covariance, model)


def _magnitude(found: Refit, model: WatchedModel) -> str:
    parameters = _quantities(found, model)
    parts = []
    for unit, scale, word in (("rad", 180 / np.pi, "°"), ("m", 1000.0, " mm")):
        own = [(one.value, one.std) for one in parameters if one.unit == unit]
        if own:
            size = scale * float(np.linalg.norm([value for value, _ in own]))
            std = scale * float(np.linalg.norm([std for _, std in own]) / np.sqrt(len(own)))
            parts.append(f"{size:.2f} ± {std:.2f}{word}")
    return " and ".join(parts)


def _sentence(change: Change, check: HeldOutCheck, much: str) -> str:
    subject = f" of {change.subject}" if change.subject else ""
    return (
        f"{change.kind}{subject} re-estimated: {much}; points of held-out observations are "
        f"{1e3 * check.new:.2f} mm off on average, {1e3 * check.old:.2f} mm without it, "
        f"{1e3 * check.baseline:.2f} mm before the change"
    )

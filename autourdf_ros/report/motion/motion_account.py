"""The account of a reconstruction from motion: frames, motors, residuals, chains and doubts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.frame import Recording
from autourdf_ros.data.recording_digest import recording_digest
from autourdf_ros.estimation.motion.reconstruction import Loop, Reconstruction
from autourdf_ros.report.account import Account, Draw
from autourdf_ros.report.figures.parts_figure import Cloud, draw_parts
from autourdf_ros.report.motion.joint_motion_figure import draw_joint_motion
from autourdf_ros.report.motion.link_residuals import link_residuals
from autourdf_ros.report.motion.model_order_figure import draw_model_order
from autourdf_ros.report.motion.residual_figure import draw_residuals

_OF_MOTIONS = ("joint_values", "joint_stds", "base_poses", "residuals", "used", "held_out")


def motion_account(
    reconstruction: Reconstruction,
    recording: Recording,
    links: Mapping[str, str],
    joints: Mapping[str, str],
) -> Account:
    """Return the account of a reconstruction.

    Args:
        reconstruction: What was found.
        recording: What it was reconstructed from.
        links: Names to write, by those of the reconstruction's model.
        joints: Likewise.
    """
    model = reconstruction.model
    return Account(
        verdict=reconstruction.verdict,
        warnings=reconstruction.warnings,
        notes=reconstruction.notes,
        base=reconstruction.base.kind,
        recorded=_recorded(reconstruction),
        links=tuple(
            {"cost": cost.fitted, "held_out_cost": cost.held_out}
            for cost in reconstruction.link_costs
        ),
        joints=tuple({} for _ in model.joints),
        sections=_sections(reconstruction, recording, links, joints),
        limits="observed",
        options=asdict(reconstruction.options),
        timings=reconstruction.timings,
        input={
            "source": None if recording.source is None else str(recording.source),
            "sha256": recording_digest(recording),
            "sequences": len(recording.sequences),
            "frames": len(recording.frames),
            "cameras": list(recording.cameras),
        },
        fixed_frame=recording.fixed_frame,
        figures=_figures(reconstruction, recording),
    )


def observed_ranges(reconstruction: Reconstruction) -> NDArray[np.float64]:
    """Return the (J, 2) smallest and largest values of the joints in the used frames, or NaN."""
    values = _recorded(reconstruction)
    if not len(values):
        return np.full((len(reconstruction.model.joints), 2), np.nan)
    return np.column_stack([values.min(0), values.max(0)])


def _recorded(reconstruction: Reconstruction) -> NDArray[np.float64]:
    """(F, J) joint values in the used frames."""
    count = len(reconstruction.model.joints)
    rows = [motion.joint_values[motion.used] for motion in reconstruction.motions]
    return np.vstack([np.empty((0, count)), *rows])


def _sections(
    reconstruction: Reconstruction,
    recording: Recording,
    links: Mapping[str, str],
    joints: Mapping[str, str],
) -> dict[str, Any]:
    return {
        "reference_readings": _reference_readings(recording),
        "weak_directions": [
            {**asdict(direction), "joints": [joints[name] for name in direction.joints]}
            for direction in reconstruction.weak_directions
        ],
        "loops": [
            {
                **_loop(loop),
                "links": [links[name] for name in loop.links],
                "joints": [joints[name] for name in loop.joints],
            }
            for loop in reconstruction.loops
        ],
        "unexplained_patches": [
            {**asdict(patch), "link": links[patch.link]} for patch in reconstruction.patches
        ],
        "base": asdict(reconstruction.base),
        "camera_poses": [
            {**asdict(camera), "pose": camera.pose.tolist()} for camera in reconstruction.cameras
        ],
        "common_error": (
            None if reconstruction.common_error is None else asdict(reconstruction.common_error)
        ),
        "noise": reconstruction.noise,
        "residuals": _residuals(reconstruction),
        "sequences": _sequences(reconstruction, recording),
        "model_order": [asdict(step) for step in reconstruction.model_order],
        "decisions": _decisions(reconstruction, links),
    }


def _decisions(reconstruction: Reconstruction, links: Mapping[str, str]) -> list[dict[str, Any]]:
    """Decisions with the links' names; no margin where there was no other change to choose."""
    return [
        {
            "change": decision.change.format_map(links),
            "gain": decision.gain,
            "runner_up": decision.runner_up.format_map(links),
            "margin": decision.margin if np.isfinite(decision.margin) else None,
        }
        for decision in reconstruction.decisions
    ]


def _reference_readings(recording: Recording) -> dict[str, float] | None:
    readings = recording.frames[0].joint_positions if recording.frames else None
    return None if readings is None else {name: float(value) for name, value in readings.items()}


def _loop(loop: Loop) -> dict[str, Any]:
    entry = asdict(loop)
    entry["misfit"] = entry.pop("cost")  # its key since version 1
    return entry


def _residuals(reconstruction: Reconstruction) -> dict[str, float | None]:
    """Medians over the frames that the model was adjusted to, and those that were held out."""
    motions = reconstruction.motions
    residuals = np.concatenate([motion.residuals for motion in motions])
    held_out = np.concatenate([motion.held_out for motion in motions])
    known = np.isfinite(residuals)
    parts = {"fitted": residuals[known & ~held_out], "held_out": residuals[known & held_out]}
    return {name: float(np.median(part)) if len(part) else None for name, part in parts.items()}


def _sequences(reconstruction: Reconstruction, recording: Recording) -> list[dict[str, Any]]:
    return [
        {
            "name": sequence.name,
            "stamps": [frame.stamp for frame in sequence.frames],
            **{key: getattr(motion, key) for key in _OF_MOTIONS},
        }
        for motion, sequence in zip(reconstruction.motions, recording.sequences, strict=True)
    ]


def _figures(found: Reconstruction, recording: Recording) -> dict[str, Draw]:
    """What draws each figure, in the order of their making."""
    motions, cloud = found.motions, Cloud(found.reference_points, found.labels)
    figures: dict[str, Draw] = {
        "parts": lambda shown, path: draw_parts(
            cloud, shown.model, shown.judgements, path, others=found.loops
        ),
        "joints": lambda shown, path: draw_joint_motion(shown.model, motions, path),
        "residuals": lambda shown, path: draw_residuals(
            motions,
            found.noise,
            list(zip(shown.model.tree.links, found.link_costs, strict=True)),
            link_residuals(shown.model, motions, recording),
            path,
        ),
    }
    if order := found.model_order:
        figures["model_order"] = lambda _, path: draw_model_order(order, path)
    return figures

"""The account of a self-model from images alone: motors, support of joints, doubts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import trimesh

from autourdf_ros.estimation.appearance.unknown.estimate_self_model import FoundSelfModel
from autourdf_ros.model.result_files import IMAGES_ALONE
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.report.account import Account
from autourdf_ros.report.assembly.solid_figure import Solids
from autourdf_ros.report.figures.parts_figure import draw_parts

FIXED_FRAME = "world"
"""The frame that the cameras' poses are given in."""


def image_account(
    found: FoundSelfModel,
    model: SelfModel,
    shown: tuple[trimesh.Trimesh | None, ...],
    joints: Mapping[str, str],
    source: Mapping[str, Any],
    cameras: tuple[str, ...] = (),
) -> Account:
    """Return the account of a self-model.

    Args:
        found: What images show.
        model: As it is written.
        shown: Meshes of the model's links, in the base frame at rest.
        joints: Names to write, by those of the model.
        source: Entries of the document's `input`.
        cameras: Notes on the images' cameras.
    """
    verdict = found.appearance.verdict
    solids = Solids.of([trimesh.Trimesh() if mesh is None else mesh for mesh in shown])
    still = [f"{name} never moves: it is no joint" for name in found.motors.still]
    return Account(
        verdict=verdict.trust,
        warnings=verdict.reasons,
        notes=(*cameras, *still),
        base="fixed",
        recorded=found.values,
        links=tuple({} for _ in model.tree.links),
        joints=tuple({} for _ in model.joints),
        sections={IMAGES_ALONE: _section(found, joints)},
        limits="observed",
        options={},
        timings=found.timings,
        input=source,
        fixed_frame=FIXED_FRAME,
        figures={"parts": lambda page, path: draw_parts(solids, page.model, page.judgements, path)},
    )


def _section(found: FoundSelfModel, joints: Mapping[str, str]) -> dict[str, Any]:
    """Return why the tree is as it is, and what held-out images say of its joints."""
    return {
        "decisions": [
            {
                "change": one.change,
                "gain": one.gain,
                "runner_up": one.runner_up,
                "margin": one.margin,
            }
            for search in found.kinematics.searches
            for one in search.history
        ],
        "joints": {
            joints[joint.name]: {
                "exists": float(found.support.exists[number]),
                "parent": float(found.support.parents[number]),
            }
            for number, joint in enumerate(found.robot.state.tree.joints)
        },
        "lost_motors": [list(motor.readings) for motor in found.kinematics.lost],
    }

"""From a result folder and efforts to the same folder with masses and friction."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.data.efforts.effort_checks import check_efforts
from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.common.estimator import provenance
from autourdf_ros.estimation.inertia.links.information.informative_motion import (
    SwingOptions,
    informative_swings,
)
from autourdf_ros.estimation.inertia.links.link_identification import (
    LinkIdentification,
    LinkShapes,
    identify_links,
)
from autourdf_ros.estimation.inertia.links.link_options import LinkOptions
from autourdf_ros.estimation.inertia.links.link_verdict import link_verdict
from autourdf_ros.estimation.inertia.links.torque_model import RESISTANCES, TorqueModel
from autourdf_ros.export.enrichment import LayerAccount, enrich
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.inertial.inertial_parameters import (
    is_consistent,
    mass_centre_inertia,
    parameters_from,
)
from autourdf_ros.model.layers.dynamics import DynamicsLayer, JointDynamics
from autourdf_ros.model.layers.inertia import InertiaLayer, LinkInertia
from autourdf_ros.model.layers.layer import LayerName
from autourdf_ros.model.result_files import URDF
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.urdf.described_robot import DescribedRobot
from autourdf_ros.model.urdf.urdf_reading import read_description
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.report.figures.efforts_figure import EffortSeries, draw_efforts
from autourdf_ros.shape.described_solids import masses_by_shape
from autourdf_ros.shape.mass_properties import DENSITY
from autourdf_ros.workflows.link_account import IdentifiedRobot, effort_section

SECTION = "efforts"
"""Key of the document with the account of masses and friction from efforts."""
METHOD = "inertia/efforts"
_USED: tuple[LayerName, ...] = ("kinematics", "shape")


def identify_result(
    out: Path,
    recording: EffortRecording,
    options: LinkOptions = LinkOptions(),  # noqa: B008  (frozen)
    density: float = DENSITY,
    progress: Progress = silent,
) -> IdentifiedRobot:
    """Find masses and friction of a result folder's robot, and write them as a new version.

    Args:
        out: Result folder.
        recording: Positions and efforts of its joints.
        options: Choices.
        density: Of the links' shapes, about which their masses are sought (kg/m³).
        progress: Is called with stage and fraction, and may raise to cancel.

    Raises:
        InputError: the folder is none or is being written, or the recording is not of this robot
            or cannot be used. Nothing is written then.
    """
    model = read_self_model(out)
    shapes = link_shapes(read_description(out / URDF), model, density)
    identified = identify_robot(out / URDF, recording, shapes, options, part(progress, 0, 0.7))
    found, verdict = identified.found, identified.verdict
    origin = provenance(f"{METHOD}, {options.solver}", recording.digest)
    digests = {name: model.digests[name] for name in _USED if name in model.digests}
    stamp: dict[str, Any] = {"provenance": origin, "verdict": verdict, "rests_on": digests}
    inertia = InertiaLayer(links=_links(found, model), **stamp)
    dynamics = DynamicsLayer(joints=_joints(found), **stamp)
    series = EffortSeries(
        found.heard, found.problem.times, found.problem.efforts, found.predicted, found.held_out
    )
    account = LayerAccount(
        (dynamics,),
        {SECTION: effort_section(identified, recording, options)},
        {"efforts": lambda path: draw_efforts(series, path)},
    )
    enrich(out, inertia, part(progress, 0.7, 1.0), account=account)
    return identified


def identify_robot(
    urdf: Path,
    recording: EffortRecording,
    shapes: LinkShapes,
    options: LinkOptions,
    progress: Progress = silent,
) -> IdentifiedRobot:
    """Check a recording, find masses and friction, and judge them; nothing is written.

    Raises:
        InputError: the recording is not of this robot or cannot be used.
    """
    model = TorqueModel(urdf, recording.joints, shapes.solids)
    used = recording.of(model.joints).unwrapped(model.continuous)
    lower, upper, _ = model.limits
    endless = np.isin(model.joints, model.continuous)
    lower, upper = np.where(endless, -np.inf, lower), np.where(endless, np.inf, upper)
    checked = check_efforts(used, lower, upper, model.effort_limits)
    found = identify_links(used, urdf, shapes, options, checked.silent, progress)
    verdict = link_verdict(found, shapes, options, recording.source)
    unknown = sorted(set(recording.joints) - set(model.joints))
    warnings = [*checked.warnings]
    if unknown:
        warnings.append(f"the robot has no joint {', '.join(unknown)}; its efforts are left out")
    if model.unmeasured:
        warnings.append(
            f"{', '.join(model.unmeasured)} are not in the recording; they count as standing still "
            "at zero"
        )
    noise = np.full(len(model.joints), np.inf)
    noise[found.problem.heard] = found.noise.std
    repeats = np.ones(len(model.joints))
    repeats[found.problem.heard] = found.noise.repeats
    swings = informative_swings(
        model,
        found.posterior.covariance,
        replace(found.noise, std=noise, repeats=repeats),
        SwingOptions(),
    )
    return IdentifiedRobot(found, verdict, swings, tuple(warnings))


def link_shapes(robot: DescribedRobot, model: SelfModel | None, density: float) -> LinkShapes:
    """Return what shapes, and earlier measurements of payloads, say of a robot's links.

    Args:
        robot: The URDF. Links without a shape count with the masses that it states.
        model: With the layers; None for a URDF without.
        density: kg/m³.
    """
    solids, volumes = {}, {}
    by_shape = masses_by_shape(robot, density)
    for link in robot.links:
        own = by_shape[link.name]
        if own is not None:
            solids[link.name] = parameters_from(own.mass, own.centre, own.inertia)
            volumes[link.name] = own.mass / density
        elif link.inertial is not None and link.inertial.mass > 0:
            turn = link.inertial.pose[:3, :3]
            stated = parameters_from(
                link.inertial.mass,
                link.inertial.pose[:3, 3],
                turn @ link.inertial.tensor @ turn.T,
            )
            if is_consistent(stated):
                solids[link.name] = stated
    inertia = None if model is None else model.inertia
    measured = {}
    if inertia is not None:
        for name, known in inertia.links.items():
            if known.covariance is not None and _weighed(known):
                solids[name] = parameters_from(known.mass, known.centre, known.inertia)
                measured[name] = known.covariance
    if not solids:
        raise InputError(f"{robot.path}: no link has a shape; accepted is one with shapes")
    return LinkShapes(solids, measured, volumes)


def _weighed(link: LinkInertia) -> bool:
    """Whether a link is a payload whose weighing states its uncertainty."""
    return link.payload and link.covariance is not None


def _links(found: LinkIdentification, model: SelfModel) -> dict[str, LinkInertia]:
    before = {} if model.inertia is None else model.inertia.links
    # A payload keeps what its weighing found: the efforts were estimated with that, and the next
    # estimate from them must not count them twice, nor forget the weighing.
    links = {name: own for name, own in before.items() if _weighed(own)}
    for number, (name, own) in enumerate(
        zip(found.model.links, found.link_parameters, strict=True)
    ):
        if name in links:
            continue
        block = slice(10 * number, 10 * number + 10)
        links[name] = LinkInertia(
            *mass_centre_inertia(own),
            found.posterior.covariance[block, block],
            name in before and before[name].payload,
        )
    return {name: own for name, own in links.items() if name in model.tree.links}


def _joints(found: LinkIdentification) -> dict[str, JointDynamics]:
    """Friction and armature of the joints of which the data said something."""
    values, stds = found.resistances
    start = 10 * len(found.model.links)
    sources = np.reshape(found.identifiability.sources[start:], (-1, len(RESISTANCES)))
    return {
        name: JointDynamics(
            damping=max(own[1], 0.0),
            friction=max(own[0], 0.0),
            armature=max(own[2], 0.0),
            damping_std=std[1],
            friction_std=std[0],
            armature_std=std[2],
        )
        for name, own, std, source in zip(
            found.model.joints, values.tolist(), stds.tolist(), sources, strict=True
        )
        if name in found.heard and (source[:2] != "prior").any()
    }

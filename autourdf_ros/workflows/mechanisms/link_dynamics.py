"""From a result folder and efforts to the same folder with friction, damping and armature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.efforts.effort_checks import check_efforts
from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.common.estimator import provenance
from autourdf_ros.estimation.dynamics.robot.described_mechanism import (
    RobotSimulation,
    mechanism_of_urdf,
)
from autourdf_ros.estimation.dynamics.robot.recorded_motions import CuttingOptions
from autourdf_ros.estimation.dynamics.robot.robot_fit import RobotDynamics, fit_robot
from autourdf_ros.export.enrichment import LayerAccount, enrich
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.layers.dynamics import DynamicsLayer, JointDynamics
from autourdf_ros.model.layers.layer import LayerName, Verdict
from autourdf_ros.model.result_files import URDF
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.urdf.described_robot import Limit
from autourdf_ros.model.urdf.urdf_reading import read_description
from autourdf_ros.progress import Progress, part, silent

Array = NDArray[np.float64]

SECTION = "dynamics"
"""Key of the document with the account of friction, damping and armature."""
METHOD = "dynamics/shooting"
_USED: tuple[LayerName, ...] = ("kinematics", "inertia")


@dataclass(frozen=True)
class DynamicsChoices:
    """Choices of the user.

    Attributes:
        simulation: How the robot is simulated.
        cutting: How the recording is used.
        free_masses: Whether masses of the inertia layer are free within their uncertainty; else
            they are fixed.
        predicted: Error of held-out motion, of the range of a joint, above which the result is
            doubtful.
    """

    simulation: RobotSimulation = field(default_factory=RobotSimulation)
    cutting: CuttingOptions = field(default_factory=CuttingOptions)
    free_masses: bool = False
    predicted: float = 0.05


@dataclass(frozen=True)
class IdentifiedJoints:
    """Friction, damping and armature of a robot's joints, judged.

    Attributes:
        found: The estimate.
        shares: RMS error of held-out motion over the range that the joint passes, by joint.
        joints: What the layer states, by joint.
        verdict: Of the layer.
        warnings: Sentences for the user that are no doubt about the layer.
    """

    found: RobotDynamics
    shares: dict[str, float]
    joints: dict[str, JointDynamics]
    verdict: Verdict
    warnings: tuple[str, ...]


def identify_joints(
    out: Path,
    recording: EffortRecording,
    choices: DynamicsChoices = DynamicsChoices(),
    progress: Progress = silent,
) -> IdentifiedJoints:
    """Find friction, damping and armature of a result's joints, and write them as a new version.

    Args:
        out: Result folder.
        recording: Positions and efforts of its joints.
        choices: Choices.
        progress: Is called with stage and fraction, and may raise to cancel.

    Raises:
        InputError: the folder is none or is being written, or the recording is not of this robot
            or cannot be used. Nothing is written then.
    """
    model = read_self_model(out)
    identified = judged_joints(out / URDF, model, recording, choices, part(progress, 0.0, 0.8))
    digests = {name: model.digests[name] for name in _USED if name in model.digests}
    layer = DynamicsLayer(
        joints=identified.joints,
        provenance=provenance(METHOD, recording.digest),
        verdict=identified.verdict,
        rests_on=digests,
    )
    account = LayerAccount(sections={SECTION: _section(identified, recording, choices)})
    enrich(out, layer, part(progress, 0.8, 1.0), account=account)
    return identified


def judged_joints(
    urdf: Path,
    model: SelfModel | None,
    recording: EffortRecording,
    choices: DynamicsChoices,
    progress: Progress = silent,
) -> IdentifiedJoints:
    """Check a recording, fit, and judge the result; nothing is written.

    Raises:
        InputError: the recording is not of this robot or cannot be used.
    """
    robot = read_description(urdf)
    known = {joint.name: joint for joint in robot.moving_joints}
    names = tuple(name for name in recording.joints if name in known)
    if not names:
        raise InputError(
            f"{recording.source}: joints {', '.join(recording.joints)}; the robot has "
            f"{', '.join(known)}"
        )
    warnings = []
    if unknown := sorted(set(recording.joints) - set(names)):
        warnings.append(f"the robot has no joint {', '.join(unknown)}; its efforts are left out")
    if still := sorted(set(known) - set(names)):
        warnings.append(f"{', '.join(still)} are not in the recording; they count as fixed at zero")
    used = recording.of(names)
    checked = check_efforts(used, *_limits([known[name].limit for name in names]))
    mechanism = mechanism_of_urdf(
        urdf, names, choices.simulation, _mass_stds(model) if choices.free_masses else None
    )
    found = fit_robot(mechanism, used, choices.cutting, progress)
    passed = np.ptp(used.positions, axis=0)
    order = [names.index(name) for name in mechanism.joints]
    shares = found.prediction.errors / np.maximum(passed[order], np.finfo(float).tiny)
    by_joint = dict(zip(mechanism.joints, shares.tolist(), strict=True))
    reasons = [
        f"{name}: held-out motion of {found.duration:.2g} s is predicted within {share:.1%} of the "
        f"range only (accepted: {choices.predicted:.0%})"
        for name, share in by_joint.items()
        if share > choices.predicted
    ]
    reasons += found.posterior.warnings
    verdict = Verdict("doubtful" if reasons else "trusted", tuple(reasons))
    return IdentifiedJoints(
        found, by_joint, _joints(found), verdict, (*warnings, *checked.warnings)
    )


def _limits(limits: Sequence[Limit | None]) -> tuple[Array, Array, Array]:
    """Lower and upper values, and efforts (J,), infinite where there is none."""
    stated = np.array(
        [(np.nan,) * 3 if one is None else (one.lower, one.upper, one.effort) for one in limits],
        float,
    )
    lower, upper, effort = np.where(np.isfinite(stated), stated, [-np.inf, np.inf, np.inf]).T
    return lower, upper, effort


def _mass_stds(model: SelfModel | None) -> dict[str, float]:
    """Standard deviations of measured masses over the masses, by link."""
    layer = None if model is None else model.inertia
    if layer is None:
        return {}
    return {
        name: own.mass_std / own.mass
        for name, own in layer.links.items()
        if own.mass_std is not None and own.mass_std > 0
    }


def _joints(found: RobotDynamics) -> dict[str, JointDynamics]:
    """What the layer states: where only the prior speaks, a standard deviation as large as that."""
    posterior = found.posterior
    rows = {
        name: (float(value), float(std))
        for name, value, std in zip(
            posterior.names, posterior.values, posterior.natural_stds, strict=True
        )
    }
    joints = {}
    for name in posterior.mechanism.joints:
        values: dict[str, float] = {}
        for kind in ("damping", "friction", "armature"):
            if (key := f"{kind} of {name}") in rows:
                values[kind], values[f"{kind}_std"] = rows[key]
        joints[name] = JointDynamics(**values)
    return joints


def _section(
    identified: IdentifiedJoints, recording: EffortRecording, choices: DynamicsChoices
) -> dict[str, Any]:
    """The account for the document."""
    found = identified.found
    report, posterior = found.identifiability, found.posterior
    parameters = [
        {"name": name, "unit": unit, "value": value, "std": std, "ratio": ratio, "source": source}
        for name, unit, value, std, ratio, source in zip(
            posterior.names,
            posterior.units,
            posterior.values.tolist(),
            posterior.natural_stds.tolist(),
            report.ratios.tolist(),
            report.sources,
            strict=True,
        )
    ]
    return {
        "source": recording.source,
        "records": len(recording.times),
        "motions": len(posterior.starts),
        "parameters": parameters,
        "directions": list(report.sentences),
        "held_out": {"duration": found.duration, "shares": identified.shares},
        "warnings": list(identified.warnings),
        "options": asdict(choices),
    }

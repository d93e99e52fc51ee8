"""Masses, damping and friction of a mechanism from its joints' motion, as layers of its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.video.force_table import ForceTable
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotion, JointMotionData
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import (
    Mechanism,
    mechanism_of_mjcf,
)
from autourdf_ros.estimation.dynamics.pipeline import IdentifiedDynamics, identify_dynamics
from autourdf_ros.estimation.dynamics.posterior.dynamics_posterior import DynamicsPosterior
from autourdf_ros.estimation.dynamics.posterior.lasting_errors import lasting_errors
from autourdf_ros.estimation.dynamics.posterior.model_checks import CheckLevels
from autourdf_ros.estimation.dynamics.posterior.posterior_file import posterior_text
from autourdf_ros.estimation.dynamics.posterior.taken_as_exact import Variant
from autourdf_ros.estimation.dynamics.shooting.shooting_options import ShootingOptions
from autourdf_ros.estimation.video.video_mechanism import VideoMechanism
from autourdf_ros.export.enrichment import LayerAccount, enrich
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.result_files import MECHANISM, POSTERIOR, result_document
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.workflows.mechanisms.axis_variants import axis_variants
from autourdf_ros.workflows.mechanisms.dynamics_layers import layers_of
from autourdf_ros.workflows.mechanisms.generalised_forces import generalised_forces
from autourdf_ros.workflows.mechanisms.model_simulator import simulated_xml

Array = NDArray[np.float64]

FREE = ("mass", "centre", "radius", "shear", "damping", "friction", "tilt")
"""Kinds of parameters that a motion is asked for."""


@dataclass(frozen=True)
class MechanismDynamicsOptions:
    """Choices of the user.

    Attributes:
        free: Kinds of parameters that are found.
        shooting: Of the fit.
        deviations: To either side of what the report states.
        lasting: Share of the stated variance of joint values that depends on where the mechanism
            is, so that no number of frames averages it away (docs/mechanisms.md: measured are 0 to
            1).
        levels: When something counts as a doubt. Two standard deviations of the tracker's poses
            hold 78 to 98 % of their errors where 95 % are due: they may be 1.6 times too small by
            themselves, and residuals as much larger are no sign of a wrong model.
    """

    free: tuple[str, ...] = FREE
    shooting: ShootingOptions = field(default_factory=lambda: ShootingOptions(noise="student"))
    deviations: float = 2.0
    lasting: float = 0.5
    levels: CheckLevels = CheckLevels(ratio=1.6)  # noqa: RUF009  (frozen)


@dataclass(frozen=True)
class ObservedMechanism:
    """What a video shows of a mechanism's motion.

    Attributes:
        model: With masses by volume.
        origins: (4, 4) frames of the bodies at the reference configuration, by link.
        stamps: (T,) s.
        values: (T, all joints) in the model's order (rad or m), NaN where not known.
        stds: Their standard deviations.
    """

    model: SelfModel
    origins: Mapping[str, Array]
    stamps: Array
    values: Array
    stds: Array

    @classmethod
    def of_result(cls, document: Mapping[str, Any], model: SelfModel) -> Self:
        """Return what the document of a video's result states."""
        count = len(model.tree.joints)
        (sequence,) = document["sequences"]
        origins = {
            one["link"]: np.array(one["reference_pose"], float)
            for one in document[MECHANISM]["bodies"]
        }
        values, stds = (
            np.array(sequence[key], float).reshape(-1, count)
            for key in ("joint_values", "joint_stds")
        )
        return cls(model, origins, np.array(sequence["stamps"], float), values, stds)

    @classmethod
    def of_video(cls, found: VideoMechanism, model: SelfModel) -> Self:
        """Return what was found in a video, with the model as it is written."""
        origins = dict(zip(found.track.bodies, found.reference_poses, strict=True))
        return cls(model, origins, found.video.stamps, found.joint_values, found.joint_stds)

    def motion(self, joints: tuple[str, ...], forces: ForceTable | None) -> JointMotion:
        """Return what the named joints did, with the forces along them.

        Raises:
            InputError: values are known in fewer than two frames, or forces name what is unknown.
        """
        tree = self.model.tree
        known = np.flatnonzero(np.isfinite(self.values).any(axis=1))
        if len(known) < 2:
            raise InputError(
                "dynamics: joint values are known in fewer than 2 frames; accepted are more"
            )
        used = slice(known[0], known[-1] + 1)
        columns = [tree.joint_names.index(name) for name in joints]
        motion = JointMotion(
            self.stamps[used], self.values[used][:, columns], self.stds[used][:, columns]
        )
        if forces is None:
            return motion
        there = interpolated(self.stamps, self.values, forces.stamps, tree.reference_values)
        applied = generalised_forces(forces, tree, self.origins, there, joints)
        return replace(motion, forces=applied, force_stamps=forces.stamps)


def identify_mechanism(
    observed: ObservedMechanism,
    forces: ForceTable | None = None,
    options: MechanismDynamicsOptions | None = None,
    progress: Progress = silent,
) -> IdentifiedDynamics:
    """Find masses, damping and friction from joint values.

    Args:
        observed: What the joints did.
        forces: That drove the mechanism; None where none is known.
        options: Choices.
        progress: Is called with stage and fraction.

    Raises:
        InputError: no joint moves, or forces name what is unknown.
    """
    options = options or MechanismDynamicsOptions()
    xml = simulated_xml(observed.model, frozenset(observed.origins))
    mechanism = mechanism_of_mjcf(xml, options.free)
    data = JointMotionData(mechanism.joints, (observed.motion(mechanism.joints, forces),))
    variants = [
        *_variants(observed, forces, mechanism),
        *(
            Variant(mechanism, JointMotionData(mechanism.joints, (motion,)))
            for motion in lasting_errors(data.motions[0], options.lasting)
        ),
    ]
    return identify_dynamics(mechanism, data, options.shooting, progress, variants, options.levels)


def _variants(
    observed: ObservedMechanism, forces: ForceTable | None, mechanism: Mechanism
) -> list[Variant]:
    """The mechanism and its motion, with one axis after the other moved by its deviation."""
    found, bodies = [], frozenset(observed.origins)
    for model, moved in axis_variants(observed.model):
        own = replace(observed, model=model).motion(mechanism.joints, forces)
        xml = simulated_xml(observed.model, bodies, moved=moved)
        other = replace(mechanism, xml=xml)
        found.append(Variant(other, JointMotionData(mechanism.joints, (own,))))
    return found


def add_dynamics(
    out: Path,
    forces: ForceTable | None = None,
    options: MechanismDynamicsOptions | None = None,
    progress: Progress = silent,
) -> DynamicsPosterior:
    """Find the dynamics of a mechanism's folder from its joint values, and write them there.

    A new version of the folder gets the masses, damping and friction as layers, and the posterior
    as a file from which `autourdf forecast` goes on.

    Args:
        out: Result folder of a video.
        forces: That drove the mechanism; None where none is known.
        options: Choices.
        progress: Is called with stage and fraction.

    Raises:
        InputError: the folder is no result of a video, no joint moves, or forces name other joints.
    """
    options = options or MechanismDynamicsOptions()
    document, model = mechanism_document(out), read_self_model(out)
    observed = ObservedMechanism.of_result(document, model)
    found = identify_mechanism(observed, forces, options, part(progress, 0.0, 0.6))
    posterior = found.posterior
    inertia, dynamics = layers_of(posterior, model, document["input"]["sha256"], forces is None)
    section = {**document[MECHANISM], "dynamics": dynamics_section(found, options.deviations)}
    account = LayerAccount(
        layers=(dynamics,),
        sections={MECHANISM: section},
        files={POSTERIOR: posterior_text(posterior)},
    )
    enrich(out, inertia, part(progress, 0.6, 1.0), account=account)
    return posterior


def mechanism_document(out: Path) -> dict[str, Any]:
    """Return the document of a result of a video.

    Raises:
        InputError: it is another result, or none.
    """
    document = result_document(out)
    if not isinstance(document.get(MECHANISM), Mapping):
        raise InputError(
            f"{out}: is no result of a video; accepted is a folder that autourdf mechanism wrote"
        )
    return document


def interpolated(stamps: Array, values: Array, wanted: Array, missing: Array) -> Array:
    """Return values (F, J) at wanted stamps (F,), of values (T, J) that may be NaN.

    Args:
        stamps: (T,) s.
        values: Of the joints.
        wanted: s; before the first and after the last known value this is held.
        missing: (J,) values of joints that are never known.
    """
    found = np.empty((len(wanted), values.shape[1]))
    for column, own in enumerate(values.T):
        known = np.isfinite(own)
        found[:, column] = (
            np.interp(wanted, stamps[known], own[known]) if known.any() else missing[column]
        )
    return found


def dynamics_section(found: IdentifiedDynamics, deviations: float) -> dict[str, Any]:
    """Return what the document and the report say of the dynamics."""
    posterior = found.posterior
    lower, upper = posterior.interval(deviations)
    learned = 1 - found.identifiability.ratios
    return {
        "parameters": [
            {
                "name": name,
                "unit": unit,
                "value": value,
                "lower": low,
                "upper": high,
                "learned": max(share, 0.0),
            }
            for name, unit, value, low, high, share in zip(
                posterior.names,
                posterior.units,
                posterior.values.tolist(),
                lower.tolist(),
                upper.tolist(),
                learned.tolist(),
                strict=True,
            )
        ],
        "directions": list(found.identifiability.sentences),
        "noise": posterior.noise,
        "warnings": list(posterior.warnings),
    }

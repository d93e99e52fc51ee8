"""Kinematics from part meshes: the whole algorithm at a glance."""

from __future__ import annotations

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.common.estimator import Estimate
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions
from autourdf_ros.estimation.parts.assembly_trace import AssemblyTrace
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.progress import Progress, silent


def assemble(
    assembly: PartAssembly,
    model: SelfModel | None = None,
    options: AssemblyOptions = AssemblyOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
) -> Estimate[AssemblyTrace]:
    """Estimate the kinematic tree and the joints of parts that stand still.

    Args:
        assembly: The parts.
        model: Not used: parts say all.
        options: Choices of the user.
        progress: Is called with stage and fraction, and may raise to cancel.

    Returns:
        A model with kinematics and shape, and how it came about.

    Raises:
        InputError: The parts cannot be assembled.
    """
    raise InputError("not yet")

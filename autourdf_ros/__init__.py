"""A robot cell writes its own robot description: motion and point clouds in, URDF out.

The names of `__all__` are the public Python API (docs/python_api.md). Each is imported when it is
first used, so that `import autourdf_ros` stays quick.
"""

import importlib
from typing import Any

from autourdf_ros import former_paths, lean_open3d

__version__ = "0.1.0"

_PUBLIC = {
    "data.frame": ("Frame", "Recording", "Sequence"),
    "data.load": ("load_recording",),
    "data.parts.assembly_reading": ("read_assembly",),
    "data.parts.part_assembly": ("Part", "PartAssembly"),
    "data.parts.parts_options": ("PartsOptions",),
    "estimation.motion.pipeline": ("reconstruct",),
    "estimation.motion.reconstruction": ("Reconstruction", "ReconstructionOptions"),
    "estimation.parts.assembly_options": ("AssemblyOptions",),
    "estimation.parts.assembly_trace": ("AssemblyTrace",),
    "estimation.parts.pipeline": ("assemble",),
    "estimation.motion.streaming": ("LiveEstimate", "StreamingReconstruction"),
    "workflows.assemble": ("AssembleOptions", "assemble_to_folder"),
    "workflows.confirm": ("confirm_result",),
    "workflows.reconstruct": ("ResultOptions", "reconstruct_to_folder", "write_reconstruction"),
    "shape.urdf_options": ("UrdfOptions",),
    "model.self_model": ("SelfModel",),
    "model.document.self_model_reading": ("read_self_model",),
    "export.enrichment": ("enrich", "upgrade"),
    "export.versions": ("rollback",),
    "assessment.checks.finding": ("Finding",),
    "assessment.checks.gate": ("run_checks",),
    "assessment.checks.subject": ("open_subject",),
    "assessment.comparison.compared_robot": ("open_robot",),
    "assessment.comparison.comparison": ("Comparison", "compare"),
    "assessment.metrics.estimate_reading": ("load_estimate",),
    "assessment.metrics.evaluation": ("Evaluation", "evaluate"),
    "assessment.metrics.truth.truth": ("load_truth",),
    "errors": (
        "AutourdfError",
        "CancelledError",
        "InputError",
        "ReconstructionError",
        "RecordingError",
    ),
}
"""The public names, by the module that defines them."""

_MODULES = {name: module for module, names in _PUBLIC.items() for name in names}

__all__ = ["__version__", *_MODULES]

former_paths.install()
lean_open3d.install()


def __getattr__(name: str) -> Any:
    """Return a public name, and import its module where that has not happened yet."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted({*globals(), *__all__})

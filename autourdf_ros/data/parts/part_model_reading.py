"""Ask a part model for parts, and read its answer as untrusted files."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from autourdf_ros.data.parts.assembly_reading import assembly_of
from autourdf_ros.data.parts.formats.mesh_bounds import BOUNDS
from autourdf_ros.data.parts.formats.mesh_folder import read_folder
from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.data.parts.part_model import FORMATS, PartMesh, PartModel, PartRequest
from autourdf_ros.data.parts.parts_options import PartsOptions
from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.progress import Progress, part, silent

ORIGIN = "part model"


def parts_of_model(
    model: PartModel,
    request: PartRequest,
    name: str,
    options: PartsOptions = PartsOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
) -> PartAssembly:
    """Return the parts that a model makes, checked and cleaned as parts from files.

    Args:
        model: Is asked once.
        request: Images or a text.
        name: Of the assembly.
        options: Of the reading.
        progress: Is called with stage and fraction, and may raise to cancel.

    Raises:
        InputError: The model fails, or its answer cannot be used.
    """
    progress("asking the part model", 0.0)
    try:
        meshes = model.part_meshes(request, part(progress, 0.0, 0.8))
    except AutourdfError:
        raise
    except Exception as error:  # of code that is not ours
        raise InputError(f"{ORIGIN}: fails with {type(error).__name__}") from error
    return read_part_meshes(meshes, name, options, part(progress, 0.8, 1.0))


def read_part_meshes(
    meshes: Sequence[PartMesh],
    name: str,
    options: PartsOptions = PartsOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
) -> PartAssembly:
    """Return an assembly of mesh files in memory, by the readers of part files.

    The files get names of ours in a temporary folder: an answered name is never a path.

    Raises:
        InputError: A mesh is malformed, or fewer than two parts are usable.
    """
    _check(meshes)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "answer"
        folder.mkdir()
        for number, one in enumerate(meshes):
            (folder / f"{number:04}.{one.format}").write_bytes(one.content)
        try:
            scene = read_folder(folder, progress)
        except InputError as error:
            raise InputError(f"{ORIGIN}: {_without(str(error), folder)}") from None
    named = tuple(replace(raw, name=one.name) for raw, one in zip(scene.parts, meshes, strict=True))
    scene = replace(scene, parts=named, rigid=True)
    assembly = assembly_of(scene, Path(ORIGIN), options, progress)
    note = f"the parts are made by a {ORIGIN}, not measured"
    return replace(assembly, name=name, source=None, notes=(note, *assembly.notes))


def _without(text: str, folder: Path) -> str:
    return " ".join(text.replace(f"{folder}/", "part ").replace(str(folder), "its answer").split())


def _check(meshes: Any) -> None:
    """Check what a model returns, which may be anything."""
    if not isinstance(meshes, Sequence) or not all(isinstance(one, PartMesh) for one in meshes):
        raise InputError(f"{ORIGIN}: its answer is no list of part meshes")
    if not 2 <= len(meshes) <= BOUNDS.parts:
        raise InputError(
            f"{ORIGIN}: its answer has {len(meshes)} parts; accepted are 2 to {BOUNDS.parts}"
        )
    for number, one in enumerate(meshes):
        if not isinstance(one.name, str) or not isinstance(one.content, bytes):
            raise InputError(f"{ORIGIN}: part {number} has no name or no bytes")
        if one.format not in FORMATS:
            raise InputError(
                f"{ORIGIN}: part {number} is of a format that is not read; accepted are "
                f"{', '.join(FORMATS)}"
            )
